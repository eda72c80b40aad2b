# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The evidence behind a scan's pairs as Markdown, folded."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from garak_tbsa.safe_text import shown
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.evidence import HOSTILE, Evidence, Hit, PairEvidence
from garak_tbsa.tbsa.outputs import evidence_wording as wording
from garak_tbsa.tbsa.outputs.markdown_text import escaped
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable

PAIRS = 10
"""Pairs whose hits are shown; GitHub shows no more than 1 MiB of a step's summary."""

LONGEST = 300
PLAIN = re.compile(r"[A-Za-z0-9 ,./_'-]{1,400}")
LINES = 12


def section(evidence: Evidence, assessment: Assessment) -> str:
    """Return the worst pairs with hits, each folded."""
    pairs: Mapping[str, Pair] = {pair.name: pair for pair in assessment.graded}
    with_hits = [
        (name, found)
        for name, found in evidence.pairs.items()
        if isinstance(found.hits, Unavailable) or found.hit_count
    ]
    parts = ["**Evidence**, worst pairs first", f"_{HOSTILE}_"]
    parts += [f"_Left out: {escaped(problem)}_" for problem in evidence.problems]
    beside = [path for path in (evidence.garak_page, evidence.hit_log) if path]
    if beside:
        names = ", ".join(escaped(os.path.basename(path)) for path in beside)
        parts.append(f"Beside the report: {names}")
    if not with_hits:
        parts.append("No pair has a hit.")
    for name, found in with_hits[:PAIRS]:
        parts.append("\n\n".join(_pair(found, pairs.get(name))))
    if len(with_hits) > PAIRS:
        parts.append(f"… and {len(with_hits) - PAIRS} more pairs with hits.")
    return "\n\n".join(parts)


def _pair(found: PairEvidence, pair: Pair | None) -> Iterator[str]:
    told = escaped(wording.found_text(found, pair))
    yield f"<details><summary>{escaped(found.name)}: {told}</summary>"
    facts = [f"- {fact}" for fact in _facts(found)]
    if facts:
        yield "\n".join(facts)
    for hit in () if isinstance(found.hits, Unavailable) else found.hits:
        yield from _hit(hit)
    yield "</details>"


def _facts(found: PairEvidence) -> Iterator[str]:
    if not isinstance(found.facts, Unavailable):
        tries = wording.tries_text(found.facts)
        if tries:
            yield f"The probe: {escaped(tries)}"
        if found.facts.tags:
            yield f"Tags: {escaped(', '.join(found.facts.tags))}"
    if isinstance(found.trust, Unavailable):
        yield f"The detector: {escaped(found.trust.reason)}"
    else:
        yield f"The detector: {escaped(wording.trust_text(found.trust))}"
    siblings = wording.siblings_text(found)
    if siblings is not None:
        yield f"Other detectors on these hits: {escaped(siblings)}"
    pages = (("probe", found.probe_page), ("detector", found.detector_page))
    links = [f"[{what}](<{page}>)" for what, page in pages if page is not None]
    if links:
        yield f"In garak's documentation: {', '.join(links)}"


def _hit(hit: Hit) -> Iterator[str]:
    yield f"Hit: {_typed(wording.place_text(hit))}"
    for name, text in (("Prompt", hit.prompt), ("Response", hit.response)):
        yield f"> {escaped(wording.heading(name, text))}<br>{_lines(text.text)}"
    yield f"The whole of it: {_typed(wording.show_command(hit))}"


def _typed(text: str) -> str:
    """Return what readers type elsewhere as code, if nothing in it is markup."""
    return f"`{text}`" if PLAIN.fullmatch(text) else escaped(text)


def _lines(text: str) -> str:
    """A text of a report, each of its lines escaped, in one line of Markdown."""
    kept = shown(text or wording.NO_TEXT, LONGEST).split("\n")
    lines = [escaped(line) for line in kept[:LINES]]
    if len(kept) > LINES:
        lines.append(f"… and {len(kept) - LINES} more lines")
    return "<br>".join(lines)
