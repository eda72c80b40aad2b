# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The evidence behind a scan's pairs, as text in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from unicodedata import east_asian_width

from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.evidence import HOSTILE, Evidence, Hit, PairEvidence
from garak_tbsa.tbsa.outputs import evidence_wording as wording
from garak_tbsa.tbsa.outputs.explanation import WIDTH, wrapped
from garak_tbsa.tbsa.outputs.text import RULE
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable

INDENT = "     "
TEXT = INDENT + "  | "


def lines(evidence: Evidence, assessment: Assessment, *, most: int | None) -> list[str]:
    """Return what a terminal shows.

    Parameters
    ----------
    evidence : Evidence
    assessment : Assessment
    most : int or None
        How many pairs with hits to show; None shows all.
    """
    pairs: Mapping[str, Pair] = {pair.name: pair for pair in assessment.graded}
    with_hits = [
        (name, found) for name, found in evidence.pairs.items() if _is_told(found)
    ]
    shown = [
        RULE,
        f"Evidence: hits drawn with seed {evidence.seed}, worst pairs first",
        *wrapped("⚠️ ", HOSTILE),
    ]
    for problem in evidence.problems:
        shown += wrapped("⚠️ ", problem)
    for what, path in (
        ("garak's page", evidence.garak_page),
        ("garak's hit log", evidence.hit_log),
    ):
        if path is not None:
            shown += wrapped("   ", f"{what}: {path}")
    if not with_hits:
        shown.append("No pair has a hit.")
    for rank, (name, found) in enumerate(with_hits[:most], start=1):
        shown += _pair_lines(rank, found, pairs.get(name))
    if most is not None and len(with_hits) > most:
        shown.append(
            f"… and {len(with_hits) - most} more pairs with hits (--all shows them)"
        )
    return shown


def _is_told(found: PairEvidence) -> bool:
    return isinstance(found.hits, Unavailable) or bool(found.hit_count)


def _pair_lines(rank: int, found: PairEvidence, pair: Pair | None) -> Iterator[str]:
    yield from wrapped(f"{rank:>3}. ", f"{found.probe} + {found.detector}")
    yield from wrapped(INDENT, wording.found_text(found, pair))
    if not isinstance(found.facts, Unavailable):
        told = wording.tries_text(found.facts)
        if told:
            yield from wrapped(INDENT, f"The probe: {told}")
        if found.facts.tags:
            yield from wrapped(INDENT, f"Tags: {', '.join(found.facts.tags)}")
    if isinstance(found.trust, Unavailable):
        yield from wrapped(INDENT, f"The detector: {found.trust.reason}")
    else:
        yield from wrapped(INDENT, f"The detector: {wording.trust_text(found.trust)}")
    siblings = wording.siblings_text(found)
    if siblings is not None:
        yield from wrapped(INDENT, f"Other detectors on these hits: {siblings}")
    # an address that is broken into lines can no longer be clicked on
    for page in (found.probe_page, found.detector_page):
        if page is not None:
            yield f"{INDENT}{page}"
    for hit in () if isinstance(found.hits, Unavailable) else found.hits:
        yield from _hit_lines(hit)


def _hit_lines(hit: Hit) -> Iterator[str]:
    yield from wrapped(INDENT + "• ", f"Hit: {wording.place_text(hit)}")
    for name, text in (("Prompt", hit.prompt), ("Response", hit.response)):
        yield f"{INDENT}  {wording.heading(name, text)}"
        yield from text_lines(text.text)
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
