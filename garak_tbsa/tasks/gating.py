# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report and what is asked of it -> a verdict."""

from __future__ import annotations

from garak_tbsa.errors import NotComparableError
from garak_tbsa.statistics.exchange import needed_permutations
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tasks.comparing import compare_assessments
from garak_tbsa.tbsa.assessment import Assessment, held_against_rows
from garak_tbsa.tbsa.gate import (
    NOT_COMPUTED,
    inconsistencies,
    judge,
    without_comparison,
)
from garak_tbsa.tbsa.gate_options import GateRules
from garak_tbsa.tbsa.gate_outcomes import GateVerdict
from garak_tbsa.tbsa.pairs import TIER_NOT_SCORED
from garak_tbsa.unavailable import Unavailable


def gate_verdict(
    assessment: Assessment,
    rules: GateRules,
    baseline: Assessment | Unavailable | None,
    repeat: RepeatDistribution | Unavailable | None = None,
) -> GateVerdict | None:
    """Judge a scored report, None where nothing is asked of it.

    A baseline with another checksum fails its rule: nothing can be said for the scan.
    Whatever the rules, both digests must agree with themselves and with their rows.

    Parameters
    ----------
    assessment : Assessment
    rules : GateRules
    baseline : Assessment, Unavailable or None
        The report not to be worse than, scored the same way; Unavailable where there
        need be none and is none, which passes.
    repeat : RepeatDistribution, Unavailable or None
        What a repeat would score; None where it was not computed.
    """
    if baseline is None and not rules.asks_something:
        return None
    assessment = held_against_rows(assessment)
    if repeat is None:
        repeat = NOT_COMPUTED
    if baseline is None or isinstance(baseline, Unavailable):
        return judge(assessment, rules, baseline, repeat)
    problems = inconsistencies(held_against_rows(baseline))
    if problems is not None:
        source = baseline.report.source
        return without_comparison(assessment, rules, f"{source}: {problems}", repeat)
    try:
        comparison = compare_assessments(
            baseline, assessment, replicates=needed_permutations(rules.alpha)
        )
    except NotComparableError as error:
        return without_comparison(assessment, rules, str(error), repeat)
    return judge(assessment, rules, comparison, repeat)


def incomplete(assessment: Assessment) -> str | None:
    """Say how a scan falls short of a complete one, None where it does not.

    Parameters
    ----------
    assessment : Assessment
        Held against its rows.
    """
    shortcomings = _shortcomings(assessment)
    if not shortcomings:
        return None
    return (
        f"{assessment.report.source}: --strict asks for a complete scan, and this"
        f" one is not: {'; '.join(shortcomings)}"
    )


def _shortcomings(assessment: Assessment) -> list[str]:
    found = [
        *assessment.warnings,
        *(finding.text for finding in assessment.report.row_findings or ()),
    ]
    if assessment.report.partial_reason is not None:
        found.append(assessment.report.partial_reason)
    found += [
        f"{entry.pair.name}: {entry.text}"
        for entry in assessment.left_out
        if entry.reason != TIER_NOT_SCORED
    ]
    # a setup that contradicts its row is among both
    return list(dict.fromkeys(found))
