# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The evidence behind a scan's pairs, as text in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import east_asian_width

from garak_tbsa.outputs import evidence_wording as wording
from garak_tbsa.outputs.text import RULE, wrapped
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.tbsa.evidence import HOSTILE, Evidence, PairEvidence
from garak_tbsa.tbsa.pairs import Pair

INDENT = "     "
WIDTH = 80
TEXT = INDENT + "  | "


def lines(scored: ScoredReport, *, most: int | None) -> list[str]:
    """Return what a terminal shows.

    Parameters
    ----------
    scored : ScoredReport
        With its evidence.
    most : int or None
        How many pairs with hits to show; None shows all.
    """
    evidence = scored.evidence
    assert isinstance(evidence, Evidence), "nobody asked for it"
    shown = [
        RULE,
        f"Evidence: hits drawn with seed {evidence.seed}, worst pairs first",
    ]
    shown += wrapped("⚠️ ", HOSTILE)
    for what, path in wording.files_beside(evidence):
        shown += wrapped("   ", f"garak's {what}: {path}")
    if not scored.with_hits:
        shown.append("No pair has a hit.")
    for rank, (found, pair) in enumerate(scored.with_hits[:most], start=1):
        shown += _pair_lines(rank, found, pair)
    if most is not None and len(scored.with_hits) > most:
        shown.append(
            f"… and {len(scored.with_hits) - most} more pairs with hits"
            " (--all shows them)"
        )
    return shown


def _pair_lines(rank: int, found: PairEvidence, pair: Pair | None) -> Iterator[str]:
    yield from wrapped(f"{rank:>3}. ", f"{found.probe} + {found.detector}")
    yield from wrapped(INDENT, wording.found_text(found, pair))
    for name, text in wording.facts(found):
        yield from wrapped(INDENT, f"{name}: {text}")
    # an address that is broken into lines can no longer be clicked on
    for _, page in wording.pages_of(found):
        yield f"{INDENT}{page}"
    for hit in wording.hits_of(found):
        yield from wrapped(INDENT + "• ", f"Hit: {wording.place_text(hit)}")
        for heading, text in wording.texts_of(hit):
            yield f"{INDENT}  {heading}"
            yield from text_lines(text)
        yield f"{INDENT}  Whole: {wording.show_command(hit)}"


def text_lines(text: str, margin: str = TEXT) -> Iterator[str]:
    """Yield a readable text of a report in lines of 80 columns behind a margin.

    Without the margin on every line a text could look like a line of ours.
    """
    for line in (text or wording.NO_TEXT).split("\n"):
        for piece in _broken(line, WIDTH - len(margin)):
            yield (margin + piece).rstrip()


def _broken(line: str, columns: int) -> Iterator[str]:
    """Break a line at blanks, and where it must be; blanks at its start stay."""
    if not line.isascii() and any(east_asian_width(char) in "WF" for char in line):
        columns //= 2
    start = 0
    while len(line) - start > columns:
        blank = line.rfind(" ", start + 1, start + columns + 1)
        end = blank if blank > start else start + columns
        yield line[start:end]
        start = end + (blank > start)
    yield line[start:]
