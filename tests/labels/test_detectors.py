# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from garak_tbsa.labels.detectors import DetectorOnScan, Estimate, detectors_on_scan
from garak_tbsa.labels.strata import Stratum
from garak_tbsa.unavailable import Unavailable


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


def test_a_small_stratum_without_labels_takes_the_rate_of_its_verdict() -> None:
    found = on_scan(
        stratum(True, 100, 100, 100),
        stratum(False, 900, 40, 4),
        stratum(False, 60, 0, 0, pair=1),
    )
    # its rate is drawn around that of the other, a tenth
    assert value(found, "prevalence") == pytest.approx((100 + 96) / 1060, abs=0.05)


def test_a_large_stratum_that_labels_leave_out_is_not_guessed() -> None:
    """\"Strata without a label are not guessed from the pool [...] or not at all.\""""
    found = on_scan(
        stratum(True, 100, 100, 100),
        stratum(False, 400, 200, 20),
        stratum(False, 600, 0, 0, pair=1),
    )
    for name in ("sensitivity", "prevalence", "negative_predictive_value"):
        assert found.shares[name] == Unavailable(
            reason="too few labels: needs 1 more, of probes that have none; draw them"
            " with `detectors sample --for detectors`"
        )
    assert value(found, "precision") == 1


def test_what_labels_leave_out_is_told_beside_what_they_are_too_few_for() -> None:
    """Too few labels of flagged outputs make no number of unflagged ones known."""
    found = on_scan(
        stratum(True, 100, 1, 1),
        stratum(False, 400, 200, 20),
        stratum(False, 600, 0, 0, pair=1),
    )
    assert [
        found.shares[name].reason  # type: ignore[union-attr]
        for name in ("precision", "negative_predictive_value")
    ] == [
        "too few labels: needs 4 more flagged",
        "too few labels: needs 1 more, of probes that have none; draw them with"
        " `detectors sample --for detectors`",
    ]


def test_other_detectors_do_not_change_it() -> None:
    own = (stratum(True, 100, 20, 15), stratum(False, 900, 30, 0))
    other = Stratum(pair=5, detector="x.Y", flagged=False, outputs=90).with_labels(
        90, 80
    )
    assert detectors_on_scan([*own, other])[0] == detectors_on_scan(own)[0]


def test_one_stratum_has_jeffreys_posterior() -> None:
    """Beta(k + 1/2, m - k + 1/2): of precision among outputs without end."""
    found = on_scan(stratum(True, 10**7, 10, 8), stratum(False, 100, 10, 0))
    assert value(found, "precision") == pytest.approx(8.5 / 11, abs=0.01)
    share = found.shares["precision"]
    assert isinstance(share, Estimate)
    # quantiles of Beta(8.5, 2.5) by numerical integration
    assert share.lower == pytest.approx(0.4972, abs=0.02)
    assert share.upper == pytest.approx(0.9559, abs=0.02)


def test_where_all_is_labelled_there_is_no_doubt() -> None:
    found = on_scan(stratum(True, 10, 10, 9), stratum(False, 10, 10, 1))
    assert found.shares["sensitivity"] == Estimate(value=0.9, lower=0.9, upper=0.9)
    assert found.shares["specificity"] == Estimate(value=0.9, lower=0.9, upper=0.9)


def test_too_few_labels_say_how_many_more() -> None:
    found = on_scan(stratum(True, 10, 2, 1), stratum(False, 100, 50, 1))
    lacking = Unavailable(reason="too few labels: needs 3 more flagged")
    assert found.shares["sensitivity"] == lacking
    assert found.shares["precision"] == lacking
    assert value(found, "negative_predictive_value") == pytest.approx(0.97, abs=0.01)


def test_a_verdict_with_few_outputs_needs_them_all() -> None:
    found = on_scan(stratum(True, 2, 1, 1), stratum(False, 100, 3, 0))
    assert found.shares["sensitivity"] == Unavailable(
        reason="too few labels: needs 1 more flagged and 2 more unflagged"
    )
    found = on_scan(stratum(True, 10, 3, 1), stratum(False, 100, 3, 0))
    assert found.shares["sensitivity"] == Unavailable(
        reason="too few labels: needs 2 more of each verdict"
    )


def test_nothing_to_share_out_is_said() -> None:
    found = on_scan(stratum(False, 10, 10, 0))
    assert found.shares["sensitivity"] == Unavailable(
        reason="no labelled output is a hit"
    )
    assert found.shares["precision"] == Unavailable(reason="it flagged nothing")
    assert value(found, "specificity") == 1.0
