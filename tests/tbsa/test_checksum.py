# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two scores compare only if their checksums are equal, and else it is told why.

``tests/behaviour/test_checksum.py`` has what moves a checksum and what does not.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.report.calibration import CalibrationIdentity
from garak_tbsa.report.settings import parse_settings
from garak_tbsa.tbsa import rules
from garak_tbsa.tbsa.checksum import (
    Checksum,
    differences_in_words,
    make_checksum,
    part_differences,
    version_probe_hash,
)
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import PASS_RATE, Z_SCORE
from tests.factories import PairFacts, graded_pair

PAIRS: list[Pair] = [
    graded_pair(PairFacts(probe=f"m.P{index}", tier=tier))
    for index, tier in enumerate((1, 2, 3))
]
OTHER = graded_pair(PairFacts(probe="m.P2", detector="d.Other", tier=3))
SAME: dict[str, Any] = {
    "garak_version": "0.17.1",
    "pairs": PAIRS,
    "calibration": CalibrationIdentity(date="2026-01-01", models="ab"),
    "setup": {"run.generations": 5},
}


def made(**other: Any) -> Checksum:
    facts = SAME | other
    settings = parse_settings(facts.pop("setup"))
    return make_checksum(**facts, settings=settings)


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("garak_version", {"garak_version": None}),
        ("pairs", {"pairs": [*PAIRS[:2], replace(PAIRS[2], tier=None)]}),
        ("pairs", {"pairs": [*PAIRS[:2], OTHER]}),
        ("tiers_from", {"pairs": [replace(PAIRS[0], tier_from="n.L"), *PAIRS[1:]]}),
        ("calibration", {"calibration": CalibrationIdentity(date="2026-01-01")}),
        ("calibration", {"calibration": CalibrationIdentity(models="ab")}),
        (
            "calibration",
            {"calibration": replace(SAME["calibration"], content="cd")},
        ),
        (
            "configuration:run.deprefix",
            {"setup": {"run.generations": 5, "run.deprefix": False}},
        ),
    ],
)
def test_the_checksum_changes_with_each_part(part: str, other: dict[str, Any]) -> None:
    """Checksum changes with each of its parts; a setting switched off is something."""
    assert made(**other).hexadecimal != made().hexadecimal
    assert made(**other).differing_parts(made()) == (part,)
    assert made().differing_parts(made(**other)) == (part,)


def test_order_and_a_setting_left_at_nothing_are_irrelevant() -> None:
    """What is not set in one version of garak may be empty in another."""
    nothings: tuple[object, ...] = (None, "", [], {})
    for nothing in nothings:
        setup = {"run.system_prompt": nothing, "run.generations": 5}
        assert made(setup=setup, pairs=PAIRS[::-1]).hexadecimal == made().hexadecimal


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GRADE_RULES", (replace(PASS_RATE, bounds=(0.1, 0.2, 0.3, 0.4)), Z_SCORE)),
        ("GRADE_RULES", (PASS_RATE, replace(Z_SCORE, bounds=(0.1, 0.2, 0.3, 0.4)))),
        ("GRADE_RULES", (PASS_RATE,)),
        ("TIER_WEIGHTS", {1: 3, 2: 1}),
        ("TIER_WEIGHTS", {1: 2, 2: 1, 3: 1}),
        ("FORMULA_VERSION", rules.FORMULA_VERSION + 1),
    ],
)
def test_the_checksum_changes_with_the_rule(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    """The checksum covers the rule: formula version, weights, scored tiers, bounds."""
    before = made()
    monkeypatch.setattr(rules, name, value)
    part = "grade_bounds" if name == "GRADE_RULES" else name.lower()
    assert made().differing_parts(before) == (part,)
    assert made().hexadecimal != before.hexadecimal


def test_settings_that_json_cannot_hold_are_written_as_text() -> None:
    """Deep nesting gives one clear line or the right score; NaN is no JSON."""
    deep: list[Any] = []
    for _ in range(900):
        deep = [deep]
    for odd in (float("inf"), float("nan"), {"a": [float("-inf")]}, deep):
        found = made(setup={"run.langproviders": odd})
        text = json.dumps(found.parts, allow_nan=False)
        assert text.count("nested too deeply") == (odd is deep)


@given(version=st.sampled_from(["0.17.1", None]), names=st.lists(st.text(max_size=5)))
def test_the_version_probe_hash_is_crc32_without_padding(
    version: str | None, names: list[str]
) -> None:
    """crc32 of version and sorted pair names, hex without padding."""
    text = f"{version} " + " ".join(sorted(names))
    crc = zlib.crc32(text.encode("utf-8", "replace"))
    assert version_probe_hash(version, names) == format(crc, "x")


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ({"run": 5}, {"run": 10}, "5 before, 10 after"),
        ({}, {"run": False}, "none before, false after"),
        ({"run": "<b>"}, {"run": None}, '"<b>" before, none after'),
        (
            {"run": "x" * 99},
            {"run": 1},
            "too long to show; score --explain-checksum prints it",
        ),
        (
            {"pairs": [["a+d", 1], ["b+d", 1], ["c+d", None]]},
            {"pairs": [["a+d", 1], ["b+d", 2], ["e+d", 2], ["f+d", 9]]},
            "2 in both, 1 only before, 2 only after, 1 of another tier",
        ),
        (
            {"calibration": {"date": "2025-05-28T10", "models": "1"}},
            {"calibration": None},
            "of 2025-05-28 before, none after",
        ),
        (
            {"calibration": {"date": "2025-05-28", "models": "1"}},
            {"calibration": {"date": "2025-05-28", "models": "2"}},
            "of 2025-05-28 in both, of different models or with different numbers",
        ),
    ],
)
def test_what_differs(first: dict[str, Any], second: dict[str, Any], text: str) -> None:
    """Parts, and their values where short."""
    (found,) = part_differences(Checksum(parts=first), Checksum(parts=second))
    assert found.text == text
    values = (first.get(found.part), second.get(found.part))
    assert (found.first, found.second) == (values if found.is_short else (None, None))


def test_four_parts_are_told_and_the_others_counted() -> None:
    """In one sentence of an error."""
    for others, changed in ((" and 2 more", "abcdef"), (" and 1 more", "abcde")):
        differences = part_differences(
            Checksum(parts=dict.fromkeys("abcdefg", 1)),
            Checksum(parts=dict.fromkeys("abcdefg", 1) | dict.fromkeys(changed, 2)),
        )
        assert differences_in_words(differences) == (
            "a (1 before, 2 after), b (1 before, 2 after), c (1 before, 2 after),"
            f" d (1 before, 2 after){others}"
        )
