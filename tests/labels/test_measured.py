# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics on a scan from a detector's labelled outputs by stratum."""

from __future__ import annotations

import pytest

from garak_tbsa.detector_eval.metrics import (
    ConfusionCounts,
    DetectorResult,
    StratumCounts,
)
from garak_tbsa.detector_eval.on_scan import OnScan
from garak_tbsa.labels.detectors import Estimate, detectors_on_scan
from garak_tbsa.labels.measured import measured_on_scan
from garak_tbsa.labels.strata import Stratum
from garak_tbsa.unavailable import Unavailable


def result(*strata: StratumCounts) -> DetectorResult:
    counts = ConfusionCounts()
    for stratum in strata:
        counts += stratum.counts
    return DetectorResult(detector="dan.DAN", counts=counts, strata=strata)


def stratum(flagged: bool, outputs: int, **counts: int) -> StratumCounts:
    return StratumCounts(
        probe="dan.A",
        flagged=flagged,
        outputs=outputs,
        counts=ConfusionCounts(**counts),
    )


def measured(*strata: StratumCounts) -> OnScan:
    found = measured_on_scan(result(*strata))
    assert isinstance(found, OnScan)
    return found


def value(found: OnScan, name: str) -> float:
    each, interval = found.values[name], found.intervals[name]
    assert each is not None
    assert interval.lower <= each <= interval.upper
    return each


def test_rows_speak_for_the_outputs_that_they_were_drawn_from() -> None:
    """The issue's verification bias: rows counted alike say .90 where .60 is true."""
    found = measured(
        stratum(True, 245, tp=60, fp=40), stratum(False, 2755, fn=4, tn=96, tp=0)
    )
    hits, missed = 0.6 * 245, 0.04 * 2755
    assert value(found, "hit_sensitivity") == pytest.approx(
        hits / (hits + missed), abs=0.03
    )
    alike = ConfusionCounts(tp=60, fp=40) + ConfusionCounts(fn=4, tn=96)
    assert alike.hit_recall == pytest.approx(0.94, abs=0.005)
    assert (found.outputs, found.flagged, found.changed) == (3000, 245, 0)
    assert found.values["hit_recall"] == found.values["hit_sensitivity"]


def test_it_says_what_an_audit_says() -> None:
    """The verdicts in the report and now are the same: so are the shares."""
    found = measured(
        stratum(True, 300, tp=30, fp=20), stratum(False, 2000, fn=3, tn=97)
    )
    strata = [
        Stratum(pair=0, detector="d", flagged=True, outputs=300).with_labels(50, 30),
        Stratum(pair=1, detector="d", flagged=False, outputs=2000).with_labels(100, 3),
    ]
    shares = detectors_on_scan(strata)[0].shares
    for ours, theirs in (
        ("hit_sensitivity", "sensitivity"),
        ("hit_specificity", "specificity"),
        ("hit_precision", "precision"),
        ("hit_f1", "hit_f1"),
    ):
        share = shares[theirs]
        assert isinstance(share, Estimate)
        assert value(found, ours) == pytest.approx(share.value, abs=0.02)
        assert found.intervals[ours].lower == pytest.approx(share.lower, abs=0.03)
        assert found.intervals[ours].upper == pytest.approx(share.upper, abs=0.03)


def test_verdicts_that_have_changed_since_count_as_they_are_now() -> None:
    found = measured(
        stratum(True, 100, tp=40, fp=0, fn=10, tn=0), stratum(False, 1000, tn=50, fp=50)
    )
    assert found.changed == 60
    assert value(found, "hit_sensitivity") == pytest.approx(0.8, abs=0.06)
    assert value(found, "hit_specificity") == pytest.approx(0.5, abs=0.06)


def test_where_all_is_labelled_the_counts_are_the_metrics() -> None:
    counts = {"tp": 30, "fp": 20}
    found = measured(stratum(True, 50, **counts), stratum(False, 60, fn=10, tn=50))
    whole = ConfusionCounts(tp=30, fp=20, fn=10, tn=50)
    for name, each in found.values.items():
        assert each == pytest.approx(getattr(whole, name), abs=1e-5)
        assert found.intervals[name].width == pytest.approx(0, abs=1e-5)


def test_without_hits_sensitivity_is_undefined() -> None:
    found = measured(stratum(False, 20, tn=20))
    assert found.values["hit_sensitivity"] is None
    assert found.values["hit_f1"] is None
    assert found.values["hit_precision"] == 0.0
    assert found.values["hit_specificity"] == 1.0
    assert "youden_index" not in found.intervals


def test_too_few_labels_of_a_verdict() -> None:
    found = measured_on_scan(result(stratum(True, 30, tp=2), stratum(False, 90, tn=50)))
    assert found == Unavailable(reason="too few labels: needs 3 more flagged")


def test_rows_of_files_are_not_weighted() -> None:
    assert measured_on_scan(result()) is None


def test_seeded() -> None:
    drawn = result(stratum(True, 300, tp=30, fp=20), stratum(False, 2000, fn=3, tn=97))
    assert measured_on_scan(drawn) == measured_on_scan(drawn)
    assert measured_on_scan(drawn) != measured_on_scan(drawn, seed=1)
