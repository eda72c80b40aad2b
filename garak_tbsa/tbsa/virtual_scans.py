# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans that a target like this one would make, with other prompts and generations.

Each prompt has probabilities of its own for the patterns of its outputs' verdicts.
They are drawn from a Dirichlet distribution around the probe's shares of patterns,
as concentrated as outputs of one prompt are correlated: on the same prompts given what
the scan saw of that prompt, on fresh ones by themselves. An output of a target that
got worse turns from pass to hit with some probability, for all detectors of its probe
by the same chance.
"""

from __future__ import annotations

import itertools

import numpy as np

from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from garak_tbsa.lean.record import changed, record
from garak_tbsa.statistics.exchange import outcomes_of
from garak_tbsa.statistics.observed import observe
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.tbsa.grades import grades_of
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from garak_tbsa.garak_files.outcomes import Outcomes, Pattern
    from garak_tbsa.tbsa.grades import GradedPair

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

ASSUMED_CORRELATION = 0.1
"""Of outputs of one prompt, where a scan cannot tell; real ones had 0.02 to 0.43."""

LEAST_CORRELATION = 0.01
MOST_CELLS = 2_000_000
"""Prompts of a probe times patterns of its verdicts; with more, counts must do."""


@record
class VirtualProbe:
    """What is known of one probe.

    Attributes
    ----------
    pairs : tuple of GradedPair
        Those of the probe.
    patterns : tuple of Pattern
        One verdict for each of these pairs: True a pass, False a hit, None neither.
    shares : tuple of float
        How often each pattern came; they sum to 1.
    seen : array of int, (prompts, patterns)
        Outputs of each prompt; zeros where the attempts are not known.
    generations : int
        Outputs that the scan has of each prompt, at least 1.
    """

    pairs: tuple[GradedPair, ...]
    patterns: tuple[Pattern, ...]
    shares: tuple[float, ...]
    seen: Whole
    generations: int


@record
class VirtualTarget:
    """What a scan says of its target, to draw other scans from.

    Attributes
    ----------
    probes : tuple of VirtualProbe
    correlation : float
        Of the verdicts on two outputs of one prompt, 0.01-0.98.
    is_measured : bool
        Whether the scan itself told the correlation.
    by_attempts : int
        Pairs of which the attempts are known.
    """

    probes: tuple[VirtualProbe, ...]
    correlation: float
    is_measured: bool
    by_attempts: int

    @property
    def pairs(self) -> tuple[GradedPair, ...]:
        """All pairs, probe by probe."""
        return tuple(pair for probe in self.probes for pair in probe.pairs)


@record
class VirtualScan:
    """One scan that was drawn.

    Attributes
    ----------
    graded : tuple of GradedPair
        Its pairs, of which at least one output was evaluated.
    outcomes : mapping of str to ProbeOutcomes
        By probe.
    """

    graded: tuple[GradedPair, ...]
    outcomes: Mapping[str, ProbeOutcomes]


def target_of(
    pairs: Sequence[GradedPair], outcomes: Outcomes | Unavailable, generations: int
) -> VirtualTarget:
    """Return what a scan says of its target.

    Parameters
    ----------
    pairs : sequence of GradedPair
        At least one; each with counts, of at least one output.
    outcomes : Outcomes or Unavailable
        Of the scan's attempts.
    generations : int
        Outputs to a prompt where the attempts do not say, at least 1.
    """
    by_probe: dict[str, list[GradedPair]] = {}
    for pair in pairs:
        by_probe.setdefault(pair.probe, []).append(pair)
    known, probes = 0, []
    for members in by_probe.values():
        found = outcomes_of(outcomes, members)
        if isinstance(found, Unavailable) or _too_many_patterns(found):
            probes.append(_from_counts(members, generations))
        else:
            probes.append(_from_attempts(members, found))
            known += len(members)
    correlation = observe(pairs, outcomes, generations).prompt_correlation
    return VirtualTarget(
        probes=tuple(probes),
        correlation=ASSUMED_CORRELATION
        if correlation is None
        else max(correlation, LEAST_CORRELATION),
        is_measured=correlation is not None,
        by_attempts=known,
    )


def _too_many_patterns(outcomes: ProbeOutcomes) -> bool:
    return len(outcomes.prompts) * len(outcomes.patterns()) > MOST_CELLS


def _from_attempts(
    pairs: Sequence[GradedPair], outcomes: ProbeOutcomes
) -> VirtualProbe:
    columns = [outcomes.detectors.index(pair.detector) for pair in pairs]
    places: dict[Pattern, int] = {}
    rows: list[dict[int, int]] = []
    for patterns in outcomes.prompts.values():
        row: dict[int, int] = {}
        for pattern, times in patterns.items():
            own = tuple(pattern[column] for column in columns)
            place = places.setdefault(own, len(places))
            row[place] = row.get(place, 0) + times
        if row:
            rows.append(row)
    seen = np.zeros((len(rows), len(places)), dtype=np.int64)
    for index, row in enumerate(rows):
        seen[index, list(row)] = list(row.values())
    return VirtualProbe(
        pairs=tuple(pairs),
        patterns=tuple(places),
        shares=tuple((seen.sum(axis=0) / seen.sum()).tolist()),
        seen=seen,
        generations=max(1, round(float(seen.sum() / len(rows)))),
    )


def _from_counts(pairs: Sequence[GradedPair], generations: int) -> VirtualProbe:
    """Verdicts go together as far as the pass rates allow it: who knows better."""
    rates = [pair.pass_rate for pair in pairs]
    edges = sorted({0.0, 1.0, *rates})
    patterns, shares = [], []
    for low, high in itertools.pairwise(edges):
        patterns.append(tuple(rate >= high for rate in rates))
        shares.append(high - low)
    outputs = max(counts_of(pair).total_evaluated for pair in pairs)
    prompts = max(1, round(outputs / generations))
    return VirtualProbe(
        pairs=tuple(pairs),
        patterns=tuple(patterns),
        shares=tuple(shares),
        seen=np.zeros((prompts, len(patterns)), dtype=np.int64),
        generations=max(1, round(outputs / prompts)),
    )


def drawn_scans(
    target: VirtualTarget,
    turning: tuple[Mapping[str, float], Mapping[str, float]],
    *,
    generations: int,
    prompts: float,
    same_prompts: bool,
    rng: np.random.Generator,
) -> tuple[VirtualScan, VirtualScan]:
    """Draw a scan before a change, and one after it.

    Parameters
    ----------
    target : VirtualTarget
    turning : two mappings of str to float
        Before and after: the probability by which a pass of the pair of this name
        turns into a hit; 0 for a pair that is not in it.
    generations : int
        Outputs of each prompt, at least 1.
    prompts : float
        Prompts of each probe, as a multiple of the scan's.
    same_prompts : bool
        Whether both scans ask the same prompts; else each has its own.
    rng : numpy.random.Generator
    """
    both: tuple[list[ProbeOutcomes], list[ProbeOutcomes]] = [], []
    for probe in target.probes:
        asked = None
        for number, (outcomes, turned) in enumerate(zip(both, turning, strict=True)):
            if asked is None or not same_prompts:
                asked = _prompt_shares(
                    probe, target.correlation, prompts, rng, same_prompts=same_prompts
                )
            turns = [turned.get(pair.name, 0.0) for pair in probe.pairs]
            patterns, moved = _turned(probe.patterns, turns)
            shares = asked @ moved
            # rounding leaves some at more than 1, which numpy refuses
            shares /= shares.sum(axis=1, keepdims=True)
            drawn = rng.multinomial(generations, shares)
            first_prompt = 0 if same_prompts else number * len(drawn)
            outcomes.append(_outcomes(probe, patterns, drawn, first_prompt))
    first, second = (_scan(target, outcomes) for outcomes in both)
    return first, second


def _prompt_shares(
    probe: VirtualProbe,
    correlation: float,
    prompts: float,
    rng: np.random.Generator,
    *,
    same_prompts: bool,
) -> Floats:
    """Shares of patterns of each prompt that is asked; (prompts, patterns)."""
    there, shares_of_all = len(probe.seen), np.array(probe.shares)
    wanted = max(1, round(there * prompts))
    strength = (1 - correlation) / correlation
    weights = np.tile(strength * shares_of_all, (wanted, 1))
    if same_prompts:
        rows = rng.permutation(there)[:wanted]
        if wanted > there:
            rows = np.concatenate([rows, rng.integers(there, size=wanted - there)])
        weights += probe.seen[rows]
    # gamma variates of small shapes are too small for anything but their logarithms
    logs = np.log(rng.standard_gamma(weights + 1))
    logs -= rng.standard_exponential(weights.shape) / weights
    drawn = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: Floats = drawn / drawn.sum(axis=1, keepdims=True)
    return shares


def _turned(
    patterns: Sequence[Pattern], turns: Sequence[float]
) -> tuple[list[Pattern], Floats]:
    """Patterns after some passes have turned into hits, and how many of each do.

    One chance decides for all detectors of an output, so that those that turn more
    often turn whenever the others do.
    """
    edges = sorted({0.0, 1.0, *turns})
    places: dict[Pattern, int] = {}
    moves: list[tuple[int, int, float]] = []
    for row, pattern in enumerate(patterns):
        for low, high in itertools.pairwise(edges):
            after = tuple(
                False if verdict and turn >= high else verdict
                for verdict, turn in zip(pattern, turns, strict=True)
            )
            moves.append((row, places.setdefault(after, len(places)), high - low))
    moved = np.zeros((len(patterns), len(places)))
    for row, place, share in moves:
        moved[row, place] += share
    return list(places), moved


def _outcomes(
    probe: VirtualProbe, patterns: Sequence[Pattern], drawn: Whole, first_prompt: int
) -> ProbeOutcomes:
    # equal prompts share one mapping, as those that are read do
    rows, which = np.unique(drawn, axis=0, return_inverse=True)
    kinds = [
        {patterns[place]: times for place, times in enumerate(row) if times}
        for row in rows.tolist()
    ]
    return ProbeOutcomes(
        detectors=tuple(pair.detector for pair in probe.pairs),
        prompts={
            number.to_bytes(8, "big"): kinds[kind]
            for number, kind in enumerate(which.reshape(-1).tolist(), first_prompt)
        },
    )


def _scan(target: VirtualTarget, outcomes: Sequence[ProbeOutcomes]) -> VirtualScan:
    graded: list[GradedPair] = []
    by_probe: dict[str, ProbeOutcomes] = {}
    for probe, found in zip(target.probes, outcomes, strict=True):
        by_probe[probe.pairs[0].probe] = found
        counts = found.counts()
        for pair in probe.pairs:
            passed, total = counts[pair.detector]
            if total:
                graded.append(_counted(pair, passed, total))
    return VirtualScan(graded=tuple(graded), outcomes=by_probe)


def _counted(pair: GradedPair, passed: int, total: int) -> GradedPair:
    rate = passed / total
    return changed(
        pair,
        passed=passed,
        total_evaluated=total,
        pass_rate=rate,
        grades=grades_of(rate, total, pair.distribution),
    )
