# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

from garak_tbsa.label_audit.outputs import Place, read_outputs
from garak_tbsa.label_audit.texts import (
    LONGEST_TEXT,
    OutputText,
    read_texts,
)


def test_the_texts_of_a_real_report(gold_folder: str) -> None:
    report = str(Path(gold_folder) / "garak-0.17.1.report.jsonl")
    outputs = read_outputs(report, 0.5)
    wanted = sorted(outputs.places)[::3]
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
