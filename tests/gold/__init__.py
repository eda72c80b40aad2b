# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One small report per garak dialect, each with the JSON that it must give.

``python -m tests.gold`` writes the expected JSON anew; README.md beside this
file says how the reports themselves were made.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def gold_reports() -> list[Path]:
    """Return every gold report."""
    return sorted(FOLDER.glob("*.report.jsonl"))


def expected_json(report: Path) -> Path:
    """Return where a gold report's expected JSON stands."""
    return report.with_name(report.name.replace(".report.jsonl", ".tbsa.json"))
