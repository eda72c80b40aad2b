# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans as Markdown, for a pull request or a GitHub step summary."""

from __future__ import annotations

from collections.abc import Iterable

from garak_tbsa.statistics.because import ComparedPair
from garak_tbsa.statistics.compare import Comparison
from garak_tbsa.tbsa.comparison_in_words import assumption_in_words
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.comparison import sentences
from garak_tbsa.tbsa.outputs.comparison.compared_scans import ComparedScans
from garak_tbsa.tbsa.outputs.markdown_text import escaped

SHOWN = 20
"""Pairs in a table; the JSON has all."""


def render(compared: ComparedScans) -> str:
    """Return the verdict, the scores, the tests and the pairs that changed."""
    comparison = compared.comparison
    parts = [f"## {escaped(compared.headline)}"]
    marked = sentences.not_comparable(comparison)
    if marked is not None:
        parts.append(f"**{escaped(marked)}**")
    if comparison.differences:
        parts.append(_differences(comparison))
    outstanding = sentences.pairs_of_verdict(compared)
    if outstanding:
        parts.append(_pairs("because of", outstanding))
    parts += [_scores(compared), *_notes(compared)]
    if comparison.tests is not None:
        parts.append(_tests(compared))
    parts.append(_changes(comparison.changes))
    return "\n\n".join([*parts, f"_{wording.DISCLAIMER}_"]) + "\n"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of cells that are Markdown already."""
    titles = list(head)
    lines = [titles, ["---"] * len(titles), *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _differences(comparison: Comparison) -> str:
    return _table(
        ("differs", "how"),
        (
            (escaped(part), escaped(text))
            for part, text in sentences.difference_texts(comparison)
        ),
    )


def _scores(compared: ComparedScans) -> str:
    common = compared.comparison.common is not None
    head = ("", "TBSA", *(["whole report"] if common else []), "repeat", "report")
    rows = [
        (
            side.label,
            wording.tbsa_text(side.assessment.tbsa),
            *([wording.tbsa_text(side.whole)] if common else []),
            escaped(sentences.interval_text(side)),
            escaped(side.assessment.report.source),
        )
        for side in compared.sides
    ]
    return _table(head, rows)


def _notes(compared: ComparedScans) -> list[str]:
    comparison = compared.comparison
    found = [f"TBSA moved by {comparison.tbsa_difference:+.1f}"]
    for side in compared.sides:
        luck = sentences.luck_text(side)
        found += [] if luck is None else [f"{side.label}: {luck}"]
        found += [f"warning, {text}" for text in sentences.warnings_of(side)]
    found += sentences.bases(compared) + sentences.notes(comparison)
    return ["\n".join(f"- {escaped(note)}" for note in found)]


def _tests(compared: ComparedScans) -> str:
    comparison = compared.comparison
    assert comparison.tests is not None
    rows = _table(
        ("test", "p", ""),
        (
            (asked, p_value, escaped(more))
            for asked, p_value, more in sentences.test_rows(comparison.tests)
        ),
    )
    return (
        f"<details><summary>Tests</summary>\n\n{rows}\n\n"
        f"{sentences.level_text(compared)} Assumed:"
        f" {escaped(assumption_in_words(comparison.exchange))}.\n\n</details>"
    )


def _changes(changes: tuple[ComparedPair, ...]) -> str:
    if not changes:
        return "No pair changed its grade."
    return _pairs(f"{wording.pairs_text(len(changes))} with another grade", changes)


def _pairs(title: str, pairs: Iterable[ComparedPair]) -> str:
    found = list(pairs)
    rows = [
        (
            escaped(pair.name),
            str(pair.second.tier),
            sentences.grades_text(pair),
            wording.counts_text(pair.first),
            wording.counts_text(pair.second),
            sentences.z_text(pair),
        )
        for pair in found[:SHOWN]
    ]
    head = (title, "tier", "grade", "passed before", "passed after", "z")
    more = len(found) - SHOWN
    return _table(head, rows) + f"\n\n… and {more} more." * (more > 0)
