# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The pairs that fell between two scans, with outputs before and after, as lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from garak_tbsa.outputs.columns import (
    INDENT,
    RULE,
    example_lines,
    folded,
    wrapped,
)
from garak_tbsa.outputs.compared import ComparedScans, fall_text
from garak_tbsa.statistics.compare import ComparedPair
from garak_tbsa.tbsa.evidence import HOSTILE


def lines(compared: ComparedScans) -> list[str]:
    """Return what a terminal shows of the pairs that fell."""
    found = [RULE, "Pairs that fell", *folded(compared.without_outputs)]
    if compared.has_outputs:
        found += wrapped("⚠️ ", HOSTILE)
    ranks = count(1)
    for what, pairs in compared.fallen_groups:
        found += folded([what])
        for pair in pairs:
            found += _pair_lines(next(ranks), pair, compared)
    return found


def _pair_lines(
    rank: int, pair: ComparedPair, compared: ComparedScans
) -> Iterator[str]:
    yield from wrapped(f"{rank:>3}. ", f"{pair.second.probe} + {pair.second.detector}")
    yield f"{INDENT}{fall_text(pair)}"
    for each in compared.outputs_of(pair):
        yield from wrapped(f"{INDENT}• ", each.title)
        yield from example_lines(each.texts(), each.show_commands())
