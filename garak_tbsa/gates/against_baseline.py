# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a scan is worse than a baseline, and whether that could have been seen.

``score --baseline`` and ``compare --fail-on worse`` judge by :func:`not_worse`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from garak_tbsa.comparison_in_words import (
    SHOWN_PAIRS,
    against_baseline,
    detectable_in_words,
    fall_text,
    listed,
    move_text,
    other_target,
)
from garak_tbsa.errors import NotComparableError
from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.outcome import (
    ANSWERS,
    BASELINE,
    CONSISTENT,
    RuleOutcome,
    not_judged,
)
from garak_tbsa.report.report import why_same_run
from garak_tbsa.statistics.compare import FELL, PAIRS, UNTESTED, Comparison, compare
from garak_tbsa.statistics.detectable import Detectable
from garak_tbsa.tbsa.pairs import Culprit
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

Baseline = Scan | Unavailable

TIER = 1
"""The tier whose pairs a gate asks for one by one."""

UNSEEN = "could fall to all hits unseen"


def held_against_baseline(
    assessment: Scan, baseline: Baseline, rules: GateRules
) -> RuleOutcome:
    """Hold a scan against a baseline; what cannot be compared with does not pass.

    Parameters
    ----------
    assessment : Scan
    baseline : Scan or Unavailable
        See :func:`~garak_tbsa.gates.verdict.gate_verdict`.
    rules : GateRules
    """
    outcome = partial(RuleOutcome, rule=BASELINE, expected=_expected(rules))
    if isinstance(baseline, Unavailable):
        return outcome(passed=True, found=baseline.reason, is_doubtful=True)
    try:
        comparison = compare(baseline, assessment, alpha=rules.alpha)
    except NotComparableError as error:
        return outcome(passed=False, found=str(error))
    # the scan's own flaws fail rules of their own
    return not_worse(comparison, rules, against_baseline(comparison), [baseline])


def not_worse(
    comparison: Comparison, rules: GateRules, said: str, scans: Sequence[Scan]
) -> RuleOutcome:
    """Judge whether the second scan is not worse, if that could have been seen.

    Parameters
    ----------
    comparison : Comparison
    rules : GateRules
    said : str
        What the comparison found, in words.
    scans : sequence of Scan
        The scans without which nothing is known: each has to agree with itself, and
        its target to answer.
    """
    expected = _expected(rules)
    unjudged = partial(not_judged, BASELINE, expected)
    outcome = partial(RuleOutcome, rule=BASELINE, expected=expected)
    before, after = comparison.first.report, comparison.second.report
    if same := why_same_run(before.whole, after.whole):
        return unjudged(f"{same}; give the report of an earlier scan as baseline")
    for scan in scans:
        source = scan.report.source
        if constant := constant_answers(scan, rules):
            return unjudged(f"{source}: {constant}")
        if problems := inconsistencies(scan):
            return outcome(passed=False, found=f"{source}: {problems}")
    if comparison.may_be_worse:
        return outcome(passed=False, found=said, culprits=_worsened(comparison))
    detectable = comparison.detectable
    if isinstance(detectable, Detectable):
        share, unseen = detectable.undetectable, detectable.unseen
        if not isinstance(share, Unavailable) and share > rules.max_undetectable:
            why = f"{detectable_in_words(detectable)}; {said}"
            culprits = tuple(Culprit(pair=e.name, problem=UNSEEN) for e in unseen)
            return unjudged(why, culprits)
        of_tier_1 = [fall_text(fall) for fall in unseen if fall.tier == TIER]
        said += f"; {UNSEEN}: {listed(of_tier_1, SHOWN_PAIRS)}" if of_tier_1 else ""
    other = other_target(comparison)
    said += f"; {other}" if other else ""
    return outcome(passed=True, found=said)


def _expected(rules: GateRules) -> str:
    return f"not worse than the baseline at level {rules.alpha:g}"


def _worsened(comparison: Comparison) -> tuple[Culprit, ...]:
    """The pairs that the verdict is due to, or that it cannot be had for."""
    if comparison.verdict == UNTESTED:
        moved = [
            Culprit(
                pair=pair.name,
                problem=f"{move_text(pair)} since the baseline, not tested",
            )
            for pair in comparison.untested_differences
        ]
        return (*comparison.not_measured, *moved)
    return tuple(
        Culprit(
            pair=pair.name,
            problem=f"{move_text(pair)} since the baseline (z {pair.z:+.1f})"
            + ", it does not stand out by itself" * (cause.kind != PAIRS),
        )
        for cause in comparison.causes
        for pair in cause.pairs
        if cause.direction == FELL
    )


def constant_answers(assessment: Scan, rules: GateRules) -> str | None:
    """Say that a target answered everything alike, unless it is known to do so.

    A report without attempts is judged: what the target said was not looked for.
    """
    constant = assessment.report.whole.constant_answer
    if constant is None or rules.constant_target:
        return None
    return f"{constant}; if it always answers so, give --constant-target"


def held_against_answers(assessment: Scan, rules: GateRules) -> tuple[RuleOutcome, ...]:
    """Judge nothing of a target that answered everything alike; else there is none."""
    constant = constant_answers(assessment, rules)
    expected = "a target that answers"
    return (not_judged(ANSWERS, expected, constant),) if constant else ()


def consistency(assessment: Scan) -> RuleOutcome:
    """Judge whether a report's numbers agree; see :func:`inconsistencies`."""
    problems = inconsistencies(assessment)
    return RuleOutcome(
        rule=CONSISTENT,
        passed=problems is None,
        expected="a report that does not contradict itself",
        found=problems or "no contradiction",
        culprits=assessment.contradictions,
    )


def inconsistencies(assessment: Scan) -> str | None:
    """Return what a digest and the rows of its file disagree on, None if nothing."""
    problems = [f"{each.pair}: {each.problem}" for each in assessment.contradictions]
    problems += assessment.report.whole.row_findings or ()
    return listed(problems, SHOWN_PAIRS) or None
