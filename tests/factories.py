# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs and calibrations for tests, beside the reports of ``tests.report_rows``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from garak_tbsa.report.attempts import attempt_of as attempt_of
from garak_tbsa.report.calibration import (
    Calibration,
    CalibrationIdentity,
    Distribution,
)
from garak_tbsa.report.report import load_report
from garak_tbsa.report.rows import Measurement
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.scan import assess
from garak_tbsa.tbsa.score import recomputed_grades
from tests.report_rows import CALIBRATION_DATE
from tests.report_rows import PairFacts as PairFacts
from tests.report_rows import attempt_row as attempt_row
from tests.report_rows import digest_row as digest_row
from tests.report_rows import pairs_named as pairs_named
from tests.report_rows import report_rows as report_rows
from tests.report_rows import setup_row as setup_row
from tests.report_rows import write_report as write_report

if TYPE_CHECKING:
    from collections.abc import Iterable

    from garak_tbsa.report.report import Report
    from garak_tbsa.tbsa.scan import Scan


def unknown_tier(_: str) -> int | None:
    """A garak that knows no probe."""
    return None


def no_calibration(_: CalibrationIdentity | None) -> Calibration | None:
    """A garak without a calibration."""
    return None


def calibration_of(pairs: Iterable[PairFacts]) -> Calibration:
    """Return the calibration behind the Z-scores of pairs."""
    return Calibration(
        source="calibration.json",
        identity=CalibrationIdentity(date=CALIBRATION_DATE, models="0" * 16),
        distributions={
            f"{facts.probe}/{facts.detector}": Distribution(
                mu=facts.mu, sigma=facts.sigma
            )
            for facts in pairs
            if facts.mu is not None
        },
    )


def assessment_of(path: str, pairs: Iterable[PairFacts] = (), **options: Any) -> Scan:
    """Score a report with the calibration behind the pairs and nothing of garak's."""
    return assessment_of_report(load_report(path), pairs, **options)


def assessment_of_report(
    report: Report, pairs: Iterable[PairFacts] = (), **options: Any
) -> Scan:
    """Score a report that is read; see :func:`assessment_of`."""
    calibration = calibration_of(pairs)
    return assess(
        report,
        tier_of=unknown_tier,
        find_calibration=lambda _: calibration,
        **options,
    )


def graded_pair(facts: PairFacts) -> Pair:
    """Return a pair graded from its counts."""
    stated = Measurement(
        probe=facts.probe,
        detector=facts.detector,
        passed=facts.passed,
        total_evaluated=facts.total,
        nones=facts.nones,
        where="line 1",
    )
    pair = Pair(stated=stated, tier=facts.tier)
    return recomputed_grades(pair, calibration_of([facts]))


@contextmanager
def permutations(number: int) -> Iterator[None]:
    """Let comparisons by ``garak_tbsa.compare`` draw so many permutations."""
    name = "garak_tbsa.statistics.compare.needed_permutations"
    with patch(name, return_value=number):
        yield
