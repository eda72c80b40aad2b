# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What changed between two summaries, and which changes exceed noise."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy
import pytest
from scipy import stats

from garak_tbsa.detector_eval import diff as module
from garak_tbsa.detector_eval.diff import Change, ChangeKind, changed_settings, diff
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.summary_file import (
    MeasuredDetector,
    Summary,
    SummaryMetadata,
)
from tests.values import known


def counts(tp: int, fp: int, fn: int, tn: int) -> ConfusionCounts:
    return ConfusionCounts(tp=tp, fp=fp, fn=fn, tn=tn)


def measured(
    name: str,
    counts: ConfusionCounts | None,
    hit_f1: float | None = None,
    data: tuple[str, ...] = ("a",),
) -> MeasuredDetector:
    return MeasuredDetector(
        detector=name,
        hit_f1=counts.hit_f1 if counts else hit_f1,
        counts=counts,
        data_sha256=data,
    )


def summary(
    entries: list[MeasuredDetector],
    **metadata: Any,
) -> Summary:
    fields: dict[str, Any] = {"versions": {}} | metadata
    return Summary(
        source="s.json",
        measured={entry.detector: entry for entry in entries},
        not_evaluated={},
        metadata=SummaryMetadata(**fields),
    )


def only(old: ConfusionCounts, new: ConfusionCounts, **options: Any) -> Change:
    before, after = (summary([measured("d.D", each)]) for each in (old, new))
    (change,) = diff(before, after, **options)
    return change


def chance_worse(old: ConfusionCounts, new: ConfusionCounts, seed: int = 42) -> float:
    return known(only(old, new, seed=seed).probability_worse)


def exact_probability(old: ConfusionCounts, new: ConfusionCounts) -> float:
    """P(F1_new < F1_old) by integrating the distribution of F1, with no draw at all.

    F1 <= x if and only if FP >= TP (2 - x) / x - hits, TP and FP being the rates'
    Beta posteriors times the class sizes.
    """

    middles, xs = (numpy.arange(500) + 0.5) / 500, numpy.linspace(1e-6, 1, 200)

    def below(c: ConfusionCounts) -> Any:
        sensitivity = stats.beta(c.tp + 0.5, c.fn + 0.5).ppf(middles)
        found = sensitivity * c.hits * (2 - xs[:, None]) / xs[:, None]
        least = (found - c.hits) / c.passes
        return stats.beta.sf(least, c.fp + 0.5, c.tn + 0.5).mean(axis=1)

    cdf_old, cdf_new = below(old), below(new)
    halfway = (cdf_new[1:] + cdf_new[:-1]) / 2
    return float((halfway * numpy.diff(cdf_old)).sum() + cdf_new[0] * cdf_old[0])


def test_the_probability_is_that_of_the_two_distributions() -> None:
    old, new = counts(20, 5, 10, 25), counts(15, 5, 15, 25)
    found = chance_worse(old, new)
    assert found == pytest.approx(exact_probability(old, new), abs=0.008)
    assert found == chance_worse(old, new)
    assert found != chance_worse(old, new, seed=43)


@pytest.mark.parametrize(
    ("confidence", "probability", "kind"),
    [
        (0.95, 0.975, ChangeKind.WORSE),
        (0.95, math.nextafter(0.975, 0), ChangeKind.WITHIN_NOISE),
        (0.95, (1 - 0.95) / 2, ChangeKind.BETTER),
        (0.95, math.nextafter((1 - 0.95) / 2, 1), ChangeKind.WITHIN_NOISE),
        (1.0, 1.0, ChangeKind.WORSE),
        (1.0, math.nextafter(1.0, 0), ChangeKind.WITHIN_NOISE),
        (0.0, math.nextafter(0.5, 1), ChangeKind.WORSE),
    ],
)
def test_the_bounds_are_included(
    confidence: float,
    probability: float,
    kind: ChangeKind,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Worse (better) where that is at least (1 + confidence) / 2 likely."""
    monkeypatch.setattr(module, "probability_worse", lambda *_: probability)
    change = only(counts(9, 1, 1, 9), counts(8, 1, 2, 9), confidence=confidence)
    assert change.kind is kind
    assert change.probability_worse == probability


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (
            measured("d.D", counts(9, 1, 1, 9)),
            measured("d.D", counts(0, 1, 0, 9)),
            ChangeKind.UNKNOWN,
        ),
        (measured("d.D", None, 0.9), measured("d.D", None, 0.9), ChangeKind.UNCHANGED),
        (measured("d.D", None, 0.9), measured("d.D", None, 0.8), ChangeKind.UNKNOWN),
        (
            measured("d.D", None, 0.5),
            measured("d.D", counts(1, 1, 1, 1)),
            ChangeKind.UNKNOWN,
        ),
    ],
)
def test_without_counts_of_hits_only_sameness_is_known(
    old: MeasuredDetector, new: MeasuredDetector, kind: ChangeKind
) -> None:
    (change,) = diff(summary([old]), summary([new]))
    assert (change.kind, change.probability_worse) == (kind, None)


def test_whether_both_used_the_same_files_and_settings() -> None:
    """Versions are settings too."""
    for old, new, same in (("a", "a", True), ("a", "b", False), ("", "b", None)):
        before, after = (
            summary([measured("d.D", counts(9, 1, 1, 9), data=tuple(data))])
            for data in (old, new)
        )
        assert diff(before, after)[0].same_rows is same
        assert diff(after, before)[0].same_rows is same
    before = summary([], random_seed=1, confidence=0.9, balance_datasets=False)
    after = summary([], random_seed=2, confidence=0.95, versions={"garak": "0.17.1"})
    assert changed_settings(before, after) == {
        "balance_datasets": (False, None),
        "confidence": (0.9, 0.95),
        "random_seed": (1, 2),
        "garak": (None, "0.17.1"),
    }


def of_stress(*both: ConfusionCounts | None) -> dict[str, Change]:
    """The blocks of a detector whose stress rows give these counts."""
    entry = measured("d.D", counts(30, 0, 0, 30))
    old, new = (summary([replace(entry, stress=stress)]) for stress in both)
    return {each.block: each for each in diff(old, new)}


@pytest.mark.parametrize(("old", "new"), [(9, 5), (0, 2)])
def test_a_share_s_probability_is_that_of_the_two_posteriors(
    old: int, new: int
) -> None:
    """The same kind of probability: Beta(k + 1/2, n - k + 1/2) each."""
    found = of_stress(counts(old, 0, 17 - old, 0), counts(new, 0, 20 - new, 0))
    middles = (numpy.arange(20_000) + 0.5) / 20_000
    drawn = stats.beta(old + 0.5, 17 - old + 0.5).ppf(middles)
    exact = stats.beta(new + 0.5, 20 - new + 0.5).cdf(drawn).mean()
    change = found["stress hits"]
    assert (change.was, change.now) == (f"{old} of 17", f"{new} of 20")
    # 5 standard errors of a share of 200,000, at most
    assert change.probability_worse == pytest.approx(float(exact), abs=5.6e-3)


def test_each_block_has_a_verdict() -> None:
    """Typical rows alone decide about hit F1, stress rows about their shares."""

    def verdicts(*both: ConfusionCounts | None) -> dict[str, ChangeKind]:
        return {block: each.kind for block, each in of_stress(*both).items()}

    assert verdicts(counts(15, 10, 2, 10), counts(2, 10, 15, 10)) == {
        "typical": ChangeKind.UNCHANGED,
        "stress hits": ChangeKind.WORSE,
        "stress passes": ChangeKind.UNCHANGED,
    }
    assert verdicts(counts(5, 0, 5, 0), counts(0, 5, 0, 5)) == {
        "typical": ChangeKind.UNCHANGED,
        "stress hits": ChangeKind.LOST,
        "stress passes": ChangeKind.ADDED,
    }
    assert verdicts(None, counts(1, 1, 1, 1)) == {"typical": ChangeKind.UNCHANGED}
