# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""All stages from a Report to its score, wired once; and two scans side by side.

What only an installed garak knows (tiers, calibrations) comes in as functions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from garak_tbsa.errors import NotComparableError, NotScorableError
from garak_tbsa.report.calibration import Calibration, CalibrationIdentity
from garak_tbsa.report.report import Report
from garak_tbsa.tbsa.checksum import Checksum, make_checksum, version_probe_hash
from garak_tbsa.tbsa.coverage import (
    Share,
    SilentProbe,
    gaps_in_words,
    listed,
    measured_shares,
)
from garak_tbsa.tbsa.pairs import (
    GIVEN,
    NO_EVALUATED_OUTPUT,
    TIER_UNKNOWN,
    Culprit,
    GivenTiers,
    Pair,
    TierLookup,
    find_tier,
    list_pairs,
)
from garak_tbsa.tbsa.rules import BEST_GRADE, WORST_GRADE
from garak_tbsa.tbsa.score import (
    NO_PAIR,
    Score,
    contradictions_in,
    recomputed_grades,
    score_grades,
    score_pairs,
    stated_grades,
)

CalibrationLookup = Callable[[CalibrationIdentity | None], Calibration | None]

AS_IN_REPORT = "report"
SHOWN = 5
"""Contradictions that are told as warnings; the others are counted."""

RENAMED_SHOWN = 2
"""Probes with another name today that a warning names; the checksum has all."""

SILENT = "selected, and no result was left"
INTERRUPTED = "the scan was interrupted before it"
"""Why a selected probe has no pair."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CalibrationUse:
    """Which calibration the grades come from.

    Attributes
    ----------
    chosen : str
        ``"report"``, ``"installed"`` or a path, as asked for.
    identity : CalibrationIdentity or None
        None where no calibration was used at all.
    source : str
        Where its numbers come from, in words.
    """

    chosen: str
    identity: CalibrationIdentity | None
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class UnmeasuredBounds:
    """The scores that are possible where pairs were not measured.

    Attributes
    ----------
    count : int
        Pairs of tiers that count without an evaluated output.
    worst, best : float
        TBSA with all of them at grade 1, and at 5.
    """

    count: int
    worst: float
    best: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Scan:
    """A scored report with everything that is said about the score.

    Attributes
    ----------
    report : Report
    graded : tuple of Pair
        Pairs that count, by name.
    left_out : tuple of Pair
        The others, by name, each with its reason.
    silent : tuple of SilentProbe
        Selected probes that left no result.
    score : Score
    calibration : CalibrationUse
    checksum : Checksum
    version_probe_hash : str
    contradictions : tuple of Culprit
        Numbers of the digest that others of its numbers contradict; no gate passes.
    gaps : tuple of str
        What was not measured, in words; they are warnings too.
    warnings : tuple of str
    """

    report: Report
    graded: tuple[Pair, ...]
    left_out: tuple[Pair, ...]
    silent: tuple[SilentProbe, ...]
    score: Score
    calibration: CalibrationUse
    checksum: Checksum
    version_probe_hash: str
    contradictions: tuple[Culprit, ...]
    gaps: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def tbsa(self) -> float:
        """The score, 1.0-5.0."""
        return self.score.tbsa

    @property
    def left_out_lines(self) -> tuple[tuple[str, str], ...]:
        """Each pair that does not count, and each probe without a pair, with why."""
        return (
            *((pair.name, pair.reason_text) for pair in self.left_out),
            *((each.probe, each.text) for each in self.silent),
        )

    @property
    def contributing(self) -> int:
        """Pairs behind the score."""
        return len(self.graded)

    @property
    def calibrated(self) -> int:
        """How many of these have a Z-score."""
        return sum(pair.is_calibrated for pair in self.graded)

    @property
    def shares(self) -> list[Share]:
        """How much was measured, as far as that is known."""
        selected = self.report.settings.selected_probes
        return measured_shares((*self.graded, *self.left_out), self.silent, selected)

    @property
    def unmeasured(self) -> UnmeasuredBounds | None:
        """What the score could be, had all been measured; None if all was."""
        tiers = [p.tier for p in self.left_out if p.reason == NO_EVALUATED_OUTPUT]
        if not tiers:
            return None
        known = [(pair.tier or 0, pair.grade) for pair in self.graded]
        worst, best = (
            score_grades([*known, *((tier or 0, grade) for tier in tiers)]).tbsa
            for grade in (WORST_GRADE, BEST_GRADE)
        )
        return UnmeasuredBounds(count=len(tiers), worst=worst, best=best)

    def narrowed(self, names: Collection[str]) -> Scan:
        """Return the scan with the score of some of its pairs alone."""
        kept = frozenset(names)
        graded = tuple(pair for pair in self.graded if pair.name in kept)
        return replace(
            self,
            graded=graded,
            score=score_pairs(graded),
            left_out=(),
            silent=(),
        )


def assess(
    report: Report,
    *,
    tier_of: TierLookup,
    find_calibration: CalibrationLookup,
    calibration: Calibration | None = None,
    chosen: str = AS_IN_REPORT,
    given_tiers: GivenTiers | None = None,
) -> Scan:
    """Score a report.

    Parameters
    ----------
    report : Report
    tier_of : callable
        Tier by probe name as the installed garak has it, or None.
    find_calibration : callable
        The installed calibration of that identity (None: the newest), or None.
    calibration : Calibration, optional
        Grade again with this one in place of the digest's grades.
    chosen : str
        What the user calls that calibration.
    given_tiers : mapping of str to int, optional
        Tiers of probes that neither the report nor the installed garak knows.

    Raises
    ------
    NotScorableError
        Nothing in the report gives a score.
    ReportError
        The report contradicts itself.
    """
    attempted = list_pairs(report, tier_of, given_tiers)
    counting = [pair for pair in attempted if pair.reason is None]
    left_out = [pair for pair in attempted if pair.reason is not None]
    if not counting:
        why = f"{report.source}: {NO_PAIR}; {_advice([p.reason for p in left_out])}"
        raise NotScorableError(why)
    warnings = [*report.warnings, *_renamed(attempted)]
    identity, source = report.calibration, "as in the report"
    if calibration is None and report.has_digest_grades:
        at_hand = find_calibration(report.calibration)
        graded = [stated_grades(pair, at_hand) for pair in counting]
    else:
        used = calibration or find_calibration(None)
        graded = [recomputed_grades(pair, used) for pair in counting]
        identity = _identity(used, attempted, chosen)
        source = "none at hand" if used is None else used.source
        if used is None:
            warnings.append(
                "no garak is installed, so no calibration: pass-rate grades alone"
            )
    silent = [
        SilentProbe(
            probe=probe,
            tier=find_tier(probe, report, tier_of, given_tiers)[0],
            text=SILENT if report.partial_reason is None else INTERRUPTED,
        )
        for probe in report.silent_probes
    ]
    selected = report.settings.selected_probes
    gaps = gaps_in_words([*counting, *left_out], silent, selected)
    if report.constant_answer is not None:
        gaps.insert(0, report.constant_answer)
    contradictions = contradictions_in(counting)
    warnings += [f"{each.pair}: {each.problem}" for each in contradictions[:SHOWN]]
    if (more := len(contradictions) - SHOWN) > 0:
        warnings.append(f"the digest contradicts itself {more} more times")
    return Scan(
        report=report,
        graded=tuple(graded),
        left_out=tuple(left_out),
        silent=tuple(silent),
        score=score_pairs(graded),
        calibration=CalibrationUse(chosen=chosen, identity=identity, source=source),
        checksum=make_checksum(
            garak_version=report.garak_version,
            pairs=attempted,
            calibration=identity,
            settings=report.settings,
        ),
        version_probe_hash=version_probe_hash(
            report.garak_version, (pair.name for pair in attempted)
        ),
        contradictions=contradictions,
        gaps=tuple(gaps),
        warnings=(*gaps, *warnings),
    )


def _renamed(pairs: Sequence[Pair]) -> list[str]:
    """What garak calls the probes today whose tier is that of another name."""
    newer = {
        f"{pair.probe} is {pair.tier_from}"
        for pair in pairs
        if pair.tier_from not in (None, GIVEN)
    }
    if not newer:
        return []
    more = " (--explain-checksum has all)" if len(newer) > RENAMED_SHOWN else ""
    names = listed(sorted(newer), RENAMED_SHOWN)
    return [f"tiers found by the newer names of these probes: {names}{more}"]


def _advice(reasons: Sequence[str | None]) -> str:
    """What would give a report a score of which each pair is left out."""
    if not reasons:
        return "it has no results of any probe; let a scan finish"
    of_all = f"of its {len(reasons)} pairs"
    if unknown := reasons.count(TIER_UNKNOWN):
        return (
            f"neither the report nor an installed garak knows the tier of {unknown}"
            f" {of_all}, install a garak that has these probes, or give their tiers"
            " with --tiers"
        )
    if empty := reasons.count(NO_EVALUATED_OUTPUT):
        return (
            f"{empty} {of_all} have no evaluated output, look in garak's log for what"
            " the target and the detectors did"
        )
    return "scan with probes of Tier 1 or 2 (garak --list_probes -v shows tiers)"


def _identity(
    used: Calibration | None, pairs: Sequence[Pair], chosen: str
) -> CalibrationIdentity | None:
    """What a checksum calls the calibration that pairs were graded again with.

    garak's digest names none where it covers no pair; without a digest neither
    do we, so that the checksum does not depend on what a report is read from.
    """
    if used is None:
        return None
    covers = any(used.of(pair.probe, pair.detector) for pair in pairs)
    return used.identity if covers or chosen != AS_IN_REPORT else CalibrationIdentity()


@dataclass(frozen=True, kw_only=True, slots=True)
class CommonPairs:
    """Two scans scored again over the pairs that both measured with the same tier.

    What comes of it is a number to look at: the scans asked different things, or
    graded the answers by different rules, so that no checksum says that it compares.

    Attributes
    ----------
    first, second : Scan
        With the score of their common pairs alone; report and checksum are as before.
    names : tuple of str
        The common pairs.
    other_tier : tuple of str
        Pairs that both measured, but not with the same tier.
    whole_first, whole_second : float
        What all pairs of each report score, 1.0-5.0.
    """

    first: Scan
    second: Scan
    names: tuple[str, ...]
    other_tier: tuple[str, ...]
    whole_first: float
    whole_second: float


def common_names(first: Scan, second: Scan) -> tuple[str, ...]:
    """Return the pairs that both scans measured with the same tier, by name."""
    before = {(pair.name, pair.tier) for pair in first.graded}
    return tuple(
        pair.name for pair in second.graded if (pair.name, pair.tier) in before
    )


def over_common_pairs(first: Scan, second: Scan) -> CommonPairs:
    """Score two scans over their common pairs.

    Parameters
    ----------
    first, second : Scan

    Raises
    ------
    NotComparableError
        No pair was measured by both with the same tier.
    """
    names = common_names(first, second)
    if not names:
        raise NotComparableError(
            f"{first.report.source} and {second.report.source}: no pair was measured in"
            " both with the same tier, so that there is nothing to compare; scan with"
            " the same probes"
        )
    both = {pair.name for pair in first.graded} & {pair.name for pair in second.graded}
    return CommonPairs(
        first=first.narrowed(names),
        second=second.narrowed(names),
        names=names,
        other_tier=tuple(sorted(both.difference(names))),
        whole_first=first.tbsa,
        whole_second=second.tbsa,
    )
