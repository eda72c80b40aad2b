# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The number of garak's own TBSA module, whose place ours takes when it is imported."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from typing import Any

from garak_tbsa.errors import in_words
from garak_tbsa.report.garak_here import NO_GARAK, garak_folder
from garak_tbsa.report.report import Report
from garak_tbsa.safe_text import shown
from garak_tbsa.unavailable import Unavailable

NAME = "garak_tbsa_garaks_own"
"""What garak's module is called here: its own name would give ours."""


def garak_tbsa_of(report: Report) -> float | Unavailable:
    """Return what garak's own module gives for a report, by running its file."""
    found = _number(report)
    if not isinstance(found, Unavailable):
        return found
    return Unavailable(
        reason=f"garak's own module gives no number for this report ({found.reason})"
    )


def _number(report: Report) -> float | Unavailable:
    folder = garak_folder()
    if folder is None:
        return NO_GARAK
    path = os.path.join(folder, "analyze", "tbsa.py")
    if not os.path.isfile(path):
        return Unavailable(reason=f"there is no {path}")
    digest = report.digest
    if isinstance(digest, Unavailable):
        return digest
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            return _run(path, digest)
    except (Exception, SystemExit) as error:
        return Unavailable(reason=shown(in_words(error)))


def _run(path: str, digest: Mapping[str, Any]) -> float:
    spec = spec_from_file_location(NAME, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    tbsa, *_ = module.digest_to_tbsa(digest, quiet=True)
    return float(tbsa)
