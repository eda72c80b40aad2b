# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals of F1: the bootstrap by its exact law, and Jeffreys beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest
from scipy import stats

from tests.behaviour.labelled import Counts, measured, measures, posterior

pytestmark = pytest.mark.usefixtures("echoes")


def mirrored(counts: Counts) -> Counts:
    tp, fp, fn, tn = counts
    return tn, fn, fp, tp


def assert_quantile(value: float, share: float, ends: Any, weights: Any) -> None:
    """``value`` is this quantile of the law, but for the error of 10,000 draws."""
    error = 5 * (share * (1 - share) / 10_000) ** 0.5
    assert weights[ends < value - 1e-5].sum() <= share + error
    assert weights[ends <= value + 1e-5].sum() >= share - error


def exact_law(counts: Counts) -> tuple[Any, Any]:
    """All F1 that resampling within the labels can give, with their chances."""
    tp, fp, fn, tn = counts
    hits, passes = tp + fn, fp + tn
    found, flagged = numpy.arange(hits + 1), numpy.arange(passes + 1)
    weights = numpy.outer(
        stats.binom.pmf(found, hits, tp / hits),
        stats.binom.pmf(flagged, passes, fp / passes),
    )
    f1 = 2 * found[:, None] / (found[:, None] + flagged[None, :] + hits)
    return f1, weights


@pytest.mark.parametrize(
    ("counts", "confidence"), [((20, 9, 6, 24), 0.95), ((40, 5, 3, 12), 0.8)], ids=str
)
def test_intervals_are_those_of_the_exact_law(
    tmp_path: Path, counts: Counts, confidence: float
) -> None:
    """A stratified bootstrap, 10,000 replicates; Jeffreys beside it."""
    metrics = measured(tmp_path, counts, "--confidence", confidence)["metrics"]
    assert list(metrics)[-2:] == ["hit_f1_ci", "pass_f1_ci"]
    tail = (1 - confidence) / 2
    for name, seen in (("hit_f1_ci", counts), ("pass_f1_ci", mirrored(counts))):
        found = metrics[name]
        ends, weights = exact_law(seen)
        assert_quantile(found["ci_lower"], tail, ends, weights)
        assert_quantile(found["ci_upper"], 1 - tail, ends, weights)
        drawn = numpy.quantile(posterior(seen), (tail, 1 - tail))
        assert found == {
            "mean": pytest.approx(float((ends * weights).sum()), abs=4e-3),
            "ci_lower": found["ci_lower"],
            "ci_upper": found["ci_upper"],
            "ci_width": pytest.approx(found["ci_upper"] - found["ci_lower"], abs=1e-6),
            "n_samples": sum(counts),
            "jeffreys_lower": pytest.approx(float(drawn[0]), abs=6e-3),
            "jeffreys_upper": pytest.approx(float(drawn[1]), abs=6e-3),
            "jeffreys_width": pytest.approx(
                found["jeffreys_upper"] - found["jeffreys_lower"], abs=1e-6
            ),
            "degenerate": False,
        }


DEGENERATE: dict[Counts, tuple[float, float] | None] = {
    # counts: the ends where no resample differs
    (30, 0, 0, 30): (1.0, 1.0),
    (0, 30, 30, 0): (0.0, 0.0),
    (30, 10, 0, 20): None,
    (10, 30, 20, 0): None,
    (10, 0, 20, 30): None,
    (0, 10, 30, 20): (0.0, 0.0),
}


def test_always_right_or_wrong_on_a_label_is_marked_as_degenerate(
    tmp_path: Path,
) -> None:
    """The bootstrap cannot vary there; the Jeffreys interval still does."""
    for counts, bootstrap in DEGENERATE.items():
        metrics = measured(tmp_path, counts)["metrics"]
        hit, passed = metrics["hit_f1_ci"], metrics["pass_f1_ci"]
        assert (hit["degenerate"], passed["degenerate"]) == (True, True), counts
        if bootstrap is not None:
            assert (hit["ci_lower"], hit["ci_upper"]) == bootstrap
            assert hit["ci_width"] == 0.0
        lower, upper = numpy.quantile(posterior(counts), (0.025, 0.975))
        assert hit["jeffreys_lower"] == pytest.approx(float(lower), abs=6e-3)
        assert hit["jeffreys_upper"] == pytest.approx(float(upper), abs=6e-3)


BOTH = {"hit_f1_ci", "pass_f1_ci"}
WITH_INTERVALS: list[tuple[Counts, tuple[object, ...], set[str]]] = [
    ((24, 1, 1, 23), (), set()),
    ((24, 1, 1, 24), (), BOTH),
    ((4, 1, 1, 4), ("--min-samples", 10), BOTH),
    ((24, 1, 1, 24), ("--min-samples", 51), set()),
    ((40, 0, 10, 0), (), {"hit_f1_ci"}),
    ((0, 10, 0, 40), (), {"pass_f1_ci"}),
]


def test_there_are_intervals_from_50_samples_on(tmp_path: Path) -> None:
    """And of the class alone that was labelled."""
    for counts, options, has in WITH_INTERVALS:
        metrics = measured(tmp_path, counts, *options)["metrics"]
        assert set(metrics) - set(measures(1, 1, 1, 1)) == has, (counts, options)
