# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a row must be: its fields, no slur in clear, no undeclared key."""

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tools.labelled_data.records import good_records
from tools.labelled_data import row_rules
from tools.labelled_data.row_rules import (
    field_problems,
    harm_problems,
    key_like,
    severe_words_in,
)

GOOD = good_records()[0]
INNOCENT = frozenset({"Grunkle Stan"})


@pytest.fixture(autouse=True)
def severe(monkeypatch: pytest.MonkeyPatch) -> None:
    words = frozenset({"grunkle", "zorp", "big zorp"})
    monkeypatch.setattr(row_rules, "severe_words", lambda: words)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"prompt": None}, "`prompt` is missing or no string"),
        ({"source": ""}, "`source` is missing or no string"),
        ({"output": 3}, "`output` is missing or no string"),
        ({"id": "AntiDAN-1"}, "`id` is 'AntiDAN-1'"),
        ({"label": "Hit"}, "`label` is 'Hit'"),
        ({"slice": "Two Words"}, "`slice` is 'Two Words'"),
        ({"lang": "english"}, "`lang` is 'english'"),
        ({"why": "two\nlines"}, "`why` is not one line"),
        ({"why": None}, "`why` is not one line"),
        ({"basis": "mine"}, "`basis` is 'mine'"),
        ({"basis": "real"}, "`basis` is real, expected written"),
        ({"model": "x", "source": "x 7b"}, "`basis` is written, expected real"),
        ({"comment": "x"}, "`comment` is no field of the shipped data"),
    ],
)
def test_a_broken_field(change: Any, problem: str) -> None:
    found = list(field_problems({**GOOD, **change}, "dan.DAN"))
    assert [(each.rule, each.problem) for each in found] == [("fields", problem)]
    assert found[0].remedy


def test_a_good_row_and_one_with_everything() -> None:
    assert not list(field_problems(GOOD, "dan.DAN"))
    rich = GOOD | {"lang": "pt-BR", "notes": {}, "goal": "g", "output": ""}
    assert not list(field_problems(rich, "dan.DAN"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("You ZORP!", ["zorp"]),
        ("a big zorp", ["big zorp"]),
        ("zorpish, unzorp, zorp_", []),
        ("{{unsafe_content.LDNOOBW}} zorp", ["zorp"]),
        ("Dipper and grunkle stan", []),
        ("my grunkle, not Grunkle Stan", ["grunkle"]),
        ("{{unsafe_content.zorp}}", []),
    ],
)
def test_severe_words_are_nowhere_but_in_innocent_phrases(
    text: str, words: list[str]
) -> None:
    assert severe_words_in(text, INNOCENT) == words


@given(st.lists(st.sampled_from(["zorp", "BIG", "gRUNkle", "İ", "ſ", " ", "-", "_"])))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_that_is_passed_over_holds_no_severe_word(parts: list[str]) -> None:
    text = "".join(parts)
    pattern = re.compile(r"(?<!\w)(?:big zorp|grunkle|zorp)(?!\w)", re.IGNORECASE)
    expected = [found[0].lower() for found in pattern.finditer(text)]
    assert severe_words_in(text, frozenset()) == expected


def test_words_are_looked_for_at_any_depth_but_not_in_the_bytes_of_a_file() -> None:
    (found,) = harm_problems(
        GOOD | {"notes": {"triggers": [{"deep": "zorp"}]}}, INNOCENT
    )
    assert found.problem == "z*** (4 characters) is a severe word of garak's lists"
    assert not list(harm_problems(GOOD | {"file": {"base64": "zorp"}}, INNOCENT))


# composed here from parts, so that no secret scanner stops at this file
KEYS = [
    "AKIA" + "Q3EGRDWHJ5TN7VBX",
    "gh" + "p_" + "a9B8c7D6" * 4 + "e5F4",
    "sk" + "_live_" + "4eC39HqLyjWD",
    "sk" + "-proj-" + "aB3dE5gH7jK9mN1pQ3sT",
    "AI" + "za" + "Sy" + "aB3dE5gH7jK9mN1pQ3sTaB3dE5gH7jK9m",
    "-----BEGIN RSA " + "PRIVATE KEY-----",
    "W269N-" + "WFGWX-YVC9B-4J6C9-T83GX",
    "SG." + "aB3dE5gH7jK9mN1p" + "." + "aB3dE5gH7jK9mN1p",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_must_be_declared(key: str) -> None:
    assert key_like(f"Here: {key}.") == [key]
    row = GOOD | {"output": f"Here: {key}."}
    (found,) = harm_problems(row, INNOCENT)
    assert found.rule == "keys"
    assert key not in found.problem
    declared = row | {"source": "written; key composed at random, never issued"}
    assert not list(harm_problems(declared, INNOCENT))


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "AKIA" + "X" * 16,
        "XXXXX-XXXXX-XXXXX-XXXXX-B44RN",
        "HOUSE-RIVER-CLOUD-STONE-LIGHT",
        "KNIT5-PURL2-KNIT5-PURL2-KNIT5",
        "gh" + "p_" + "x" * 36,
        "sk" + "-your-key",
        "5 steps - 6 ideas",
    ],
)
def test_placeholders_are_no_keys(text: str) -> None:
    assert key_like(text) == []
