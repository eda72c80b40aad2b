# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What several forms of a comparison say, in plain text."""

from __future__ import annotations

from collections.abc import Sequence

from garak_tbsa.statistics.because import ComparedPair
from garak_tbsa.statistics.compare import Comparison
from garak_tbsa.statistics.permutation import TestResults
from garak_tbsa.tbsa.comparison_in_words import unmatched_in_words
from garak_tbsa.tbsa.gate_options import level_in_words
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.comparison.compared_scans import (
    ComparedScans,
    ScoredSide,
)
from garak_tbsa.unavailable import Unavailable

ALONE_SHOWN = 10
"""Pairs of one scan alone that are named."""


def pairs_of_verdict(compared: ComparedScans) -> list[ComparedPair]:
    """Return the pairs that the verdict is due to, those that fell first."""
    causes = compared.comparison.because(compared.alpha)
    return [pair for cause in causes for pair in cause.pairs]


def not_comparable(comparison: Comparison) -> str | None:
    """Say that the scores are to be looked at only; None where checksums are equal."""
    if comparison.common is not None:
        pairs = wording.pairs_text(len(comparison.common.names))
        over = (
            f"both scans were scored again over the {pairs} that both measured with the"
            " same tier: for information only"
        )
        if comparison.differences:
            return f"{over}, since checksums differ"
        return f"{over}, though the reports' own checksums are equal"
    if comparison.differences:
        return "forced although the checksums differ: for information only"
    return None


def difference_texts(comparison: Comparison) -> list[tuple[str, str]]:
    """Return each part of the checksum that differs, and how."""
    return [(each.part, each.text) for each in comparison.differences]


def interval_text(side: ScoredSide) -> str:
    """Say what a repeat of a scan would score, or why that is not known."""
    if isinstance(side.repeat, Unavailable):
        return f"no interval, {side.repeat.reason}"
    return wording.repeat_text(side.repeat)


def bases(compared: ComparedScans) -> list[str]:
    """Say what the ranges are based on, once where it is the same for both."""
    said = [
        wording.basis_text(side.repeat)
        for side in compared.sides
        if not isinstance(side.repeat, Unavailable)
    ]
    return [f"Ranges: {basis}." for basis in dict.fromkeys(said)]


def luck_text(side: ScoredSide) -> str | None:
    """Say that a scan was lucky or unlucky, None where it was neither."""
    if isinstance(side.repeat, Unavailable):
        return None
    return wording.luck_text(side.assessment, side.repeat)


def whole_text(side: ScoredSide, comparison: Comparison) -> str | None:
    """Say what the whole report scores, where common pairs alone were scored."""
    if comparison.common is None:
        return None
    return f"the whole report scores {wording.tbsa_text(side.whole)}"


def warnings_of(side: ScoredSide) -> list[str]:
    """Return what makes a scan's score doubtful."""
    report = side.assessment.report
    found = list(side.assessment.warnings)
    if report.partial_reason is not None:
        found.insert(0, f"partial: {report.partial_reason}")
    return [f"{side.label}: {text}" for text in found]


def notes(comparison: Comparison) -> list[str]:
    """Return what no test could see, or saw with less than all that is needed."""
    found = []
    if comparison.tests is not None:
        found = unmatched_in_words(comparison.exchange) + _not_tested(comparison)
    groups = [(comparison.only_in_one, "measured in one scan only, not tested")]
    if comparison.common is not None:
        groups.append((comparison.common.other_tier, "of another tier, not tested"))
    return found + [f"{what}: {_named(names)}" for names, what in groups if names]


def _not_tested(comparison: Comparison) -> list[str]:
    """One sentence for each reason why pairs were not tested."""
    reasons: dict[str, list[str]] = {}
    for pair in comparison.pairs:
        if pair.not_tested is not None:
            reasons.setdefault(pair.not_tested, []).append(pair.name)
    return [
        f"not tested, since {reason}: {_named(names)}"
        for reason, names in reasons.items()
    ]


def _named(names: Sequence[str]) -> str:
    more = len(names) - ALONE_SHOWN
    return ", ".join(names[:ALONE_SHOWN]) + f" and {more} more" * (more > 0)


def level_text(compared: ComparedScans) -> str:
    """Say which of :func:`test_rows` decide, and what their level means."""
    return (
        f"The last two decide the verdict, each at level {compared.alpha:g}:"
        f" {level_in_words(compared.alpha)}."
    )


def test_rows(tests: TestResults) -> list[tuple[str, str, str]]:
    """Return what was asked, the p-value, and what more there is to say."""
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


def z_text(pair: ComparedPair) -> str:
    """Return the standardised change of a pair's pass count."""
    return "not tested" if pair.move is None else f"{pair.move.z:+.2f}"


def grades_text(pair: ComparedPair) -> str:
    """Return the grade, or both where it changed."""
    if not pair.changed_grade:
        return str(pair.first.grade)
    return f"{pair.first.grade} → {pair.second.grade}"
