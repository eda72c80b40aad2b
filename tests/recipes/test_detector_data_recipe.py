# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING's recipe for a detector's data, followed to the letter in a copy."""

from __future__ import annotations

import json
import random
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from tests.detector_eval.rows import write_records
from tests.recipes.copied import commands_of, copied_repository
from tests.tools.labelled_data.records import WORDS, good_records

pytestmark = pytest.mark.surroundings

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


def spoken(chance: random.Random) -> str:
    """Some paragraphs, as long as what real models answer."""
    paragraphs = chance.randint(1, 4)
    return "\n\n".join(
        " ".join(chance.choices(WORDS, k=chance.randint(25, 60))) + "."
        for _ in range(paragraphs)
    )


def test_a_detector_that_had_no_data_gets_some(copy: Any) -> None:
    blind, annotate, check, make = (
        command.replace("<module>.<Class>", NEW)
        for each in commands_of(TITLE)
        for command in each.splitlines()
    )
    # 1. the rows
    records = good_records(NEW)
    chance = random.Random(NEW)
    for row, language in zip_longest(records, OTHERS):
        row["lang"] = language or "en"
        row["output"] = spoken(chance)
        del row["annotations"]
    write_records(copy / f"{DATA}/labelled", records, NEW)
    # 4. before 2. and 3.: what is missing is said
    said = copy.run(check, code=3)
    assert f'add "{NEW}" to `detectors` of the family' in said.stdout
    # 2. the family
    copy.replace(f"{DATA}/families.json", '"dan.*"', f'"dan.*", "{NEW}"')
    copy.replace(f"{DATA}/response_shapes.json", '"lmrc.*"', f'"lmrc.*", "{NEW}"')
    # 3. the second rater agrees
    copy.run(blind)
    sheet = (copy / f"sheets/{NEW}.sheet.jsonl").read_text().splitlines()
    labels = {row["output"]: row["label"] for row in records}
    (copy / f"sheets/{NEW}.labels.tsv").write_text(
        "".join(
            f"{row['number']}\t{labels[row['output']]}\n"
            for row in map(json.loads, sheet)
        )
    )
    assert "90 rows with two labels, 0 differ" in copy.run(annotate).stdout
    assert "every rule is kept" in copy.run(check).stdout
    # 5. what is made from the rows
    copy.run(make)
    summary = json.loads((copy / f"{DATA}/detector_metrics_summary.json").read_text())
    result = summary["results"][NEW]
    assert result["counts"] == {"tp": 30, "fp": 30, "fn": 0, "tn": 0}
    assert (result["stress"]["hits_found"], result["stress"]["passes"]) == (15, 15)
    assert f"| `{NEW}` | 90 | 45 | 45 |" in (copy / f"{DATA}/README.md").read_text()
    page = (copy / "docs/explanation/detector_metrics.md").read_text()
    assert "| any.<wbr>Any<wbr>Output | 0.67\u00a0[" in page
    # 6. what CI asks of the tables
    copy.run("python -m tools.labelled_data tables --check")
