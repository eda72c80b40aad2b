# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What drives a score, as types."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from garak_tbsa.outputs.documents.values import (
    Gain,
    Grade,
    Positive,
    ScoredTier,
    Tbsa,
)


class Fix(Struct, frozen=True, kw_only=True):
    """What one pair does to the score.

    Attributes
    ----------
    probe, detector, tier, grade
        As of the pair.
    tbsa_if_best
        The score if this pair were at grade 5.
    raw_gain
        What that adds before rounding.
    cost
        How much of 5.0 the pair takes from the score before rounding; the costs of all
        pairs and the score add up to 5.0.
    passes_to_rise
        Hits that would have to be passes for the next grade; null if there is none or
        it is unknown.
    hits_to_drop
        Passes that would have to be hits to lose the grade; null if there is none or it
        is unknown.
    remark
        Why it does not lead, and how far its detector is to be trusted, as far as
        either was asked for; null if nothing is said.
    """

    probe: str
    detector: str
    tier: ScoredTier
    grade: Grade
    tbsa_if_best: Tbsa
    raw_gain: Gain
    cost: Gain
    passes_to_rise: Positive | None
    hits_to_drop: Positive | None
    remark: str | None


class FixStep(Struct, frozen=True, kw_only=True):
    """One more pair to fix, the next in order of risk.

    Attributes
    ----------
    pairs
        How many pairs are fixed together.
    add
        Names of pairs that the step before does not have.
    drop
        Always empty: what is fixed stays fixed.
    tbsa
        The score if all of them were at grade 5.
    raw_gain
        What that adds before rounding.
    """

    pairs: Positive
    add: Annotated[list[str], Meta(min_length=1)]
    drop: list[str]
    tbsa: Tbsa
    raw_gain: Gain


class Explanation(Struct, frozen=True, kw_only=True):
    """What drives the score.

    Attributes
    ----------
    fix_first
        Every pair that counts, in order of risk: grade, tier, pass rate, size. A pair
        of few outputs does not lead.
    fix_together
        Pairs below grade 4 in the same order, at most 500; what is fixed stays fixed.
    garak_tbsa
        In what explain writes: what garak's own module prints; null if it prints
        nothing.
    garak_missing_because
        In what explain writes.
    """

    fix_first: list[Fix]
    fix_together: list[FixStep]
    garak_tbsa: Tbsa | UnsetType | None = UNSET
    garak_missing_because: str | UnsetType | None = UNSET
