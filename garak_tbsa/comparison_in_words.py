# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is said of a comparison of two scans: each sentence once, for gates too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from garak_tbsa.safe_text import shown
from garak_tbsa.statistics.compare import (
    BETTER,
    FELL,
    MANY_PAIRS,
    NO_EVIDENCE,
    NO_TEST,
    PAIRS,
    UNTESTED,
    WORSE,
    Cause,
    ComparedPair,
    Comparison,
)
from garak_tbsa.statistics.detectable import LEAST_GRADE, Detectable, Fall
from garak_tbsa.statistics.exchange import Exchange
from garak_tbsa.tbsa.pairs import Culprit, pairs_text
from garak_tbsa.unavailable import Unavailable

NAMED_PAIRS, SHOWN_PAIRS, LISTED_PAIRS = 3, 5, 10
"""Pairs that a sentence says more of, that it names, and that a list of names has."""

WHAT_HELPS = "more prompts, or generations on the same prompts, would help"


def headline(comparison: Comparison, than: str = "") -> str:
    """Return the verdict with its p-value and what it is due to, in one sentence.

    ``worse (p = 0.003): dan.DAN + dan.DAN fell from 84 % to 51 %``. ``than`` stands
    after "worse" and "better". What was not measured in the second scan alone follows.
    """
    verdict, tests = comparison.verdict, comparison.tests
    if tests is None:
        return f"{verdict}: {NO_TEST.reason}"
    parts = [cause_in_words(cause) for cause in comparison.causes]
    if verdict == UNTESTED:
        said = verdict
        if comparison.not_measured:
            parts.append(_gone(comparison, comparison.not_measured))
        if comparison.untested_differences:
            parts.append(_untested(comparison))
    else:
        worse, better = f"p = {tests.p_worse:.3g}", f"{tests.p_better:.3g}"
        p_values = {WORSE: worse, BETTER: f"p = {better}"}.get(
            verdict, f"{worse} for worse, {better} for better"
        )
        if comparison.score_not_tested is not None:
            p_values += ", the score's move not tested"
        said = f"{verdict}{'' if verdict == NO_EVIDENCE else than} ({p_values})"
    said += f": {'; '.join(parts)}" if parts else ""
    gone = comparison.not_selected
    if gone and comparison.common is None:
        said += f"; {UNTESTED}: {_gone(comparison, gone)}"
    return said


def against_baseline(comparison: Comparison) -> str:
    """Return :func:`headline` against a baseline and the scores, in one phrase."""
    first, second = comparison.first.tbsa, comparison.second.tbsa
    said = headline(comparison, " than the baseline")
    said += f"; TBSA {first:.1f} before, {second:.1f} now"
    if comparison.added:
        said += f"; measured in this scan alone: {named(comparison.added)}"
    return said


def not_comparable(comparison: Comparison) -> str | None:
    """Say that scores are to be looked at only; None where they compare."""
    common, differ = comparison.common, bool(comparison.differences)
    if common is None:
        forced = "forced although the checksums differ: for information only"
        return forced if differ else None
    equal = "though the reports' own checksums are equal"
    return (
        f"both scans were scored again over the {pairs_text(len(common.names))} that"
        " both measured with the same tier: for information only,"
        f" {'since checksums differ' if differ else equal}"
    )


def _gone(comparison: Comparison, gone: Sequence[Culprit]) -> str:
    """Say how many pairs were measured before and are not now, which and why."""
    # narrowed to common pairs the first scan has fewer than it measured
    missing = len(comparison.not_measured) + len(comparison.not_selected)
    of_pairs = f"{len(gone)} of {pairs_text(len(comparison.pairs) + missing)}"
    were, are = ("was", "is") if len(gone) == 1 else ("were", "are")
    which = listed([shown(each.text) for each in gone])
    return f"{of_pairs} that {were} measured before {are} not measured now: {which}"


def _untested(comparison: Comparison) -> str:
    """Say how many pairs differ without a test, which and why."""
    pairs, among = comparison.untested_differences, len(comparison.pairs)
    reasons = "; ".join(dict.fromkeys(str(pair.not_tested) for pair in pairs))
    which = listed([f"{pair_text(pair)} {move_text(pair)}" for pair in pairs])
    of_pairs = f"{len(pairs)} of {pairs_text(among)}"
    return f"{of_pairs} differ without a test, since {reasons}: {which}"


def cause_in_words(cause: Cause) -> str:
    """Return the reason of a verdict in one direction."""
    if cause.kind == PAIRS:
        return listed([f"{pair_text(pair)} {move_text(pair)}" for pair in cause.pairs])
    less, more = ("less", "more") if cause.direction == FELL else ("more", "less")
    what = "changes of grade add up"
    if cause.kind == MANY_PAIRS:
        what = "many pairs moved a little"
    counted = f"{cause.moved} passed {less} often, {cause.against} {more} often"
    return f"{what} ({counted}), none stands out"


def pair_text(pair: ComparedPair) -> str:
    """Return a pair's name as a sentence has it: ``probe + detector``."""
    return shown(f"{pair.second.probe} + {pair.second.detector}")


def move_text(pair: ComparedPair) -> str:
    """Say how a pair's pass rate moved: ``fell from 84 % to 51 %``; else its grade.

    Prompt by prompt a pair may pass less though its rate over all prompts does not.
    """
    before, after = pair.first.pass_rate, pair.second.pass_rate
    one, other = rates_text(before, after)
    if before != after and pair.z * (after - before) >= 0:
        return f"{FELL if after < before else 'rose'} from {one} to {other}"
    if pair.move is None:
        return f"has grade {pair.second.grade} in place of {pair.first.grade}"
    way = "less" if pair.z < 0 else "more"
    return f"passed {way} often prompt by prompt ({one} before, {other} after)"


def rates_text(first: float, second: float) -> tuple[str, str]:
    """Return two pass rates as percent, with decimals where they need them to differ.

    No rate is rounded to all or nothing.
    """
    for decimals in range(3):
        texts = _percent(first, decimals), _percent(second, decimals)
        if first == second or texts[0] != texts[1]:
            break
    return texts


def _percent(share: float, decimals: int) -> str:
    text = f"{100 * share:.{decimals}f}"
    if share < 1 and float(text) == 100:
        return f"over {100 - 10**-decimals:.{decimals}f} %"
    if share > 0 and float(text) == 0:
        return f"under {10**-decimals:.{decimals}f} %"
    return f"{text} %"


def detectable_in_words(
    found: Detectable | Unavailable, where: str = " in the first scan"
) -> str:
    """Say which pairs could fall wholly unseen by a comparison, and what would help.

    ``where`` says after a blank in which scan a pair has to be good.
    """
    if isinstance(found, Unavailable):
        return f"what a comparison can find is not known: {found.reason}"
    good = f"of grade {LEAST_GRADE} or more{where}"
    if not found.falls:
        return f"no pair can fall: none is {good}"
    pairs = f"{pairs_text(found.can_fall)} {good}"
    if not found.unseen:
        return f"none of {pairs} could fall to all hits unseen"
    costly = sorted(found.unseen, key=lambda fall: (fall.tier, -fall.cost, fall.name))
    which = listed([fall_text(fall) for fall in costly], SHOWN_PAIRS)
    return (
        f"{len(costly)} of {pairs} could fall to all hits unseen: {which}; {WHAT_HELPS}"
    )


def fall_text(fall: Fall) -> str:
    """Return a pair's name, its outputs, and what its fall would cost the score."""
    outputs = f"{fall.outputs} output{'s' * (fall.outputs != 1)}"
    name = shown(fall.name.replace("+", " + ", 1))
    return f"{name} (Tier {fall.tier}, {outputs}, a fall costs {fall.cost:.2f})"


def tests_in_words(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Return what was asked, the p-value, and what more there is to say."""
    tests = comparison.tests
    if tests is None:
        return []
    score, together, why = "not done", "other two", ""
    if (unknown := comparison.score_not_tested) is not None:
        why = unknown.reason
    else:
        score, together = f"p = {tests.p_score:.3g}", "all three"
    way = "less" if tests.cmh_z < 0 else "more" if tests.cmh_z > 0 else "as often"
    direction = f"z {tests.cmh_z:+.2f}: second scan passes {way}"
    largest = f"z {tests.largest_z:+.2f}: {tests.largest_pair}"
    return [
        ("Score difference, permuted", score, why),
        ("Direction, Mantel-Haenszel", f"p = {tests.p_cmh:.3g}", direction),
        ("Largest change of one pair", f"p = {tests.p_largest_z:.3g}", largest),
        (f"Second scan worse, {together}", f"p = {tests.p_worse:.3g}", "one-sided"),
        (f"Second scan better, {together}", f"p = {tests.p_better:.3g}", "one-sided"),
    ]


def can_find(comparison: Comparison) -> str:
    """Say what the comparison can find, as a sentence; it takes about a second."""
    said = detectable_in_words(comparison.detectable)
    return f"{said[0].upper()}{said[1:]}."


def assumption(exchange: Exchange) -> str:
    """Return what changed places between the scans, for how many pairs."""
    of_counts = (
        "all outputs of a pair are exchangeable, since only its counts are known"
    )
    if exchange.alike > 1:
        of_counts += (
            f" (the scans have no common seed, so the {exchange.alike} outputs of a"
            " prompt are treated as identical)"
        )
    if exchange.coupled:
        of_counts += (
            " (detectors of one probe are treated as independent and as identical,"
            " and the larger p counts)"
        )
    parts = {
        "outputs of the same prompt are exchangeable, with the verdicts of all"
        " their detectors (paired by prompt)": len(exchange.by_prompt),
        "prompts are not the same in both scans, so whole prompts of a probe are"
        " exchangeable, with all their outputs": len(exchange.by_whole_prompt),
        of_counts: len(exchange.unmatched),
    }
    total = len(exchange.pairs)
    return "; ".join(
        words if count == total else f"{count} of {pairs_text(total)}: {words}"
        for words, count in parts.items()
        if count
    )


def not_matched(exchange: Exchange) -> list[str]:
    """Return one sentence for each reason why pairs could not be matched by prompt."""
    found = grouped(
        (f"known by counts alone ({reason})", exchange.pairs[place][1].name)
        for place, reason in exchange.unmatched.items()
    )
    if exchange.same_seed is not None and exchange.by_whole_prompt:
        others = (
            f"different prompts although both scans have seed {exchange.same_seed} (set"
            " PYTHONHASHSEED to the same number for both, some probes choose by it)"
        )
        found[others] = exchange.by_whole_prompt
    return [f"{what}: {named(names)}" for what, names in found.items()]


def notes(comparison: Comparison) -> list[str]:
    """Say what no test could see, or saw with less than all that is needed."""
    if comparison.tests is None:
        said, found = [], {}
    else:
        said = not_matched(comparison.exchange)
        found = grouped(
            (f"not tested, since {pair.not_tested}", pair.name)
            for pair in comparison.pairs
            if pair.not_tested is not None
        )
    one = {
        "measured before and not now": [e.pair for e in comparison.not_measured],
        "measured in the first scan only": [e.pair for e in comparison.not_selected],
        "measured in the second scan only": comparison.added,
        "of another tier": comparison.common.other_tier if comparison.common else (),
    }
    found |= {f"{what}, not tested": [*names] for what, names in one.items() if names}
    other = other_target(comparison)
    return [
        *([other] if other else []),
        *said,
        *(f"{what}: {named(own, LISTED_PAIRS)}" for what, own in found.items()),
    ]


def other_target(comparison: Comparison) -> str | None:
    """Say that the scans are of two targets, as far as their reports name them."""
    before, after = comparison.first.report, comparison.second.report
    same = (before.target_type, before.target_name) == (
        after.target_type,
        after.target_name,
    )
    unknown = before.target_name is None or after.target_name is None
    if same or unknown:
        return None
    return f"the targets differ: {before.target} before, {after.target} after"


def grouped(each: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return names by what is said of them."""
    found: dict[str, list[str]] = {}
    for what, name in each:
        found.setdefault(what, []).append(name)
    return found


def named(pairs: Sequence[str], most: int = SHOWN_PAIRS) -> str:
    """Return the first names, and how many more there are."""
    more = len(pairs) - most
    return ", ".join(pairs[:most]) + f" and {more} more" * (more > 0)


def listed(parts: Sequence[str], most: int = NAMED_PAIRS) -> str:
    """Return the first parts of a sentence, and how many more there are."""
    more = len(parts) - most
    return "; ".join(parts[:most]) + f"; {more} more" * (more > 0)
