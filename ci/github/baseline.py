# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Step: keep this scan as the next baseline, where it may be one."""

from __future__ import annotations

import os
import subprocess
import sys

from ci.github.__main__ import OWN_FOLDER
from ci.github.event import is_of_default_branch, read_event
from ci.github.inputs import ALWAYS, CACHE, KEPT_BASELINE, NEVER, Inputs, read_inputs
from ci.github.workflow import say, set_output, warn
from garak_tbsa.errors import EXIT_DONE, EXIT_GATE_FAILED


def run() -> int:
    """Return 0 always; the output ``save`` says whether the cache is to be written."""
    inputs = read_inputs()
    reason = why_not(inputs, int(os.environ.get("SCORE_EXIT_CODE") or 1))
    if reason is not None:
        say(f"the baseline in the cache is left as it is: {reason}")
        return 0
    if _save(os.environ.get("SCORE_REPORT", "")):
        set_output("save", "true")
    return 0


def why_not(inputs: Inputs, exit_code: int) -> str | None:
    """Return why this scan is not the next baseline, None where it is."""
    if inputs.baseline != CACHE:
        return "the input baseline is not cache"
    if inputs.renew_baseline == NEVER:
        return "the input renew-baseline is never"
    if not is_of_default_branch(read_event()):
        return "this run is not for the default branch's own code"
    if exit_code not in (EXIT_DONE, EXIT_GATE_FAILED):
        return "the scan was not scored"
    if exit_code == EXIT_GATE_FAILED and inputs.renew_baseline != ALWAYS:
        return (
            "the scan did not pass; renew-baseline: always makes it the baseline all"
            " the same"
        )
    return None


def _save(report: str) -> bool:
    command = [sys.executable, OWN_FOLDER, "run", "baseline", "save"]
    done = subprocess.run(  # noqa: S603
        [*command, f"--to={KEPT_BASELINE}", "--", report], check=False
    )
    if done.returncode != EXIT_DONE:
        warn("the baseline was not renewed; the log of this step says why")
    return done.returncode == EXIT_DONE
