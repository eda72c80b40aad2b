# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One small report per garak dialect, each with the JSON that it must give.

``python -m tests.gold`` writes the expected JSON again; README.md beside this
file says how the reports themselves were made.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from tests.behaviour.product import document

FOLDER = Path(__file__).parent


def gold_reports() -> list[Path]:
    """Return every gold report."""
    return sorted(FOLDER.glob("*.report.jsonl"))


def expected_json(report: Path) -> Path:
    """Return the path of a gold report's expected JSON."""
    return report.with_name(report.name.replace(".report.jsonl", ".tbsa.json"))


def scored(report: Path) -> dict[str, Any]:
    """Score a gold report through the command; paths lose their folders."""
    with tempfile.TemporaryDirectory() as folder:
        found: dict[str, Any] = document(Path(folder), "score", "-q", report)
    found["infile"] = Path(found["infile"]).name
    found["calibration"]["source"] = Path(found["calibration"]["source"]).name
    return found
