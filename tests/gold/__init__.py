# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One small report per garak dialect, each with the JSON that it must give.

``python -m tests.gold`` writes the expected JSON again; README.md beside this
file says how the reports themselves were made.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def gold_reports() -> list[Path]:
    """Return every gold report."""
    return sorted(FOLDER.glob("*.report.jsonl"))


def expected_json(report: Path) -> Path:
    """Return the path of a gold report's expected JSON."""
    return report.with_name(report.name.replace(".report.jsonl", ".tbsa.json"))


def scored(report: Path) -> dict[str, Any]:
    """Score a gold report through the command; paths lose their folders."""
    from garak_tbsa.cli.main import main

    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "out.json"
        code = main(["score", "-q", "-j", str(output), str(report)])
        assert code == 0, f"{report} could not be scored"
        document: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    document["infile"] = Path(document["infile"]).name
    document["calibration"]["source"] = Path(document["calibration"]["source"]).name
    return document
