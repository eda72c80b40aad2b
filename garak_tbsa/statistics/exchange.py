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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from garak_tbsa.report.outcomes import Outcomes, ProbeOutcomes, PromptPatterns
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
    pairs : sequence of (Pair, Pair)
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

    pairs: BothGraded
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
        self, pairs: tuple[int, ...], first: Units, second: Units, times: int = 1
    ) -> None:
        """Add so many blocks; nothing where one of the scans has no unit for it."""
        if not (first and second):
            return
        for scan, side in enumerate((first, second)):
            for (evaluated, _), number in side:
                for pair, outputs in zip(pairs, evaluated, strict=True):
                    self.units[pair, scan] += times * number * bool(outputs)
                    self.outputs[pair, scan] += times * number * outputs
        theirs = Counter(dict(second))
        both = theirs + Counter(dict(first))
        units = tuple(sorted(both))
        block = Block(
            pairs=pairs,
            units=units,
            times=tuple(both[unit] for unit in units),
            second=theirs.total(),
        )
        known = self.blocks.get(block, (0,) * len(units))
        self.blocks[block] = tuple(
            seen + times * theirs[unit] for seen, unit in zip(known, units, strict=True)
        )


def exchange_of(
    pairs: BothGraded, first: ScanOutcomes, second: ScanOutcomes
) -> Exchange:
    """Find what may change places between two scans, probe by probe.

    Parameters
    ----------
    pairs : sequence of (Pair, Pair)
        Each with its counts in both scans; their order changes nothing.
    first, second : ScanOutcomes
        Before and after.
    """
    same_seed = first.seed if first.seed == second.seed else None
    alike = max(first.generations or 1, second.generations or 1)
    found = Exchange(
        pairs=sorted(pairs, key=lambda two: (two[1].probe, two[1].detector)),
        alike=alike if same_seed is None else 1,
        same_seed=same_seed,
    )
    places = enumerate(found.pairs)
    for _, group in groupby(places, key=lambda each: each[1][1].probe):
        indices, both = zip(*group, strict=True)
        sides = tuple(zip(*both, strict=True))
        one = outcomes_of(first.outcomes, sides[0])
        other = outcomes_of(second.outcomes, sides[1])
        if isinstance(one, Unavailable) or isinstance(other, Unavailable):
            for index, two in zip(indices, both, strict=True):
                before, after = (_alike_units(pair, found.alike) for pair in two)
                found.add((index,), before, after)
                found.unmatched[index] = _why_unmatched(one, other)
            if len(indices) > 1:
                found.coupled.append(indices)
            continue
        names = [graded.name for graded in sides[1]]
        detectors = [graded.detector for graded in sides[1]]
        prompts = [_by_prompt(probe, detectors) for probe in (one, other)]
        _add_outputs(found, indices, *prompts)
        has_same = prompts[0].keys() == prompts[1].keys()
        (found.by_prompt if has_same else found.by_whole_prompt).extend(names)
    return found


def _why_unmatched(
    first: ProbeOutcomes | Unavailable, second: ProbeOutcomes | Unavailable
) -> str:
    if isinstance(first, Unavailable):
        return f"{'in both' if first == second else 'before'}: {first.reason}"
    assert isinstance(second, Unavailable)
    return f"after: {second.reason}"


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


def _by_prompt(probe: ProbeOutcomes, detectors: Sequence[str]) -> dict[bytes, Units]:
    """Each prompt's outputs as units of their own."""
    columns = [probe.detectors.index(detector) for detector in detectors]
    # most prompts are like another one, and equal outcomes are the same object
    kinds = {id(patterns): patterns for patterns in probe.prompts.values()}
    units = {key: _units(patterns, columns) for key, patterns in kinds.items()}
    return {prompt: units[id(found)] for prompt, found in probe.prompts.items()}


def _units(patterns: PromptPatterns, columns: Sequence[int]) -> Units:
    units: Counter[Unit] = Counter()
    for pattern, times in patterns.items():
        verdicts = [pattern[column] for column in columns]
        judged = tuple(int(verdict is not None) for verdict in verdicts)
        units[judged, tuple(map(int, map(bool, verdicts)))] += times
    return tuple(sorted(units.items()))


def _add_outputs(
    found: Exchange,
    pairs: tuple[int, ...],
    first: Mapping[bytes, Units],
    second: Mapping[bytes, Units],
) -> None:
    """Add the blocks of a probe: one for each prompt of both scans, one for the rest.

    Outputs of a prompt change places with those that the same detectors judged.
    """
    common = Counter(
        (units, second[prompt]) for prompt, units in first.items() if prompt in second
    )
    for both, times in common.items():
        for judged in {unit[0] for units in both for unit, _ in units if any(unit[0])}:
            one, other = (
                tuple(each for each in units if each[0][0] == judged) for units in both
            )
            found.add(pairs, one, other, times)
    found.add(pairs, _alone(first, second), _alone(second, first))


def _alone(prompts: Mapping[bytes, Units], others: Mapping[bytes, Units]) -> Units:
    """Prompts of one scan alone, each with all its outputs as one unit."""
    alone = Counter(units for prompt, units in prompts.items() if prompt not in others)
    whole: Counter[Unit] = Counter()
    for units, times in alone.items():
        added = sum(number * np.array(unit) for unit, number in units)
        if np.any(added):
            evaluated, passed = map(tuple, np.asarray(added).tolist())
            whole[evaluated, passed] += times
    return tuple(whole.items())
