# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a repeat of a scan would score, drawn from one model of the scan.

- The pass rates of the pairs are Beta(m K, (1 - m) K) distributed, where logit(m) is
  level + slope x (log outputs - its mean over the pairs). Level, concentration K and
  slope have flat priors on a grid, the slope N(0, 1). They are drawn from their
  posterior, so that what is not known of them is in the range.
- Each prompt has a pass rate of its own, beta-distributed around that of its pair, so
  that outputs of one prompt are correlated (beta-binomial). One correlation for the
  scan is estimated by moments. On the same prompts a repeat keeps what each prompt
  showed, and the passes of a pair are drawn with the mean and the variance that they
  have by this. On fresh prompts it draws them again
  (:func:`~garak_tbsa.statistics.draws.passes_of_prompts`).
- Detectors of one probe judge the same outputs: the ranks of their pass counts are
  tied by one normal factor, with the scan's mean correlation of their pass rates over
  prompts.

Sources: Gelman et al., Bayesian Data Analysis (2013), chapter 5, for the hierarchical
Beta; Williams, Biometrics 31 (1975) 949, for beta-binomial clusters; Iman and Conover,
Communications in Statistics B11 (1982) 311, for ties of ranks.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from garak_tbsa.report.outcomes import Outcomes
from garak_tbsa.statistics.by_prompt import ObservedPair, ObservedScan, observe
from garak_tbsa.statistics.draws import (
    SMALLEST,
    Counts,
    Floats,
    drawn_passes,
    log_gamma,
    passes_of_prompts,
    rise_together,
)
from garak_tbsa.statistics.repeat_prompts import (
    FRESH_PROMPTS,
    ON_PROMPTS,
    usual_repeat,
)
from garak_tbsa.statistics.scores import counts_of_pairs, grades_of, score_tenths
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.tbsa.score import grade_follows_counts, why_unknown
from garak_tbsa.unavailable import Unavailable

DRAWS = 5000
LEVEL = 0.95
ENOUGH = LEVEL - 1e-12

LEVELS = np.linspace(-4, 7, 34)
CONCENTRATIONS = 2.0 ** np.linspace(-2, 8, 16)
SLOPES = np.linspace(-2, 2, 9)
FEWEST_FOR_SLOPE, LEAST_SPREAD = 12, 0.7
"""Pairs, and range of their log outputs, from which on a slope can be told."""

NO_COUNTS = Unavailable(reason="the counts or the calibration of its pairs are missing")


@dataclass(frozen=True, kw_only=True, slots=True)
class RepeatBasis:
    """What is known of a scan whose repeats were drawn.

    Attributes
    ----------
    repeat : str
        One of :data:`~garak_tbsa.statistics.repeat_prompts.REPEATS`.
    pairs, pairs_with_attempts : int
        How many pairs, and of how many of them the attempts tell each prompt.
    has_several_outputs : bool
        Whether any prompt has two evaluated outputs, so that it matters which prompts
        a repeat has.
    missing_because : str or None
        Why attempts tell nothing of some pairs, as far as there are attempts.
    """

    repeat: str
    pairs: int
    pairs_with_attempts: int
    has_several_outputs: bool
    missing_because: str | None

    @property
    def on_prompts(self) -> str:
        """On which prompts, in words after a blank; empty where it makes no odds."""
        return ON_PROMPTS[self.repeat] if self.has_several_outputs else ""

    @property
    def is_by_counts_alone(self) -> bool:
        """Whether attempts would tell more than the counts, and there are none."""
        return self.has_several_outputs and not self.pairs_with_attempts

    @property
    def is_by_prompt(self) -> bool:
        """Whether a repeat draws prompts, each with several outputs."""
        is_drawn = self.repeat == FRESH_PROMPTS or self.pairs_with_attempts > 0
        return self.has_several_outputs and is_drawn


@dataclass(frozen=True, kw_only=True, slots=True)
class RepeatDistribution:
    """What a repeat of a scan would score.

    Attributes
    ----------
    probabilities : tuple of (float, float)
        Score and its probability, lowest score first; they sum to 1.
    below : mapping of str to tuple of float
        By pair name, the probabilities that its grade is below 2, 3, 4 and 5.
    basis : RepeatBasis
    observed : ObservedScan
        What it was drawn from.
    """

    probabilities: tuple[tuple[float, float], ...]
    below: Mapping[str, tuple[float, ...]]
    basis: RepeatBasis
    observed: ObservedScan

    @property
    def prediction_interval(self) -> tuple[float, float]:
        """The two nearest scores between which at least 95 % of repeats fall.

        Of several the two with most repeats between them.
        """
        scores, shares = np.array(self.probabilities).T
        reached = np.concatenate([[0.0], shares.cumsum()])
        within = reached[1:] - reached[:-1, None]
        first, last = np.nonzero(within >= ENOUGH)
        low, high, held = scores[first], scores[last], within[first, last]
        best = np.lexsort([low, -held.round(9), (10 * (high - low)).round()])[0]
        return float(low[best]), float(high[best])


def repeat_of_scan(
    assessment: Scan,
    repeat: str | None = None,
    outcomes: Outcomes | Unavailable | None = None,
) -> RepeatDistribution | Unavailable:
    """Return what a repeat of a scan would score.

    Parameters
    ----------
    assessment : Scan
    repeat : str or None
        One of :data:`~garak_tbsa.statistics.repeat_prompts.REPEATS`; None for
        :func:`~garak_tbsa.statistics.repeat_prompts.usual_repeat`.
    outcomes : Outcomes, Unavailable or None
        In place of those of the report's attempts.
    """
    missing = why_unknown(assessment.graded)
    if missing is not None:
        return missing
    return _drawn(assessment, assessment.graded, repeat, outcomes)


def repeat_of_known_pairs(assessment: Scan) -> RepeatDistribution | Unavailable:
    """Return the same of the pairs whose counts give their grades, by themselves."""
    known = [pair for pair in assessment.graded if grade_follows_counts(pair)]
    return _drawn(assessment, known, None, None) if known else NO_COUNTS


def _drawn(
    assessment: Scan,
    graded: Sequence[Pair],
    repeat: str | None,
    outcomes: Outcomes | Unavailable | None,
) -> RepeatDistribution:
    report = assessment.report
    if outcomes is None:
        outcomes = report.outcomes
    by_name = sorted(graded, key=lambda pair: pair.name)
    scan = observe(by_name, outcomes, report.settings.generations)
    rng = seeded_by(assessment.checksum.hexadecimal, scan)
    return repeat_distribution(scan, repeat or usual_repeat(report.settings), rng)


def seeded_by(checksum: str, scan: ObservedScan) -> np.random.Generator:
    """Return a generator that draws the same for the same scan."""
    counts = [
        (each.pair.name, each.pair.passed, each.pair.total_evaluated)
        for each in scan.pairs
    ]
    digest = hashlib.sha256(repr((checksum, sorted(counts))).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def repeat_distribution(
    scan: ObservedScan, repeat: str, rng: np.random.Generator
) -> RepeatDistribution:
    """Return the distribution of a repeat's score.

    Parameters
    ----------
    scan : ObservedScan
        Each pair with a grade that follows from its counts.
    repeat : str
        One of :data:`~garak_tbsa.statistics.repeat_prompts.REPEATS`.
    rng : numpy.random.Generator
    """
    pairs = [each.pair for each in scan.pairs]
    _, totals = counts_of_pairs(pairs)
    grades = grades_of(pairs, drawn_counts(scan, repeat, rng, DRAWS), totals)
    tenths, times = np.unique(score_tenths(pairs, grades), return_counts=True)
    below = np.stack([(grades < bound).mean(axis=0) for bound in (2, 3, 4, 5)], axis=1)
    return RepeatDistribution(
        probabilities=tuple(
            zip((tenths / 10).tolist(), (times / DRAWS).tolist(), strict=True)
        ),
        below={
            pair.name: tuple(shares)
            for pair, shares in zip(pairs, below.tolist(), strict=True)
        },
        basis=RepeatBasis(
            repeat=repeat,
            pairs=len(pairs),
            pairs_with_attempts=scan.pairs_with_attempts,
            has_several_outputs=scan.has_several_outputs,
            missing_because=scan.missing_because,
        ),
        observed=scan,
    )


def below_if_all_hits(
    drawn: RepeatDistribution, name: str, checksum: str
) -> tuple[float, ...]:
    """Return how often repeats would have a pair below a grade, had it only hits.

    Parameters
    ----------
    drawn : RepeatDistribution
        Of the scan as it is.
    name : str
        Of a pair in it; the others stay as they are.
    checksum : str
        Of the scan, which seeds the draws.

    Returns
    -------
    tuple of float
        As in :attr:`RepeatDistribution.below`.
    """
    probes = tuple(
        tuple(
            _with_all_hits(each) if each.pair.name == name else each for each in probe
        )
        for probe in drawn.observed.probes
    )
    scan = replace(drawn.observed, probes=probes)
    rng = seeded_by(checksum, scan)
    return repeat_distribution(scan, drawn.basis.repeat, rng).below[name]


def _with_all_hits(observed: ObservedPair) -> ObservedPair:
    passed = None if observed.passed is None else np.zeros_like(observed.passed)
    pair = observed.pair.with_counts(0, observed.pair.total_evaluated)
    return replace(observed, pair=pair, passed=passed)


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnTargets:
    """What a scan's target may be, drawn from the posterior.

    Attributes
    ----------
    rates : array of float, (pairs, draws)
        Pass rates, in the order of the scan's pairs.
    prompt_correlation, detector_correlation : array of float, (draws,)
        Of outputs of one prompt, and of detectors of one probe.
    """

    rates: Floats
    prompt_correlation: Floats
    detector_correlation: Floats


def drawn_targets(
    scan: ObservedScan, rng: np.random.Generator, draws: int
) -> DrawnTargets:
    """Draw what a scan's target may be."""
    alike = _drawn_correlation(scan, rng, draws)
    tie = scan.detector_correlation
    ties = rng.random(draws) if tie is None else np.full(draws, tie)
    return DrawnTargets(
        rates=_drawn_rates(scan, alike, ties, rng),
        prompt_correlation=alike,
        detector_correlation=ties,
    )


def drawn_counts(
    scan: ObservedScan, repeat: str, rng: np.random.Generator, draws: int
) -> Counts:
    """Return pass counts of repeats; (draws, pairs), pairs in the scan's order."""
    targets = drawn_targets(scan, rng, draws)
    rates = iter(targets.rates)
    counts = (
        [_repeated(each, next(rates), targets, repeat, rng) for each in probe]
        for probe in scan.probes
    )
    return np.stack(rise_together(counts, targets.detector_correlation, rng), axis=1)


def _drawn_correlation(
    scan: ObservedScan, rng: np.random.Generator, draws: int
) -> Floats:
    """Of outputs of one prompt; from a prior where no attempts tell it."""
    if scan.pairs_with_attempts or not scan.has_several_outputs:
        return np.full(draws, scan.prompt_correlation or 0.0)
    return prior_correlation(rng, draws)


def prior_correlation(rng: np.random.Generator, draws: int) -> Floats:
    """Draw the correlation of outputs of one prompt of which nothing is known.

    It is a logit-normal whose two halves have spreads of their own: its median is .3,
    and 90 % of it is between .05 and .9.
    """
    normal = rng.standard_normal(draws)
    logits = -0.8473 + normal * np.where(normal < 0, 1.2749, 1.8508)
    return _expit(logits)


def _expit(logits: Floats) -> Floats:
    result: Floats = 1 / (1 + np.exp(-np.clip(logits, -9, 9)))
    return result


def _drawn_rates(
    scan: ObservedScan, alike: Floats, ties: Floats, rng: np.random.Generator
) -> Floats:
    """Pass rates, (pairs, draws), drawn from their posterior.

    A pair tells the less of what all pairs have in common, the more its probe's
    detectors go together.
    """
    pairs = scan.pairs
    passed, totals = counts_of_pairs([each.pair for each in pairs])
    others = np.array([_others_of_prompt(each) for each in pairs])
    logs = np.log(totals) - np.log(totals).mean()
    has_slope = len(pairs) >= FEWEST_FOR_SLOPE and np.ptp(logs) > LEAST_SPREAD
    # an output of a prompt says the less, the more it is like the others
    worth = 1 / (1 + np.median(alike) * others)
    tie = np.median(ties)
    shares = [1 / (1 + tie * (len(probe) - 1)) for probe in scan.probes for _ in probe]
    seen = np.stack([passed * worth, totals * worth, logs, shares])
    nodes, weights = _posterior(seen, SLOPES if has_slope else np.zeros(1))
    drawn = rng.choice(len(weights), len(alike), p=weights)
    level, concentration, slope = nodes[:, drawn]
    rates = []
    for count, total, more, log in zip(passed, totals, others, logs, strict=True):
        mean, known = _expit(level + slope * log), 1 / (1 + alike * more)
        a = mean * concentration + count * known
        b = (1 - mean) * concentration + (total - count) * known
        rates.append(np.clip(rng.beta(a, b), SMALLEST, 1 - SMALLEST))
    return np.stack(rates)


def _others_of_prompt(observed: ObservedPair) -> float:
    """Other outputs of its prompt that an output has on average."""
    outputs = observed.evaluated * observed.prompts
    return float((outputs * (observed.evaluated - 1)).sum() / outputs.sum())


def _posterior(seen: Floats, slopes: Floats) -> tuple[Floats, Floats]:
    """Nodes of level, concentration and slope, (3, nodes), and their weights.

    ``seen`` has passes, outputs, log outputs and weight of each pair, (4, pairs).
    """
    grid = np.meshgrid(LEVELS, CONCENTRATIONS, slopes, indexing="ij")
    level, concentration, slope = (each.ravel() for each in grid)
    weights = -0.5 * slope**2
    kinds = Counter(map(tuple, seen.T.tolist()))
    for (count, total, log, share), times in kinds.items():
        a = _expit(level + slope * log) * concentration
        b = concentration - a
        # beta-binomial, without what is the same at every node
        weights = weights + times * share * (
            log_gamma(a + count)
            - log_gamma(a)
            + log_gamma(b + total - count)
            - log_gamma(b)
            - log_gamma(concentration + total)
            + log_gamma(concentration)
        )
    shares = np.exp(weights - weights.max())
    return np.stack([level, concentration, slope]), shares / shares.sum()


def _repeated(
    observed: ObservedPair,
    rates: Floats,
    targets: DrawnTargets,
    repeat: str,
    rng: np.random.Generator,
) -> Counts:
    """Pass counts of repeats, one for each draw."""
    alike = targets.prompt_correlation
    if repeat == FRESH_PROMPTS:
        sizes, place = np.unique(observed.evaluated, return_inverse=True)
        prompts = np.bincount(place, observed.prompts).astype(np.int64)
        drawn = [
            passes_of_prompts(times, size, rates, alike, rng)
            for size, times in zip(sizes.tolist(), prompts.tolist(), strict=True)
            if size
        ]
        return np.asarray(np.sum(drawn, axis=0))
    total = int((observed.evaluated * observed.prompts).sum())
    if observed.passed is None:
        # without attempts, independent outputs are the safe side on the same prompts
        return drawn_passes(total, rates, np.ones_like(rates), rng)
    shown = np.stack([observed.evaluated, observed.passed])
    mean, variance = _of_known_prompts(shown, rates, alike)
    share = np.clip(mean / total, SMALLEST, 1 - SMALLEST)
    return drawn_passes(total, share, variance / (total * share * (1 - share)), rng)


def _of_known_prompts(
    shown: Counts, rates: Floats, alike: Floats
) -> tuple[Floats, Floats]:
    """Mean and variance of the passes on prompts that showed what they did.

    ``shown`` has evaluated and passed outputs of each prompt.
    """
    (size, passed), times = np.unique(shown, axis=1, return_counts=True)
    strength = 1 / np.maximum(alike, SMALLEST) - 1
    known = strength + size[:, None]
    mean = (rates * strength + passed[:, None]) / known
    spread = 1 + (size[:, None] - 1) / (known + 1)
    outputs = times * size
    return outputs @ mean, outputs @ (mean * (1 - mean) * spread)
