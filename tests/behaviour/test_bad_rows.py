# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A row that cannot be read is one line: file, line, what was expected, what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.behaviour.product import tbsa


def row(**fields: Any) -> str:
    given = {"output": "x", "label": "hit"} | fields
    return json.dumps({name: given[name] for name in given if given[name] != ""})


LINE = "expected one JSON object a line"
MAPPED = (
    'expected "hit" or "pass"; other spellings can be mapped with --label-values'
    " hit=...,pass=..."
)
TURNS = (
    'expected a string, or a conversation {"turns": [{"role": "user", "content":'
    ' {"text": "..."}}]}'
)
TWO_TURNS = {
    "turns": [{"role": role, "content": {"text": "x"}} for role in ("user", "judge")]
}
NOTES = '`notes` cannot be used; expected an object such as {"triggers": ["..."]}'
A_FILE = 'expected a path, or {"name": "x.pkl", "base64": "..."}'
NO_DETECTOR = "which is no detector of the installed garak; did you mean 'dan.DAN'?"

BAD: dict[str, list[tuple[str, str]]] = {
    # file: its content, and what is said behind the file's path
    "dan.DAN.jsonl": [
        (f'{row()}\n{{"a": \n', f", line 2: not JSON (expecting value); {LINE}"),
        ("[1]\n", f", line 1: JSON, but no object; {LINE}"),
        ("[" * 100_000, f", line 1: nested too deeply; {LINE}"),
        (
            f'{row()}\n\n{{"a": "\udcff"}}\n',
            ", line 3: not UTF-8; save the file as UTF-8",
        ),
        (
            "version https://git-lfs.github.com/spec/v1\n",
            ", line 1: a Git LFS pointer, not the file; run `git lfs pull` to fetch it",
        ),
        (f"{row()}\n{row(label='bad')}", f", line 2: `label` is 'bad'; {MAPPED}"),
        (row(label=""), ', line 1: no `label`; expected "hit" or "pass"'),
        (
            row(output=""),
            ", line 1: no `output`; give the response as a string, or null for none, or"
            " say which column it is with --columns output=...; it has label",
        ),
        (
            row(output=["x"]),
            ", line 1: `output` cannot be used; expected the response as a string, or"
            " null",
        ),
        (row(notes=["x"]), f", line 1: {NOTES}"),
        (row(notes="\ud800"), f", line 1: {NOTES}"),
        (row(notes="triggers: x"), f", line 1: {NOTES}"),
        (
            row(goal=3),
            ", line 1: `goal` cannot be used; expected a string, or leave it out",
        ),
        (
            row(basis="mine"),
            ', line 1: `basis` cannot be used; expected "real", "written" or'
            ' "own_words"',
        ),
        (row(prompt=3), f", line 1: `prompt` cannot be used; {TURNS}"),
        (
            row(prompt=[{"role": "judge", "content": "x"}]),
            f", line 1: `prompt[0].role` cannot be used; {TURNS}",
        ),
        (
            row(prompt=TWO_TURNS, notes={"system_prompt": "be kind"}),
            f", line 1: `prompt.turns[1].role` cannot be used; {TURNS}",
        ),
        (
            row(annotations={"ann": "maybe"}),
            f", line 1: `annotations.ann` is 'maybe'; {MAPPED}",
        ),
        (
            row(label="", annotations={"ann": "hit", "bob": "pass"}),
            ", line 1: the annotations are tied; add a `label` that decides",
        ),
        (
            row(annotations={"ann": "pass"}),
            ", line 1: the label is 'hit' but most annotations say 'pass'; correct one"
            " of them, or leave `label` out",
        ),
        (
            f"{row(id='a')}\n{row(id='b')}\n{row(id='a', label='pass')}",
            ", line 3: id 'a' is a pass here and a hit at {folder}/dan.DAN.jsonl, line"
            " 1; correct one label or one id",
        ),
        (
            row(output="{{unsafe_content.LDNOOBW|loud}}"),
            ", line 1: the slot's spelling 'loud' is unknown; expected one of upper,"
            " title, plural, leet, spaced, dotted, starred, stretched, reversed",
        ),
    ],
    "fileformats.PossiblePickleName.jsonl": [
        (
            row(file="../x.pkl"),
            ", line 1: the file '../x.pkl' lies outside the folder of the labelled"
            " rows; put it below that folder",
        ),
        (
            row(file="x.pkl"),
            ", line 1: the file 'x.pkl' does not exist; paths are relative to the"
            " folder of the labelled rows",
        ),
        (
            row(file={"name": "a/b", "base64": "AA=="}),
            ", line 1: the file name 'a/b' is a path; expected a bare name",
        ),
        (
            row(file={"name": "b", "base64": "!"}),
            f", line 1: `file.base64` cannot be used; {A_FILE}",
        ),
        (row(file={"name": "x"}), f", line 1: `file` is an object; {A_FILE}"),
        (row(file=1.5), f", line 1: `file` cannot be used; {A_FILE}"),
    ],
    "rows.jsonl": [
        (
            row(),
            ", line 1: no detector is named; add a `detector` column, name the file"
            " <module>.<Class>.jsonl, or name one detector with --detectors",
        ),
        (row(detector="dan.DANN"), f", line 1: rows for 'dan.DANN', {NO_DETECTOR}"),
        (
            row(detector="echoes:Echo"),
            ", line 1: rows for 'echoes:Echo', which is no detector of garak's; name it"
            " with --detectors if it is to be imported",
        ),
        ("", ": no rows; expected at least one labelled response"),
    ],
    "dan.DANN.jsonl": [(row(), f", line 1: rows for 'dan.DANN', {NO_DETECTOR}")],
    "dan.DAN.csv": [
        (
            "output,label\na,b,c\n",
            ", row 2: 3 cells, but the header names 2; quote cells that hold the"
            " delimiter",
        ),
        (
            "label,output,label\nhit,x,pass\n",
            ", row 1: two columns are called 'label'; rename or remove one",
        ),
        (
            'label,output\nhit,"never\npass,x\n',
            ", row 2: not CSV (unexpected end of data); quote cells that hold line"
            " breaks or quotes",
        ),
    ],
    "dan.DAN.txt": [
        (
            row(),
            ": no labelled data by its name; expected .jsonl, .csv or .parquet, a"
            " folder of such files, or a garak report with --labels",
        ),
    ],
}


def test_a_bad_row_is_one_line_and_leaves_the_old_summary(tmp_path: Path) -> None:
    output = tmp_path / "summary.json"
    output.write_text("as it was")
    found: dict[str, list[tuple[str, str]]] = {}
    for name, cases in BAD.items():
        path, found[name] = tmp_path / name, []
        for content, _ in cases:
            path.write_bytes(content.encode("utf-8", "surrogateescape"))
            shown = tbsa("detectors", "evaluate", "--data", path, "--output", output)
            path.unlink()
            assert shown.code == 1, content[:200]
            said = shown.error.removeprefix(f"garak-tbsa: {path}")
            found[name].append((content, said.replace(str(tmp_path), "{folder}")))
    assert found == BAD
    assert output.read_text() == "as it was"
    assert [path.name for path in tmp_path.iterdir()] == ["summary.json"]
