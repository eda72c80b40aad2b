# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What may change places between two scans of which nothing has changed.

Where the attempts of both scans are known, an output goes with the verdicts of all
its probe's detectors, and changes places within its prompt; a prompt that only one
scan sent goes with all its outputs, and changes places within its probe. Where
they are not known, there are the counts of each pair.
"""

from __future__ import annotations

import math
from collections import Counter

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from garak_tbsa.garak_files.outcomes import (
        Outcomes,
        ProbeOutcomes,
        PromptPatterns,
    )
    from garak_tbsa.tbsa.grades import GradedPair

    BothGraded = Sequence[tuple[GradedPair, GradedPair]]
    Unit = tuple[tuple[int, ...], tuple[int, ...]]
    UnitCounts = Mapping[Unit, int]
    Strata = Mapping["Stratum", int]

REPLICATES = 5000
SEED = 42
"""Permutations, and where they start, unless told otherwise."""

NO_ATTEMPTS = Unavailable(reason="its attempts were not read")
NOT_ADDING_UP = "its attempts do not add up to its counts"
NO_ATTEMPT_OF_PROBE = "holds no attempt of it"


def needed_permutations(alpha: float) -> int:
    """Return how many are needed for a p-value to come well below ``alpha``."""
    return max(REPLICATES, math.ceil(10 / alpha))


@record
class Stratum:
    """Units of which any could have been in either scan.

    Attributes
    ----------
    pairs : tuple of int
        The pairs that its outputs count in.
    passed : tuple of tuple of int
        Kinds of units: how many passes one adds to each of these pairs.
    times : tuple of int
        How many units of each kind there are in both scans together.
    second : int
        How many of all these units the second scan has.
    """

    pairs: tuple[int, ...]
    passed: tuple[tuple[int, ...], ...]
    times: tuple[int, ...]
    second: int


@record
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


@record
class Unmatched:
    """A pair of which no more than counts could be compared, and why."""

    pair: str
    reason: str


@record
class Exchange:
    """What changes places, and for how many pairs.

    Attributes
    ----------
    strata : mapping of Stratum to int
        How many there are of each; they add up to the counts of all pairs.
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
    movable : mapping of (int, int) to int
        By pair and scan, 0 for the first: how many of its outputs can change places.
    """

    strata: Strata
    by_prompt: tuple[str, ...]
    by_whole_prompt: tuple[str, ...]
    unmatched: tuple[Unmatched, ...]
    coupled: tuple[tuple[int, ...], ...]
    alike: int
    same_seed: int | None
    movable: Mapping[tuple[int, int], int]


class _Found:
    """Strata, and how many outputs of each pair and scan can change places in them."""

    def __init__(self) -> None:
        self.strata: Counter[Stratum] = Counter()
        self.movable: Counter[tuple[int, int]] = Counter()

    def add(self, stratum: Stratum, evaluated: Sequence[int], times: int = 1) -> None:
        """Add strata of units with so many outputs for each pair."""
        self.strata[stratum] += times
        units = sum(stratum.times) - stratum.second, stratum.second
        if all(units):
            for pair, outputs in zip(stratum.pairs, evaluated, strict=True):
                for scan in (0, 1):
                    self.movable[pair, scan] += times * units[scan] * outputs


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
    strata = _Found()
    names: tuple[list[str], list[str]] = [], []
    unmatched: list[Unmatched] = []
    coupled: list[tuple[int, ...]] = []
    for indices in _by_probe(pairs):
        both = [pairs[index] for index in indices]
        found = _outcomes_of_both(both, first, second)
        if isinstance(found, Unavailable):
            for index, two in zip(indices, both, strict=True):
                _add_counts(strata, index, two, alike)
                unmatched.append(Unmatched(pair=two[1].name, reason=found.reason))
            if len(indices) > 1:
                coupled.append(indices)
            continue
        one, other = found
        detectors = [graded.detector for _, graded in both]
        _add_outputs(strata, indices, detectors, one, other)
        whole = one.prompts.keys() != other.prompts.keys()
        names[whole].extend(graded.name for _, graded in both)
    return Exchange(
        strata=strata.strata,
        by_prompt=tuple(sorted(names[0])),
        by_whole_prompt=tuple(sorted(names[1])),
        unmatched=tuple(sorted(unmatched, key=lambda entry: entry.pair)),
        coupled=tuple(coupled),
        alike=alike,
        same_seed=same_seed,
        movable=strata.movable,
    )


def _by_probe(pairs: BothGraded) -> Iterable[tuple[int, ...]]:
    """Indices of the pairs of each probe."""
    probes: dict[str, list[int]] = {}
    for index, (_, graded) in enumerate(pairs):
        probes.setdefault(graded.probe, []).append(index)
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


def _add_counts(
    strata: _Found, index: int, two: tuple[GradedPair, GradedPair], alike: int
) -> None:
    """Add the strata of a pair whose prompts are not known.

    Outputs come in units of as many as are taken to be alike, so that each unit
    passes or is hit as a whole, except for one that holds what is left over. Outputs
    of a scan that fill no unit stay where they are.
    """
    before, after = (counts_of(graded) for graded in two)
    totals = before.total_evaluated, after.total_evaluated
    units = [total // alike for total in totals]
    if not all(units):
        _add_fixed(strata, index, before.passed, second=False)
        _add_fixed(strata, index, after.passed, second=True)
        return
    left_over = [
        counts.passed * (counts.total_evaluated % alike) // counts.total_evaluated
        for counts in (before, after)
    ]
    whole, part = divmod(before.passed + after.passed - sum(left_over), alike)
    kinds: dict[tuple[int, ...], int] = {(alike,): whole}
    kinds[(0,)] = sum(units) - whole - bool(part)
    if part:
        kinds[(part,)] = 1
    strata.add(_stratum((index,), kinds, second=units[1]), (alike,))
    if left_over[0]:
        _add_fixed(strata, index, left_over[0], second=False)
    if left_over[1]:
        _add_fixed(strata, index, left_over[1], second=True)


def _add_fixed(strata: _Found, index: int, passed: int, *, second: bool) -> None:
    """Add passes that belong to one of the scans in every arrangement."""
    strata.add(_stratum((index,), {(passed,): 1}, second=int(second)), (0,))


def _stratum(
    pairs: tuple[int, ...], kinds: Mapping[tuple[int, ...], int], second: int
) -> Stratum:
    there = sorted((passed, times) for passed, times in kinds.items() if times)
    return Stratum(
        pairs=pairs,
        passed=tuple(passed for passed, _ in there),
        times=tuple(times for _, times in there),
        second=second,
    )


def _add_outputs(
    strata: _Found,
    pairs: tuple[int, ...],
    detectors: Sequence[str],
    first: ProbeOutcomes,
    second: ProbeOutcomes,
) -> None:
    """Add strata of a probe: a prompt of both scans each, and all others together."""
    columns = tuple(
        tuple(probe.detectors.index(detector) for detector in detectors)
        for probe in (first, second)
    )
    # most prompts are like another one, and equal outcomes are the same object
    alike: Counter[tuple[int, int]] = Counter()
    outcomes: dict[tuple[int, int], tuple[PromptPatterns, PromptPatterns]] = {}
    alone: tuple[dict[Unit, int], dict[Unit, int]] = {}, {}
    for prompt, patterns in first.prompts.items():
        same = second.prompts.get(prompt)
        if same is None:
            _add_whole(alone[0], patterns, columns[0])
        else:
            key = id(patterns), id(same)
            alike[key] += 1
            outcomes[key] = patterns, same
    for prompt, patterns in second.prompts.items():
        if prompt not in first.prompts:
            _add_whole(alone[1], patterns, columns[1])
    _add_units(strata, pairs, *alone)
    for key, times in alike.items():
        one, other = outcomes[key]
        units = _single(one, columns[0]), _single(other, columns[1])
        _add_units(strata, pairs, *units, times=times)


def _single(patterns: PromptPatterns, columns: tuple[int, ...]) -> UnitCounts:
    """Each output as a unit of its own."""
    units: dict[Unit, int] = {}
    for pattern, times in patterns.items():
        verdicts = [pattern[column] for column in columns]
        unit = (
            tuple(int(verdict is not None) for verdict in verdicts),
            tuple(int(verdict is True) for verdict in verdicts),
        )
        units[unit] = units.get(unit, 0) + times
    return units


def _add_whole(
    units: dict[Unit, int], patterns: PromptPatterns, columns: tuple[int, ...]
) -> None:
    """Add all outputs of a prompt as one unit."""
    evaluated, passed = [0] * len(columns), [0] * len(columns)
    for (judged, passes), times in _single(patterns, columns).items():
        for position in range(len(columns)):
            evaluated[position] += times * judged[position]
            passed[position] += times * passes[position]
    unit = tuple(evaluated), tuple(passed)
    units[unit] = units.get(unit, 0) + 1


def _add_units(
    strata: _Found,
    pairs: tuple[int, ...],
    first: UnitCounts,
    second: UnitCounts,
    times: int = 1,
) -> None:
    """Add a stratum for each number of outputs that a unit has for each detector.

    Only units that are equal in that change places, so that no scan ever has
    other totals than it has.
    """
    kinds: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
    seconds: dict[tuple[int, ...], int] = {}
    for is_second, units in enumerate((first, second)):
        for (evaluated, passed), count in units.items():
            alike = kinds.setdefault(evaluated, {})
            alike[passed] = alike.get(passed, 0) + count
            seconds[evaluated] = seconds.get(evaluated, 0) + count * is_second
    for evaluated, alike in kinds.items():
        if any(evaluated):
            stratum = _stratum(pairs, alike, second=seconds[evaluated])
            strata.add(stratum, evaluated, times)
