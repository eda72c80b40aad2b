# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a verdict on two scans is due to, in words."""

from __future__ import annotations

import math

from garak_tbsa.safe_text import shown
from garak_tbsa.tbsa.because import FELL, MANY_PAIRS, PAIRS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.tbsa.because import Cause, ComparedPair

NAMED_PAIRS = 3
"""Pairs that one sentence names; the others are counted."""

LOPSIDED = 2.0
"""Standard deviations of a fair coin beyond which the other pairs are told of too."""

FEW = 5
"""As many pairs are many."""


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
    told = [
        f"{pair_text(pair)} {untested_move_text(pair)}" for pair in pairs[:NAMED_PAIRS]
    ]
    more = len(pairs) - NAMED_PAIRS
    if more > 0:
        told.append(f"{more} more")
    of_pairs = f"{len(pairs)} of {among} {'pair' if among == 1 else 'pairs'}"
    return f"{of_pairs} differ without a test, since {reasons}: {'; '.join(told)}"


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
    told = [
        f"{pair_text(pair)} {move_text(pair)}" for pair in cause.pairs[:NAMED_PAIRS]
    ]
    more = len(cause.pairs) - NAMED_PAIRS
    if more > 0:
        told.append(f"{more} more {'pair' if more == 1 else 'pairs'} {cause.direction}")
    others = cause.moved - len(cause.pairs)
    if others - cause.against > LOPSIDED * math.sqrt(others + cause.against):
        told.append(f"of the others {_counted(cause, others)}")
    return "; ".join(told)


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
