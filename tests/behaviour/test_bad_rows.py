# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A row that cannot be read is one line: file, line, what was expected, what to do."""

from __future__ import annotations

from pathlib import Path

from tests.behaviour.product import tbsa

BAD: dict[str, tuple[str, str, str]] = {
    # case: (file, content, what is said behind the file's path)
    "no json": (
        "dan.DAN.jsonl",
        '{"output": "x", "label": "hit"}\n{"a": \n',
        (", line 2: not JSON (expecting value); expected one JSON object a line"),
    ),
    "no object": (
        "dan.DAN.jsonl",
        "[1]\n",
        ", line 1: JSON, but no object; expected one JSON object a line",
    ),
    "not utf8": (
        "dan.DAN.jsonl",
        '{"output": "x", "label": "hit"}\n\n{"a": "\udcff"}\n',
        ", line 3: not UTF-8; save the file as UTF-8",
    ),
    "lfs": (
        "dan.DAN.jsonl",
        "version https://git-lfs.github.com/spec/v1\n",
        (", line 1: a Git LFS pointer, not the file; run `git lfs pull` to fetch it"),
    ),
    "label": (
        "dan.DAN.jsonl",
        '{"output": "x", "label": "hit"}\n{"output": "x", "label": "bad"}',
        (
            ', line 2: `label` is \'bad\'; expected "hit" or "pass"; other '
            "spellings can be mapped with --label-values hit=...,pass=..."
        ),
    ),
    "no label": (
        "dan.DAN.jsonl",
        '{"output": "x"}',
        ', line 1: no `label`; expected "hit" or "pass"',
    ),
    "no output": (
        "dan.DAN.jsonl",
        '{"label": "hit"}',
        (
            ", line 1: no `output`; give the response as a string, or null for "
            "none, or say which column it is with --columns output=...; it has "
            "label"
        ),
    ),
    "output kind": (
        "dan.DAN.jsonl",
        '{"output": ["x"], "label": "hit"}',
        (
            ", line 1: `output` cannot be used; expected the response as a string,"
            " or null"
        ),
    ),
    "notes kind": (
        "dan.DAN.jsonl",
        '{"output": "x", "label": "hit", "notes": ["x"]}',
        (
            ", line 1: `notes` cannot be used; expected an object such as "
            '{"triggers": ["..."]}'
        ),
    ),
    "goal kind": (
        "dan.DAN.jsonl",
        '{"output": "x", "label": "hit", "goal": 3}',
        ", line 1: `goal` cannot be used; expected a string, or leave it out",
    ),
    "prompt kind": (
        "dan.DAN.jsonl",
        '{"output": "x", "label": "hit", "prompt": 3}',
        (
            ", line 1: `prompt` cannot be used; expected a string, or a "
            'conversation {"turns": [{"role": "user", "content": {"text": '
            '"..."}}]}'
        ),
    ),
    "turn": (
        "dan.DAN.jsonl",
        (
            '{"output": "x", "label": "hit", "prompt": [{"role": "judge", '
            '"content": "x"}]}'
        ),
        (
            ", line 1: `prompt[0].role` cannot be used; expected a string, or a "
            'conversation {"turns": [{"role": "user", "content": {"text": '
            '"..."}}]}'
        ),
    ),
    "annotation": (
        "dan.DAN.jsonl",
        '{"output": "x", "label": "hit", "annotations": {"ann": "maybe"}}',
        (
            ", line 1: `annotations.ann` is 'maybe'; expected \"hit\" or "
            '"pass"; other spellings can be mapped with --label-values '
            "hit=...,pass=..."
        ),
    ),
    "tied": (
        "dan.DAN.jsonl",
        '{"output": "x", "annotations": {"ann": "hit", "bob": "pass"}}',
        ", line 1: the annotations are tied; add a `label` that decides",
    ),
    "contradicted": (
        "dan.DAN.jsonl",
        '{"output": "x", "label": "hit", "annotations": {"ann": "pass"}}',
        (
            ", line 1: the label is 'hit' but most annotations say 'pass'; "
            "correct one of them, or leave `label` out"
        ),
    ),
    "two labels": (
        "dan.DAN.jsonl",
        (
            '{"output": "x", "label": "hit", "id": "a"}\n{"output": "x", '
            '"label": "hit", "id": "b"}\n{"output": "x", "label": "pass", '
            '"id": "a"}'
        ),
        (
            ", line 3: id 'a' is a pass here and a hit at "
            "{folder}/dan.DAN.jsonl, line 1; correct one label or one id"
        ),
    ),
    "outside": (
        "fileformats.PossiblePickleName.jsonl",
        '{"file": "../x.pkl", "label": "hit"}',
        (
            ", line 1: the file '../x.pkl' lies outside the folder of the "
            "labelled rows; put it below that folder"
        ),
    ),
    "missing file": (
        "fileformats.PossiblePickleName.jsonl",
        '{"file": "x.pkl", "label": "hit"}',
        (
            ", line 1: the file 'x.pkl' does not exist; paths are relative to "
            "the folder of the labelled rows"
        ),
    ),
    "path in a name": (
        "fileformats.PossiblePickleName.jsonl",
        '{"file": {"name": "a/b", "base64": ""}, "label": "hit"}',
        ", line 1: the file name 'a/b' is a path; expected a bare name",
    ),
    "base64": (
        "fileformats.PossiblePickleName.jsonl",
        '{"file": {"name": "b", "base64": "!"}, "label": "hit"}',
        (
            ", line 1: `file.base64` cannot be used; expected a path, or "
            '{"name": "x.pkl", "base64": "..."}'
        ),
    ),
    "no detector": (
        "rows.jsonl",
        '{"output": "x", "label": "hit"}',
        (
            ", line 1: no detector is named; add a `detector` column, name the "
            "file <module>.<Class>.jsonl, or name one detector with --detectors"
        ),
    ),
    "unknown detector": (
        "rows.jsonl",
        '{"output": "x", "label": "hit", "detector": "dan.DANN"}',
        (
            ": rows for 'dan.DANN', which is no detector of the installed "
            "garak; did you mean 'dan.DAN'?"
        ),
    ),
    "mistyped name": (
        "dan.DANN.jsonl",
        '{"output": "x", "label": "hit"}',
        (
            ": rows for 'dan.DANN', which is no detector of the installed "
            "garak; did you mean 'dan.DAN'?"
        ),
    ),
    "import": (
        "rows.jsonl",
        '{"output": "x", "label": "hit", "detector": "echoes:Echo"}',
        (
            ": rows for 'echoes:Echo', which is no detector of garak's; name "
            "it with --detectors if it is to be imported"
        ),
    ),
    "empty": (
        "rows.jsonl",
        "",
        ": no rows; expected at least one labelled response",
    ),
    "cells": (
        "dan.DAN.csv",
        "output,label\na,b,c\n",
        (
            ", row 2: 3 cells, but the header names 2; quote cells that hold "
            "the delimiter"
        ),
    ),
    "two columns": (
        "dan.DAN.csv",
        "label,output,label\nhit,x,pass\n",
        ", row 1: two columns are called 'label'; rename or remove one",
    ),
    "unclosed": (
        "dan.DAN.csv",
        'label,output\nhit,"never\npass,x\n',
        (
            ", row 2: not CSV (unexpected end of data); quote cells that hold "
            "line breaks or quotes"
        ),
    ),
    "ending": (
        "dan.DAN.txt",
        '{"output": "x", "label": "hit"}',
        (
            ": no labelled data by its name; expected .jsonl, .csv, .tsv, "
            ".parquet, a folder of them, or hf://owner/name"
        ),
    ),
    "slot": (
        "dan.DAN.jsonl",
        '{"output": "{{unsafe_content.LDNOOBW|loud}}", "label": "hit"}',
        (
            ", line 1: the slot's spelling 'loud' is unknown; expected one of "
            "upper, title, plural, leet, spaced, dotted, starred, stretched, "
            "reversed"
        ),
    ),
}


def test_a_bad_row_is_one_line_and_leaves_the_old_summary(tmp_path: Path) -> None:
    output = tmp_path / "summary.json"
    output.write_text("as it was")
    found = {}
    for case, (name, content, _) in BAD.items():
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
        shown = tbsa("detectors", "evaluate", "--data", path, "--output", output)
        path.unlink()
        assert shown.code == 1, case
        said = shown.error.removeprefix(f"garak-tbsa: {path}")
        found[case] = said.replace(str(tmp_path), "{folder}")
    assert found == {case: said for case, (_, _, said) in BAD.items()}
    assert output.read_text() == "as it was"
    assert [path.name for path in tmp_path.iterdir()] == ["summary.json"]
