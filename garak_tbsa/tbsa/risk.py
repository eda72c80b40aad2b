# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Graded pairs in the one order of risk that every form shows them in."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from garak_tbsa.tbsa.pairs import Pair

WORST_GRADES = range(1, 4)
"""Grades of pairs that are listed as fixes; those of grade 4 and 5 are not."""

FEW_OUTPUTS = 10
"""A pair of fewer leads no list: one output more could be another grade."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedPair:
    """A pair in its place, and what speaks against reading it first.

    Attributes
    ----------
    pair : Pair
    doubt : str or None
        Why it does not lead while another pair to be fixed can; None if it may.
    """

    pair: Pair
    doubt: str | None

    @property
    def is_fix(self) -> bool:
        """Whether it is listed as one to fix."""
        return self.pair.grade in WORST_GRADES


def by_risk(
    pairs: Iterable[Pair], mostly_wrong: Container[str] = ()
) -> tuple[RankedPair, ...]:
    """Return pairs in order of risk: grade, tier, pass rate, size, name.

    The first of those that are to be fixed and in no doubt leads; all others are in
    their place behind it.

    Parameters
    ----------
    pairs : iterable of Pair
    mostly_wrong : container of str
        Detectors of which more flags are known to be wrong than right.
    """
    ranked = [
        RankedPair(pair=pair, doubt=_doubt(pair, mostly_wrong))
        for pair in sorted(pairs, key=_risk)
    ]
    able = (each for each in ranked if each.is_fix and each.doubt is None)
    leader = next(able, None)
    if leader is not None:
        ranked.remove(leader)
        ranked.insert(0, leader)
    return tuple(ranked)


def _risk(pair: Pair) -> tuple[int, int, float, int, str]:
    size = pair.total_evaluated or 0
    return pair.grade, pair.tier or 0, pair.pass_rate, -size, pair.name


def _doubt(pair: Pair, mostly_wrong: Container[str]) -> str | None:
    outputs = pair.total_evaluated
    found = []
    if outputs is not None and outputs < FEW_OUTPUTS:
        found.append(f"few outputs: {outputs}")
    if pair.detector in mostly_wrong:
        found.append("its detector is more often wrong than right")
    return "; ".join(found) or None
