# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's pairs: each once, with its tier, and its grades or why it has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter

from msgspec import structs

from garak_tbsa.errors import ReportError
from garak_tbsa.report.calibration import Distribution, later_names
from garak_tbsa.report.report import Report
from garak_tbsa.report.rows import Measurement
from garak_tbsa.tbsa.rules import SCORED_TIERS, lowest

TierLookup = Callable[[str], int | None]
GivenTiers = Mapping[str, int]


NO_EVALUATED_OUTPUT = "no_evaluated_output"
TIER_UNKNOWN = "tier_unknown"
TIER_NOT_SCORED = "tier_not_scored"

NUMBERS = attrgetter(
    *("passed", "total_evaluated", "pass_rate", "z_score"),
    *("pass_rate_grade", "z_grade", "tier"),
)
"""What must be equal where a report has a pair twice."""

REASONS = {
    NO_EVALUATED_OUTPUT: "no output was evaluated",
    TIER_UNKNOWN: "neither the report nor the installed garak knows its tier",
    TIER_NOT_SCORED: "{who} it Tier {tier}, which does not count",
}
"""Why a pair is left out, by its name in JSON."""


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
    stated : Measurement
        What the report says of it: names, counts, and a digest's own grades.
    tier : int or None
        1, 2, 3 or 9; None where nobody knows the probe.
    tier_from : str or None
        What told the tier where neither the report nor the installed garak knows the
        probe by its name: :data:`GIVEN`, or the name it has today; else None.
    reason : str or None
        Why it does not count, a key of :data:`REASONS`; None for a pair that counts,
        which has a tier and a pass rate.
    graded_rate : float or None
        0.0-1.0, the pass rate that was graded; None for a pair left out.
    z_score : float or None
        Distance of the pass rate from the calibration's mean, in standard
        deviations; None for an uncalibrated pair.
    grades : tuple of int or None
        1-5 by each of the grade rules, in their order; None where a rule gives none.
        Empty for a pair left out.
    distribution : Distribution or None
        The calibration's numbers behind ``z_score``, where they are at hand.
    """

    stated: Measurement
    tier: int | None
    tier_from: str | None = None
    reason: str | None = None
    graded_rate: float | None = None
    z_score: float | None = None
    grades: tuple[int | None, ...] = ()
    distribution: Distribution | None = None

    @property
    def probe(self) -> str:
        """Without its category: ``dan.DanInTheWild``."""
        return self.stated.probe

    @property
    def detector(self) -> str:
        """Without its category: ``dan.DAN``."""
        return self.stated.detector

    @property
    def name(self) -> str:
        """``probe+detector``."""
        return self.stated.pair_name

    @property
    def passed(self) -> int | None:
        """Outputs that passed; None where the report does not say."""
        return self.stated.passed

    @property
    def total_evaluated(self) -> int | None:
        """Outputs evaluated; None where the report does not say."""
        return self.stated.total_evaluated

    @property
    def nones(self) -> int | None:
        """Outputs that were not evaluated; None where the report does not say."""
        return self.stated.nones

    @property
    def counts(self) -> Counts:
        """Outputs passed and evaluated, of a pair that has them."""
        assert self.passed is not None
        assert self.total_evaluated is not None
        return Counts(passed=self.passed, total_evaluated=self.total_evaluated)

    @property
    def has_counts(self) -> bool:
        """Whether the outputs evaluated and passed are known."""
        return self.stated.has_counts

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
        if not self.has_counts:
            return self.stated.pass_rate
        counts = self.counts
        total = counts.total_evaluated
        return counts.passed / total if total else None

    @property
    def pass_rate(self) -> float:
        """The pass rate of a pair that counts, 0.0-1.0: the one that was graded."""
        assert self.graded_rate is not None, "a pair left out is not graded"
        return self.graded_rate

    @property
    def reason_text(self) -> str:
        """Why it does not count, in words; empty for a pair that counts."""
        if self.reason is None:
            return ""
        who = "you give" if self.tier_from == GIVEN else "garak gives"
        return REASONS[self.reason].format(who=who, tier=self.tier)

    @property
    def is_calibrated(self) -> bool:
        """Whether there is a Z-score."""
        return self.z_score is not None

    @property
    def pass_rate_grade(self) -> int | None:
        """The grade of the pass rate, 1-5; None for a pair left out."""
        return self.grades[0] if self.grades else None

    @property
    def z_grade(self) -> int | None:
        """The grade of the Z-score, 1-5; None for an uncalibrated pair."""
        return self.grades[1] if self.grades else None

    @property
    def grade(self) -> int:
        """The grade of a pair that counts: the lowest of the grades that exist."""
        return lowest(self.grades)

    def with_counts(self, passed: int | None, total_evaluated: int | None) -> Pair:
        """Return the pair with other counts, and the grades that it had."""
        stated = structs.replace(
            self.stated, passed=passed, total_evaluated=total_evaluated
        )
        return replace(self, stated=stated)

    @property
    def grades_by_count_known(self) -> bool:
        """Whether the grade that another pass count would get can be told."""
        return self.has_counts and (
            not self.is_calibrated or self.distribution is not None
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
) -> list[Pair]:
    """Make one pair of each probe and detector in a report, by name, without grades.

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
    by_name: dict[str, Measurement] = {}
    for entry in report.measurements:
        first = by_name.setdefault(entry.pair_name, entry)
        if NUMBERS(first) != NUMBERS(entry):
            raise ReportError(
                report.source,
                f"{entry.pair_name} occurs twice with different numbers:"
                f" {_in_words(first)} and {_in_words(entry)}",
                "score each of the runs that it was put together from",
            )
    found = []
    for _, stated in sorted(by_name.items()):
        tier, tier_from = stated.tier, None
        if tier is None:
            tier, tier_from = find_tier(stated.probe, report, tier_of, given)
        pair = Pair(stated=stated, tier=tier, tier_from=tier_from)
        reason = None
        if tier is None:
            reason = TIER_UNKNOWN
        elif tier not in SCORED_TIERS:
            reason = TIER_NOT_SCORED
        elif pair.measured_pass_rate is None:
            reason = NO_EVALUATED_OUTPUT
        found.append(replace(pair, reason=reason))
    return found


def _in_words(entry: Measurement) -> str:
    if entry.has_counts:
        return f"{entry.passed} of {entry.total_evaluated} passed at {entry.where}"
    return f"pass rate {entry.pass_rate} at {entry.where}"


def find_tier(
    probe: str, report: Report, tier_of: TierLookup, given: GivenTiers | None
) -> tuple[int | None, str | None]:
    """Return a probe's tier, and what told it if that is not a usual source.

    Parameters are those of :func:`list_pairs`.
    """
    tier = report.tiers.get(probe)
    if tier is None:
        tier = tier_of(probe)
    if tier is not None:
        return tier, None
    if given and probe in given:
        return given[probe], GIVEN
    newer = ((tier_of(each.new), each.new) for each in later_names(probe))
    return next((found for found in newer if found[0] is not None), (None, None))
