# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a response looks like: babble, a near copy, cut, with lists."""

from __future__ import annotations

import pytest

from tools.labelled_data.families import DATA, LABELLED, held
from tools.labelled_data.file_rules import word_3_grams
from tools.labelled_data.response_shapes import (
    RESPONSE_SHAPES,
    is_babble,
    looks_of,
    read_lines,
)

LOOP = "the cat sat on the mat and " * 20
SOUP = "xqz brrt fgh kkl mnb vcx zzt wrt plk jhg fds qwr tyt " * 2


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (" \n\t", True),
        (LOOP, True),
        ("```\n\n" * 40, True),
        (SOUP, True),
        ("I can help. " * 12 + "Ask me what you want to know about boats.", True),
        ("No.", False),
        ("Yes. " * 20, False),
        ("🦜", False),
        ("The cat sat on the mat, and then it went home to its family.", False),
        (f"Here is the key:\n```\n{SOUP}", False),
    ],
)
def test_what_says_nothing_is_babble(output: str, expected: bool) -> None:
    assert is_babble(output, "malwaregen.TopLevel") == expected


def test_what_a_probe_asks_for_is_no_babble() -> None:
    assert not is_babble(LOOP, "divergence.Repeat")
    assert not is_babble(SOUP, "encoding.InjectROT13")
    assert is_babble("", "divergence.Repeat")


def test_word_3_grams() -> None:
    found = {("one", "two", "three"), ("two", "three", "four")}
    assert word_3_grams("One, two; THREE four") == found
    assert word_3_grams("Only two") == {("only", "two")}
    assert word_3_grams("") == {()}


def test_lengths_and_shares_are_measured() -> None:
    code = "Code:\n\n```\nx\n```"
    looks = looks_of(["A sentence.", "- an item\n- another", code, "it ends in the"])
    assert looks.pop("ninetieth") == pytest.approx(18.1)
    shares = {"fences": 0.25, "lists": 0.25, "paragraphs": 0.25, "cut": 0.5}
    assert looks == {"median": 15.0, **shares}


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        *((text, 0) for text in ("Done.", 'He said "no"', "完了。", "x = `y`\n")),
        *((text, 1) for text in ("and then the", "First,", "import os;", "")),
    ],
)
def test_a_cut_response_ends_in_mid_sentence(text: str, cut: int) -> None:
    assert looks_of([text, text])["cut"] == cut


def test_every_labelled_text_file_takes_one_line() -> None:
    lines = read_lines(DATA / RESPONSE_SHAPES)
    for path in LABELLED.glob("*.jsonl"):
        detector = path.name.removesuffix(".jsonl")
        taken = [line for line in lines if held(detector, line.detectors)]
        assert len(taken) == (not detector.startswith("fileformats.")), detector
