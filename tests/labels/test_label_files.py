# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels from both kinds of file; every row that cannot be used is one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import astuple

from garak_tbsa.errors import DatasetError
from garak_tbsa.labels.label_files import LabelFile, LabelReading, read_label_file


def read(folder: Path, content: str | bytes, **reading: Any) -> LabelFile:
    path = folder / "ann.csv"
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(raw)
    return read_label_file(str(path), LabelReading(**reading))


def said(file: LabelFile) -> list[tuple[str, int, str | None, str]]:
    return [(*astuple(each.place), each.detector, each.answer) for each in file.labels]


def problems(file: LabelFile) -> list[str]:
    """The problems without the path, which comes first."""
    assert all(each.startswith(f"{file.path}, ") for each in file.problems)
    return [each.removeprefix(f"{file.path}, ") for each in file.problems]


SHEET = """label,id,detector,drawn,output,attempt,output_index,cell_prefix
hit,u1/0,dan.DAN,true,text,u1,0,apostrophe before = + - @
pass,u1/1,dan.DAN,true,'=1,u1,1,apostrophe before = + - @
,u2/0,dan.DAN,true,text,u2,0,apostrophe before = + - @
?,u2/1,dan.DAN,true,text,u2,1,apostrophe before = + - @
Skip,u3/0,dan.DAN,true,text,u3,0,apostrophe before = + - @
"""
ANSWERS = [
    ("u1", 0, "dan.DAN", "hit"),
    ("u1", 1, "dan.DAN", "pass"),
    ("u2", 1, "dan.DAN", "unsure"),
    ("u3", 0, "dan.DAN", "skip"),
]


def doubled(sheet: str) -> str:
    return "".join(
        '"' + line.replace('"', '""') + '"\r\n' for line in sheet.splitlines()
    )


SPOILED = {
    "byte order mark": b"\xef\xbb\xbf" + SHEET.encode(),
    "semicolons": SHEET.replace(",", ";").encode(),
    "tabs": SHEET.replace(",", "\t").encode(),
    "utf-16 with tabs": b"\xff\xfe" + SHEET.replace(",", "\t").encode("utf-16-le"),
    "carriage returns": SHEET.replace("\n", "\r\n").encode(),
    "padded with empty cells": SHEET.replace("\n", ",,,\n").encode() + b",,,\n" * 3,
    "blank lines": SHEET.replace("\n", "\n\n").encode(),
    "each row one cell": doubled(SHEET).encode(),
    "capitals": SHEET.replace("true", "TRUE").replace("hit", "HIT").encode(),
    "numbers as of pandas": SHEET.replace(",0,ap", ",0.0,ap").encode(),
    "Windows's letters": SHEET.replace("text", "t\u00e9xt").encode("cp1252"),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_sheet_that_a_spreadsheet_saved(tmp_path: Path, how: str) -> None:
    """\"A sheet edited by Excel (quotes, BOM, semicolons ...)\" reads as before."""
    found = read(tmp_path, SPOILED[how])
    assert said(found) == ANSWERS
    assert (found.blank, found.problems) == (1, ())
    assert all(label.drawn for label in found.labels)


ROWS = {
    "hit,,,,text,,,": "row 2: names no output, perhaps as the rest of a long cell that"
    " a spreadsheet cut; expected `attempt` and `output_index`, or `id`",
    "hit,u9/4,,true,t,u1,0,apostrophe before = + - @": "row 2: `id` says u9/4, and"
    " `attempt` and `output_index` say u1/0: columns were sorted apart; fill the sheet"
    " in again as it was written",
    "hit,,,true,t,u1,,": "row 2: no `output_index`; add that column",
    "hit,,,true,a,b,u1,0,,x": "row 2: 10 cells, but the header names 8; quote cells"
    " that hold the delimiter",
    'hit,,,true,"a"b,u1,0,': "row 2: not CSV (',' expected after '\"'); quote cells"
    " that hold line breaks or quotes",
}


def test_a_bad_row_is_one_line_and_the_others_are_used(tmp_path: Path) -> None:
    """Excel keeps 32,767 characters of a cell and puts the rest in the next row."""
    header, first, *others = SHEET.splitlines()
    for row, problem in ROWS.items():
        found = read(tmp_path, "\n".join([header, row, first, *others]))
        assert problems(found) == [problem]
        assert said(found) == ANSWERS
    start, _, rest = first.partition("text")
    cut = [header, f"{start}{'x' * 32767}", f"{'x' * 50}{rest}", *others]
    found = read(tmp_path, "\n".join(cut))
    assert said(found) == ANSWERS
    assert problems(found) == [
        f"row 3: the label is '{'x' * 50}'; expected hit, pass, skip, ? or nothing"
    ]


def test_a_log_of_answers(tmp_path: Path) -> None:
    """A torn last line, as after a kill, loses that line alone."""
    row = {"attempt": "u1", "output_index": 0, "detector": "dan.DAN", "drawn": True}
    lines = [
        json.dumps({**row, "label": "hit", "rater": "bob", "note": "a\nb"}),
        json.dumps({**row, "label": "skip", "rater": "bob"}),
        "",
        json.dumps({**row, "label": None}),
        json.dumps([1]),
        '{"attempt": "u1", "out',
    ]
    found = read(tmp_path, "\n".join(lines))
    assert [each.answer for each in found.labels] == ["hit", "skip"]
    assert {(each.rater, each.drawn) for each in found.labels} == {("bob", True)}
    assert (found.blank, found.replaces) == (1, True)
    assert found.labels[1].where.endswith("ann.csv, line 2")
    assert problems(found) == [
        f"line {line}: no JSON object, or cut off; expected one label a line"
        for line in (5, 6)
    ]


def test_who_labelled_and_in_which_words(tmp_path: Path) -> None:
    """The row says it, or what the reader is told, or the file's name."""
    sheet = "label,id,rater\nhit,u1/0,\nhit,u1/1,cy\n"
    raters = [each.rater for each in read(tmp_path, sheet, rater="bob").labels]
    assert raters == ["bob", "cy"]
    log = tmp_path / "scan.report.labels.jsonl"
    log.write_text('{"label": "hit", "attempt": "u1", "output_index": 0}\n')
    assert read_label_file(str(log)).labels[0].rater == "scan.report"
    reading = {"columns": {"label": "bad"}, "label_values": {"1": "hit", "0": "pass"}}
    found = read(tmp_path, "bad,id\n1,u1/0\n0,u1/1\n", **reading)
    assert said(found) == [("u1", 0, None, "hit"), ("u1", 1, None, "pass")]
    with pytest.raises(DatasetError, match="row 1: no column `bad`; it has label, id"):
        read(tmp_path, "label,id\nhit,u1/0\n", columns={"label": "bad"})
    found = read(tmp_path, SHEET, columns={"attempt": "uuid"})
    problem = "no column 'uuid', which --columns maps to `attempt`"
    assert problems(found)[0] == f"row 2: {problem}"
    # digits of ASCII alone, and whatever an attempt is called
    found = read(tmp_path, 'label,id\nhit,"a\nb/1"\nhit,u1/\u0663\n')
    assert said(found) == [("a\nb", 1, None, "hit")]


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_whatever_the_bytes_the_answer_is_labels_or_one_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    """\"Whatever the input, the answer is a result or ONE clear line.\""""
    folder = tmp_path_factory.mktemp("any")
    for start in (b"", b"label,id\n", b'{"label": "hit", '):
        said_of_it = ""
        try:
            said_of_it = "\n".join(problems(read(folder, start + content)))
        except DatasetError as error:
            said_of_it = str(error)
            assert said_of_it.startswith(str(folder / "ann.csv"))
