# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans as every form shows them, and as lines for a terminal.

Each number and sentence stands here once. Nothing is escaped: whoever shows a text
escapes it as its form requires.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from garak_tbsa.comparison_in_words import (
    assumption_in_words,
    detectable_in_words,
    headline,
    named,
    unmatched_in_words,
    why_not_let_pass,
)
from garak_tbsa.gates.options import DEFAULT_ALPHA, level_in_words
from garak_tbsa.outputs import said as wording
from garak_tbsa.outputs.columns import RULE, folded, marked, table
from garak_tbsa.outputs.scored import ScoredReport
from garak_tbsa.statistics.compare import (
    Cause,
    ComparedPair,
    Comparison,
)
from garak_tbsa.statistics.detectable import Detectable
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.fallen import ComparedOutputs, FallenOutputs
from garak_tbsa.tbsa.pairs import pairs_text
from garak_tbsa.unavailable import Unavailable

BothRepeats = tuple[RepeatDistribution | Unavailable, RepeatDistribution | Unavailable]

ALONE_SHOWN = 10
"""Pairs of one scan alone that are named."""

DUE_TO_THESE = "The verdict is due to these."
OTHERS_FELL = "The verdict names none of these, and their falls may be chance."
NONE_FELL = "No pair has a lower grade, and the verdict is due to no fall."
"""What pairs that fell are."""

NOT_DONE = "not done"
"""In place of a p-value."""


@dataclass(frozen=True, kw_only=True, slots=True)
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
        found = (*marked("partial: ", self.report.partial_reason), *self.warnings)
        return [f"{self.label}: {text}" for text in found]


@dataclass(frozen=True, kw_only=True)
class ComparedScans:
    """A comparison with all that its forms say of it.

    Attributes
    ----------
    comparison : Comparison
        Both scans, every pair, every test.
    repeats : tuple of two (RepeatDistribution or Unavailable)
        What a repeat of the first scan, and of the second, would score.
    alpha : float
        Level of the verdict.
    outputs : FallenOutputs
        Of the pairs that fell; empty where nobody asked for them.
    """

    comparison: Comparison
    repeats: BothRepeats
    alpha: float = DEFAULT_ALPHA
    outputs: FallenOutputs = field(default_factory=dict)

    @cached_property
    def sides(self) -> tuple[ScoredSide, ScoredSide]:
        """The scans before and after."""
        comparison, common = self.comparison, self.comparison.common
        return (
            ScoredSide(
                label="before",
                assessment=comparison.first,
                repeat=self.repeats[0],
                whole=None if common is None else common.whole_first,
            ),
            ScoredSide(
                label="after",
                assessment=comparison.second,
                repeat=self.repeats[1],
                whole=None if common is None else common.whole_second,
            ),
        )

    @property
    def headline(self) -> str:
        """The verdict with its p-value and what it is due to."""
        return headline(self.comparison, self.alpha)

    @property
    def quiet_line(self) -> str:
        """The same, with why the scans are no match."""
        return self._marked(self.headline)

    @property
    def failure(self) -> str:
        """Why a gate stops the second scan."""
        return why_not_let_pass(self.comparison, self.alpha)

    @property
    def failure_line(self) -> str:
        """The same, with why the scans are no match."""
        return self._marked(self.failure)

    def _marked(self, said: str) -> str:
        mark = self.not_comparable
        return said + ("" if mark is None else f" ({mark})")

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

    @property
    def pairs_in_order(self) -> list[ComparedPair]:
        """All pairs: those of the verdict, then those that moved most."""
        because = self.pairs_of_verdict
        rest = (pair for pair in self.comparison.pairs if pair not in because)
        return because + sorted(rest, key=lambda pair: (-abs(pair.z), pair.name))

    @property
    def noticed(self) -> list[ComparedPair]:
        """Of these, pairs of the verdict, with another grade, or not tested."""
        because = self.pairs_of_verdict
        return [
            pair
            for pair in self.pairs_in_order
            if pair in because or pair.changed_grade or pair.is_untested_difference
        ]

    @property
    def fallen(self) -> list[ComparedPair]:
        """Of these, those that fell."""
        return [pair for pair in self.noticed if pair.moved < 0]

    @property
    def fallen_groups(self) -> list[tuple[str, list[ComparedPair]]]:
        """The same, those of the verdict by themselves, each with what they are."""
        because = self.pairs_of_verdict
        named = [pair for pair in self.fallen if pair in because]
        others = [pair for pair in self.fallen if pair not in because]
        groups = [(DUE_TO_THESE, named), (OTHERS_FELL, others)]
        return [each for each in groups if each[1]] or [(NONE_FELL, [])]

    @property
    def has_outputs(self) -> bool:
        """Whether outputs of any pair are shown."""
        return any(map(self.outputs_of, self.fallen))

    def outputs_of(self, pair: ComparedPair) -> tuple[ComparedOutputs, ...]:
        """Return the prompts of a pair that there are to show."""
        found = self.outputs.get(pair.name, ())
        return () if isinstance(found, Unavailable) else found

    @property
    def without_outputs(self) -> list[str]:
        """Of which pairs there are none, and why, where they were looked for."""
        reasons: dict[str, list[str]] = {}
        for name, found in self.outputs.items():
            if isinstance(found, Unavailable):
                reasons.setdefault(found.reason, []).append(name)
        return [
            f"No outputs of the second scan are shown of {named(names)}: {reason}."
            for reason, names in reasons.items()
        ]

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
        if common is None:
            said = "forced although the checksums differ: for information only"
            return said if differ else None
        why = "since checksums differ"
        if not differ:
            why = "though the reports' own checksums are equal"
        over = pairs_text(len(common.names))
        return (
            f"both scans were scored again over the {over} that both measured with the"
            f" same tier: for information only, {why}"
        )

    @property
    def moved(self) -> str:
        """By how much the score moved."""
        return f"{self.comparison.tbsa_difference:+.1f}"

    @property
    def bases(self) -> list[str]:
        """What the ranges are based on, once where it is the same for both."""
        both = [side.document.said.basis for side in self.sides]
        return [f"Ranges: {basis}." for basis in dict.fromkeys(both) if basis]

    @property
    def doubts(self) -> list[str]:
        """What makes either score doubtful."""
        return [text for side in self.sides for text in side.doubts]

    @property
    def notes(self) -> list[str]:
        """What no test could see, or saw with less than all that is needed."""
        comparison = self.comparison
        found: list[str] = []
        groups: dict[str, list[str]] = {}
        if comparison.tests is not None:
            found += unmatched_in_words(comparison.exchange)
            for pair in comparison.pairs:
                if pair.not_tested is not None:
                    reason = f"not tested, since {pair.not_tested}"
                    groups.setdefault(reason, []).append(pair.name)
        vanished = comparison.vanished
        for what, pairs in (
            ("measured before and not now, not tested", vanished.not_measured),
            ("measured in the first scan only, not tested", vanished.not_selected),
        ):
            groups[what] = [each.pair for each in pairs]
        groups["measured in the second scan only, not tested"] = [*vanished.added]
        if comparison.common is not None:
            groups["of another tier, not tested"] = [*comparison.common.other_tier]
        found += [
            f"{what}: {named(names, ALONE_SHOWN)}"
            for what, names in groups.items()
            if names
        ]
        return found

    @property
    def assumption(self) -> str:
        """What changed places between the scans, for how many pairs."""
        return assumption_in_words(self.comparison.exchange)

    @cached_property
    def detectable(self) -> Detectable | Unavailable:
        """What a comparison of these scans can find; it takes about a second."""
        return self.comparison.detectable(self.alpha)

    @property
    def can_find(self) -> str:
        """The same as a sentence."""
        said = detectable_in_words(self.detectable)
        return f"{said[0].upper()}{said[1:]}."

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
        score, together, why = NOT_DONE, "other two", ""
        if (unknown := self.comparison.score_not_tested) is not None:
            why = unknown.reason
        elif tests.p_score is not None:
            score, together = f"{tests.p_score:.3g}", "all three"
        way = "less" if tests.cmh_z < 0 else "more" if tests.cmh_z > 0 else "as often"
        direction = f"z {tests.cmh_z:+.2f}: second scan passes {way}"
        largest = f"z {tests.largest_z:+.2f}: {tests.largest_pair}"
        return [
            ("Score difference, permuted", score, why),
            ("Direction, Mantel-Haenszel", f"{tests.p_cmh:.3g}", direction),
            ("Largest change of one pair", f"{tests.p_largest_z:.3g}", largest),
            (f"Second scan worse, {together}", f"{tests.p_worse:.3g}", "one-sided"),
            (f"Second scan better, {together}", f"{tests.p_better:.3g}", "one-sided"),
        ]

    @property
    def lines(self) -> list[str]:
        """What a terminal shows: the verdict first."""
        comparison, (before, after) = self.comparison, self.sides
        because = [
            (*_counts(pair), z_text(pair), pair.name) for pair in self.pairs_of_verdict
        ]
        changes = [
            (grades_text(pair), *_counts(pair), pair.name)
            for pair in comparison.changes
        ]
        checksums = f": {before.checksum} (equal)"
        if comparison.differences:
            checksums = f"s: {before.checksum} before, {after.checksum} after"
        changed = "No pair changed its grade."
        if changes:
            changed = f"{pairs_text(len(changes))} with another grade:"
        return [
            *folded([self.headline]),
            *marked("   ", *_table(("passed before", "passed after", "z"), because)),
            *folded(marked("⚠️ ", self.not_comparable)),
            *folded(
                f"     {each.part}: {each.text}" for each in comparison.differences
            ),
            RULE,
            *(line for side in self.sides for line in _side_lines(side)),
            *folded(self.bases),
            f"TBSA moved by {self.moved}",
            f"🔑 Checksum{checksums}",
            RULE,
            *folded(self._test_lines()),
            RULE,
            changed,
            *_table(("grade", "passed before", "passed after"), changes),
            wording.DISCLAIMER,
        ]

    def _test_lines(self) -> list[str]:
        found = []
        for question, p_value, more in self.tests:
            value = p_value if p_value == NOT_DONE else f"p = {p_value}"
            found.append(f"{question + ':':<32}{value}" + f" ({more})" * bool(more))
        if found:
            found += [self.level, f"Assumed: {self.assumption}.", self.can_find]
        found += marked("⚠️ ", *self.notes)
        return found or ["No test: no pair has counts in both reports."]


def z_text(pair: ComparedPair) -> str:
    """Return the standardised change of a pair's pass count."""
    return "not tested" if pair.move is None else f"{pair.move.z:+.2f}"


def grades_text(pair: ComparedPair) -> str:
    """Return the grade, or both where it changed."""
    if not pair.changed_grade:
        return str(pair.first.grade)
    return f"{pair.first.grade} → {pair.second.grade}"


def fall_text(pair: ComparedPair) -> str:
    """Return how many of a pair's outputs passed in each scan, and its grades."""
    before, after = _counts(pair)
    return f"{before} passed before, {after} after; grade {grades_text(pair)}"


def _counts(pair: ComparedPair) -> tuple[str, str]:
    return wording.counts_text(pair.first), wording.counts_text(pair.second)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return table([(*header, "pair"), *rows]) if rows else []


def _side_lines(side: ScoredSide) -> Iterable[str]:
    square = wording.colour_square(side.tbsa, side.ends)
    tbsa = wording.tbsa_text(side.tbsa)
    yield from folded(
        [f"{square} {side.label:<6} TBSA {tbsa}; {side.document.said.range}"]
    )
    yield from folded(marked("          ", side.whole_text, side.document.said.luck))
    yield f"          {side.report.source}"
    yield from folded(marked("⚠️ ", *side.doubts))
