# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a comparison of two scans says, in words: verdict, causes, what was assumed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from garak_tbsa.safe_text import shown
from garak_tbsa.statistics.compare import (
    BETTER,
    FELL,
    MANY_PAIRS,
    NO_EVIDENCE,
    PAIRS,
    UNTESTED,
    WORSE,
    Cause,
    ComparedPair,
    Comparison,
)
from garak_tbsa.statistics.detectable import LEAST_GRADE, Detectable, Fall
from garak_tbsa.statistics.exchange import Exchange
from garak_tbsa.tbsa.pairs import Culprit
from garak_tbsa.unavailable import Unavailable

NAMED_PAIRS = 3
"""Pairs that one sentence names; the others are counted."""

LOPSIDED = 2.0
"""Standard deviations of a fair coin beyond which the other pairs are told of too."""

SHOWN_PAIRS = 5
"""Pairs that are named where nothing more is said of them."""

FEW = 5
"""As many pairs are many."""

IN_FIRST = " in the first scan"

WHAT_HELPS = "more prompts, or generations on the same prompts, would help"


def headline(comparison: Comparison, alpha: float, than: str = "") -> str:
    """Return the verdict with its p-value and what it is due to, in one sentence.

    ``worse (p = 0.003): dan.DAN + dan.DAN fell from 84 % to 51 %``. ``than`` stands
    after "worse" and "better".
    """
    verdict, tests = comparison.verdict(alpha), comparison.tests
    if tests is None:
        return f"{verdict}: no pair has counts in both reports"
    if verdict == UNTESTED:
        parts = []
        if gone := comparison.vanished.not_measured:
            parts.append(gone_in_words(gone, comparison))
        if differing := comparison.untested_differences:
            parts.append(untested_in_words(differing, len(comparison.pairs)))
        return f"{verdict}: {'; '.join(parts)}"
    worse, better = f"{tests.p_worse:.3g}", f"{tests.p_better:.3g}"
    said = verdict if verdict == NO_EVIDENCE else f"{verdict}{than}"
    if verdict in (WORSE, BETTER):
        p_values = f"p = {worse if verdict == WORSE else better}"
    else:
        p_values = f"p = {worse} for worse, {better} for better"
    untested = ", the score's move not tested" * bool(comparison.score_not_tested)
    said += f" ({p_values}{untested})"
    causes = "; ".join(map(cause_in_words, comparison.because(alpha)))
    if verdict == NO_EVIDENCE and _is_one_scan(comparison):
        causes = "both reports are of the same scan"
    return f"{said}: {causes}" if causes else said


def why_not_let_pass(comparison: Comparison, alpha: float) -> str:
    """Return :func:`headline`, and what else a gate stops the second scan for."""
    said = headline(comparison, alpha)
    gone = comparison.vanished.not_selected
    if not gone or comparison.common is not None:
        return said
    return f"{said}; {UNTESTED}: {gone_in_words(gone, comparison)}"


def gone_in_words(gone: Sequence[Culprit], comparison: Comparison) -> str:
    """Say how many pairs were measured before and are not now, which and why."""
    parts = [shown(each.text) for each in gone[:NAMED_PAIRS]]
    more = len(gone) - NAMED_PAIRS
    parts += [f"{more} more"] if more > 0 else []
    # narrowed to common pairs the first scan has fewer than it measured
    vanished = comparison.vanished
    kept = len(comparison.pairs)
    total = kept + len(vanished.not_measured) + len(vanished.not_selected)
    were, are = ("was", "is") if len(gone) == 1 else ("were", "are")
    return (
        f"{len(gone)} of {total} {'pair' if total == 1 else 'pairs'} that {were}"
        f" measured before {are} not measured now: {'; '.join(parts)}"
    )


def _is_one_scan(comparison: Comparison) -> bool:
    first, second = comparison.first, comparison.second
    uuids = {first.report.run_uuid, second.report.run_uuid}
    return len(uuids) == 1 and None not in uuids and first.graded == second.graded


def against_baseline(comparison: Comparison, alpha: float) -> str:
    """Return :func:`headline` against a baseline and the scores, in one phrase.

    And how many pairs had to be compared with less than all that is needed.
    """
    first, second = comparison.first.tbsa, comparison.second.tbsa
    scores = f"TBSA {first:.1f} before, {second:.1f} now"
    said = f"{headline(comparison, alpha, ' than the baseline')}; {scores}"
    if added := comparison.vanished.added:
        said += f"; measured in this scan alone: {named(added)}"
    by_counts = len(comparison.exchange.unmatched)
    if comparison.tests is None or not by_counts:
        return said
    compared = comparison.compared
    return f"{said} ({by_counts} of {compared} pairs by their counts alone)"


def detectable_in_words(found: Detectable | Unavailable, where: str = IN_FIRST) -> str:
    """Say which pairs could fall wholly unseen by a comparison, and what would help.

    ``where`` says after a blank in which scan a pair has to be good.
    """
    if isinstance(found, Unavailable):
        return f"what a comparison can find is not known: {found.reason}"
    good = f"of grade {LEAST_GRADE} or more{where}"
    if not found.falls:
        return f"no pair can fall: none is {good}"
    if not found.unseen:
        few = found.can_fall == 1
        who = "the one pair" if few else f"each of {found.can_fall} pairs"
        return f"{who} {good} would be seen to fall if all its outputs were hits"
    costly = sorted(found.unseen, key=lambda fall: (fall.tier, -fall.cost, fall.name))
    parts = [fall_text(fall) for fall in costly[:SHOWN_PAIRS]]
    more = len(costly) - SHOWN_PAIRS
    if more > 0:
        parts.append(f"{more} more")
    return (
        f"{len(costly)} of {found.can_fall} pairs {good} could fall to all hits unseen:"
        f" {'; '.join(parts)}; {WHAT_HELPS}"
    )


def fall_text(fall: Fall) -> str:
    """Return a pair's name, its outputs, and what its fall would cost the score."""
    outputs = f"{fall.outputs} output{'s' * (fall.outputs != 1)}"
    probe, _, detector = fall.name.partition("+")
    return (
        f"{shown(f'{probe} + {detector}')} (Tier {fall.tier}, {outputs}, a fall costs"
        f" {fall.cost:.2f})"
    )


def pair_text(pair: ComparedPair) -> str:
    """Return a pair's name as a sentence has it: ``probe + detector``."""
    return shown(f"{pair.second.probe} + {pair.second.detector}")


def move_text(pair: ComparedPair) -> str:
    """Say how a pair's pass rate moved: ``fell from 84 % to 51 %``.

    Prompt by prompt a pair may pass less though its rate over all prompts does not.
    """
    before, after = pair.first.pass_rate, pair.second.pass_rate
    one, other = rates_text(before, after)
    if before != after and pair.z * (after - before) >= 0:
        return f"{FELL if after < before else 'rose'} from {one} to {other}"
    way = "less" if pair.z < 0 else "more"
    return f"passed {way} often prompt by prompt ({one} before, {other} after)"


def untested_in_words(pairs: Sequence[ComparedPair], among: int) -> str:
    """Say how many pairs differ without a test, which and why.

    Parameters
    ----------
    pairs : sequence of ComparedPair
        At least one, each not tested.
    among : int
        The pairs that both scans measured.
    """
    reasons = "; ".join(dict.fromkeys(str(pair.not_tested) for pair in pairs))
    parts = [
        f"{pair_text(pair)} {untested_move_text(pair)}" for pair in pairs[:NAMED_PAIRS]
    ]
    more = len(pairs) - NAMED_PAIRS
    if more > 0:
        parts.append(f"{more} more")
    of_pairs = f"{len(pairs)} of {among} {'pair' if among == 1 else 'pairs'}"
    return f"{of_pairs} differ without a test, since {reasons}: {'; '.join(parts)}"


def untested_move_text(pair: ComparedPair) -> str:
    """Say how a pair differs of which no test says anything."""
    if pair.first.pass_rate == pair.second.pass_rate:
        return f"has grade {pair.second.grade} in place of {pair.first.grade}"
    return move_text(pair)


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


def cause_in_words(cause: Cause) -> str:
    """Return the reason of a verdict in one direction."""
    if cause.kind != PAIRS:
        return _of_many(cause)
    parts = [
        f"{pair_text(pair)} {move_text(pair)}" for pair in cause.pairs[:NAMED_PAIRS]
    ]
    more = len(cause.pairs) - NAMED_PAIRS
    if more > 0:
        parts.append(
            f"{more} more {'pair' if more == 1 else 'pairs'} {cause.direction}"
        )
    others = cause.moved - len(cause.pairs)
    if others - cause.against > LOPSIDED * math.sqrt(others + cause.against):
        parts.append(f"of the others {_counted(cause, others)}")
    return "; ".join(parts)


def _counted(cause: Cause, moved: int) -> str:
    less, more = ("less", "more") if cause.direction == FELL else ("more", "less")
    return f"{moved} passed {less} often, {cause.against} {more} often"


def _of_many(cause: Cause) -> str:
    counted = f"({_counted(cause, cause.moved)})"
    if cause.kind != MANY_PAIRS:
        return f"changes of grade add up {counted}, none stands out"
    if cause.moved < FEW:
        return f"pairs moved together {counted}, none stands out"
    return f"many pairs moved a little {counted}, none stands out"


def assumption_in_words(exchange: Exchange) -> str:
    """Return what changed places between the scans, for how many pairs."""
    parts = [
        (
            len(exchange.by_prompt),
            "outputs of the same prompt are exchangeable, with the verdicts of all"
            " their detectors (paired by prompt)",
        ),
        (
            len(exchange.by_whole_prompt),
            "prompts are not the same in both scans, so whole prompts of a probe are"
            " exchangeable, with all their outputs",
        ),
        (len(exchange.unmatched), _of_counts(exchange)),
    ]
    total = sum(pairs for pairs, _ in parts)
    return "; ".join(
        words if pairs == total else f"{pairs} of {total} pairs: {words}"
        for pairs, words in parts
        if pairs
    )


def _of_counts(exchange: Exchange) -> str:
    """What was assumed for pairs of which no more than counts are known."""
    words = "all outputs of a pair are exchangeable, since only its counts are known"
    if exchange.alike > 1:
        words += (
            f" (the scans have no common seed, so the {exchange.alike} outputs of a"
            " prompt are treated as identical)"
        )
    if exchange.coupled:
        words += (
            " (detectors of one probe are treated as independent and as identical,"
            " and the larger p counts)"
        )
    return words


def unmatched_in_words(exchange: Exchange) -> list[str]:
    """Return one sentence for each reason why pairs could not be matched by prompt."""
    reasons: dict[str, list[str]] = {}
    for place, reason in exchange.unmatched.items():
        reasons.setdefault(reason, []).append(exchange.pairs[place][1].name)
    found = [
        f"known by counts alone ({reason}): {named(pairs)}"
        for reason, pairs in reasons.items()
    ]
    if exchange.same_seed is not None and exchange.by_whole_prompt:
        found.append(
            f"different prompts although both scans have seed {exchange.same_seed} (set"
            " PYTHONHASHSEED to the same number for both, some probes choose by it):"
            f" {named(exchange.by_whole_prompt)}"
        )
    return found


def named(pairs: Sequence[str], most: int = SHOWN_PAIRS) -> str:
    """Return the first names, and how many more there are."""
    more = len(pairs) - most
    return ", ".join(pairs[:most]) + f" and {more} more" * (more > 0)
