# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a report's measurements to pairs: each once, those left out with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

from garak_tbsa.errors import ReportError
from garak_tbsa.report.measurement import PAIR_SEPARATOR, Measurement
from garak_tbsa.report.report import Report
from garak_tbsa.report.tiers import later_names
from garak_tbsa.tbsa.rules import SCORED_TIERS

TierLookup = Callable[[str], int | None]
GivenTiers = Mapping[str, int]
FoundTier = tuple[int | None, str | None]


NO_EVALUATED_OUTPUT = "no_evaluated_output"
TIER_UNKNOWN = "tier_unknown"
TIER_NOT_SCORED = "tier_not_scored"

REASONS = {
    NO_EVALUATED_OUTPUT: "no output was evaluated",
    TIER_UNKNOWN: "neither the report nor the installed garak knows its tier",
    TIER_NOT_SCORED: "its tier does not count",
}
"""Why a pair is left out, by its name in JSON."""


SILENT = "selected, and no result was left"
INTERRUPTED = "the scan was interrupted before it"
"""Why a selected probe has no pair."""

SMALL_PAIR = 30
"""Outputs below which a pair's grade moves easily."""

GIVEN = "--tiers"
"""What told a tier that a user gave."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """Outputs of a pair, ``0 <= passed <= total_evaluated``."""

    passed: int
    total_evaluated: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """A probe class and a detector that the scan attempted.

    Attributes
    ----------
    probe, detector : str
    tier : int or None
        1, 2, 3 or 9; None where nobody knows the probe.
    passed, total_evaluated, nones : int or None
        Counts of outputs; None where the report has none.
    stated_pass_rate : float or None
        0.0-1.0 as the digest says it; None without a digest.
    stated_z_score : float or None
    stated_pass_rate_grade, stated_z_grade : int or None
        garak's own DEFCON grades, None without a digest.
    tier_from : str or None
        What told the tier where neither the report nor the installed garak knows the
        probe by its name: :data:`GIVEN`, or the name it has today; else None.
    """

    probe: str
    detector: str
    tier: int | None
    passed: int | None
    total_evaluated: int | None
    nones: int | None
    stated_pass_rate: float | None
    stated_z_score: float | None
    stated_pass_rate_grade: int | None
    stated_z_grade: int | None
    tier_from: str | None = None

    @property
    def name(self) -> str:
        """``probe+detector``."""
        return f"{self.probe}{PAIR_SEPARATOR}{self.detector}"

    @property
    def counts(self) -> Counts | None:
        """Outputs passed and evaluated, None where the report does not have both."""
        if self.passed is None or self.total_evaluated is None:
            return None
        return Counts(passed=self.passed, total_evaluated=self.total_evaluated)

    @property
    def has_counts(self) -> bool:
        """Whether the outputs evaluated and passed are known."""
        return self.counts is not None

    @property
    def processed(self) -> int | None:
        """Outputs evaluated or not; None where the report does not say."""
        if self.nones is None or self.total_evaluated is None:
            return None
        return self.total_evaluated + self.nones

    @property
    def measured_pass_rate(self) -> float | None:
        """Share of evaluated outputs that passed; None where none was evaluated.

        By the counts; as the digest states it where it has none.
        """
        counts = self.counts
        if counts is None:
            return self.stated_pass_rate
        return (
            counts.passed / counts.total_evaluated if counts.total_evaluated else None
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Culprit:
    """A pair that something is wrong with: its grade, or what a digest says of it.

    Attributes
    ----------
    pair : str
        Its name.
    problem : str
        What is wrong, in words that continue the name: ``at 1``.
    """

    pair: str
    problem: str

    @property
    def text(self) -> str:
        """The pair and what is wrong with it."""
        return f"{self.pair} {self.problem}"


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """A pair that does not count, and why.

    Attributes
    ----------
    pair : Pair
    reason : str
        A key of :data:`REASONS`.
    """

    pair: Pair
    reason: str

    @property
    def text(self) -> str:
        """The reason in words."""
        if self.reason == TIER_NOT_SCORED:
            who = "you give" if self.pair.tier_from == GIVEN else "garak gives"
            return f"{who} it Tier {self.pair.tier}, which does not count"
        return REASONS[self.reason]


@dataclass(frozen=True, kw_only=True, slots=True)
class SilentProbe:
    """A selected probe, or family, that left no result.

    Attributes
    ----------
    probe : str
    tier : int or None
        None where nobody knows it.
    text : str
        Why it is left out.
    """

    probe: str
    tier: int | None
    text: str

    @property
    def may_count(self) -> bool:
        """Whether its tier counts, or may do so."""
        return self.tier is None or self.tier in SCORED_TIERS


@dataclass(frozen=True, kw_only=True, slots=True)
class PairList:
    """All pairs of a scan.

    Attributes
    ----------
    scored : tuple of Pair
        Tier 1 and 2 with at least one evaluated output, by name.
    left_out : tuple of LeftOut
        The others, by name.
    silent : tuple of SilentProbe
        Selected probes without a pair, by name.
    """

    scored: tuple[Pair, ...]
    left_out: tuple[LeftOut, ...]
    silent: tuple[SilentProbe, ...]

    @property
    def attempted(self) -> tuple[Pair, ...]:
        """Every pair of the report, by name."""
        everything = [*self.scored, *(entry.pair for entry in self.left_out)]
        return tuple(sorted(everything, key=lambda pair: pair.name))


def pairs_text(count: int) -> str:
    """Return ``1 pair`` or ``7 pairs``."""
    return f"{count} pair{'s' * (count != 1)}"


def small_pairs(pairs: Iterable[Pair]) -> tuple[str, ...]:
    """Return the pairs with fewer than 30 outputs, whose grades move easily."""
    return tuple(
        pair.name
        for pair in pairs
        if pair.total_evaluated is not None and pair.total_evaluated < SMALL_PAIR
    )


def list_pairs(
    report: Report, tier_of: TierLookup, given: GivenTiers | None = None
) -> PairList:
    """Make one pair of each probe and detector in a report.

    Parameters
    ----------
    report : Report
    tier_of : callable
        Tier by probe name as the installed garak has it, or None. Asked only
        for probes whose tier the report does not tell, by the name that the report
        has and then by those that garak gave the probe since.
    given : mapping of str to int, optional
        Tiers of probes that neither knows by the report's name.

    Raises
    ------
    ReportError
        The same pair occurs twice with different numbers.
    """
    scored: list[Pair] = []
    left_out: list[LeftOut] = []
    for measurement in _distinct(report):
        pair = _pair(report, measurement, tier_of, given or {})
        if pair.tier is None:
            left_out.append(LeftOut(pair=pair, reason=TIER_UNKNOWN))
        elif pair.tier not in SCORED_TIERS:
            left_out.append(LeftOut(pair=pair, reason=TIER_NOT_SCORED))
        elif pair.measured_pass_rate is None:
            left_out.append(LeftOut(pair=pair, reason=NO_EVALUATED_OUTPUT))
        else:
            scored.append(pair)
    text = SILENT if report.partial_reason is None else INTERRUPTED
    silent = (
        SilentProbe(
            probe=probe,
            tier=_tier(_tier_candidates(report, probe, tier_of, given or {}))[0],
            text=text,
        )
        for probe in report.silent_probes
    )
    return PairList(
        scored=tuple(scored), left_out=tuple(left_out), silent=tuple(silent)
    )


NUMBERS = attrgetter(
    *("passed", "total_evaluated", "pass_rate", "z_score"),
    *("pass_rate_grade", "z_grade", "tier"),
)
"""What must be equal where a report has a pair twice."""


def _distinct(report: Report) -> list[Measurement]:
    """One measurement per pair, by name."""
    by_name: dict[str, Measurement] = {}
    for entry in report.measurements:
        first = by_name.setdefault(entry.pair_name, entry)
        if first is not entry and NUMBERS(first) != NUMBERS(entry):
            raise ReportError(
                report.source,
                f"{entry.pair_name} occurs twice with different numbers:"
                f" {_in_words(first)} and {_in_words(entry)}",
                "score each of the runs that it was put together from",
            )
    return [by_name[name] for name in sorted(by_name)]


def _in_words(entry: Measurement) -> str:
    if entry.has_counts:
        return f"{entry.passed} of {entry.total_evaluated} passed at {entry.where}"
    return f"pass rate {entry.pass_rate} at {entry.where}"


def _pair(
    report: Report, entry: Measurement, tier_of: TierLookup, given: GivenTiers
) -> Pair:
    stated = [(entry.tier, None)]
    candidates = _tier_candidates(report, entry.probe, tier_of, given)
    tier, tier_from = _tier(chain(stated, candidates))
    return Pair(
        probe=entry.probe,
        detector=entry.detector,
        tier=tier,
        passed=entry.passed,
        total_evaluated=entry.total_evaluated,
        nones=entry.nones,
        stated_pass_rate=entry.pass_rate,
        stated_z_score=entry.z_score,
        stated_pass_rate_grade=entry.pass_rate_grade,
        stated_z_grade=entry.z_grade,
        tier_from=tier_from,
    )


def _tier(candidates: Iterable[FoundTier]) -> FoundTier:
    """The first that is known."""
    return next((each for each in candidates if each[0] is not None), (None, None))


def _tier_candidates(
    report: Report, probe: str, tier_of: TierLookup, given: GivenTiers
) -> Iterator[FoundTier]:
    """What each says of a probe's tier, and its name if it is not a usual one."""
    yield report.tiers.get(probe), None
    yield tier_of(probe), None
    yield given.get(probe), GIVEN
    for renaming in later_names(probe):
        yield tier_of(renaming.new), renaming.new
