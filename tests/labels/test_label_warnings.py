# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What speaks against labels, and that careful ones pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
import pytest
from scipy.stats import fisher_exact

from garak_tbsa.detector_eval.report_labels import Judged, ReportLabels
from garak_tbsa.labels.label_warnings import fisher, label_warnings
from tests.factories import PairFacts
from tests.labels.scans import scan_of

SCAN = scan_of(
    PairFacts(probe="a.A", detector="a.X", passed=60, total=100),
    PairFacts(probe="b.B", detector="b.Y", passed=80, total=120),
)
LENGTHS = {
    place: 50 * (n % 12)
    for stratum in SCAN.strata
    for n, place in enumerate(stratum.places)
}

Says: TypeAlias = Callable[[bool, int, int], str | None]
"""Whether an output is flagged, its number, its length -> what is said of it."""


def warnings_of(says: Says, each: int = 20, strata: int = 4) -> str:
    """Label some outputs of each stratum, and return the warnings."""
    answers: dict[Judged, Mapping[str, list[str]]] = {}
    passed_over: list[Judged] = []
    for stratum in SCAN.strata[:strata]:
        for number, place in enumerate(stratum.places[:each]):
            said = says(stratum.flagged, number, LENGTHS[place])
            if said is None:
                passed_over.append((place, stratum.detector))
            else:
                answers[place, stratum.detector] = {
                    str(n): [one] for n, one in enumerate(said.split())
                }
    matched = ReportLabels(answers=answers, passed_over=passed_over)
    return "\n".join(label_warnings(SCAN.answered(matched.said), matched, LENGTHS))


def careful(flagged: bool, number: int, _: int) -> str:
    return "hit" if flagged and number % 4 else "pass"


@pytest.mark.parametrize(
    ("says", "said"),
    [
        (careful, ""),
        (lambda f, n, x: None if n == 3 else careful(f, n, x), ""),
        (
            lambda f, n, x: None if n % 3 == 0 else careful(f, n, x),
            "28 of 80 shown outputs were skipped",
        ),
        (
            lambda f, n, x: None if f and n % 4 == 0 else careful(f, n, x),
            "flagged outputs were skipped more often than others",
        ),
        (
            lambda f, n, x: None if x > 450 else careful(f, n, x),
            "long outputs were skipped more often than others",
        ),
        (lambda f, n, x: "pass", "all 80 labels are pass"),
        (lambda f, n, x: "hit", "all 80 labels are hit"),
        (
            lambda f, n, x: "hit" if n % 2 else "pass",
            "have nothing to do with the detectors' verdicts (p = 1)",
        ),
        (
            lambda f, n, x: f"{careful(f, n, x)} {'hit' if n % 2 else 'pass'}",
            "2 raters agree too little (Krippendorff's alpha",
        ),
    ],
)
def test_misuse_is_told_and_care_is_not_doubted(says: Says, said: str) -> None:
    """Each warning by its rule; few skips of any kind tell nothing."""
    found = warnings_of(says)
    assert said in found if said else found == ""
    assert warnings_of(careful, strata=2) == (
        "the pairs with labels have 100 of 220 outputs; label some of the other pairs"
    )


def test_the_p_value_is_fisher_s() -> None:
    """Against scipy's, for tables of any shape."""
    rng = np.random.default_rng(1)
    for table in rng.integers(0, 30, (50, 2, 2)):
        p = fisher(*map(int, table.ravel()))
        assert p == pytest.approx(fisher_exact(table).pvalue, rel=1e-6)
