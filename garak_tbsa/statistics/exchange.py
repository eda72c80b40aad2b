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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from garak_tbsa.garak_files.outcomes import Outcomes, ProbeOutcomes
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.unavailable import Unavailable

BothGraded = Sequence[tuple[GradedPair, GradedPair]]
Unit = tuple[tuple[int, ...], tuple[int, ...]]
"""Evaluated and passed outputs of what changes places as a whole, by pair."""
Units = tuple[tuple[Unit, int], ...]
"""Units, and how many there are of each."""

REPLICATES = 5000
SEED = 42
"""Permutations, and where they start, unless told otherwise."""

NO_ATTEMPTS = Unavailable(reason="its attempts were not read")
NOT_ADDING_UP = "its attempts do not add up to its counts"
NO_ATTEMPT_OF_PROBE = "holds no attempt of it"


def needed_permutations(alpha: float) -> int:
    """Return how many are needed for a p-value to come well below ``alpha``."""
    return max(REPLICATES, math.ceil(10 / alpha))


@dataclass(frozen=True, kw_only=True, slots=True)
class Stratum:
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
class Unmatched:
    """A pair of which no more than counts could be compared, and why."""

    pair: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """What changes places, and for how many pairs.

    Attributes
    ----------
    strata : mapping of Stratum to (tuple of int)
        How many units of each kind the second scan has, in all strata like this one
        together. Outputs that can change places with none are in no stratum.
    by_prompt : tuple of str
        Pairs whose outputs change places within their prompt: all prompts are the
        same in both scans.
    by_whole_prompt : tuple of str
        Pairs with prompts of one scan alone; these change places whole.
    unmatched : tuple of Unmatched
        Pairs known by their counts alone.
    coupled : tuple of tuple of int
        Pairs of the same probe among the unmatched: nobody knows how their verdicts
        go together.
    alike : int
        The outputs of each prompt that were taken to be all alike for unmatched
        pairs, since the scans may have other prompts; 1 where none were.
    same_seed : int or None
        The seed, where both scans have the same.
    units, outputs : Counter of (int, int)
        By pair and scan, 0 for the first: how many of its units can change places,
        and how many evaluated outputs these have.
    """

    strata: Mapping[Stratum, tuple[int, ...]]
    by_prompt: tuple[str, ...]
    by_whole_prompt: tuple[str, ...]
    unmatched: tuple[Unmatched, ...]
    coupled: tuple[tuple[int, ...], ...]
    alike: int
    same_seed: int | None
    units: Counter[tuple[int, int]]
    outputs: Counter[tuple[int, int]]


class _Found:
    """Strata so far, and what of each pair and scan can change places in them."""

    def __init__(self) -> None:
        self.strata: dict[Stratum, tuple[int, ...]] = {}
        self.units: Counter[tuple[int, int]] = Counter()
        self.outputs: Counter[tuple[int, int]] = Counter()

    def add(
        self, pairs: tuple[int, ...], first: Units, second: Units, times: int = 1
    ) -> None:
        """Add so many strata; nothing where one of the scans has no unit for it."""
        sides = [Counter(dict(first)), Counter(dict(second))]
        if not all(sides):
            return
        for scan, side in enumerate(sides):
            for (evaluated, _), number in side.items():
                for pair, outputs in zip(pairs, evaluated, strict=True):
                    self.units[pair, scan] += times * number * bool(outputs)
                    self.outputs[pair, scan] += times * number * outputs
        units = tuple(sorted(sides[0] | sides[1]))
        ones, others = ([side[unit] for unit in units] for side in sides)
        stratum = Stratum(
            pairs=pairs,
            units=units,
            times=tuple(map(sum, zip(ones, others, strict=True))),
            second=sum(others),
        )
        known = self.strata.get(stratum, (0,) * len(units))
        self.strata[stratum] = tuple(
            seen + times * n for seen, n in zip(known, others, strict=True)
        )


def exchange_of(
    pairs: BothGraded, first: ScanOutcomes, second: ScanOutcomes
) -> Exchange:
    """Find what may change places between two scans, probe by probe.

    Parameters
    ----------
    pairs : sequence of (GradedPair, GradedPair)
        Each with its counts in both scans.
    first, second : ScanOutcomes
        Before and after.
    """
    same_seed = first.seed if first.seed == second.seed else None
    alike = 1
    if same_seed is None:
        alike = max(first.generations or 1, second.generations or 1)
    found = _Found()
    names: tuple[list[str], list[str]] = [], []
    unmatched: list[Unmatched] = []
    coupled: list[tuple[int, ...]] = []
    for indices in _by_probe(pairs):
        both = [pairs[index] for index in indices]
        outcomes = _outcomes_of_both(both, first, second)
        if isinstance(outcomes, Unavailable):
            for index, two in zip(indices, both, strict=True):
                one, other = (_alike_units(graded, alike) for graded in two)
                found.add((index,), one, other)
                unmatched.append(Unmatched(pair=two[1].name, reason=outcomes.reason))
            if len(indices) > 1:
                coupled.append(indices)
            continue
        detectors = [graded.detector for _, graded in both]
        before, after = (_by_prompt(probe, detectors) for probe in outcomes)
        _add_outputs(found, indices, before, after)
        names[before.keys() != after.keys()].extend(graded.name for _, graded in both)
    return Exchange(
        strata=found.strata,
        by_prompt=tuple(sorted(names[0])),
        by_whole_prompt=tuple(sorted(names[1])),
        unmatched=tuple(sorted(unmatched, key=lambda entry: entry.pair)),
        coupled=tuple(coupled),
        alike=alike,
        same_seed=same_seed,
        units=found.units,
        outputs=found.outputs,
    )


def _by_probe(pairs: BothGraded) -> Iterable[tuple[int, ...]]:
    """Indices of the pairs of each probe, by name."""
    probes: dict[str, list[int]] = {}
    for index in sorted(range(len(pairs)), key=lambda index: pairs[index][1].name):
        probes.setdefault(pairs[index][1].probe, []).append(index)
    return map(tuple, probes.values())


def _outcomes_of_both(
    both: BothGraded, first: ScanOutcomes, second: ScanOutcomes
) -> tuple[ProbeOutcomes, ProbeOutcomes] | Unavailable:
    """Outcomes of the probe of these pairs, or why there are none."""
    one = outcomes_of(first.outcomes, [graded for graded, _ in both])
    other = outcomes_of(second.outcomes, [graded for _, graded in both])
    if isinstance(one, Unavailable):
        where = "in both" if one == other else "before"
        return Unavailable(reason=f"{where}: {one.reason}")
    if isinstance(other, Unavailable):
        return Unavailable(reason=f"after: {other.reason}")
    return one, other


def outcomes_of(
    outcomes: Outcomes | Unavailable, pairs: Sequence[GradedPair]
) -> ProbeOutcomes | Unavailable:
    """Return a scan's outcomes of one probe, if they account for its pairs' counts.

    Parameters
    ----------
    outcomes : mapping of probe name to (ProbeOutcomes or Unavailable), or Unavailable
    pairs : sequence of GradedPair
        Of the probe, at least one.
    """
    if isinstance(outcomes, Unavailable):
        return outcomes
    probe = outcomes.get(pairs[0].probe)
    if probe is None:
        return Unavailable(reason=f"the report {NO_ATTEMPT_OF_PROBE}")
    if isinstance(probe, Unavailable):
        return probe
    counted = probe.counts()
    stated = {pair.detector: (pair.passed, pair.total_evaluated) for pair in pairs}
    if any(counted.get(name) != counts for name, counts in stated.items()):
        return Unavailable(reason=NOT_ADDING_UP)
    return probe


def _alike_units(pair: GradedPair, alike: int) -> Units:
    """A pair's outputs in units that pass or are hit as a whole, as far as it goes."""
    counts = counts_of(pair)
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
    known: dict[int, Units] = {}
    for patterns in probe.prompts.values():
        if id(patterns) not in known:
            units: Counter[Unit] = Counter()
            for pattern, times in patterns.items():
                verdicts = [pattern[column] for column in columns]
                judged = tuple(int(verdict is not None) for verdict in verdicts)
                units[judged, tuple(int(verdict is True) for verdict in verdicts)] += (
                    times
                )
            known[id(patterns)] = tuple(sorted(units.items()))
    return {prompt: known[id(found)] for prompt, found in probe.prompts.items()}


def _add_outputs(
    found: _Found,
    pairs: tuple[int, ...],
    first: Mapping[bytes, Units],
    second: Mapping[bytes, Units],
) -> None:
    """Add the strata of a probe: one for each prompt of both scans, one for the rest.

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
        whole[_whole(units)] += times
    return tuple((unit, times) for unit, times in whole.items() if any(unit[0]))


def _whole(units: Units) -> Unit:
    def added(part: int) -> tuple[int, ...]:
        counted = ([times * each for each in unit[part]] for unit, times in units)
        return tuple(map(sum, zip(*counted, strict=True)))

    return added(0), added(1)
