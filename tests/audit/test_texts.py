# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

from garak_tbsa.audit.outputs import Place, read_outputs
from garak_tbsa.audit.texts import (
    LONGEST_TEXT,
    OutputText,
    prompt_text,
    read_texts,
    readable,
)


def turn(role: str, content: object) -> dict[str, object]:
    return {"role": role, "content": content}


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("hello", "hello"),
        (None, ""),
        ({"turns": [turn("user", {"text": "hello", "lang": "en"})]}, "hello"),
        (
            {"turns": [turn("user", "a"), turn("assistant", {"text": "b"})]},
            "user: a\n\nassistant: b",
        ),
        ({"turns": [turn("user", None), 3]}, ""),
        ({"turns": "?"}, '{"turns": "?"}'),
        ([1], "[1]"),
    ],
)
def test_prompts_as_text(prompt: object, text: str) -> None:
    assert prompt_text(prompt) == text


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


def test_towers_of_marks_do_not_cover_other_lines() -> None:
    assert readable("z" + "\u0300" * 5) == "z" + "\u0300" * 3 + "\\u0300" * 2
    assert readable("café e\u0301") == "café e\u0301"
    assert readable("a\tb\r\nc\rd") == "a   b\nc\\rd"
