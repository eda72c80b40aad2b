# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a scan showed of each pair, prompt by prompt, and how alike it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from garak_tbsa.report.outcomes import Outcomes, ProbeOutcomes, by_detector
from garak_tbsa.statistics.draws import Counts
from garak_tbsa.tbsa.pairs import Pair, pairs_text
from garak_tbsa.unavailable import Unavailable

LARGEST_CORRELATION = 0.98
"""Of outputs of a prompt, and of verdicts on an output; neither is ever certain."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ObservedPair:
    """The outputs of one pair.

    Attributes
    ----------
    pair : Pair
        With counts.
    evaluated : array of int
        Evaluated outputs of each prompt of the probe. Where the attempts do not tell,
        those of each kind of prompt: as many as the scan has generations, and the rest.
    passed : array of int or None
        Passes of each prompt; None where the attempts do not tell.
    prompts : array of int
        How many prompts there are of each kind; ones where the attempts tell.
    """

    pair: Pair
    evaluated: Counts
    passed: Counts | None
    prompts: Counts


@dataclass(frozen=True, kw_only=True, slots=True)
class ObservedScan:
    """The outputs of a scan.

    Attributes
    ----------
    probes : tuple of tuple of ObservedPair
        Pairs by probe: those of a probe judge the same outputs.
    prompt_correlation : float or None
        Of the verdicts on two outputs of one prompt, 0 to 0.98; None where no prompt
        of a pair that passed and failed has two outputs.
    detector_correlation : float or None
        Of the pass rates of two detectors of a probe over its prompts, 0 to 0.98; None
        where no probe has two detectors whose rates differ from prompt to prompt.
    missing_because : str or None
        Why attempts tell nothing of some pairs; None too where there are no attempts.
    """

    probes: tuple[tuple[ObservedPair, ...], ...]
    prompt_correlation: float | None
    detector_correlation: float | None
    missing_because: str | None

    @property
    def pairs(self) -> tuple[ObservedPair, ...]:
        """All pairs, probe by probe."""
        return tuple(pair for probe in self.probes for pair in probe)

    @property
    def pairs_with_attempts(self) -> int:
        """Of how many pairs the attempts tell each prompt."""
        return sum(pair.passed is not None for pair in self.pairs)

    @property
    def has_several_outputs(self) -> bool:
        """Whether any prompt has two evaluated outputs."""
        return any((pair.evaluated > 1).any() for pair in self.pairs)


def observe(
    graded: Sequence[Pair],
    outcomes: Outcomes | Unavailable,
    generations: int | None,
) -> ObservedScan:
    """Return what a scan showed of pairs.

    Parameters
    ----------
    graded : sequence of Pair
        At least one, each with counts.
    outcomes : Outcomes or Unavailable
        Of the scan's attempts. A pair whose counts they do not give is taken by its
        counts alone.
    generations : int or None
        Outputs to a prompt where the attempts do not tell; None counts as 1.
    """
    known = {} if isinstance(outcomes, Unavailable) else outcomes
    by_probe: dict[str, list[ObservedPair]] = {}
    for pair in graded:
        observed = _observed(pair, known.get(pair.probe), generations or 1)
        by_probe.setdefault(pair.probe, []).append(observed)
    probes = tuple(map(tuple, by_probe.values()))
    missing = sum(each.passed is None for probe in probes for each in probe)
    because = None
    if isinstance(outcomes, Unavailable):
        because = outcomes.reason
    elif outcomes and missing:
        because = f"attempts do not add up to the counts of {pairs_text(missing)}"
    return ObservedScan(
        probes=probes,
        prompt_correlation=_prompt_correlation(probes),
        detector_correlation=_detector_correlation(probes),
        missing_because=because,
    )


def _observed(
    pair: Pair, outcomes: ProbeOutcomes | Unavailable | None, generations: int
) -> ObservedPair:
    counts = pair.counts
    if isinstance(outcomes, ProbeOutcomes) and pair.detector in outcomes.detectors:
        prompts = by_detector(outcomes, pair.detector).values()
        passed, evaluated = np.array([*prompts], dtype=np.int64).reshape(-1, 2).T
        if (passed.sum(), evaluated.sum()) == (counts.passed, counts.total_evaluated):
            ones = np.ones_like(evaluated)
            return ObservedPair(
                pair=pair, evaluated=evaluated, passed=passed, prompts=ones
            )
    whole, rest = divmod(counts.total_evaluated, generations)
    kinds = [(generations, whole)] * (whole > 0) + [(rest, 1)] * (rest > 0)
    sizes, times = np.array(kinds).T
    return ObservedPair(pair=pair, evaluated=sizes, passed=None, prompts=times)


def _prompt_correlation(probes: Sequence[Sequence[ObservedPair]]) -> float | None:
    """1 less the odds that two outputs differ: of one prompt against of two prompts."""
    within = between = 0.0
    for observed in (each for probe in probes for each in probe):
        size, passed = observed.evaluated, observed.passed
        several = size > 1
        if passed is None or (size > 0).sum() < 2 or not several.any():
            continue
        differing = 2 * passed * (size - passed)
        outputs, passes = size.sum(), passed.sum()
        of_two_prompts = 2 * passes * (outputs - passes) - differing.sum()
        between += of_two_prompts / (outputs**2 - (size**2).sum())
        within += (differing[several] / (size * (size - 1))[several]).mean()
    if not between:
        return None
    return float(np.clip(1 - within / between, 0, LARGEST_CORRELATION))


def _detector_correlation(probes: Sequence[Sequence[ObservedPair]]) -> float | None:
    """Mean over the scan, each probe by its prompts."""
    total = weight = 0.0
    for probe in probes:
        known = [(e.evaluated, e.passed) for e in probe if e.passed is not None]
        if len(known) < 2:
            continue
        evaluated, passed = np.stack(known, axis=1)
        judged = (evaluated > 0).all(axis=0)
        shares = passed[:, judged] / evaluated[:, judged]
        shares = shares[(shares != shares[:, :1]).any(axis=1)]
        count = len(shares)
        if count > 1:
            of_two = (np.corrcoef(shares).sum() - count) / (count * (count - 1))
            total += of_two * judged.sum()
            weight += judged.sum()
    if not weight:
        return None
    return float(np.clip(total / weight, 0, LARGEST_CORRELATION))
