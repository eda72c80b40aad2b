# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a scan may pass: one verdict over all rules that a user set.

Each rule is a function that holds a scored report against what was asked, and returns
what came of it and which pairs it is about.
"""

from __future__ import annotations

from dataclasses import replace

from garak_tbsa.comparison_in_words import SHOWN_PAIRS, WHAT_HELPS, listed
from garak_tbsa.gates.against_baseline import (
    TIER,
    Baseline,
    consistency,
    held_against_answers,
    held_against_baseline,
)
from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.outcome import (
    BASELINE,
    FAIL_UNDER,
    MIN_COVERAGE,
    NOT_JUDGED,
    TIER1_GRADE,
    GateVerdict,
    RuleOutcome,
)
from garak_tbsa.statistics.among_repeats import MOSTLY, part_of_all, share_under
from garak_tbsa.statistics.repeat import (
    RepeatDistribution,
    below_if_all_hits,
    repeat_of_known_pairs,
)
from garak_tbsa.tbsa.coverage import lacks_outputs
from garak_tbsa.tbsa.pairs import (
    SMALL_PAIR,
    TIER_NOT_SCORED,
    TIER_UNKNOWN,
    Culprit,
    Pair,
)
from garak_tbsa.tbsa.scan import AS_IN_REPORT, Scan
from garak_tbsa.unavailable import Unavailable

Repeat = RepeatDistribution | Unavailable

TINY = 1e-12
"""What sums of probabilities are off by."""

NOT_COMPUTED = Unavailable(reason="it was not computed")
NO_GARAK = "not judged, since no garak is installed here:"
NOT_KNOWN = "repeats are not known, its counts or its calibration are not known"


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
    outcomes = []
    if rules.fail_under is not None:
        outcomes.append(_fail_under(assessment, rules.fail_under, rules.sure, repeat))
    if (least := rules.require_tier1_grade) is not None:
        outcomes.append(_tier1_grade(assessment, least, rules.sure, repeat))
    if rules.min_coverage is not None:
        outcomes.append(_coverage(assessment, rules.min_coverage))
    if baseline is not None:
        outcomes.append(held_against_baseline(assessment, baseline, rules))
    outcomes.append(consistency(assessment))
    outcomes += held_against_answers(assessment, rules)
    return GateVerdict(outcomes=tuple(outcomes))


def _fail_under(
    scan: Scan, least: float, sure: float | None, repeat: Repeat
) -> RuleOutcome:
    """Ask for a score, of the scan and, to be sure, of most of its repeats."""
    found, expected = f"TBSA {scan.tbsa:.1f}", f"TBSA of at least {least:g}"
    passed, is_doubtful = scan.tbsa >= least, False
    under = None if isinstance(repeat, Unavailable) else share_under(repeat, least)
    if sure is not None:
        expected += f", and in {100 * sure:g} % of repeats"
        passed = passed and under is not None and 1 - under >= sure - TINY
    if isinstance(repeat, Unavailable) or under is None:
        if sure is not None and isinstance(repeat, Unavailable):
            found += f"; no distribution of repeats, {repeat.reason}"
    elif sure is not None:
        found += f", and {part_of_all(1 - under)} of repeats{_which(repeat)}"
    elif passed and under > MOSTLY:
        is_doubtful, on = True, repeat.basis.on_prompts
        found += f", but {part_of_all(under)} of repeats{on} would fail this rule"
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
    scan: Scan, least: int, sure: float | None, repeat: Repeat
) -> RuleOutcome:
    """Hold every Tier 1 pair against a grade.

    A pair of 4 outputs has a low grade by one hit. The plain rule fails for it and
    says on how many outputs it hangs; with a share of repeats it fails only where the
    pair is below in this scan and would be in at least that share of its repeats. A
    pair that was not measured or is of unknown tier fails the rule either way, and so
    does a probe that an interrupted scan did not come to: nobody knows what a repeat
    of it would be.
    """
    measured = [pair for pair in scan.graded if pair.tier == TIER]
    below = [pair for pair in measured if pair.grade < least]
    surely, unshowable, not_sure = _by_sureness(scan, below, least, sure, repeat)
    problems = {TIER: "not measured", None: "of unknown tier"}
    surely += [
        Culprit(pair=pair.name, problem=problem)
        for tier, problem in problems.items()
        for pair in scan.left_out
        if pair.tier == tier
    ]
    surely += [
        Culprit(pair=each.probe, problem=f"not measured: {each.text}")
        for each in scan.silent
        if each.tier in problems
    ]
    found = []
    if surely:
        found.append(f"{len(surely)} below: {_listed(surely)}")
    elif not measured:
        found.append("no Tier 1 pair was measured")
    elif not below:
        sizes = [(pair.total_evaluated, pair.name) for pair in measured]
        small = [(n, name) for n, name in sizes if n is not None and n < SMALL_PAIR]
        found.append("all are")
        if small and sure is None:
            total, name = min(small)
            found.append(
                f"{len(small)} of {len(measured)} on fewer than {SMALL_PAIR} outputs,"
                f" {name} depends on {total}"
            )
    if unshowable:
        found.append(
            f"{NOT_JUDGED}not surely below even if all outputs were hits:"
            f" {_listed(unshowable)}; {WHAT_HELPS}"
        )
    if not_sure:
        found.append(f"not surely below: {_listed(not_sure)}")
    expected = f"every Tier 1 pair at grade {least} or better"
    if sure is not None:
        in_repeats = f"here and in {100 * sure:g} % of repeats"
        expected = f"no Tier 1 pair below grade {least} {in_repeats}"
        if below and isinstance(repeat, RepeatDistribution) and _which(repeat):
            found.append(f"repeats {_which(repeat).lstrip(', ')}")
    return RuleOutcome(
        rule=TIER1_GRADE,
        # absence of evidence is no evidence
        passed=bool(measured) and not surely and not unshowable,
        expected=expected,
        found="; ".join(found),
        culprits=(*surely, *unshowable),
        not_sure=tuple(not_sure),
        is_doubtful=bool(not_sure),
        is_judged=bool(surely) or not unshowable,
    )


def _by_sureness(
    scan: Scan, below: list[Pair], least: int, sure: float | None, repeat: Repeat
) -> tuple[list[Culprit], list[Culprit], list[Culprit]]:
    """Sort pairs below a grade: surely, too few outputs to show it, not surely."""
    # where no repeat of the whole scan is known, since some pairs have no counts or
    # no calibration that is at hand, the others are drawn by themselves
    drawn = repeat
    if sure is not None and below and isinstance(repeat, Unavailable):
        drawn = repeat_of_known_pairs(scan)
    surely: list[Culprit] = []
    unshowable: list[Culprit] = []
    not_sure: list[Culprit] = []
    for pair in sorted(below, key=lambda pair: (pair.grade, pair.name)):
        kind, facts = surely, []
        if isinstance(drawn, Unavailable) or pair.name not in drawn.below:
            # nobody is sure of it
            facts += [NOT_KNOWN] if sure is not None else []
        elif sure is not None:
            share = drawn.below[pair.name][least - 2]
            facts.append(f"below in {part_of_all(share)} of repeats")
            if share < sure - TINY:
                seed = scan.checksum.hexadecimal
                most = below_if_all_hits(drawn, pair.name, seed)[least - 2]
                kind = not_sure if most >= sure - TINY else unshowable
        total = pair.total_evaluated
        if total is not None and total < SMALL_PAIR:
            facts.append(f"depends on {total} output{'s' * (total != 1)}")
        why = f" ({', '.join(facts)})" if facts else ""
        kind.append(Culprit(pair=pair.name, problem=f"at {pair.grade}{why}"))
    return surely, unshowable, not_sure


def _listed(culprits: list[Culprit]) -> str:
    return listed([culprit.text for culprit in culprits], SHOWN_PAIRS)


def _coverage(scan: Scan, least: float) -> RuleOutcome:
    """Ask that most of what was attempted was measured, whatever repeats would do.

    The least share decides: of pairs, of selected probes, of outputs.
    """
    smallest = min(scan.shares, key=lambda each: each.share)
    passed = smallest.share >= least
    # a selected probe that left no result stands for its pairs
    silent = {each.probe: each.text for each in scan.silent if each.may_count}
    problems = {
        name: f"not measured: {why}"
        for name, why in (_unmeasured(scan) | silent).items()
    }
    for pair in scan.graded:
        if lacks_outputs(pair, 1 - least):
            nones = f"{pair.nones:,} of {pair.processed:,}"
            problems[pair.name] = f"{nones} outputs not evaluated"
    culprits = [Culprit(pair=name, problem=why) for name, why in problems.items()]
    return RuleOutcome(
        rule=MIN_COVERAGE,
        passed=passed,
        expected=f"at least {least:.1%} of pairs, selected probes and outputs measured",
        found=smallest.text,
        culprits=() if passed else tuple(culprits),
    )


def _unmeasured(scan: Scan) -> dict[str, str]:
    """Why each pair was not measured, but those of tiers that do not count."""
    return {
        pair.name: pair.reason_text
        for pair in scan.left_out
        if pair.reason != TIER_NOT_SCORED
    }


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
    found += [f"{name}: {why}" for name, why in _unmeasured(assessment).items()]
    if not found:
        return None
    # a setup that contradicts its row is among both
    problems = "; ".join(dict.fromkeys(found))
    return (
        f"{report.source}: --strict asks for a complete scan, and this one is not:"
        f" {problems}"
    )


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
    own = _unknown_without_garak(scan)
    compared = own
    if isinstance(baseline, Scan):
        compared = _unknown_without_garak(baseline, scan, compared=True)
    unknown = {FAIL_UNDER: own, TIER1_GRADE: own, BASELINE: compared}
    outcomes = [
        replace(outcome, passed=False, found=why, is_doubtful=False)
        if outcome.passed and (why := unknown.get(outcome.rule))
        else outcome
        for outcome in verdict.outcomes
    ]
    return GateVerdict(outcomes=tuple(outcomes))


def _unknown_without_garak(*scans: Scan, compared: bool = False) -> str | None:
    """Say what only an installed garak tells of scans, None where that is nothing.

    Those that are ``compared`` need the grades of other counts too.
    """
    for scan in scans:
        report, use, found = scan.report, scan.calibration, []
        if tiers := sum(each.reason == TIER_UNKNOWN for each in scan.left_out):
            found.append(f"the tiers of {tiers} pairs")
        if use.chosen == AS_IN_REPORT and not (
            report.has_digest_grades or scan.calibrated
        ):
            found.append("the calibration to grade with")
        unknown = sum(p.has_counts and not p.grades_by_count_known for p in scan.graded)
        if compared and unknown:
            found.append(
                f"the calibration behind the Z-scores of {unknown} pairs, which the"
                " score's test needs (--calibration PATH grades again with one)"
            )
        if found:
            return f"{NO_GARAK} {report.source} does not say {' and '.join(found)}"
    return None
