# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What may change places between two scans of which nothing has changed.

Where the attempts of both scans are known, an output goes with the verdicts of all
its probe's detectors, and changes places within its prompt; a prompt that only one
scan sent goes with all its outputs, however many, and changes places within its
probe. Where they are not known, there are the counts of each pair.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from garak_tbsa.report.outcomes import Outcomes, ProbeOutcomes
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable

BothGraded = Sequence[tuple[Pair, Pair]]
Unit = tuple[tuple[int, ...], tuple[int, ...]]
"""Evaluated and passed outputs of what changes places as a whole, by pair."""
Units = tuple[tuple[Unit, int], ...]
"""Units, and how many there are of each."""

REPLICATES = 5000
SEED = 42
"""Permutations, and where they start, unless told otherwise."""

NO_ATTEMPTS = Unavailable(reason="its attempts were not read")
NOT_ADDING_UP = Unavailable(reason="its attempts do not add up to its counts")
NO_ATTEMPT_OF_PROBE = Unavailable(reason="the report holds no attempt of it")


def needed_permutations(alpha: float, least: int = REPLICATES) -> int:
    """Return how many are needed for a p-value to come well below ``alpha``."""
    return max(least, math.ceil(10 / alpha))


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Block:
    """Units of which any could have been in either scan.

    Attributes
    ----------
    pairs : tuple of int
        The pairs that its outputs count in.
    units : tuple of Unit
        Kinds of units, with the outputs that one adds to each of these pairs.
    times : tuple of int
        How many units of each kind there are in both scans together.
    second : int
        How many of all these units the second scan has; neither none nor all.
    """

    pairs: tuple[int, ...]
    units: tuple[Unit, ...]
    times: tuple[int, ...]
    second: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ScanOutcomes:
    """What is known of a scan's outputs.

    Attributes
    ----------
    outcomes : Outcomes or Unavailable
    seed : int or None
        None where garak's choice of prompts was not seeded.
    generations : int or None
        Outputs to a prompt, None where the report does not say.
    """

    outcomes: Outcomes | Unavailable = NO_ATTEMPTS
    seed: int | None = None
    generations: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """What changes places, and for how many pairs.

    Attributes
    ----------
    pairs : list of (Pair, Pair)
        In alphabetical order; what follows has their indices or names.
    alike : int
        The outputs of each prompt that are taken to be all alike for unmatched
        pairs, since the scans may have other prompts; else 1.
    same_seed : int or None
        The seed, where both scans have the same.
    blocks : dict of Block to (tuple of int)
        How many units of each kind the second scan has, in all blocks like this one
        together. Outputs that can change places with none are in no block.
    by_prompt : list of str
        Pairs whose outputs change places within their prompt: all prompts are the
        same in both scans.
    by_whole_prompt : list of str
        Pairs with prompts of one scan alone; these change places whole.
    unmatched : dict of int to str
        Pairs known by their counts alone, and why.
    coupled : list of tuple of int
        Pairs of the same probe among the unmatched: nobody knows how their verdicts
        go together.
    units, outputs : Counter of (int, int)
        By pair and scan, 0 for the first: how many of its units can change places,
        and how many evaluated outputs these have.
    """

    pairs: list[tuple[Pair, Pair]]
    alike: int
    same_seed: int | None
    blocks: dict[Block, tuple[int, ...]] = field(default_factory=dict)
    by_prompt: list[str] = field(default_factory=list)
    by_whole_prompt: list[str] = field(default_factory=list)
    unmatched: dict[int, str] = field(default_factory=dict)
    coupled: list[tuple[int, ...]] = field(default_factory=list)
    units: Counter[tuple[int, int]] = field(default_factory=Counter)
    outputs: Counter[tuple[int, int]] = field(default_factory=Counter)

    def add(
        self, pairs: tuple[int, ...], sides: Sequence[Units], times: int = 1
    ) -> None:
        """Add so many blocks; nothing where one of the scans has no unit for it."""
        if not all(sides):
            return
        for scan, side in enumerate(sides):
            for (evaluated, _), number in side:
                for pair, outputs in zip(pairs, evaluated, strict=True):
                    self.units[pair, scan] += times * number * bool(outputs)
                    self.outputs[pair, scan] += times * number * outputs
        before, theirs = (Counter(dict(side)) for side in sides)
        both = before + theirs
        units = tuple(sorted(both))
        counts = tuple(both[unit] for unit in units)
        block = Block(pairs=pairs, units=units, times=counts, second=theirs.total())
        known = self.blocks.get(block, (0,) * len(units))
        self.blocks[block] = tuple(
            seen + times * theirs[unit] for seen, unit in zip(known, units, strict=True)
        )


def exchange_of(
    pairs: BothGraded,
    first: ScanOutcomes,
    second: ScanOutcomes,
    *,
    fallen: str | None = None,
) -> Exchange:
    """Find what may change places between two scans, probe by probe.

    Parameters
    ----------
    pairs : sequence of (Pair, Pair)
        Each with its counts in both scans; their order changes nothing.
    first, second : ScanOutcomes
        Before and after.
    fallen : str or None
        Name of a pair of which all outputs in the second scan are taken to be hits.
    """
    same_seed = first.seed if first.seed == second.seed else None
    alike = max(first.generations or 1, second.generations or 1)
    ordered = sorted(pairs, key=lambda two: (two[1].probe, two[1].detector))
    found = Exchange(
        pairs=[
            (
                one,
                two.with_counts(0, two.total_evaluated) if two.name == fallen else two,
            )
            for one, two in ordered
        ],
        alike=alike if same_seed is None else 1,
        same_seed=same_seed,
    )
    for _, group in groupby(enumerate(ordered), lambda each: each[1][1].probe):
        places, both = zip(*group, strict=True)
        before, after = zip(*both, strict=True)
        sides = [
            _by_prompt(first.outcomes, before, None),
            _by_prompt(second.outcomes, after, fallen),
        ]
        prompts = [side for side in sides if not isinstance(side, Unavailable)]
        missing = [side.reason for side in sides if isinstance(side, Unavailable)]
        if not missing:
            _add_outputs(found, places, prompts)
            has_same = prompts[0].keys() == prompts[1].keys()
            names = found.by_prompt if has_same else found.by_whole_prompt
            names.extend(pair.name for pair in after)
            continue
        where = "after" if isinstance(sides[0], dict) else "before"
        if sides[0] == sides[1]:
            where = "in both"
        for place in places:
            counted = [_alike_units(pair, found.alike) for pair in found.pairs[place]]
            found.add((place,), counted)
            found.unmatched[place] = f"{where}: {missing[0]}"
        if len(places) > 1:
            found.coupled.append(places)
    return found


def outcomes_of(
    outcomes: Outcomes | Unavailable, pairs: Sequence[Pair]
) -> ProbeOutcomes | Unavailable:
    """Return a scan's outcomes of one probe, if they account for its pairs' counts.

    Parameters
    ----------
    outcomes : mapping of probe name to (ProbeOutcomes or Unavailable), or Unavailable
    pairs : sequence of Pair
        Of the probe, at least one.
    """
    if isinstance(outcomes, Unavailable):
        return outcomes
    probe = outcomes.get(pairs[0].probe, NO_ATTEMPT_OF_PROBE)
    if isinstance(probe, Unavailable):
        return probe
    stated = {pair.detector: (pair.passed, pair.total_evaluated) for pair in pairs}
    return probe if stated.items() <= probe.counts().items() else NOT_ADDING_UP


def _alike_units(pair: Pair, alike: int) -> Units:
    """A pair's outputs in units that pass or are hit as a whole, as far as it goes."""
    counts = pair.counts
    full, rest = divmod(counts.total_evaluated, alike)
    whole, part = divmod(counts.passed, alike)
    units: Counter[Unit] = Counter({((alike,), (alike,)): whole})
    if whole < full:
        units[(alike,), (part,)] += 1
        units[(alike,), (0,)] += full - whole - 1
        part = 0
    units[(rest,), (part,)] += bool(rest)
    return tuple((+units).items())


def _by_prompt(
    outcomes: Outcomes | Unavailable, pairs: Sequence[Pair], fallen: str | None
) -> dict[bytes, Units] | Unavailable:
    """Each prompt's outputs as units of their own."""
    probe = outcomes_of(outcomes, pairs)
    if isinstance(probe, Unavailable):
        return probe
    places = [(probe.detectors.index(each.detector), each.name) for each in pairs]
    known: dict[int, Units] = {}
    for patterns in probe.prompts.values():
        # most prompts are like another one, and equal outcomes are the same object
        if id(patterns) in known:
            continue
        units: Counter[Unit] = Counter()
        for pattern, times in patterns.items():
            judged = tuple(int(pattern[place] is not None) for place, _ in places)
            passed = tuple(int(pattern[n] is True and p != fallen) for n, p in places)
            units[judged, passed] += times
        known[id(patterns)] = tuple(sorted(units.items()))
    return {prompt: known[id(found)] for prompt, found in probe.prompts.items()}


def _add_outputs(
    found: Exchange, pairs: tuple[int, ...], sides: Sequence[Mapping[bytes, Units]]
) -> None:
    """Add the blocks of a probe: one for each prompt of both scans, one for the rest.

    Outputs of a prompt change places with those that the same detectors judged.
    """
    first, second = sides
    common = first.keys() & second.keys()
    for both, times in Counter((first[each], second[each]) for each in common).items():
        for judged in {unit[0] for units in both for unit, _ in units if any(unit[0])}:
            alike = [tuple(u for u in units if u[0][0] == judged) for units in both]
            found.add(pairs, alike, times)
    found.add(pairs, [_alone(side, common) for side in sides])


def _alone(prompts: Mapping[bytes, Units], common: Set[bytes]) -> Units:
    """Prompts of one scan alone, each with all its outputs as one unit."""
    whole: Counter[Unit] = Counter()
    kinds = Counter(prompts[prompt] for prompt in prompts.keys() - common)
    for units, times in kinds.items():
        added = np.sum([number * np.array(unit) for unit, number in units], axis=0)
        if np.any(added):
            evaluated, passed = map(tuple, added.tolist())
            whole[evaluated, passed] += times
    return tuple(whole.items())
