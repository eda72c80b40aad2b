# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

from garak_tbsa.labels.outputs import Place, read_outputs
from garak_tbsa.labels.texts import (
    LONGEST_TEXT,
    OutputText,
    effort_text,
    read_texts,
)


def test_the_texts_of_a_real_report(gold_folder: str) -> None:
    report = str(Path(gold_folder) / "garak-0.17.1.report.jsonl")
    outputs = read_outputs(report, 0.5)
    wanted = sorted(outputs.lengths)[::3]
    found = read_texts(report, wanted)
    assert set(found) == set(wanted)
    assert all(each.prompt and each.goal for each in found.values())


def test_no_text_and_a_very_long_one(tmp_path: Path) -> None:
    report = tmp_path / "x.report.jsonl"
    row = {
        "entry_type": "attempt",
        "status": 2,
        "uuid": "u",
        "prompt": "p",
        "outputs": [None, {"text": "x" * 1_000_000}],
    }
    report.write_text(json.dumps(row) + "\n")
    first, second = Place("u", 0), Place("u", 1)
    found = read_texts(str(report), [first, second])
    assert found[first] == OutputText(prompt="p", text=None, goal=None)
    long = found[second].text
    assert long is not None
    assert "…[1,000,000 characters]…" in long
    assert len(long) < LONGEST_TEXT + 50


def test_the_time_that_labelling_takes_follows_the_length_of_outputs() -> None:
    """\"60 labels in 20 minutes\" only for outputs that can be read in that time."""
    assert effort_text([250, 240, 10_000]) == (
        "60 labels take about 20 minutes: half of the outputs have more than 250"
        " characters"
    )
    assert effort_text([6000]).startswith("60 labels take about 310 minutes:")
