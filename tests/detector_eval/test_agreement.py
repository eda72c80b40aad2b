# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Krippendorff's alpha of the annotations."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from tests.values import known


def agreement(*annotations: dict[str, str]) -> Agreement | None:
    return agreement_of(annotations)


def alpha_by_hand(units: list[list[str]]) -> float:
    """1 - observed / expected disagreement, over all ordered pairs of labels."""
    pairs: dict[tuple[str, str], float] = defaultdict(float)
    for labels in units:
        for one, two in permutations(labels, 2):
            pairs[one, two] += 1 / (len(labels) - 1)
    totals: dict[str, float] = defaultdict(float)
    for (one, _), weight in pairs.items():
        totals[one] += weight
    n = sum(totals.values())
    observed = sum(w for (one, two), w in pairs.items() if one != two) / n
    expected = 2 * totals["hit"] * totals["pass"] / (n * (n - 1))
    return 1 - observed / expected


labels = st.lists(st.sampled_from(["hit", "pass"]), min_size=2, max_size=4)


@settings(max_examples=40)
@given(st.lists(labels, min_size=2, max_size=8))
def test_as_derived_by_hand(units: list[list[str]]) -> None:
    found = agreement(*(dict(zip("abcd", unit, strict=False)) for unit in units))
    assert known(found).rows == len(units)
    if len({label for unit in units for label in unit}) == 1:
        assert known(found).alpha is None
    else:
        assert known(found).alpha == pytest.approx(alpha_by_hand(units))


PUBLISHED = {
    "A, two observers, two values": (["0100000010", "1110010000"], 0.095),
    "B, two observers, nominal": (["aabbdcccedda", "babbbccceddd"], 0.692),
    "C, four observers, with gaps": (
        ["123321412...", "1233224125.3", ".3332342251.", "12332441251."],
        0.743,
    ),
}
"""Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011; . is a gap."""


@pytest.mark.parametrize("example", PUBLISHED)
def test_as_published(example: str) -> None:
    observers, alpha = PUBLISHED[example]
    units = (zip("ABCD", unit, strict=False) for unit in zip(*observers, strict=True))
    said = ({who: value for who, value in unit if value != "."} for unit in units)
    assert known(known(agreement_of(said)).alpha) == pytest.approx(alpha, abs=5e-4)


def test_rows_with_one_rater_say_nothing_of_agreement() -> None:
    assert agreement({}, {"ann": "hit"}) is None
    found = agreement({"ann": "hit"}, {"bob": "hit", "cy": "pass"})
    assert (known(found).rows, known(found).raters) == (1, 2)


def test_perfect_and_undefined() -> None:
    both = {"ann": "hit", "bob": "hit"}
    neither = {"ann": "pass", "bob": "pass"}
    assert agreement(both, neither) == Agreement(alpha=1.0, rows=2, raters=2)
    assert agreement(both, both) == Agreement(alpha=None, rows=2, raters=2)
