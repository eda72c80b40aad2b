# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Permutation tests of whether two scans differ.

Under the null hypothesis the units of a block are exchangeable between the two
scans, so the second one has any of them with the same probability.
Three questions are asked of the same permutations: did the score move, did pass
rates move in one direction (Cochran-Mantel-Haenszel), and did any single pair
move. Every p-value is a rank among all arrangements, the observed one included,
so that none is too small, however few or unequal the counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from garak_tbsa.statistics.arrangements import arrange, likeness_of
from garak_tbsa.statistics.draws import Floats
from garak_tbsa.statistics.exchange import REPLICATES, SEED, Exchange
from garak_tbsa.statistics.scores import raw_of_grades
from garak_tbsa.tbsa.pairs import Pair

TIE = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class PairMove:
    """How far the pass rate of one pair moved, and whether it stands out.

    Attributes
    ----------
    z : float
        How far it is from its mean over all arrangements, in standard deviations;
        negative where the second scan passes less.
    p_fell, p_rose : float
        One-sided: the share of permutations in which any of the pairs fell, or rose,
        as far (single-step adjustment for the number of pairs, Westfall and Young
        1993).
    """

    z: float
    p_fell: float
    p_rose: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TestResults:
    """What the permutations say; p-values are two-sided unless named otherwise.

    Attributes
    ----------
    p_score : float or None
        That of the difference of the unrounded scores; None where grades by
        count are not known.
    cmh_z, p_cmh : float
        Cochran-Mantel-Haenszel statistic, negative where the second scan passes
        less, and its permuted p-value.
    p_less, p_more : float
        The same, one-sided: that it passes less, or more.
    largest_z, p_largest_z : float
        The pair whose pass rate moved most, in standard deviations, and the
        permuted p-value of the largest of all.
    largest_pair : str
        Its name.
    p_worse : float
        One-sided: that the second scan is worse. The share of permutations that
        make the smallest of the one-sided p-values of all three tests this small.
    p_better : float
        The same, that it is better.
    moves : tuple of PairMove
        One for each pair, in their order.
    """

    p_score: float | None = None
    cmh_z: float
    p_cmh: float
    p_less: float
    p_more: float
    largest_z: float
    p_largest_z: float
    largest_pair: str
    p_worse: float
    p_better: float
    moves: tuple[PairMove, ...]


def permutation_tests(
    exchange: Exchange,
    *,
    with_score: bool,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> TestResults:
    """Test whether the second scan differs from the first.

    Where nobody knows how verdicts of one probe's detectors go together, each
    p-value is the larger of two: detectors independent, and as alike as their
    counts allow.

    Parameters
    ----------
    exchange : Exchange
        What may change places; of at least one pair.
    with_score : bool
        Whether the grade that another count would get is known for every pair.
    replicates, seed : int
        Number of permutations, at least 1, and where they start.
    """
    rng = np.random.default_rng(seed)
    arranged = arrange(
        exchange, replicates, rng, likeness_of(exchange), with_score=with_score
    )
    pairs = [after for _, after in exchange.pairs]
    found = [_p_values(pairs, way) for way in arranged.ways]
    p_values = {
        name: np.max([each[name] for each in found], axis=0) for name in found[0]
    }
    falls, rises = p_values.pop("fell").tolist(), p_values.pop("rose").tolist()
    moved, z_scores = arranged.ways[0][:2]
    direction, z_scores = float(moved.sum(axis=1)[0]), z_scores[0]
    largest = int(np.abs(z_scores).argmax())
    return TestResults(
        **{name: p_value.item() for name, p_value in p_values.items()},
        cmh_z=direction / arranged.deviation if arranged.deviation else 0.0,
        largest_z=float(z_scores[largest]),
        largest_pair=pairs[largest].name,
        moves=tuple(
            PairMove(z=z, p_fell=fell, p_rose=rose)
            for z, fell, rose in zip(z_scores.tolist(), falls, rises, strict=True)
        ),
    )


def _p_values(pairs: Sequence[Pair], way: Floats) -> dict[str, Floats]:
    """Those of all tests on one set of arrangements."""
    evidence = evidence_in(pairs, way)
    (less, more), (fell, rose), *_ = evidence
    two_sided = (np.maximum(*both) for both in evidence)
    statistics = {
        # without grades there are two
        **dict(zip(("p_cmh", "p_largest_z", "p_score"), two_sided, strict=False)),
        "p_less": less,
        "p_more": more,
    }
    worse, better = zip(*evidence, strict=True)
    z_scores = way[1, 0]
    # the share of arrangements at least as extreme as the observed one, which is one
    return {
        **{name: shares_reaching(each, each[:1]) for name, each in statistics.items()},
        "p_worse": p_of_smallest(worse, [each[:1] for each in worse]),
        "p_better": p_of_smallest(better, [each[:1] for each in better]),
        "fell": shares_reaching(fell, -z_scores),
        "rose": shares_reaching(rose, z_scores),
    }


def evidence_in(pairs: Sequence[Pair], way: Floats) -> list[tuple[Floats, Floats]]:
    """Return what the tests of direction, largest change and score are of.

    Each twice: the larger the worse the second scan, and the larger the better.

    Parameters
    ----------
    pairs : sequence of Pair
    way : array of float, (2 or 4, arrangements, pairs)
        One of the :class:`~garak_tbsa.statistics.arrangements.Arrangements`.
    """
    moved, z_scores, *grades = way
    direction = moved.sum(axis=1)
    found = [
        (-direction, direction),
        (-z_scores.min(axis=1), z_scores.max(axis=1)),
    ]
    if grades:
        before, after = (raw_of_grades(pairs, each.astype(np.int64)) for each in grades)
        found.append((before - after, after - before))
    return found


def p_of_smallest(arranged: Sequence[Floats], found: Sequence[Floats]) -> Floats:
    """Return how often chance makes the smallest p-value of several tests as small.

    Parameters
    ----------
    arranged : sequence of array of float
        The statistic of each test in every arrangement.
    found : sequence of array of float
        The same tests' statistics of scans that are judged by these arrangements.
    """
    by_chance, smallest = (
        np.min(
            [shares_reaching(*both) for both in zip(arranged, side, strict=True)],
            axis=0,
        )
        for side in (arranged, found)
    )
    return shares_reaching(-by_chance, -smallest)


def shares_reaching(statistic: Floats, values: Floats) -> Floats:
    """Return the share of arrangements whose statistic is at least each of these."""
    ordered = np.sort(statistic)
    tie = TIE * (1 + np.abs(ordered).max())
    reached = len(statistic) - np.searchsorted(ordered, values - tie)
    shares: Floats = reached / len(statistic)
    return shares
