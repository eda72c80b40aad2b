# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Many scans over time: one line per target, and targets beside each other.

What changed in a scan against the one before is told by the tests of ``compare``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import attrgetter

from garak_tbsa.comparison_in_words import headline
from garak_tbsa.gates.options import DEFAULT_ALPHA
from garak_tbsa.statistics import compare
from garak_tbsa.statistics.exchange import NO_ATTEMPTS, needed_permutations
from garak_tbsa.tbsa.checksum import part_differences
from garak_tbsa.tbsa.scan import Scan as ScoredScan
from garak_tbsa.tbsa.scan import common_names, over_common_pairs
from garak_tbsa.unavailable import Unavailable

NO_COMMON_PAIR = Unavailable(reason="no pair is in both scans with the same tier")


@dataclass(frozen=True, kw_only=True, slots=True)
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
    common_pairs: int | None = None
    differences: tuple[str, ...] = ()
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


def change_between(
    first: ScoredScan,
    second: ScoredScan,
    *,
    tested: bool,
    outcomes: compare.BothOutcomes = (NO_ATTEMPTS, NO_ATTEMPTS),
) -> Change | Unavailable:
    """Compare a scan with the one before.

    Parameters
    ----------
    first, second : ScoredScan
        Before and after.
    tested : bool
        Whether the change is tested.
    outcomes : tuple of two (Outcomes or Unavailable)
        Per prompt, where the attempts were read.

    Notes
    -----
    The tests are those of ``compare``, with its permutations; where the checksums
    differ, those of ``compare --common``.
    """
    differences = part_differences(first.checksum, second.checksum)
    before, after, common = first.tbsa, second.tbsa, None
    if differences:
        common = len(common_names(first, second))
        if not common:
            return NO_COMMON_PAIR
        narrowed = over_common_pairs(first, second)
        before, after = narrowed.first.tbsa, narrowed.second.tbsa
    change = Change(
        before=before,
        after=after,
        common_pairs=common,
        differences=tuple(f"{each.part} ({each.text})" for each in differences),
    )
    if not tested:
        return change
    permutations = needed_permutations(DEFAULT_ALPHA)
    comparison = compare.compare(
        first,
        second,
        outcomes=outcomes,
        common=common is not None,
        replicates=permutations,
    )
    tests = comparison.tests
    return replace(
        change,
        verdict=comparison.verdict(DEFAULT_ALPHA),
        p_worse=None if tests is None else tests.p_worse,
        p_better=None if tests is None else tests.p_better,
        permutations=None if tests is None else permutations,
        pairs_by_attempts=comparison.compared - len(comparison.exchange.unmatched),
        because=headline(comparison, DEFAULT_ALPHA),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
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
    gaps : tuple of str
        What was not measured; such a scan is not called the best.
    not_covered : str or None
        What the checksum of an aggregate may not cover.
    change : Change, Unavailable or None
        Against the scan before; None where there is none.
    """

    source: str
    run_uuid: str | None
    target: str
    start_time: str | None
    checksum: str
    garak_version: str | None
    tbsa: float
    lower: float | None = None
    upper: float | None = None
    pairs: int
    left_out: int
    partial: bool
    gaps: tuple[str, ...] = ()
    not_covered: str | None = None
    change: Change | Unavailable | None = None

    def compares_with(self, other: Scan) -> bool:
        """Whether two scans of a target can be compared as they are."""
        return self.checksum == other.checksum


def to_scan(assessment: ScoredScan) -> Scan:
    """Return what a history keeps of a scored report, without a range."""
    report = assessment.report
    return Scan(
        source=report.source,
        run_uuid=report.run_uuid,
        target=report.target,
        start_time=report.start_time,
        checksum=assessment.checksum.text,
        garak_version=report.garak_version,
        tbsa=assessment.tbsa,
        pairs=assessment.contributing,
        left_out=len(assessment.left_out),
        partial=report.is_partial,
        gaps=assessment.gaps,
        not_covered=report.not_covered,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class NotScored:
    """A report without a score.

    Attributes
    ----------
    path : str
    problem : str
        What is wrong, without the path.
    advice : str
        What to do; empty where the problem says it.
    """

    path: str
    problem: str
    advice: str

    @property
    def kind(self) -> str:
        """The problem without what differs from report to report."""
        return re.sub(r"[^\s;,]*[\d+/]+[^\s;,]*", "#", self.problem)


@dataclass(frozen=True, kw_only=True)
class TargetHistory:
    """The scans of one target.

    Attributes
    ----------
    target : str
    scans : tuple of Scan
        At least one, oldest first.
    """

    target: str
    scans: tuple[Scan, ...]

    @property
    def changes(self) -> tuple[Change | Unavailable | None, ...]:
        """What changed in each scan against the one before; None for the first."""
        return tuple(scan.change for scan in self.scans)

    @property
    def latest(self) -> Scan:
        """The scan that began last."""
        return self.scans[-1]

    @cached_property
    def best(self) -> Scan:
        """The highest score under the latest checksum, the newest of equals.

        Of scans that measured all, if there is one.
        """
        comparable = filter(self.latest.compares_with, reversed(self.scans))
        return max(comparable, key=lambda scan: (not scan.gaps, scan.tbsa))

    def mark(self, scan: Scan) -> str:
        """Say whether a scan is the latest, and the best of several that compare."""
        marks = ["latest"] * (scan is self.latest and len(self.scans) > 1)
        is_best = scan is self.best and not scan.gaps
        if is_best and sum(map(scan.compares_with, self.scans)) > 1:
            marks.append("best")
        return ", ".join(marks)


def by_target(scans: Iterable[Scan]) -> tuple[TargetHistory, ...]:
    """Group scans by target, each group oldest first, targets by name."""
    ordered = sorted(
        scans, key=lambda scan: (scan.target, scan.start_time or "", scan.source)
    )
    return tuple(
        TargetHistory(target=target, scans=tuple(group))
        for target, group in groupby(ordered, key=attrgetter("target"))
    )


@dataclass(frozen=True, kw_only=True, slots=True)
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


@dataclass(frozen=True, kw_only=True, slots=True)
class League:
    """Several targets whose scans have the same checksum, best first."""

    checksum: str
    standings: tuple[Standing, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """All that is known of many reports.

    Attributes
    ----------
    folder : str
        What the reports are below.
    reports : int
        How many there are.
    targets : tuple of TargetHistory
        Each target with its scans, by name.
    not_scored : tuple of NotScored
        The reports without a score, each with its problem and what to do.
    warnings : tuple of str
        What was left out of folders, one line each.
    """

    folder: str
    reports: int
    targets: tuple[TargetHistory, ...]
    not_scored: tuple[NotScored, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def scans(self) -> tuple[Scan, ...]:
        """All scans, targets by name, each oldest first."""
        return tuple(scan for target in self.targets for scan in target.scans)

    @property
    def leagues(self) -> tuple[League, ...]:
        """Targets ranked by their latest scans, for each checksum that several have."""
        found: dict[str, list[TargetHistory]] = {}
        checksum_of = attrgetter("checksum")
        for target in self.targets:
            scans = sorted(target.scans, key=checksum_of)
            for checksum, own in groupby(scans, key=checksum_of):
                of_target = TargetHistory(target=target.target, scans=tuple(own))
                found.setdefault(checksum, []).append(of_target)
        return tuple(
            League(checksum=checksum, standings=_standings(targets))
            for checksum, targets in sorted(found.items(), key=lambda item: item[0])
            if len(targets) > 1
        )


def _standings(targets: Sequence[TargetHistory]) -> tuple[Standing, ...]:
    ordered = sorted(targets, key=lambda each: (-each.latest.tbsa, each.target))
    scores = [each.latest.tbsa for each in ordered]
    return tuple(
        Standing(rank=1 + scores.index(score), latest=each.latest, best=each.best)
        for score, each in zip(scores, ordered, strict=True)
    )
