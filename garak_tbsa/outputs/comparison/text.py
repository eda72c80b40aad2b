# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans as lines for a terminal: the verdict first."""

from __future__ import annotations

from collections.abc import Sequence

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.comparison.compared_scans import (
    ComparedScans,
    ScoredSide,
    grades_text,
    z_text,
)
from garak_tbsa.outputs.text import RULE, folded, marked, table
from garak_tbsa.statistics.compare import ComparedPair


def quiet_line(compared: ComparedScans) -> str:
    """Return the verdict and what it is due to, on one line."""
    mark = compared.not_comparable
    return compared.headline + ("" if mark is None else f" ({mark})")


def lines(compared: ComparedScans) -> list[str]:
    """Return what a terminal shows of a comparison."""
    differing = compared.comparison.differences
    return [
        *folded([compared.headline]),
        *_because_lines(compared.pairs_of_verdict),
        *folded(marked("⚠️ ", compared.not_comparable)),
        *folded([f"     {each.part}: {each.text}" for each in differing]),
        RULE,
        *(line for side in compared.sides for line in _side_lines(side)),
        *folded(compared.bases),
        f"TBSA moved by {compared.moved}",
        _checksum_line(compared),
        RULE,
        *folded(_test_lines(compared)),
        RULE,
        *_change_lines(compared.comparison.changes),
        wording.DISCLAIMER,
    ]


def _because_lines(pairs: Sequence[ComparedPair]) -> list[str]:
    if not pairs:
        return []
    header = ("passed before", "passed after", "z", "pair")
    rows = [(*_counts(pair), z_text(pair), pair.name) for pair in pairs]
    return marked("   ", *table([header, *rows]))


def _side_lines(side: ScoredSide) -> list[str]:
    square, tbsa = wording.colour_square(side.tbsa), wording.tbsa_text(side.tbsa)
    return [
        *folded([f"{square} {side.label:<6} TBSA {tbsa}; {side.range_text}"]),
        *folded(marked("          ", side.whole_text, side.luck)),
        f"          {side.report.source}",
        *folded(marked("⚠️ ", *side.doubts)),
    ]


def _checksum_line(compared: ComparedScans) -> str:
    first, second = compared.sides
    if compared.comparison.differences:
        return f"🔑 Checksums: {first.checksum} before, {second.checksum} after"
    return f"🔑 Checksum: {first.checksum} (equal)"


def _test_lines(compared: ComparedScans) -> list[str]:
    found = []
    for asked, p_value, more in compared.tests:
        value = p_value if p_value == "not known" else f"p = {p_value}"
        found.append(f"{asked + ':':<32}{value}" + f" ({more})" * bool(more))
    if found:
        found += [compared.level, f"Assumed: {compared.assumption}."]
    found += marked("⚠️ ", *compared.notes)
    return found or ["No test: no pair has counts in both reports."]


def _change_lines(changes: Sequence[ComparedPair]) -> list[str]:
    if not changes:
        return ["No pair changed its grade."]
    header = ("grade", "passed before", "passed after", "pair")
    rows = [(grades_text(each), *_counts(each), each.name) for each in changes]
    return [
        f"{wording.pairs_text(len(changes))} with another grade:",
        *table([header, *rows]),
    ]


def _counts(pair: ComparedPair) -> tuple[str, str]:
    return wording.counts_text(pair.first), wording.counts_text(pair.second)
