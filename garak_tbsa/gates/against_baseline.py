# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a scan is worse than a baseline, and whether that could have been seen."""

from __future__ import annotations

from garak_tbsa.comparison_in_words import (
    against_baseline,
    detectable_in_words,
    fall_text,
    move_text,
    untested_move_text,
)
from garak_tbsa.errors import NotComparableError
from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.outcome import (
    ANSWERS,
    BASELINE,
    CONSISTENT,
    NOT_JUDGED,
    RuleOutcome,
    first_problems,
)
from garak_tbsa.report.report import why_same_run
from garak_tbsa.statistics.compare import (
    FELL,
    PAIRS,
    UNTESTED,
    Comparison,
    compare_assessments,
)
from garak_tbsa.statistics.detectable import Detectable
from garak_tbsa.statistics.exchange import needed_permutations
from garak_tbsa.tbsa.pairs import Culprit
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

Baseline = Scan | Unavailable

TIER = 1
"""The tier whose pairs a gate asks for one by one."""


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
    is_missing, alpha = isinstance(baseline, Unavailable), rules.alpha
    compared = _compared_with(baseline, assessment, rules)
    culprits: tuple[Culprit, ...] = ()
    if not isinstance(compared, Comparison):
        passed, found = is_missing, compared
    elif compared.may_be_worse(alpha):
        passed, found = False, against_baseline(compared, alpha)
        culprits = _worsened(compared, alpha)
    else:
        detectable = compared.detectable(alpha)
        culprits = _undetectable(detectable, rules.max_undetectable)
        passed, found = not culprits, against_baseline(compared, alpha)
        if culprits:
            found = f"{why_undetectable(detectable, rules)}; {found}"
        else:
            found += _unseen_of_tier_1(detectable)
    return RuleOutcome(
        rule=BASELINE,
        passed=passed,
        expected=f"not worse than the baseline at level {alpha:g}",
        found=found,
        culprits=culprits,
        is_doubtful=is_missing,
    )


def _unseen_of_tier_1(detectable: Detectable | Unavailable) -> str:
    """Name the pairs that a gate which passes could not have seen fall."""
    if isinstance(detectable, Unavailable):
        return ""
    unseen = [fall_text(fall) for fall in detectable.unseen if fall.tier == TIER]
    return (
        f"; could fall to all hits unseen: {first_problems(unseen)}" if unseen else ""
    )


def why_undetectable(
    detectable: Detectable | Unavailable, rules: GateRules
) -> str | None:
    """Say that a comparison could not see most falls, None where it could."""
    if not _undetectable(detectable, rules.max_undetectable):
        return None
    return NOT_JUDGED + detectable_in_words(detectable)


def _undetectable(
    detectable: Detectable | Unavailable, most: float
) -> tuple[Culprit, ...]:
    """The pairs whose fall the comparison misses, where they are too many to judge."""
    if isinstance(detectable, Unavailable):
        return ()
    share = detectable.undetectable
    if isinstance(share, Unavailable) or share <= most:
        return ()
    return tuple(
        Culprit(pair=fall.name, problem="could fall to all hits unseen")
        for fall in detectable.unseen
    )


def _compared_with(
    baseline: Baseline, assessment: Scan, rules: GateRules
) -> Comparison | str:
    """Compare a baseline and a scan, or say why they cannot be compared."""
    if isinstance(baseline, Unavailable):
        return baseline.reason
    problem = why_not_judged(baseline, assessment, rules)
    if problem is not None:
        return NOT_JUDGED + problem
    problems = inconsistencies(baseline)
    if problems is not None:
        return f"{baseline.report.source}: {problems}"
    permutations = needed_permutations(rules.alpha)
    try:
        return compare_assessments(baseline, assessment, replicates=permutations)
    except NotComparableError as error:
        return str(error)


def why_not_judged(baseline: Scan, assessment: Scan, rules: GateRules) -> str | None:
    """Say why a baseline tells nothing of a scan, None where it does."""
    before, after = baseline.report, assessment.report
    same = why_same_run(before.whole, after.whole)
    if same is not None:
        return f"{same}; give the report of an earlier scan as baseline"
    constant = constant_answers(baseline, rules)
    return None if constant is None else f"{before.source}: {constant}"


def constant_answers(assessment: Scan, rules: GateRules) -> str | None:
    """Say that a target answered everything alike, unless it is known to do so.

    A report without attempts is judged: what the target said was not looked for.
    """
    answers = assessment.report.whole.answers
    if answers is None or rules.constant_target or not answers.is_constant:
        return None
    return f"{answers.text}; if it always answers so, give --constant-target"


def held_against_answers(assessment: Scan, rules: GateRules) -> tuple[RuleOutcome, ...]:
    """Judge nothing of a target that answered everything alike; else there is none."""
    constant = constant_answers(assessment, rules)
    if constant is None:
        return ()
    return (
        RuleOutcome(
            rule=ANSWERS,
            passed=False,
            expected="a target that answers",
            found=NOT_JUDGED + constant,
        ),
    )


def _worsened(comparison: Comparison, alpha: float) -> tuple[Culprit, ...]:
    """The pairs that the verdict is due to, or that it cannot be had for."""
    if comparison.verdict(alpha) == UNTESTED:
        moved = [
            Culprit(
                pair=pair.name,
                problem=f"{untested_move_text(pair)} since the baseline, not tested",
            )
            for pair in comparison.untested_differences
        ]
        return (*comparison.vanished.not_measured, *moved)
    return tuple(
        Culprit(
            pair=pair.name,
            problem=f"{move_text(pair)} since the baseline (z {pair.z:+.1f})"
            + ", it does not stand out by itself" * (cause.kind != PAIRS),
        )
        for cause in comparison.because(alpha)
        for pair in cause.pairs
        if cause.direction == FELL
    )


def consistency(assessment: Scan) -> RuleOutcome:
    """Judge whether a report's numbers agree; see :func:`inconsistencies`."""
    problems = inconsistencies(assessment)
    return RuleOutcome(
        rule=CONSISTENT,
        passed=problems is None,
        expected="a report that does not contradict itself",
        found="no contradiction" if problems is None else problems,
        culprits=assessment.contradictions,
    )


def inconsistencies(assessment: Scan) -> str | None:
    """Return what a digest and the rows of its file disagree on, None if nothing."""
    problems = [f"{each.pair}: {each.problem}" for each in assessment.contradictions]
    problems += assessment.report.whole.row_findings or ()
    return first_problems(problems) or None
