# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Step: end with the exit code of the score, after everything has been told."""

from __future__ import annotations

import os

from ci.github.workflow import error, say
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE, EXIT_GATE_FAILED


def run() -> int:
    """Return 0 done, 1 could not, 2 usage, 3 a gate failed."""
    text = os.environ.get("SCORE_EXIT_CODE", "")
    code = int(text) if text.isdecimal() else EXIT_COULD_NOT
    if code == EXIT_DONE:
        say("the scan passed")
    elif code == EXIT_GATE_FAILED:
        error("the scan does not pass its gate; the step summary has each rule")
    else:
        error("the scan was not scored; the step summary says why")
    return code
