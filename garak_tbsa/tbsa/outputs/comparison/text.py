# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans as lines for a terminal: the verdict first."""

from __future__ import annotations

from garak_tbsa.statistics.because import ComparedPair
from garak_tbsa.statistics.compare import Comparison
from garak_tbsa.tbsa.comparison_in_words import assumption_in_words
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.comparison import sentences
from garak_tbsa.tbsa.outputs.comparison.compared_scans import (
    ComparedScans,
    ScoredSide,
)
from garak_tbsa.tbsa.outputs.text import RULE, folded, table


def quiet_lines(compared: ComparedScans) -> list[str]:
    """Return the verdict and what it is due to, on one line."""
    marked = sentences.not_comparable(compared.comparison)
    return [compared.headline + ("" if marked is None else f" ({marked})")]


def lines(compared: ComparedScans) -> list[str]:
    """Return what a terminal shows of a comparison."""
    comparison = compared.comparison
    return [
        *folded([compared.headline]),
        *_because_lines(sentences.pairs_of_verdict(compared)),
        *_mark_lines(comparison),
        RULE,
        *(line for side in compared.sides for line in _side_lines(side, comparison)),
        *folded(sentences.bases(compared)),
        f"TBSA moved by {comparison.tbsa_difference:+.1f}",
        *_checksum_lines(comparison),
        RULE,
        *_test_lines(compared),
        RULE,
        *_change_lines(comparison.changes),
        wording.DISCLAIMER,
    ]


def _because_lines(pairs: list[ComparedPair]) -> list[str]:
    if not pairs:
        return []
    rows = [("passed before", "passed after", "z", "pair")]
    rows += [
        (
            wording.counts_text(pair.first),
            wording.counts_text(pair.second),
            sentences.z_text(pair),
            pair.name,
        )
        for pair in pairs
    ]
    return [f"   {line}" for line in table(rows)]


def _mark_lines(comparison: Comparison) -> list[str]:
    marked = sentences.not_comparable(comparison)
    differing = sentences.difference_texts(comparison)
    return folded(
        [
            *([] if marked is None else [f"⚠️ {marked}"]),
            *(f"     {part}: {text}" for part, text in differing),
        ]
    )


def _side_lines(side: ScoredSide, comparison: Comparison) -> list[str]:
    tbsa = side.assessment.tbsa
    square = wording.colour_square(tbsa)
    score = f"{square} {side.label:<6} TBSA {wording.tbsa_text(tbsa)}"
    more = (sentences.whole_text(side, comparison), sentences.luck_text(side))
    return [
        *folded([f"{score}; {sentences.interval_text(side)}"]),
        *folded([f"          {text}" for text in more if text is not None]),
        f"          {side.assessment.report.source}",
        *folded([f"⚠️ {text}" for text in sentences.warnings_of(side)]),
    ]


def _checksum_lines(comparison: Comparison) -> list[str]:
    first, second = comparison.first.checksum, comparison.second.checksum
    if comparison.differences:
        return [f"🔑 Checksums: {first.text} before, {second.text} after"]
    return [f"🔑 Checksum: {first.text} (equal)"]


def _test_lines(compared: ComparedScans) -> list[str]:
    comparison = compared.comparison
    found = []
    if comparison.tests is not None:
        for asked, p_value, more in sentences.test_rows(comparison.tests):
            value = p_value if p_value == "not known" else f"p = {p_value}"
            found.append(f"{asked + ':':<32}{value}" + f" ({more})" * bool(more))
        found.append(sentences.level_text(compared))
        found.append(f"Assumed: {assumption_in_words(comparison.exchange)}.")
    found += [f"⚠️ {note}" for note in sentences.notes(comparison)]
    return folded(found or ["No test: no pair has counts in both reports."])


def _change_lines(changes: tuple[ComparedPair, ...]) -> list[str]:
    if not changes:
        return ["No pair changed its grade."]
    rows = [("grade", "passed before", "passed after", "pair")]
    rows += [
        (
            sentences.grades_text(change),
            wording.counts_text(change.first),
            wording.counts_text(change.second),
            change.name,
        )
        for change in changes
    ]
    return [f"{wording.pairs_text(len(changes))} with another grade:", *table(rows)]
