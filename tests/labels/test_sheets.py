# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sheets and tasks: blind, harmless to open, and read back as they were."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from garak_tbsa.detector_eval.dataset import read_sources
from garak_tbsa.detector_eval.sources import find_sources
from garak_tbsa.garak_files.attempts import parse_attempt
from garak_tbsa.labels.label_files import read_label_file
from garak_tbsa.labels.outputs import Place
from garak_tbsa.labels.questions import (
    Question,
)
from garak_tbsa.labels.sample import SampledOutput, StratumSize
from garak_tbsa.labels.sheets import (
    COLUMNS,
    label_studio_tasks,
    sheet,
    strata_table,
)
from tests.values import known

NASTY = [
    "=HYPERLINK('https://example.test')",
    "+1",
    "-1",
    "@SUM(A1)",
    "'quoted'",
    "\t=1",
    'a "quoted", stratum;\nwith lines\r\nand ,commas',
    "{not json",
    "🤖 ünïcode \ud800",
]


def sampled(text: str | None, uuid: str = "u1", index: int = 0) -> SampledOutput:
    row = {
        "uuid": uuid,
        "probe_classname": "dan.Ablation",
        "prompt": {"turns": [{"role": "user", "content": {"text": "hi"}}]},
        "outputs": [{"text": text, "lang": "en"}] * (index + 1),
        "notes": {"triggers": ["t"]},
        "goal": "be rude",
        "detector_results": {"dan.DAN": [1.0] * (index + 1)},
    }
    attempt = parse_attempt(row, 3)
    place = Place(uuid, index)
    return SampledOutput(
        question=Question(place=place, probe="dan.Ablation", detector="dan.DAN"),
        attempt=attempt,
    )


def test_the_filled_sheet_reads_back_as_it_was(tmp_path: Path) -> None:
    texts = [text.replace("\ud800", "") for text in NASTY]
    text = sheet([sampled(each, f"={n}") for n, each in enumerate(texts)])
    lines = list(csv.reader(io.StringIO(text)))
    assert tuple(lines[0]) == COLUMNS
    assert {line[0] for line in lines[1:]} == {""}
    assert not any(
        stratum.startswith(("=", "+", "-", "@")) for line in lines for stratum in line
    )
    filled = tmp_path / "sheet.csv"
    buffer = io.StringIO()
    csv.writer(buffer).writerows([lines[0], *(["hit", *row[1:]] for row in lines[1:])])
    filled.write_text(buffer.getvalue(), newline="")
    found, _ = read_sources(find_sources([str(filled)], known=bool), list)
    rows = found["dan.DAN"].rows
    assert [known(row.output) for row in rows] == texts
    assert (rows[0].id, rows[0].detector) == ("=0/0", "dan.DAN")
    assert rows[0].prompt[0].text == "hi"
    assert rows[0].notes == {"triggers": ["t"]}
    assert (rows[0].goal, rows[0].probe, rows[0].lang) == (
        "be rude",
        "dan.Ablation",
        "en",
    )
    labels = read_label_file(str(filled))
    assert labels.problems == ()
    assert {(each.detector, each.answer, each.drawn) for each in labels.labels} == {
        ("dan.DAN", "hit", True)
    }
    assert [each.attempt for each in labels.labels] == [f"={n}" for n in range(9)]


def test_what_finds_an_output_is_before_the_texts() -> None:
    """A spreadsheet that cuts a long cell loses what is behind it in the row."""
    text = sheet([sampled("x" * 40_000, index=2)])
    header, row = csv.reader(io.StringIO(text))
    before = dict(zip(header, row, strict=True))
    place = header.index("output")
    assert {"label", "id", "detector", "drawn"} == set(header[:place])
    assert before["id"] == "u1/2"


def test_an_output_without_text() -> None:
    assert json.loads(label_studio_tasks([sampled(None)]))[0]["data"]["output"] == ""


def test_the_table_of_strata() -> None:
    stratum = StratumSize(
        probe="=x.Y", detector="dan.DAN", flagged=True, outputs=9, drawn=2
    )
    assert strata_table([stratum]).splitlines() == [
        "probe,detector,verdict,outputs,drawn",
        "'=x.Y,dan.DAN,flagged,9,2",
    ]
