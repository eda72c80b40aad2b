# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Krippendorff's alpha of the annotations."""

from __future__ import annotations

import pytest

from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from tests.values import known

PUBLISHED = {
    "A, two observers, two values": (["0100000010", "1110010000"], 0.095),
    "B, two observers, nominal": (["aabbdcccedda", "babbbccceddd"], 0.692),
    "C, four observers, with gaps": (
        ["123321412...", "1233224125.3", ".3332342251.", "12332441251."],
        0.743,
    ),
}
"""Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011; . is a gap."""


def test_alpha_is_as_published() -> None:
    for observers, alpha in PUBLISHED.values():
        units = (
            zip("ABCD", unit, strict=False) for unit in zip(*observers, strict=True)
        )
        said = ({who: value for who, value in unit if value != "."} for unit in units)
        found = known(known(agreement_of(said)).alpha)
        assert found == pytest.approx(alpha, abs=5e-4)


def test_agreement_needs_two_raters_of_a_row_and_two_labels() -> None:
    hits, passes = {"ann": "hit", "bob": "hit"}, {"ann": "pass", "bob": "pass"}
    one, other = {"ann": "hit"}, {"bob": "hit", "cy": "pass"}
    assert agreement_of([{}, one]) is None
    found = known(agreement_of([one, other]))
    assert (found.rows, found.raters) == (1, 2)
    assert agreement_of([hits, passes]) == Agreement(alpha=1.0, rows=2, raters=2)
    assert agreement_of([hits, hits]) == Agreement(alpha=None, rows=2, raters=2)
