# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a gate cannot know where no garak is installed: it is then not judged."""

from __future__ import annotations

from dataclasses import replace

from garak_tbsa.gates.outcome import BASELINE, FAIL_UNDER, TIER1_GRADE, GateVerdict
from garak_tbsa.tbsa.pairs import TIER_UNKNOWN
from garak_tbsa.tbsa.scan import AS_IN_REPORT, Scan

NO_GARAK = "not judged, since no garak is installed here:"
ASKS_GRADES = (FAIL_UNDER, TIER1_GRADE, BASELINE)


def verdict_without_garak(
    verdict: GateVerdict, scan: Scan, baseline: object
) -> GateVerdict:
    """Return a verdict in which nothing passes that might not pass with garak.

    Parameters
    ----------
    verdict : GateVerdict
    scan : Scan
    baseline : object
        What the scan was held against; an assessment, or nothing to compare with.
    """
    before = (baseline,) if isinstance(baseline, Scan) else ()
    unknown_grades = unknown_without_garak(scan)
    unknown_test = unknown_without_garak(*before, scan, compared=bool(before))
    outcomes = []
    for outcome in verdict.outcomes:
        unknown = unknown_test if outcome.rule == BASELINE else unknown_grades
        if outcome.rule in ASKS_GRADES and outcome.passed and unknown is not None:
            outcome = replace(outcome, passed=False, found=unknown, is_doubtful=False)
        outcomes.append(outcome)
    return GateVerdict(outcomes=tuple(outcomes))


def unknown_without_garak(*scans: Scan, compared: bool = False) -> str | None:
    """Say what only an installed garak tells of scans, None where that is nothing.

    Parameters
    ----------
    *scans : Scan
    compared : bool
        Whether they are compared, which asks for the grades of other counts too.
    """
    for scan in scans:
        source = scan.report.source
        is_as_in_report = scan.calibration.chosen == AS_IN_REPORT
        is_regraded = is_as_in_report and not scan.report.has_digest_grades
        tiers = sum(each.reason == TIER_UNKNOWN for each in scan.left_out)
        distributions = sum(
            pair.has_counts and not pair.grades_by_count_known for pair in scan.graded
        )
        if tiers:
            return f"{NO_GARAK} {source} does not say the tiers of {tiers} pairs"
        if is_regraded and not scan.calibration.covered:
            return (
                f"{NO_GARAK} {source} has no grades of its own, and the calibration to"
                " grade with comes with garak"
            )
        if compared and distributions:
            return (
                f"{NO_GARAK} the score's test needs the calibration behind the Z-scores"
                f" of {distributions} pairs of {source}; --calibration PATH grades"
                " again with one"
            )
    return None
