# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans as every form shows them: each number and sentence, once.

Nothing here is escaped: whoever shows a text escapes it as its form requires.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.statistics.compare import Cause, ComparedPair, Comparison
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.comparison_in_words import (
    assumption_in_words,
    headline,
    unmatched_in_words,
)
from garak_tbsa.tbsa.gate_options import DEFAULT_ALPHA, level_in_words
from garak_tbsa.unavailable import Unavailable

BothRepeats = tuple[RepeatDistribution | Unavailable, RepeatDistribution | Unavailable]

ALONE_SHOWN = 10
"""Pairs of one scan alone that are named."""


@dataclass(frozen=True, kw_only=True)
class ScoredSide(ScoredReport):
    """One of two compared scans.

    Attributes
    ----------
    label : str
        ``before`` or ``after``.
    whole : float or None
        What all pairs of its report score, where common pairs alone were scored.
    """

    label: str
    whole: float | None

    @property
    def whole_text(self) -> str | None:
        """What the whole report scores, where common pairs alone were scored."""
        if self.whole is None:
            return None
        return f"the whole report scores {wording.tbsa_text(self.whole)}"

    @property
    def doubts(self) -> list[str]:
        """What makes the scan's score doubtful."""
        partial = [] if self.partial is None else [f"partial: {self.partial}"]
        return [f"{self.label}: {text}" for text in (*partial, *self.warnings)]


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedScans:
    """A comparison with all that its forms say of it.

    Attributes
    ----------
    comparison : Comparison
    alpha : float
        Level of the verdict.
    sides : tuple of two ScoredSide
        Before and after.
    """

    comparison: Comparison
    alpha: float
    sides: tuple[ScoredSide, ScoredSide]

    @property
    def headline(self) -> str:
        """The verdict with its p-value and what it is due to."""
        return headline(self.comparison, self.alpha)

    @property
    def verdict(self) -> str:
        """One of ``compare.VERDICTS``."""
        return self.comparison.verdict(self.alpha)

    @property
    def causes(self) -> Sequence[Cause]:
        """What the verdict is due to, falls first."""
        return self.comparison.because(self.alpha)

    @property
    def pairs_of_verdict(self) -> list[ComparedPair]:
        """The pairs that the verdict is due to, those that fell first."""
        return [pair for cause in self.causes for pair in cause.pairs]

    def outstanding(self, *directions: str) -> set[str]:
        """Return the names of pairs that stand out by themselves, these ways."""
        return {
            pair.name
            for cause in self.causes
            for pair in cause.pairs
            if cause.direction in directions
            and pair.stands_out(cause.direction, self.alpha)
        }

    @property
    def not_comparable(self) -> str | None:
        """That the scores are to be looked at only; None where checksums are equal."""
        common, differ = self.comparison.common, bool(self.comparison.differences)
        if common is not None:
            pairs = wording.pairs_text(len(common.names))
            over = (
                f"both scans were scored again over the {pairs} that both measured with"
                " the same tier: for information only"
            )
            if differ:
                return f"{over}, since checksums differ"
            return f"{over}, though the reports' own checksums are equal"
        if differ:
            return "forced although the checksums differ: for information only"
        return None

    @property
    def moved(self) -> str:
        """By how much the score moved."""
        return f"{self.comparison.tbsa_difference:+.1f}"

    @property
    def bases(self) -> list[str]:
        """What the ranges are based on, once where it is the same for both."""
        said = [side.basis for side in self.sides if side.basis is not None]
        return [f"Ranges: {basis}." for basis in dict.fromkeys(said)]

    @property
    def doubts(self) -> list[str]:
        """What makes either score doubtful."""
        return [text for side in self.sides for text in side.doubts]

    @property
    def notes(self) -> list[str]:
        """What no test could see, or saw with less than all that is needed."""
        comparison = self.comparison
        found = []
        if comparison.tests is not None:
            found = unmatched_in_words(comparison.exchange) + self._not_tested()
        groups = [(comparison.only_in_one, "measured in one scan only, not tested")]
        if comparison.common is not None:
            other = comparison.common.other_tier
            groups.append((other, "of another tier, not tested"))
        return found + [f"{what}: {_named(names)}" for names, what in groups if names]

    def _not_tested(self) -> list[str]:
        """One sentence for each reason why pairs were not tested."""
        reasons: dict[str, list[str]] = {}
        for pair in self.comparison.pairs:
            if pair.not_tested is not None:
                reasons.setdefault(pair.not_tested, []).append(pair.name)
        return [
            f"not tested, since {reason}: {_named(names)}"
            for reason, names in reasons.items()
        ]

    @property
    def assumption(self) -> str:
        """What changed places between the scans, for how many pairs."""
        return assumption_in_words(self.comparison.exchange)

    @property
    def level(self) -> str:
        """Which of :attr:`tests` decide, and what their level means."""
        return (
            f"The last two decide the verdict, each at level {self.alpha:g}:"
            f" {level_in_words(self.alpha)}."
        )

    @property
    def tests(self) -> list[tuple[str, str, str]]:
        """What was asked, the p-value, and what more there is to say."""
        tests = self.comparison.tests
        if tests is None:
            return []
        score = "not known" if tests.p_score is None else f"{tests.p_score:.3g}"
        way = "less" if tests.cmh_z < 0 else "more" if tests.cmh_z > 0 else "as often"
        return [
            ("Score difference, permuted", score, ""),
            (
                "Direction, Mantel-Haenszel",
                f"{tests.p_cmh:.3g}",
                f"z {tests.cmh_z:+.2f}: second scan passes {way}",
            ),
            (
                "Largest change of one pair",
                f"{tests.p_largest_z:.3g}",
                f"z {tests.largest_z:+.2f}: {tests.largest_pair}",
            ),
            ("Second scan worse, all three", f"{tests.p_worse:.3g}", "one-sided"),
            ("Second scan better, all three", f"{tests.p_better:.3g}", "one-sided"),
        ]


def compared_scans(
    comparison: Comparison, repeats: BothRepeats, alpha: float = DEFAULT_ALPHA
) -> ComparedScans:
    """Return what the forms of a comparison are made of.

    Parameters
    ----------
    comparison : Comparison
    repeats : tuple of two (RepeatDistribution or Unavailable)
        What a repeat of the first scan, and of the second, would score.
    alpha : float
        Level of the verdict.
    """
    common = comparison.common
    before, after = (
        ScoredSide(
            label=label,
            assessment=assessment,
            repeat=repeat,
            verdict=None,
            whole=whole,
        )
        for label, assessment, repeat, whole in zip(
            ("before", "after"),
            (comparison.first, comparison.second),
            repeats,
            (None, None)
            if common is None
            else (common.whole_first, common.whole_second),
            strict=True,
        )
    )
    return ComparedScans(comparison=comparison, alpha=alpha, sides=(before, after))


def z_text(pair: ComparedPair) -> str:
    """Return the standardised change of a pair's pass count."""
    return "not tested" if pair.move is None else f"{pair.move.z:+.2f}"


def grades_text(pair: ComparedPair) -> str:
    """Return the grade, or both where it changed."""
    if not pair.changed_grade:
        return str(pair.first.grade)
    return f"{pair.first.grade} → {pair.second.grade}"


def _named(names: Sequence[str]) -> str:
    more = len(names) - ALONE_SHOWN
    return ", ".join(names[:ALONE_SHOWN]) + f" and {more} more" * (more > 0)
