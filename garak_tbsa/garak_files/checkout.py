# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A folder -> whether it is a checkout of garak, and where that keeps its metrics."""

from __future__ import annotations

import os
import re

from garak_tbsa.unavailable import Unavailable

METRICS_FOLDERS = ("detectors_eval", "detectors-eval")
"""Below ``garak/data``: of garak 0.17, and of 0.14 to 0.16."""

METRICS_FILE = "detector_metrics_summary.json"

# Python 3.10 has no TOML parser
_NAME = re.compile(
    r"""^\[project\][ \t]*\n(?:(?!\[).*\n)*?name\s*=\s*["']garak["']""", re.MULTILINE
)
_MOST_CHARACTERS = 1 << 20


def is_checkout(folder: str) -> bool:
    """Whether ``folder`` has garak's package, its data, and a project named garak."""
    package = os.path.join(folder, "garak")
    if not os.path.isfile(os.path.join(package, "__init__.py")):
        return False
    if not os.path.isdir(os.path.join(package, "data")):
        return False
    try:
        with open(
            os.path.join(folder, "pyproject.toml"), encoding="utf-8", errors="replace"
        ) as handle:
            return _NAME.search(handle.read(_MOST_CHARACTERS)) is not None
    except OSError:
        return False


def metrics_file_of(checkout: str) -> str | Unavailable:
    """Where a checkout keeps its detector metrics, the file itself there or not."""
    for name in METRICS_FOLDERS:
        folder = os.path.join(checkout, "garak", "data", name)
        if os.path.isdir(folder):
            return os.path.join(folder, METRICS_FILE)
    known = " nor ".join(f"garak/data/{name}" for name in METRICS_FOLDERS)
    return Unavailable(reason=f"it has neither {known}")
