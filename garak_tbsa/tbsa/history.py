# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Many scored reports over time: one line per target, and targets beside each other."""

from __future__ import annotations

from itertools import pairwise

from garak_tbsa.lean.record import record
from garak_tbsa.statistics.exchange import NO_ATTEMPTS, needed_permutations
from garak_tbsa.statistics.scan_repeat import repeat_of_scan
from garak_tbsa.tbsa.common_pairs import common_names, over_common_pairs
from garak_tbsa.tbsa.compare import compare
from garak_tbsa.tbsa.part_differences import part_differences
from garak_tbsa.tbsa.score import DOCUMENTED
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.compare import BothOutcomes

NO_COMMON_PAIR = Unavailable(reason="no pair is in both scans with the same tier")
ANOTHER_FORMULA = Unavailable(
    reason="the checksums differ, and common pairs are scored by the documented"
    " formula alone"
)


@record
class Scan:
    """One scored scan of a history.

    Attributes
    ----------
    source : str
    run_uuid : str or None
    target : str
        Type and name.
    start_time : str or None
        As garak wrote it (ISO 8601).
    checksum : str
    garak_version : str or None
    tbsa : float
        1.0-5.0.
    lower, upper : float or None
        Range of a repeat (95 %); None where it is not known or was not asked for.
    pairs, left_out : int
    partial : bool
    merged_from : tuple of str
        The reports that hold its parts; empty where one report holds it.
    """

    source: str
    run_uuid: str | None
    target: str
    start_time: str | None
    checksum: str
    garak_version: str | None
    tbsa: float
    lower: float | None
    upper: float | None
    pairs: int
    left_out: int
    partial: bool
    merged_from: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The reports that it is read from."""
        return self.merged_from or (self.source,)


@record
class Change:
    """What changed in a scan against the one before of the same target.

    Attributes
    ----------
    before, after : float
        The scores that compare: of the scans as they are where their checksums are
        equal, else of their common pairs.
    common_pairs : int or None
        Pairs that both measured with the same tier, where only these compare; None
        for equal checksums.
    differences : tuple of str
        What differs between the checksums.
    verdict : str or None
        One of ``compare.VERDICTS``; None where no test was asked for.
    p_worse, p_better : float or None
    permutations : int or None
        How many the p-values come from.
    pairs_by_attempts : int
        Pairs of which more than counts was compared.
    because : str or None
        The verdict and what it is due to, in one sentence.
    """

    before: float
    after: float
    common_pairs: int | None
    differences: tuple[str, ...]
    verdict: str | None = None
    p_worse: float | None = None
    p_better: float | None = None
    permutations: int | None = None
    pairs_by_attempts: int = 0
    because: str | None = None

    @property
    def difference(self) -> float:
        """After minus before, in whole tenths."""
        return round(self.after - self.before, 1)


@record
class TargetHistory:
    """The scans of one target, oldest first.

    Attributes
    ----------
    target : str
    scans : tuple of Scan
        At least one.
    changes : tuple of (Change, Unavailable or None)
        One for each scan, against the one before; None for the first.
    best : Scan
        The highest score under the checksum of the latest scan, the newest of equals.
    """

    target: str
    scans: tuple[Scan, ...]
    changes: tuple[Change | Unavailable | None, ...]
    best: Scan

    @property
    def latest(self) -> Scan:
        """The scan that began last."""
        return self.scans[-1]


@record
class Standing:
    """A target's place in a league.

    Attributes
    ----------
    rank : int
        From 1; equal scores share one.
    latest, best : Scan
        Of the target, under the league's checksum.
    """

    rank: int
    latest: Scan
    best: Scan


@record
class League:
    """Several targets whose scans have the same checksum, best first."""

    checksum: str
    standings: tuple[Standing, ...]


def is_same(one: Scan, other: Scan) -> bool:
    """Whether two scans have the same checksum, so that their scores compare."""
    return one.checksum == other.checksum


def to_scan(assessment: Assessment, *, with_interval: bool = True) -> Scan:
    """Return what a history keeps of a scored report."""
    report = assessment.report
    lower = upper = None
    if with_interval:
        repeat = repeat_of_scan(assessment)
        if not isinstance(repeat, Unavailable):
            lower, upper = repeat.prediction_interval
    return Scan(
        source=report.source,
        run_uuid=report.run_uuid,
        target=report.target,
        start_time=report.start_time,
        checksum=assessment.checksum.text,
        garak_version=report.garak_version,
        tbsa=assessment.tbsa,
        lower=lower,
        upper=upper,
        pairs=assessment.contributing,
        left_out=len(assessment.left_out),
        partial=report.is_partial,
        merged_from=tuple(part.source for part in report.parts),
    )


def by_target(scans: Iterable[Scan]) -> dict[str, tuple[Scan, ...]]:
    """Group scans by target, each group oldest first, targets by name."""
    groups: dict[str, list[Scan]] = {}
    for scan in scans:
        groups.setdefault(scan.target, []).append(scan)
    return {
        target: tuple(sorted(groups[target], key=when_begun))
        for target in sorted(groups)
    }


def when_begun(scan: Scan) -> tuple[str, str]:
    """Sort key: by start, then by path."""
    return scan.start_time or "", scan.source


def score_change(first: Scan, second: Scan) -> Change | None:
    """Return the change of two scans whose checksums are equal, None for others."""
    if not is_same(first, second):
        return None
    return Change(
        before=first.tbsa, after=second.tbsa, common_pairs=None, differences=()
    )


def change_between(
    first: Assessment,
    second: Assessment,
    *,
    alpha: float | None,
    outcomes: BothOutcomes = (NO_ATTEMPTS, NO_ATTEMPTS),
) -> Change | Unavailable:
    """Compare a scan with the one before.

    Parameters
    ----------
    first, second : Assessment
        Before and after.
    alpha : float or None
        Level of the verdict; None: no test.
    outcomes : tuple of two (Outcomes or Unavailable)
        Per prompt, where the attempts were read.

    Notes
    -----
    The tests are those of ``compare``, with its permutations.
    """
    differences = part_differences(first.checksum, second.checksum)
    common = len(common_names(first, second)) if differences else None
    if differences and first.formula != DOCUMENTED:
        return ANOTHER_FORMULA
    if common == 0:
        return NO_COMMON_PAIR
    texts = tuple(f"{each.part} ({each.text})" for each in differences)
    if alpha is None:
        if differences:
            narrowed = over_common_pairs(first, second)
            first, second = narrowed.first, narrowed.second
        return Change(
            before=first.tbsa,
            after=second.tbsa,
            common_pairs=common,
            differences=texts,
        )
    permutations = needed_permutations(alpha)
    comparison = compare(
        first,
        second,
        outcomes=outcomes,
        common=bool(differences),
        replicates=permutations,
    )
    tests = comparison.tests
    return Change(
        before=comparison.first.tbsa,
        after=comparison.second.tbsa,
        common_pairs=common,
        differences=texts,
        verdict=comparison.verdict(alpha),
        p_worse=None if tests is None else tests.p_worse,
        p_better=None if tests is None else tests.p_better,
        permutations=None if tests is None else permutations,
        pairs_by_attempts=comparison.compared - len(comparison.exchange.unmatched),
        because=comparison.headline(alpha),
    )


def target_history(
    target: str,
    scans: Sequence[Scan],
    compared: Sequence[Change | Unavailable | None],
) -> TargetHistory:
    """Put a target's scans and their changes together.

    Parameters
    ----------
    target : str
    scans : sequence of Scan
        Oldest first.
    compared : sequence of (Change, Unavailable or None)
        One for each two consecutive scans; None where only the scores compare.
    """
    changes = [
        score_change(first, second) if change is None else change
        for (first, second), change in zip(pairwise(scans), compared, strict=True)
    ]
    comparable = [scan for scan in scans if is_same(scan, scans[-1])]
    return TargetHistory(
        target=target,
        scans=tuple(scans),
        changes=(None, *changes),
        best=max(reversed(comparable), key=lambda scan: scan.tbsa),
    )


def leagues(histories: Iterable[TargetHistory]) -> tuple[League, ...]:
    """Rank targets by their latest scans, for each checksum that several have."""
    found: dict[str, dict[str, list[Scan]]] = {}
    for history in histories:
        for scan in history.scans:
            of_checksum = found.setdefault(scan.checksum, {})
            of_checksum.setdefault(history.target, []).append(scan)
    return tuple(
        _league(checksum, list(found[checksum].values()))
        for checksum in sorted(found)
        if len(found[checksum]) > 1
    )


def _league(checksum: str, targets: Sequence[Sequence[Scan]]) -> League:
    ordered = sorted(targets, key=lambda scans: (-scans[-1].tbsa, scans[-1].target))
    scores = [scans[-1].tbsa for scans in ordered]
    return League(
        checksum=checksum,
        standings=tuple(
            Standing(
                rank=1 + scores.index(scans[-1].tbsa),
                latest=scans[-1],
                best=max(reversed(scans), key=lambda scan: scan.tbsa),
            )
            for scans in ordered
        ),
    )
