# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether two scans differ, and where.

Under the null hypothesis the outputs of a stratum are exchangeable between the
two scans, so its pass count in the first one is hypergeometric given the
margins. A stratum is a prompt of a pair where both reports hold their attempts,
else the pair. Three questions are asked of the same permutations: did the score
move, did pass counts move in one direction (Cochran-Mantel-Haenszel), and did
any single pair move.
"""

from __future__ import annotations

import math

import numpy as np

from garak_tbsa.errors import NotComparableError
from garak_tbsa.records import record
from garak_tbsa.tbsa.interval import lowest_count
from garak_tbsa.tbsa.score import COMMON_MULTIPLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.attempts import PromptOutcomes
    from garak_tbsa.tbsa.grades import GradedPair

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]

REPLICATES = 5000
SEED = 42
TESTS = 3
NOT_A_CHANGE = "a difference of 0.1 to 0.2 alone is not a change"


@record
class GradeChange:
    """A pair whose grade is not the same in both scans."""

    first: GradedPair
    second: GradedPair


@record
class TestResults:
    """What the permutations say; p-values are two-sided unless named otherwise.

    Attributes
    ----------
    p_score : float or None
        That of the difference of the unrounded scores; None where grades by
        count are not known.
    cmh_z, p_cmh : float
        Cochran-Mantel-Haenszel statistic, negative where the second scan passes
        less, and its p-value from the normal law.
    largest_z, p_largest_z : float
        The pair whose pass count moved most, in standard deviations, and the
        permuted p-value of the largest of all.
    largest_pair : str
        Its name.
    p_worse : float
        One-sided: that the second scan is worse. Three times the smallest of
        the one-sided p-values of all three tests (Bonferroni), at most 1.
    """

    p_score: float | None
    cmh_z: float
    p_cmh: float
    largest_z: float
    p_largest_z: float
    largest_pair: str
    p_worse: float


@record
class Comparison:
    """Two scans and what tells them apart.

    Attributes
    ----------
    first, second : Assessment
    differing_parts : tuple of str
        Parts of the checksum that differ; not empty only when forced.
    compared : int
        Pairs in both scans with counts.
    by_prompt : int
        Those of them whose prompts could be matched one by one.
    changes : tuple of GradeChange
        By name.
    tests : TestResults or None
        None where no pair has counts in both.
    """

    first: Assessment
    second: Assessment
    differing_parts: tuple[str, ...]
    compared: int
    by_prompt: int
    changes: tuple[GradeChange, ...]
    tests: TestResults | None

    @property
    def tbsa_difference(self) -> float:
        """Second minus first score, in whole tenths."""
        return round(self.second.tbsa - self.first.tbsa, 1)

    @property
    def assumption(self) -> str:
        """What was taken to be exchangeable, in words."""
        if self.by_prompt == self.compared:
            return "outputs of the same prompt are exchangeable (paired by prompt)"
        if self.by_prompt:
            return (
                f"paired by prompt for {self.by_prompt} of {self.compared} pairs, the"
                " outputs of a pair exchangeable for the others"
            )
        return (
            "all outputs of a pair are exchangeable (too wide for a repeat on the"
            " same prompts, too narrow for fresh prompts with several generations)"
        )

    def is_worse(self, alpha: float) -> bool:
        """Whether the second scan is significantly worse at this level."""
        return self.tests is not None and self.tests.p_worse < alpha

    def in_words(self) -> str:
        """Return the scores, and p for worse, in one phrase."""
        scores = f"{self.first.tbsa:.1f} before, {self.second.tbsa:.1f} now"
        if self.tests is None:
            return f"{scores}; no pair with counts in both"
        return f"{scores}; p = {self.tests.p_worse:.3g} for worse"


@record
class _Stratum:
    """Counts of one stratum in both scans."""

    pair: int
    passed: tuple[int, int]
    total: tuple[int, int]


def compare(
    first: Assessment,
    second: Assessment,
    *,
    outcomes: tuple[PromptOutcomes | None, PromptOutcomes | None] = (None, None),
    force: bool = False,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> Comparison:
    """Compare two scans.

    Parameters
    ----------
    first, second : Assessment
        Before and after.
    outcomes : pair of PromptOutcomes or None
        Per prompt, where the reports hold their attempts.
    force : bool
        Compare although the checksums differ.
    replicates, seed : int
        Number of permutations, and where they start.

    Raises
    ------
    NotComparableError
        The checksums differ.
    """
    differing = first.checksum.differing_parts(second.checksum)
    if differing and not force:
        raise NotComparableError(
            f"{first.report.source} and {second.report.source}: checksums"
            f" {first.checksum.text} and {second.checksum.text} differ in"
            f" {', '.join(differing)}; only equal checksums compare,"
            " --force does it all the same"
        )
    before = {pair.name: pair for pair in first.graded}
    common = [
        (before[pair.name], pair) for pair in second.graded if pair.name in before
    ]
    counted = [
        (one, two) for one, two in common if one.pair.has_counts and two.pair.has_counts
    ]
    strata, by_prompt = _strata(counted, outcomes)
    return Comparison(
        first=first,
        second=second,
        differing_parts=differing,
        compared=len(counted),
        by_prompt=by_prompt,
        changes=tuple(
            GradeChange(first=one, second=two)
            for one, two in common
            if one.grade != two.grade
        ),
        tests=_test(counted, strata, replicates, seed) if counted else None,
    )


def _strata(
    pairs: Sequence[tuple[GradedPair, GradedPair]],
    outcomes: tuple[PromptOutcomes | None, PromptOutcomes | None],
) -> tuple[list[_Stratum], int]:
    """One stratum per prompt where both scans have the same ones, else per pair."""
    strata: list[_Stratum] = []
    by_prompt = 0
    for index, (one, two) in enumerate(pairs):
        prompts = _matched(one, two, outcomes)
        if prompts is None:
            strata.append(
                _Stratum(
                    pair=index,
                    passed=(_count(one.pair.passed), _count(two.pair.passed)),
                    total=(
                        _count(one.pair.total_evaluated),
                        _count(two.pair.total_evaluated),
                    ),
                )
            )
            continue
        by_prompt += 1
        strata += [
            _Stratum(pair=index, passed=passed, total=total)
            for passed, total in prompts
        ]
    return strata, by_prompt


def _matched(
    one: GradedPair,
    two: GradedPair,
    outcomes: tuple[PromptOutcomes | None, PromptOutcomes | None],
) -> list[tuple[tuple[int, int], tuple[int, int]]] | None:
    """Counts per prompt, None where the attempts do not account for the counts."""
    if outcomes[0] is None or outcomes[1] is None:
        return None
    first, second = outcomes[0].get(one.name), outcomes[1].get(two.name)
    if first is None or second is None or first.keys() != second.keys():
        return None
    for found, graded in ((first, one), (second, two)):
        if sum(o.total for o in found.values()) != graded.pair.total_evaluated:
            return None
        if sum(o.passed for o in found.values()) != graded.pair.passed:
            return None
    return [
        (
            (first[prompt].passed, second[prompt].passed),
            (first[prompt].total, second[prompt].total),
        )
        for prompt in first
    ]


def _count(value: int | None) -> int:
    assert value is not None
    return value


def _test(
    pairs: Sequence[tuple[GradedPair, GradedPair]],
    strata: Sequence[_Stratum],
    replicates: int,
    seed: int,
) -> TestResults:
    pooled = np.zeros(len(pairs), dtype=np.int64)
    expected = np.zeros(len(pairs))
    variance = np.zeros(len(pairs))
    for stratum in strata:
        mean, spread = _hypergeometric_moments(stratum)
        pooled[stratum.pair] += sum(stratum.passed)
        expected[stratum.pair] += mean
        variance[stratum.pair] += spread
    observed = np.array([_count(two.pair.passed) for _, two in pairs], dtype=np.int64)
    permuted = _permuted_counts(strata, len(pairs), replicates, seed)

    deviation = np.sqrt(np.where(variance > 0, variance, 1.0))
    z_observed = (observed - expected) / deviation
    z_permuted = (permuted - expected) / deviation
    total_variance = float(variance.sum())
    cmh_z = (
        float((observed - expected).sum() / math.sqrt(total_variance))
        if total_variance > 0
        else 0.0
    )
    largest = int(np.argmax(np.abs(z_observed)))
    score_p = _score_p_values(pairs, observed, pooled, permuted)
    one_sided = [
        0.5 * math.erfc(-cmh_z / math.sqrt(2)),
        _share_at_least(-z_permuted.min(axis=1), -float(z_observed.min())),
    ]
    if score_p is not None:
        one_sided.append(score_p[1])
    return TestResults(
        p_score=None if score_p is None else score_p[0],
        cmh_z=cmh_z,
        p_cmh=math.erfc(abs(cmh_z) / math.sqrt(2)),
        largest_z=float(z_observed[largest]),
        p_largest_z=_share_at_least(
            np.abs(z_permuted).max(axis=1), float(abs(z_observed[largest]))
        ),
        largest_pair=pairs[largest][1].name,
        p_worse=min(1.0, TESTS * min(one_sided)),
    )


def _hypergeometric_moments(stratum: _Stratum) -> tuple[float, float]:
    """Mean and variance of the second scan's pass count, given the margins."""
    passed, total = sum(stratum.passed), sum(stratum.total)
    if total < 2:
        return float(stratum.passed[1]), 0.0
    mean = stratum.total[1] * passed / total
    variance = stratum.total[0] * stratum.total[1] * passed * (total - passed)
    return mean, variance / (total**2 * (total - 1))


def _permuted_counts(
    strata: Iterable[_Stratum], pairs: int, replicates: int, seed: int
) -> Counts:
    """Pass counts of the second scan under permutation; replicates by pairs."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((replicates, pairs), dtype=np.int64)
    alike: dict[tuple[int, int, int, int], int] = {}
    for stratum in strata:
        key = (stratum.pair, sum(stratum.passed), *stratum.total)
        alike[key] = alike.get(key, 0) + 1
    for (pair, passed, total1, total2), times in alike.items():
        failed = total1 + total2 - passed
        if not passed or not total2:
            continue
        if not failed or not total1:
            counts[:, pair] += times * min(passed, total2)
        elif total1 == total2 == 1:
            # one pass and one hit on a prompt: a fair coin decides whose it is
            counts[:, pair] += rng.binomial(times, 0.5, replicates)
        else:
            for _ in range(times):
                counts[:, pair] += rng.hypergeometric(
                    passed, failed, total2, replicates
                )
    return counts


def _score_p_values(
    pairs: Sequence[tuple[GradedPair, GradedPair]],
    observed: Counts,
    pooled: Counts,
    permuted: Counts,
) -> tuple[float, float] | None:
    """Two-sided p, and one-sided p for a lower second score."""
    if not all(pair.grades_by_count_known for both in pairs for pair in both):
        return None
    first = [one for one, _ in pairs]
    second = [two for _, two in pairs]

    def difference(counts: Counts) -> Floats:
        return _raw_scores(second, counts) - _raw_scores(first, pooled - counts)

    actual = float(difference(observed[np.newaxis, :])[0])
    under_null = difference(permuted)
    return (
        _share_at_least(np.abs(under_null), abs(actual)),
        _share_at_least(-under_null, -actual),
    )


def _raw_scores(pairs: Sequence[GradedPair], counts: Counts) -> Floats:
    """Unrounded scores for rows of pass counts, one column per pair."""
    units = np.zeros(counts.shape)
    for column, pair in enumerate(pairs):
        edges = np.array([lowest_count(pair, grade) for grade in (2, 3, 4, 5)])
        grades = 1 + (counts[:, column, np.newaxis] >= edges).sum(axis=1)
        units[:, column] = COMMON_MULTIPLE / grades
    means, weights = [], []
    for tier, weight in ((1, 2.0), (2, 1.0)):
        columns = [i for i, pair in enumerate(pairs) if pair.tier == tier]
        if columns:
            sums = units[:, columns].sum(axis=1)
            means.append(COMMON_MULTIPLE * len(columns) / sums)
            weights.append(weight)
    return np.average(np.array(means), axis=0, weights=weights)


def _share_at_least(values: Floats, observed: float) -> float:
    """Permutation p-value: ties count, and the observed one is among them."""
    reached = int((values >= observed - 1e-9).sum())
    return (1 + reached) / (1 + len(values))
