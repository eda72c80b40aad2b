# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How much of a scan was measured, and what the score could be, had it all been."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from garak_tbsa.report.report import Report
from garak_tbsa.report.settings import named_by
from garak_tbsa.safe_text import shown
from garak_tbsa.tbsa.pairs import (
    NO_EVALUATED_OUTPUT,
    TIER_NOT_SCORED,
    GivenTiers,
    Pair,
    TierLookup,
    find_tier,
)
from garak_tbsa.tbsa.rules import BEST_GRADE, SCORED_TIERS, WORST_GRADE
from garak_tbsa.tbsa.score import score_pairs

SILENT = "selected, and no result was left"
INTERRUPTED = "the scan was interrupted before it"
"""Why a selected probe has no pair."""

MOST_MISSING = 0.1
"""Share of outputs that may be missing without a warning."""

NAMED = 3
"""Pairs or probes that a warning names; the others are counted."""

PAIRS = "attempted pairs measured"
PROBES = "selected probes measured"
OUTPUTS = "outputs evaluated"

TIER = 1


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


def silent_probes(
    report: Report, tier_of: TierLookup, given: GivenTiers | None = None
) -> tuple[SilentProbe, ...]:
    """Return the selected probes without a pair, by name; see :func:`list_pairs`."""
    text = SILENT if report.partial_reason is None else INTERRUPTED
    return tuple(
        SilentProbe(
            probe=probe, tier=find_tier(probe, report, tier_of, given)[0], text=text
        )
        for probe in report.silent_probes
    )


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
    aside = [pair for pair in pairs if pair.reason == TIER_NOT_SCORED]
    wanted = [pair for pair in pairs if pair.reason != TIER_NOT_SCORED]
    scored = [pair for pair in wanted if pair.reason is None]
    names = named_by({pair.probe for pair in scored})
    of_other_tiers = named_by({pair.probe for pair in aside})
    of_other_tiers -= named_by({pair.probe for pair in wanted})
    of_other_tiers |= {each.probe for each in silent if not each.may_count}
    probes = selected - of_other_tiers
    outputs = [pair for pair in wanted if pair.processed is not None]
    shares = [
        Share(measured=len(scored), total=len(wanted), what=PAIRS),
        Share(measured=len(probes & names), total=len(probes), what=PROBES),
        Share(
            measured=sum(pair.total_evaluated or 0 for pair in outputs),
            total=sum(pair.processed or 0 for pair in outputs),
            what=OUTPUTS,
        ),
    ]
    return [share for share in shares if share.total]


def lacks_outputs(pair: Pair, most: float = MOST_MISSING) -> bool:
    """Whether more than this share of a pair's outputs was not evaluated."""
    if not pair.processed or pair.nones is None:
        return False
    return pair.nones / pair.processed > most


def gaps_in_words(
    pairs: Sequence[Pair], silent: Sequence[SilentProbe], selected: frozenset[str]
) -> list[str]:
    """Return a line for each kind of what was not measured, none where all was."""
    found = []
    shares = {each.what: each for each in measured_shares(pairs, silent, selected)}
    if missed := [each for each in silent if each.may_count]:
        names = _listed(each.probe for each in missed)
        found.append(f"{shares[PROBES].text}; {names}: {missed[0].text}")
    outputs = shares.get(OUTPUTS)
    lacking = [
        f"{pair.nones:,} of {pair.processed:,} of {pair.name}"
        for pair in pairs
        if pair.tier == TIER and lacks_outputs(pair)
    ]
    if outputs is not None and (outputs.share < 1 - MOST_MISSING or lacking):
        missing = outputs.total - outputs.measured
        line = f"{missing:,} of {outputs.total:,} outputs were not evaluated"
        if lacking:
            line += f"; of Tier 1 pairs {_listed(lacking)}"
        found.append(line)
    return found


def _listed(names: Iterable[str]) -> str:
    listed = [shown(name) for name in names]
    more = len(listed) - NAMED
    return ", ".join(listed[:NAMED]) + f" and {more} more" * (more > 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class UnmeasuredBounds:
    """The scores that are possible.

    Attributes
    ----------
    count : int
        Pairs of tiers that count without an evaluated output.
    worst, best : float
        TBSA with all of them at grade 1, and at 5.
    """

    count: int
    worst: float
    best: float


def unmeasured_bounds(
    graded: Sequence[Pair], left_out: Iterable[Pair]
) -> UnmeasuredBounds | None:
    """Return best and worst TBSA over what was not measured, None if all was."""
    missing = [pair for pair in left_out if pair.reason == NO_EVALUATED_OUTPUT]
    if not missing:
        return None
    worst, best = (
        score_pairs([*graded, *(replace(pair, grades=(grade,)) for pair in missing)])
        for grade in (WORST_GRADE, BEST_GRADE)
    )
    return UnmeasuredBounds(count=len(missing), worst=worst.tbsa, best=best.tbsa)
