# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How much of a scan was measured: of its probes, of its pairs, of its outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from garak_tbsa.report.settings import named_by
from garak_tbsa.safe_text import shown
from garak_tbsa.tbsa.pairs import TIER_NOT_SCORED, LeftOut, Pair, PairList, SilentProbe

MOST_MISSING = 0.1
"""Share of outputs that may be missing without a warning."""

NAMED = 3
"""Pairs or probes that a warning names; the others are counted."""

PAIRS = "attempted pairs measured"
PROBES = "selected probes measured"
OUTPUTS = "outputs evaluated"

TIER = 1


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
    scored: Sequence[Pair],
    left_out: Sequence[LeftOut],
    silent: Sequence[SilentProbe],
    selected: frozenset[str],
) -> list[Share]:
    """Return how much was measured, as far as that is known.

    What is known to be of a tier that does not count is left aside.

    Parameters
    ----------
    scored : sequence of Pair
        The pairs that count.
    left_out : sequence of LeftOut
    silent : sequence of SilentProbe
    selected : frozenset of str
        The probes that were to be run; empty where that is not known.
    """
    missing = [each.pair for each in left_out if each.reason != TIER_NOT_SCORED]
    aside = {each.pair.probe for each in left_out} - {pair.probe for pair in missing}
    names = named_by({pair.probe for pair in scored})
    of_other_tiers = named_by(aside) - names - named_by({p.probe for p in missing})
    of_other_tiers |= {each.probe for each in silent if not each.may_count}
    probes = selected - of_other_tiers
    outputs = [pair for pair in (*scored, *missing) if pair.processed is not None]
    shares = [
        Share(
            measured=len(scored),
            total=len(scored) + len(missing),
            what=PAIRS,
        ),
        Share(
            measured=len(probes & names),
            total=len(probes),
            what=PROBES,
        ),
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


def gaps_in_words(pairs: PairList, selected: frozenset[str]) -> list[str]:
    """Return a line for each kind of what was not measured, none where all was."""
    found = []
    shares = {
        each.what: each
        for each in measured_shares(
            pairs.scored, pairs.left_out, pairs.silent, selected
        )
    }
    if silent := [each for each in pairs.silent if each.may_count]:
        names = _listed(each.probe for each in silent)
        found.append(f"{shares[PROBES].text}; {names}: {silent[0].text}")
    outputs = shares.get(OUTPUTS)
    lacking = [
        f"{pair.nones:,} of {pair.processed:,} of {pair.name}"
        for pair in (*pairs.scored, *(entry.pair for entry in pairs.left_out))
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
