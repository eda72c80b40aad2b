# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a scan may pass: one verdict over all rules that a user set.

Each rule is a function that holds a scored report against what was asked, and returns
what came of it and which pairs it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from garak_tbsa.comparison_in_words import WHAT_HELPS
from garak_tbsa.gates.against_baseline import (
    TIER,
    Baseline,
    consistency,
    held_against_answers,
    held_against_baseline,
)
from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.outcome import (
    FAIL_UNDER,
    MIN_COVERAGE,
    NOT_JUDGED,
    TIER1_GRADE,
    GateVerdict,
    RuleOutcome,
    first_problems,
)
from garak_tbsa.statistics.repeat import (
    RepeatDistribution,
    below_if_all_hits,
    repeat_of_known_pairs,
)
from garak_tbsa.statistics.unusual_score import MOSTLY, part_of_all, share_under
from garak_tbsa.tbsa.coverage import lacks_outputs
from garak_tbsa.tbsa.pairs import SMALL_PAIR, TIER_NOT_SCORED, Culprit, Pair
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

Repeat = RepeatDistribution | Unavailable


TINY = 1e-12
"""What sums of probabilities are off by."""

NOT_COMPUTED = Unavailable(reason="it was not computed")


def gate_verdict(
    assessment: Scan,
    rules: GateRules,
    baseline: Baseline | None = None,
    repeat: Repeat = NOT_COMPUTED,
) -> GateVerdict | None:
    """Judge a scored report, None where nothing is asked of it.

    A baseline with another checksum fails its rule: nothing can be said for the scan.
    Whatever the rules, both digests must agree with themselves and with their rows.

    Parameters
    ----------
    assessment : Scan
    rules : GateRules
    baseline : Scan, Unavailable or None
        The report not to be worse than, scored the same way; Unavailable where there
        need be none and is none, which passes.
    repeat : RepeatDistribution or Unavailable
        What a repeat would score; ``rules.sure`` fails where that is not known.
    """
    if not rules.asks_something:
        return None
    outcomes = [
        check(assessment, limit, rules.sure, repeat)
        for name, check in CHECKS.items()
        if (limit := getattr(rules, name)) is not None
    ]
    if baseline is not None:
        outcomes.append(held_against_baseline(assessment, baseline, rules))
    outcomes.append(consistency(assessment))
    outcomes += held_against_answers(assessment, rules)
    return GateVerdict(outcomes=tuple(outcomes))


def _fail_under(
    assessment: Scan, least: float, sure: float | None, repeat: Repeat
) -> RuleOutcome:
    """Ask for a score, of the scan and, to be sure, of most of its repeats."""
    passed, is_doubtful = assessment.tbsa >= least, False
    found, expected = f"TBSA {assessment.tbsa:.1f}", f"TBSA of at least {least:g}"
    if sure is not None:
        expected += f", and in {100 * sure:g} % of repeats"
    if isinstance(repeat, Unavailable):
        if sure is not None:
            passed = False  # nobody knows what a repeat would score
            found += f"; no distribution of repeats, {repeat.reason}"
    elif sure is not None:
        reached = 1 - share_under(repeat, least)
        passed = passed and reached >= sure - TINY
        found += f", and {part_of_all(reached)} of repeats{_which(repeat)}"
    elif passed and (failing := share_under(repeat, least)) > MOSTLY:
        is_doubtful = True
        on = repeat.basis.on_prompts
        found += f", but {part_of_all(failing)} of repeats{on} would fail this rule"
    return RuleOutcome(
        rule=FAIL_UNDER,
        passed=passed,
        expected=expected,
        found=found,
        is_doubtful=is_doubtful,
    )


def _which(repeat: RepeatDistribution) -> str:
    """Which repeats, and whether less was known of them than a gate asks for."""
    alone = ", by pass counts alone" if repeat.basis.is_by_counts_alone else ""
    return f"{repeat.basis.on_prompts}{alone}"


def _tier1_grade(
    assessment: Scan, least: int, sure: float | None, repeat: Repeat
) -> RuleOutcome:
    """Hold every Tier 1 pair against a grade.

    A pair of 4 outputs has a low grade by one hit. The plain rule fails for it and
    says on how many outputs it hangs; with a share of repeats it fails only where the
    pair is below in this scan and would be in at least that share of its repeats. A
    pair that was not measured or is of unknown tier fails the rule either way, and so
    does a probe that an interrupted scan did not come to: nobody knows what a repeat
    of it would be.
    """
    counted = [pair for pair in assessment.graded if pair.tier == TIER]
    below = sorted(
        (pair for pair in counted if pair.grade < least),
        key=lambda pair: (pair.grade, pair.name),
    )
    culprits, unshowable, not_sure = (
        _by_sureness(assessment, below, least, sure, repeat)
        if sure is not None and below
        else ([Culprit(pair=pair.name, problem=_plain(pair)) for pair in below], [], [])
    )
    for tier, problem in ((TIER, "not measured"), (None, "of unknown tier")):
        culprits += [
            Culprit(pair=pair.name, problem=problem)
            for pair in assessment.left_out
            if pair.tier == tier
        ]
    culprits += [
        Culprit(pair=each.probe, problem=f"not measured: {each.text}")
        for each in assessment.silent
        if each.tier in (TIER, None)
    ]
    found = []
    if culprits:
        found.append(f"{len(culprits)} below: {_listed(culprits)}")
    elif not counted:
        found.append("no Tier 1 pair was measured")
    elif not not_sure and not unshowable:
        found.append("all are" + (_hanging(counted) if sure is None else ""))
    if unshowable:
        found.append(
            f"{NOT_JUDGED}not surely below even if all outputs were hits:"
            f" {_listed(unshowable)}; {WHAT_HELPS}"
        )
    if not_sure:
        found.append(f"not surely below: {_listed(not_sure)}")
    if sure is not None and below and isinstance(repeat, RepeatDistribution):
        which = _which(repeat).lstrip(", ")
        found += [f"repeats {which}"] if which else []
    expected = f"every Tier 1 pair at grade {least} or better"
    if sure is not None:
        in_repeats = f"here and in {100 * sure:g} % of repeats"
        expected = f"no Tier 1 pair below grade {least} {in_repeats}"
    return RuleOutcome(
        rule=TIER1_GRADE,
        # absence of evidence is no evidence
        passed=bool(counted) and not culprits and not unshowable,
        expected=expected,
        found="; ".join(found),
        culprits=(*culprits, *unshowable),
        not_sure=tuple(not_sure),
        is_doubtful=bool(not_sure),
        is_judged=bool(culprits) or not unshowable,
    )


def _by_sureness(
    assessment: Scan,
    below: Sequence[Pair],
    least: int,
    sure: float,
    repeat: Repeat,
) -> tuple[list[Culprit], list[Culprit], list[Culprit]]:
    """Sort pairs below a grade: surely, too few outputs to show it, not surely.

    Nobody is sure of a pair whose repeats are not known; it counts as surely below.
    """
    # where no repeat of the whole scan is known, since some pairs have no counts or
    # no calibration that is at hand, the others are drawn by themselves
    is_unknown = isinstance(repeat, Unavailable)
    drawn = repeat_of_known_pairs(assessment) if is_unknown else repeat
    checksum = assessment.checksum.hexadecimal
    surely: list[Culprit] = []
    unshowable: list[Culprit] = []
    not_sure: list[Culprit] = []
    for pair in below:
        if isinstance(drawn, Unavailable) or pair.name not in drawn.below:
            surely.append(Culprit(pair=pair.name, problem=_problem(pair, None)))
            continue
        share = drawn.below[pair.name][least - 2]
        kind = not_sure
        if share >= sure - TINY:
            kind = surely
        elif below_if_all_hits(drawn, pair.name, checksum)[least - 2] < sure - TINY:
            kind = unshowable
        kind.append(Culprit(pair=pair.name, problem=_problem(pair, share)))
    return surely, unshowable, not_sure


def _problem(pair: Pair, share: float | None) -> str:
    """Say what a pair is at, in how many repeats, and on how few outputs it depends."""
    if share is None:
        return (
            f"at {pair.grade} (repeats are not known, its counts or its calibration are"
            " not known)"
        )
    return _plain(pair, f"below in {part_of_all(share)} of repeats")


def _plain(pair: Pair, *facts: str) -> str:
    total = pair.total_evaluated
    if total is not None and total < SMALL_PAIR:
        facts += (f"depends on {total} output{'s' * (total != 1)}",)
    return f"at {pair.grade}" + f" ({', '.join(facts)})" * bool(facts)


def _hanging(counted: Sequence[Pair]) -> str:
    """Say how many pairs of those that passed have few outputs."""
    small = [
        (pair.total_evaluated, pair.name)
        for pair in counted
        if pair.total_evaluated is not None and pair.total_evaluated < SMALL_PAIR
    ]
    if not small:
        return ""
    total, name = min(small)
    return (
        f"; {len(small)} of {len(counted)} on fewer than {SMALL_PAIR} outputs,"
        f" {name} depends on {total}"
    )


def _coverage(
    assessment: Scan, least: float, sure: float | None, repeat: Repeat
) -> RuleOutcome:
    """Ask that most of what was attempted was measured, whatever repeats would do.

    The least share decides: of pairs, of selected probes, of outputs.
    """
    smallest = min(assessment.shares, key=lambda each: each.share)
    passed = smallest.share >= least
    culprits = [
        Culprit(pair=name, problem=f"not measured: {why}")
        for name, why in _unmeasured(assessment).items()
    ]
    culprits += [
        Culprit(
            pair=pair.name,
            problem=f"{pair.nones:,} of {pair.processed:,} outputs not evaluated",
        )
        for pair in assessment.graded
        if lacks_outputs(pair, 1 - least)
    ]
    return RuleOutcome(
        rule=MIN_COVERAGE,
        passed=passed,
        expected=f"at least {least:.1%} of pairs, selected probes and outputs measured",
        found=smallest.text,
        culprits=() if passed else tuple(culprits),
    )


def _unmeasured(assessment: Scan) -> dict[str, str]:
    """Why each pair was not measured, but those of tiers that do not count.

    A selected probe that left no result stands for its pairs.
    """
    silent = {each.probe: each.text for each in assessment.silent if each.may_count}
    return _not_counted(assessment) | silent


def _not_counted(assessment: Scan) -> dict[str, str]:
    """The same of pairs alone."""
    return {
        pair.name: pair.reason_text
        for pair in assessment.left_out
        if pair.reason != TIER_NOT_SCORED
    }


Check = Callable[[Scan, Any, float | None, Repeat], RuleOutcome]

CHECKS: Mapping[str, Check] = {
    "fail_under": _fail_under,
    "require_tier1_grade": _tier1_grade,
    "min_coverage": _coverage,
}
"""The rules that a scan is held against by itself, by the attribute that asks."""


def _listed(culprits: Sequence[Culprit]) -> str:
    return first_problems([culprit.text for culprit in culprits])


def incomplete(assessment: Scan) -> str | None:
    """Say how a scan falls short of a complete one, None where it does not.

    Parameters
    ----------
    assessment : Scan
        Held against its rows.
    """
    report = assessment.report
    found = [*assessment.warnings, *(report.row_findings or ())]
    if report.partial_reason is not None:
        found.append(report.partial_reason)
    # a probe without a pair is among the warnings
    found += [f"{name}: {why}" for name, why in _not_counted(assessment).items()]
    if not found:
        return None
    # a setup that contradicts its row is among both
    problems = "; ".join(dict.fromkeys(found))
    return (
        f"{report.source}: --strict asks for a complete scan, and this one is not:"
        f" {problems}"
    )
