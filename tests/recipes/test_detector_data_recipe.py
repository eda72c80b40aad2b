# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING's recipe for a detector's data, followed to the letter in a copy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.detector_eval.rows import write_records
from tests.recipes.copied import commands_of, copied_repository
from tests.tools.labelled_data.records import good_records

TITLE = "Add or correct a detector's data"
NEW = "any.AnyOutput"
DATA = "data/detectors-eval"
OTHERS = ("af", "bg", "ca", "da", "et")
"""The detector claims every language, so five besides English are due."""


@pytest.fixture
def copy(tmp_path: Path) -> Any:
    """The repository with the labelled data of one family only, to be quick."""
    made = copied_repository(tmp_path / "copy", without=("tests", "benchmarks"))
    for path in (made / f"{DATA}/labelled").glob("*.jsonl"):
        if path.name != "dan.DAN.jsonl":
            path.unlink()
    families = json.loads((made / f"{DATA}/families.json").read_text())
    kept = [family for family in families if family["name"] == "Personas"]
    (made / f"{DATA}/families.json").write_text(json.dumps(kept))
    (made / f"{DATA}/served_by.json").write_text("{}")
    return made


def test_a_detector_that_had_no_data_gets_some(copy: Any) -> None:
    check, make = commands_of(TITLE)
    check = check.replace("<module>.<Class>", NEW)
    # 1. the rows
    records = good_records(NEW)
    for row, language in zip(records, OTHERS, strict=False):
        row["lang"] = language
    write_records(copy / f"{DATA}/labelled", records, NEW)
    # 3. before 2.: the entry is missing, and the line says which
    said = copy.run(check, code=3)
    assert f'add "{NEW}" to `detectors` of the family' in said.stdout
    # 2. the family
    copy.replace(f"{DATA}/families.json", '"dan.*"', f'"dan.*", "{NEW}"')
    assert "every rule is kept" in copy.run(check).stdout
    # 4. what is made from the rows
    copy.run(make)
    summary = json.loads((copy / f"{DATA}/detector_metrics_summary.json").read_text())
    result = summary["results"][NEW]
    assert result["counts"] == {"tp": 30, "fp": 30, "fn": 0, "tn": 0}
    assert (result["stress"]["hits_found"], result["stress"]["passes"]) == (15, 15)
    assert f"| `{NEW}` | 90 | 45 | 45 |" in (copy / f"{DATA}/README.md").read_text()
    page = (copy / "docs/detector_metrics.md").read_text()
    assert "| any.<wbr>Any<wbr>Output | 0.67\u00a0[" in page
    assert NEW in (copy / "docs/detector_metrics.svg").read_text()
    # 5. what CI asks of the tables
    copy.run("python -m tools.labelled_data tables --check")
