# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a scan may pass: one verdict over all rules that a user set."""

from __future__ import annotations

from dataclasses import dataclass

from garak_tbsa.errors import NotComparableError
from garak_tbsa.statistics.compare import FELL, PAIRS, UNTESTED, Comparison
from garak_tbsa.statistics.exchange import needed_permutations
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.assessment import Assessment, held_against_rows
from garak_tbsa.tbsa.comparison_in_words import (
    against_baseline,
    move_text,
    untested_move_text,
)
from garak_tbsa.tbsa.gate_options import GateRules
from garak_tbsa.tbsa.gate_outcomes import (
    BASELINE,
    CONSISTENT,
    FAIL_UNDER,
    MIN_COVERAGE,
    TINY,
    Culprit,
    GateVerdict,
    RuleOutcome,
    listed,
)
from garak_tbsa.tbsa.luck import MOSTLY, part_of_all, share_under
from garak_tbsa.tbsa.pairs import TIER_NOT_SCORED
from garak_tbsa.tbsa.scan_change import compare_assessments
from garak_tbsa.tbsa.tier1_gate import judge_tier1_grade
from garak_tbsa.unavailable import Unavailable

NOT_COMPUTED = Unavailable(reason="it was not computed")


@dataclass(frozen=True, kw_only=True, slots=True)
class Incomparable:
    """A baseline that a scan cannot be compared with, which fails its rule.

    Attributes
    ----------
    reason : str
    """

    reason: str


def gate_verdict(
    assessment: Assessment,
    rules: GateRules,
    baseline: Assessment | Unavailable | Incomparable | None = None,
    repeat: RepeatDistribution | Unavailable = NOT_COMPUTED,
) -> GateVerdict | None:
    """Judge a scored report, None where nothing is asked of it.

    A baseline with another checksum fails its rule: nothing can be said for the scan.
    Whatever the rules, both digests must agree with themselves and with their rows.

    Parameters
    ----------
    assessment : Assessment
    rules : GateRules
    baseline : Assessment, Unavailable, Incomparable or None
        The report not to be worse than, scored the same way; Unavailable where there
        need be none and is none, which passes.
    repeat : RepeatDistribution or Unavailable
        What a repeat would score; ``rules.sure`` fails where that is not known.
    """
    if not rules.asks_something:
        return None
    assessment = held_against_rows(assessment)
    if isinstance(baseline, Assessment):
        return judge(
            assessment, rules, _compared(baseline, assessment, rules.alpha), repeat
        )
    return judge(assessment, rules, baseline, repeat)


def _compared(
    baseline: Assessment, assessment: Assessment, alpha: float
) -> Comparison | Incomparable:
    problems = inconsistencies(held_against_rows(baseline))
    if problems is not None:
        return Incomparable(reason=f"{baseline.report.source}: {problems}")
    try:
        return compare_assessments(
            baseline, assessment, replicates=needed_permutations(alpha)
        )
    except NotComparableError as error:
        return Incomparable(reason=str(error))


def judge(
    assessment: Assessment,
    rules: GateRules,
    comparison: Comparison | Unavailable | Incomparable | None = None,
    repeat: RepeatDistribution | Unavailable = NOT_COMPUTED,
) -> GateVerdict:
    """Hold a scored report against the rules.

    Parameters
    ----------
    assessment : Assessment
        Held against the rows of its file; see
        :func:`~garak_tbsa.tbsa.assessment.held_against_rows`.
    rules : GateRules
    comparison : Comparison, Unavailable, Incomparable or None
        With the baseline (its first scan), where one is set; Unavailable where there
        is none yet and need be none, which passes.
    repeat : RepeatDistribution or Unavailable
        As :func:`gate_verdict` takes it.
    """
    outcomes: list[RuleOutcome] = []
    if rules.fail_under is not None:
        outcomes.append(
            _fail_under(assessment, rules.fail_under, repeat)
            if rules.sure is None
            else _surely(assessment, rules.fail_under, rules.sure, repeat)
        )
    if rules.require_tier1_grade is not None:
        outcomes.append(
            judge_tier1_grade(assessment, rules.require_tier1_grade, rules.sure, repeat)
        )
    if rules.min_coverage is not None:
        outcomes.append(_coverage(assessment, rules.min_coverage))
    if comparison is not None:
        outcomes.append(_baseline(comparison, rules.alpha))
    if outcomes:
        outcomes.append(consistency(assessment))
    return GateVerdict(outcomes=tuple(outcomes))


def _fail_under(
    assessment: Assessment, least: float, repeat: RepeatDistribution | Unavailable
) -> RuleOutcome:
    passed = assessment.tbsa >= least
    found, is_doubtful = f"TBSA {assessment.tbsa:.1f}", False
    if passed and not isinstance(repeat, Unavailable):
        failing = share_under(repeat, least)
        is_doubtful = failing > MOSTLY
        if is_doubtful:
            on = repeat.basis.on_prompts
            found += f", but {part_of_all(failing)} of repeats{on} would fail this rule"
    return RuleOutcome(
        rule=FAIL_UNDER,
        passed=passed,
        expected=f"TBSA of at least {least:g}",
        found=found,
        is_doubtful=is_doubtful,
    )


def _surely(
    assessment: Assessment,
    least: float,
    sure: float,
    repeat: RepeatDistribution | Unavailable,
) -> RuleOutcome:
    """Ask ``fail_under`` of the scan and of most of its repeats."""
    found = f"TBSA {assessment.tbsa:.1f}"
    if isinstance(repeat, Unavailable):
        # nobody knows what a repeat would score
        passed = False
        found += f"; no distribution of repeats, {repeat.reason}"
    else:
        reached = 1 - share_under(repeat, least)
        passed = assessment.tbsa >= least and reached >= sure - TINY
        found += f", and {part_of_all(reached)} of repeats{_by(repeat)}"
    return RuleOutcome(
        rule=FAIL_UNDER,
        passed=passed,
        expected=f"TBSA of at least {least:g}, and in {100 * sure:g} % of repeats",
        found=found,
    )


def _by(repeat: RepeatDistribution) -> str:
    """Which repeats, and whether less was known of them than a gate asks for."""
    alone = ", by pass counts alone" if repeat.basis.is_by_counts_alone else ""
    return f"{repeat.basis.on_prompts}{alone}"


def with_repeat(
    verdict: GateVerdict,
    assessment: Assessment,
    rules: GateRules,
    repeat: RepeatDistribution | Unavailable,
) -> GateVerdict:
    """Return a verdict that says what repeats would do, where it came before them.

    Whether a rule passed stays as it was.

    Parameters
    ----------
    verdict : GateVerdict
        Of :func:`judge`, without a distribution.
    assessment : Assessment
    rules : GateRules
    repeat : RepeatDistribution or Unavailable
    """
    if rules.fail_under is None or rules.sure is not None:
        return verdict
    noted = _fail_under(assessment, rules.fail_under, repeat)
    return GateVerdict(
        outcomes=tuple(
            noted if outcome.rule == FAIL_UNDER else outcome
            for outcome in verdict.outcomes
        )
    )


def inconsistencies(assessment: Assessment) -> str | None:
    """Return what a digest and the rows of its file disagree on, None if nothing."""
    findings = assessment.report.row_findings
    problems = [entry.text for entry in assessment.contradictions]
    problems += [finding.text for finding in findings or ()]
    if findings is None:
        problems.append("the rows of its file were not read")
    return listed(problems) if problems else None


def consistency(assessment: Assessment) -> RuleOutcome:
    """Judge whether a report's numbers agree; see :func:`inconsistencies`."""
    problems = inconsistencies(assessment)
    return RuleOutcome(
        rule=CONSISTENT,
        passed=problems is None,
        expected="a report that does not contradict itself",
        found="no contradiction" if problems is None else problems,
        culprits=tuple(
            Culprit(pair=entry.pair, problem=entry.problem)
            for entry in assessment.contradictions
        ),
    )


def _coverage(assessment: Assessment, least: float) -> RuleOutcome:
    measured = len(assessment.graded)
    missing = [
        entry for entry in assessment.left_out if entry.reason != TIER_NOT_SCORED
    ]
    attempted = measured + len(missing)
    passed = attempted > 0 and measured / attempted >= least
    return RuleOutcome(
        rule=MIN_COVERAGE,
        passed=passed,
        expected=f"at least {least:.1%} of the attempted pairs measured",
        found=f"{measured} of {attempted} measured",
        culprits=()
        if passed
        else tuple(
            Culprit(pair=entry.pair.name, problem=f"not measured: {entry.text}")
            for entry in missing
        ),
    )


def _baseline(
    comparison: Comparison | Unavailable | Incomparable, alpha: float
) -> RuleOutcome:
    expected = f"not worse than the baseline at level {alpha:g}"
    if not isinstance(comparison, Comparison):
        passed = isinstance(comparison, Unavailable)
        return RuleOutcome(
            rule=BASELINE,
            passed=passed,
            expected=expected,
            found=comparison.reason,
            is_doubtful=passed,
        )
    passed = not comparison.may_be_worse(alpha)
    return RuleOutcome(
        rule=BASELINE,
        passed=passed,
        expected=expected,
        found=against_baseline(comparison, alpha),
        culprits=() if passed else _worsened(comparison, alpha),
    )


def _worsened(comparison: Comparison, alpha: float) -> tuple[Culprit, ...]:
    """The pairs that the verdict is due to, or that it cannot be had for."""
    if comparison.verdict(alpha) == UNTESTED:
        return tuple(
            Culprit(
                pair=pair.name,
                problem=f"{untested_move_text(pair)} since the baseline, not tested",
            )
            for pair in comparison.untested_differences
        )
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
