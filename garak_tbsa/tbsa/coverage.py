# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How much of a scan was measured, and what was not, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from garak_tbsa.report.settings import named_by
from garak_tbsa.safe_text import shown
from garak_tbsa.tbsa.pairs import TIER_NOT_SCORED, Pair
from garak_tbsa.tbsa.rules import SCORED_TIERS

MOST_MISSING = 0.1
"""Share of outputs that may be missing without a warning."""

NAMED = 3
"""Pairs or probes that a warning names; the others are counted."""

PAIRS = "attempted pairs measured"
PROBES = "selected probes measured"
OUTPUTS = "outputs evaluated"


@dataclass(frozen=True, kw_only=True, slots=True)
class SilentProbe:
    """A selected probe, or family, that left no result.

    Attributes
    ----------
    probe : str
    tier : int or None
        None where nobody knows it.
    text : str
        Why it is left out.
    """

    probe: str
    tier: int | None
    text: str

    @property
    def may_count(self) -> bool:
        """Whether its tier counts, or may do so."""
        return self.tier is None or self.tier in SCORED_TIERS


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """How many of what were measured, of which there is at least one."""

    measured: int
    total: int
    what: str

    @property
    def share(self) -> float:
        """From 0.0 to 1.0."""
        return self.measured / self.total

    @property
    def text(self) -> str:
        """In words."""
        return f"{self.measured:,} of {self.total:,} {self.what}"


def measured_shares(
    pairs: Sequence[Pair], silent: Sequence[SilentProbe], selected: frozenset[str]
) -> list[Share]:
    """Return how much was measured, as far as that is known.

    What is known to be of a tier that does not count is left aside.

    Parameters
    ----------
    pairs : sequence of Pair
        All that were attempted.
    silent : sequence of SilentProbe
    selected : frozenset of str
        The probes that were to be run; empty where that is not known.
    """
    wanted = [pair for pair in pairs if pair.reason != TIER_NOT_SCORED]
    scored = [pair for pair in wanted if pair.reason is None]
    aside = named_by({pair.probe for pair in pairs if pair.reason == TIER_NOT_SCORED})
    aside -= named_by({pair.probe for pair in wanted})
    probes = selected - aside - {each.probe for each in silent if not each.may_count}
    outputs = [pair for pair in wanted if pair.processed is not None]
    counted = (
        (len(scored), len(wanted), PAIRS),
        (len(probes & named_by({p.probe for p in scored})), len(probes), PROBES),
        (
            sum(pair.total_evaluated or 0 for pair in outputs),
            sum(pair.processed or 0 for pair in outputs),
            OUTPUTS,
        ),
    )
    return [
        Share(measured=measured, total=total, what=what)
        for measured, total, what in counted
        if total
    ]


def lacks_outputs(pair: Pair, most: float = MOST_MISSING) -> bool:
    """Whether more than this share of a pair's outputs was not evaluated."""
    if not pair.processed or not pair.nones:
        return False
    return pair.nones / pair.processed > most


def gaps_in_words(
    pairs: Sequence[Pair], silent: Sequence[SilentProbe], selected: frozenset[str]
) -> list[str]:
    """Return a line for each kind of what was not measured, none where all was."""
    found = []
    shares = {each.what: each for each in measured_shares(pairs, silent, selected)}
    if missed := [each for each in silent if each.may_count]:
        names = listed([each.probe for each in missed])
        found.append(f"{shares[PROBES].text}; {names}: {missed[0].text}")
    outputs = shares.get(OUTPUTS)
    lacking = [
        f"{pair.nones:,} of {pair.processed:,} of {pair.name}"
        for pair in pairs
        if pair.tier == 1 and lacks_outputs(pair)
    ]
    if outputs is not None and (outputs.share < 1 - MOST_MISSING or lacking):
        missing = outputs.total - outputs.measured
        line = f"{missing:,} of {outputs.total:,} outputs were not evaluated"
        found.append(line + f"; of Tier 1 pairs {listed(lacking)}" * bool(lacking))
    return found


def listed(names: Sequence[str], most: int = NAMED) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - most
    return ", ".join(map(shown, names[:most])) + f" and {more} more" * (more > 0)
