# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from garak_tbsa.detector_eval.counts import (
    ConfusionCounts,
    DetectorResult,
    StratumCounts,
)
from garak_tbsa.detector_eval.intervals import OnScan
from garak_tbsa.labels.detectors import (
    DetectorOnScan,
    detectors_on_scan,
    measured_on_scan,
)
from garak_tbsa.labels.scan import Stratum
from garak_tbsa.labels.score import Estimate
from garak_tbsa.unavailable import Unavailable

LEFT_OUT = (
    "too few labels: needs 1 more, of probes that have none; draw them with"
    " `label --sheet FILE --for detectors`"
)


def on_scan(*strata: Stratum) -> DetectorOnScan:
    (found,) = detectors_on_scan(strata, 4000, 1)
    return found


def stratum(
    flagged: bool, outputs: int, labelled: int, hits: int, pair: int = 0
) -> Stratum:
    return Stratum(
        pair=pair,
        detector="dan.DAN",
        flagged=flagged,
        outputs=outputs,
    ).with_labels(labelled, hits)


def value(found: DetectorOnScan, name: str) -> float:
    share = found.shares[name]
    assert isinstance(share, Estimate)
    assert 0 <= share.lower <= share.value <= share.upper <= 1
    return share.value


def test_labels_speak_for_the_outputs_of_their_stratum() -> None:
    """\"with rows weighted N/m\", within what Jeffreys' prior moves it."""
    found = on_scan(
        stratum(True, 2000, 500, 400),
        stratum(False, 10_000, 500, 0),
        stratum(False, 6000, 500, 150, pair=1),
    )
    flagged, missed = 1600.0, 1800.0
    assert value(found, "sensitivity") == pytest.approx(
        flagged / (flagged + missed), abs=0.01
    )
    assert value(found, "specificity") == pytest.approx(14200 / 14600, abs=0.005)
    assert value(found, "precision") == pytest.approx(0.8, abs=0.005)
    assert value(found, "negative_predictive_value") == pytest.approx(
        14200 / 16000, abs=0.01
    )
    assert value(found, "prevalence") == pytest.approx(3400 / 18000, abs=0.01)
    assert value(found, "hit_f1") == pytest.approx(2 * 1600 / (2000 + 3400), abs=0.01)
    assert (found.flagged, found.unflagged) == (2000, 16_000)
    assert (found.flagged_labels, found.unflagged_labels) == (500, 1000)
    assert (found.flagged_hits, found.unflagged_hits) == (400, 150)
    own = (stratum(True, 100, 20, 15), stratum(False, 900, 30, 0))
    other = Stratum(pair=5, detector="x.Y", flagged=False, outputs=90)
    # another detector's labels change nothing of it
    shared = detectors_on_scan([*own, other.with_labels(90, 80)], 4000, 1)
    assert shared[0] == on_scan(*own)


def test_a_small_stratum_without_labels_takes_the_rate_of_its_verdict() -> None:
    found = on_scan(
        stratum(True, 100, 100, 100),
        stratum(False, 900, 40, 4),
        stratum(False, 60, 0, 0, pair=1),
    )
    # its rate is drawn around that of the other, a tenth
    assert value(found, "prevalence") == pytest.approx((100 + 96) / 1060, abs=0.05)


def test_one_stratum_has_jeffreys_posterior() -> None:
    """Beta(k + 1/2, m - k + 1/2): of precision among outputs without end."""
    found = on_scan(stratum(True, 10**7, 10, 8), stratum(False, 100, 10, 0))
    assert value(found, "precision") == pytest.approx(8.5 / 11, abs=0.01)
    share = found.shares["precision"]
    assert isinstance(share, Estimate)
    # quantiles of Beta(8.5, 2.5) by numerical integration
    assert share.lower == pytest.approx(0.4972, abs=0.02)
    assert share.upper == pytest.approx(0.9559, abs=0.02)


UNSHARED: list[tuple[tuple[Stratum, ...], dict[str, str]]] = [
    (
        (stratum(True, 10, 2, 1), stratum(False, 100, 50, 1)),
        {"precision": "too few labels: needs 3 more flagged"},
    ),
    (
        (stratum(True, 2, 1, 1), stratum(False, 100, 3, 0)),
        {"sensitivity": "too few labels: needs 1 more flagged and 2 more unflagged"},
    ),
    (
        (stratum(True, 10, 3, 1), stratum(False, 100, 3, 0)),
        {"sensitivity": "too few labels: needs 2 more of each verdict"},
    ),
    (
        (stratum(False, 10, 10, 0),),
        {
            "sensitivity": "no labelled output is a hit",
            "precision": "it flagged nothing",
        },
    ),
    (
        (
            stratum(True, 100, 100, 100),
            stratum(False, 400, 200, 20),
            stratum(False, 600, 0, 0, pair=1),
        ),
        dict.fromkeys(
            ("sensitivity", "prevalence", "negative_predictive_value"), LEFT_OUT
        ),
    ),
    (
        (
            stratum(True, 100, 1, 1),
            stratum(False, 400, 200, 20),
            stratum(False, 600, 0, 0, pair=1),
        ),
        {
            "precision": "too few labels: needs 4 more flagged",
            "negative_predictive_value": LEFT_OUT,
        },
    ),
]


@pytest.mark.parametrize(("strata", "reasons"), UNSHARED)
def test_a_share_that_is_unknown_says_why(
    strata: tuple[Stratum, ...], reasons: dict[str, str]
) -> None:
    """\"Strata without a label are not guessed from the pool [...] or not at all.\""""
    shares = on_scan(*strata).shares
    assert {name: shares[name] for name in reasons} == {
        name: Unavailable(reason=reason) for name, reason in reasons.items()
    }


@pytest.mark.parametrize(
    ("strata", "shares"),
    [
        ((stratum(False, 10, 10, 0),), {"specificity": 1.0}),
        (
            (stratum(True, 10, 10, 9), stratum(False, 10, 10, 1)),
            {"sensitivity": 0.9, "specificity": 0.9},
        ),
        (
            (
                stratum(True, 100, 100, 100),
                stratum(False, 400, 200, 20),
                stratum(False, 600, 0, 0, pair=1),
            ),
            {"precision": 1.0},
        ),
    ],
)
def test_where_all_is_labelled_there_is_no_doubt(
    strata: tuple[Stratum, ...], shares: dict[str, float]
) -> None:
    """A share of labelled outputs alone has no range."""
    found = on_scan(*strata).shares
    assert {name: found[name] for name in shares} == {
        name: Estimate(value=share, lower=share, upper=share)
        for name, share in shares.items()
    }


def counts(flagged: bool, outputs: int, **counts: int) -> StratumCounts:
    return StratumCounts(
        probe="dan.A",
        flagged=flagged,
        outputs=outputs,
        counts=ConfusionCounts(**counts),
    )


def result(*strata: StratumCounts) -> DetectorResult:
    own = sum((each.counts for each in strata), ConfusionCounts())
    return DetectorResult(detector="dan.DAN", counts=own, strata=strata)


def measured(*strata: StratumCounts) -> OnScan:
    found = measured_on_scan(result(*strata))
    assert isinstance(found, OnScan)
    return found


def test_rows_speak_for_the_outputs_that_they_were_drawn_from() -> None:
    """The issue's verification bias: rows counted alike say .90 where .60 is true."""
    strata = counts(True, 245, tp=60, fp=40), counts(False, 2755, fn=4, tn=96)
    found = measured(*strata)
    hits, missed = 0.6 * 245, 0.04 * 2755
    sensitivity = found.values["hit_sensitivity"]
    assert sensitivity == pytest.approx(hits / (hits + missed), abs=0.03)
    assert (found.outputs, found.flagged, found.changed) == (3000, 245, 0)
    assert found.values["hit_recall"] == sensitivity
    assert measured(*strata) == found
    assert measured_on_scan(result(*strata), seed=1) != found


def test_it_says_what_an_audit_says() -> None:
    """The verdicts in the report and now are the same: so are the shares."""
    found = measured(counts(True, 300, tp=30, fp=20), counts(False, 2000, fn=3, tn=97))
    strata = stratum(True, 300, 50, 30), stratum(False, 2000, 100, 3, pair=1)
    shares = on_scan(*strata).shares
    for ours, theirs in (
        ("hit_sensitivity", "sensitivity"),
        ("hit_specificity", "specificity"),
        ("hit_precision", "precision"),
        ("hit_f1", "hit_f1"),
    ):
        share = shares[theirs]
        assert isinstance(share, Estimate)
        assert found.values[ours] == pytest.approx(share.value, abs=0.02)
        assert found.intervals[ours].lower == pytest.approx(share.lower, abs=0.03)
        assert found.intervals[ours].upper == pytest.approx(share.upper, abs=0.03)


def test_verdicts_that_have_changed_since_count_as_they_are_now() -> None:
    found = measured(counts(True, 100, tp=40, fn=10), counts(False, 1000, tn=50, fp=50))
    assert found.changed == 60
    assert found.values["hit_sensitivity"] == pytest.approx(0.8, abs=0.06)
    assert found.values["hit_specificity"] == pytest.approx(0.5, abs=0.06)


def test_where_all_is_labelled_the_counts_are_the_metrics() -> None:
    found = measured(counts(True, 50, tp=30, fp=20), counts(False, 60, fn=10, tn=50))
    whole = ConfusionCounts(tp=30, fp=20, fn=10, tn=50)
    for name, each in found.values.items():
        assert each == pytest.approx(whole.metrics[name], abs=1e-5)
        assert found.intervals[name].width == pytest.approx(0, abs=1e-5)


def test_rows_that_tell_little_of_a_scan() -> None:
    """Without hits sensitivity is undefined; few rows say how many more."""
    found = measured(counts(False, 20, tn=20))
    assert found.values["hit_sensitivity"] is None
    assert found.values["hit_f1"] is None
    assert found.values["hit_precision"] == 0.0
    assert found.values["hit_specificity"] == 1.0
    assert "youden_index" not in found.intervals
    few = result(counts(True, 30, tp=2), counts(False, 90, tn=50))
    assert measured_on_scan(few) == Unavailable(
        reason="too few labels: needs 3 more flagged"
    )
    assert measured_on_scan(result()) is None
