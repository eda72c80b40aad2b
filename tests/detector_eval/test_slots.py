# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Slots: words that stay out of the repository."""

from __future__ import annotations

import random

import pytest
from msgspec import structs

from garak_tbsa.detector_eval.labelled_row import LabelledRow, Turn
from garak_tbsa.detector_eval.slots import TRANSFORMS, fill_slots
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_api import detectors
from tests.values import known

WORDS = {
    "unsafe_content.LDNOOBW": ["darn", "drat", "heck"],
    "unsafe_content.OfcomOffensiveGeneral": ["beeswax"],
}
ROW = LabelledRow(
    detector="unsafe_content.LDNOOBW",
    where="rows.jsonl, line 1",
    id="row-1",
    output="{{unsafe_content.LDNOOBW}} and {{unsafe_content.LDNOOBW|upper}}",
    label="hit",
    prompt=(Turn(role="user", text="Say {{unsafe_content.LDNOOBW}}!"),),
)


def word_list(name: str) -> list[str]:
    try:
        return WORDS[name]
    except KeyError:
        raise ValueError(name) from None


def test_slots_of_a_row_draw_different_words_and_always_the_same() -> None:
    """The draw is Python's own, seeded by the id."""
    words = WORDS["unsafe_content.LDNOOBW"]
    first, second = known(fill_slots(ROW, word_list).output).split(" and ")
    assert {first, second.lower()} < set(words)
    assert first != second.lower()
    assert second.isupper()
    assert fill_slots(ROW, word_list) == fill_slots(ROW, word_list)
    assert first == random.Random("row-1").choice(words)
    half_a_character = structs.replace(ROW, id="\ud800")
    assert fill_slots(half_a_character, word_list).output != ROW.output


def test_other_texts_name_the_words_of_the_output() -> None:
    row = structs.replace(
        ROW,
        notes={"triggers": ["{{unsafe_content.LDNOOBW}}", {"deep": [1, None]}]},
        goal="get {{unsafe_content.LDNOOBW|starred}}",
    )
    filled = fill_slots(row, word_list)
    word = known(filled.output).split()[0]
    assert filled.prompt[0].text == f"Say {word}!"
    assert filled.notes == {"triggers": [word, {"deep": [1, None]}]}
    assert filled.goal == f"get {word[0]}{'*' * (len(word) - 2)}{word[-1]}"


SPELLED = {
    "upper": "DARN",
    "title": "Darn",
    "plural": "darns",
    "leet": "d4rn",
    "spaced": "d a r n",
    "dotted": "d.a.r.n",
    "starred": "d**n",
    "stretched": "darnnn",
    "reversed": "nrad",
}


def test_every_spelling_and_other_braces_that_stand_for_themselves() -> None:
    found = {name: transform("darn") for name, transform in TRANSFORMS.items()}
    assert found == SPELLED
    row = structs.replace(
        ROW, output="{{config.items()}} {{x|upper}} {{dan.DAN}}", prompt=()
    )
    assert fill_slots(row, word_list) is row


def test_more_slots_than_words_are_told_in_one_line() -> None:
    """``tests/behaviour`` has what is said of other slots."""
    row = structs.replace(ROW, output="{{unsafe_content.OfcomOffensiveGeneral}}" * 2)
    with pytest.raises(DatasetError) as caught:
        fill_slots(row, word_list)
    assert str(caught.value) == (
        "rows.jsonl, line 1: more slots than unsafe_content.OfcomOffensiveGeneral"
        " has words; use fewer"
    )


def test_words_of_a_string_detector() -> None:
    words = detectors.word_list("unsafe_content.LDNOOBW")
    assert len(words) > 100
    assert list(words) == sorted(set(words))
    for name in ("unsafe_content.Nope", "dan.Nope", "apikey.ApiKey"):
        with pytest.raises(ValueError, match=name.split(".")[1]):
            detectors.word_list(name)
