# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as one self-contained page.

It has one list of pairs, in order of risk, each with its cost and
its hits. A little script of ours sorts and filters it; without it everything is there.
"""

from __future__ import annotations

from collections import Counter

from garak_tbsa.gates.outcome import worth_saying
from garak_tbsa.hits import HOSTILE
from garak_tbsa.outputs import said
from garak_tbsa.outputs.drawings import repeats_drawing, strip_drawing
from garak_tbsa.outputs.html_page import filled, scale_values, scan_facts
from garak_tbsa.outputs.scored import PairRow, ScoredReport
from garak_tbsa.report.rows import GarakWording
from garak_tbsa.report.settings import canonical
from garak_tbsa.safe_text import shown
from garak_tbsa.tbsa.pairs import small_pairs
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

PART_SHOWN = 200_000
COMMENT_LENGTH = 60


def render(scored: ScoredReport) -> str:
    """Return the page of one scored report."""
    scan, document, evidence = scored.assessment, scored.document, scored.evidence
    words, has_hits = document.said, [row for row in scored.rows if _has_hits(row)]
    by_garak = _said_by_garak(scan)
    values = {
        "document": document,
        "target": scored.report.target,
        "whole": said.colour_band(scored.tbsa, scored.ends),
        "scale": scale_values(scored.tbsa, scored.ends, f"; {words.range}"),
        "outcomes": worth_saying(scored.verdict),
        "failed": scored.failed,
        "tiers": [
            (
                part,
                Counter(row.pair.grade for row in own),
                sum(row.effect.cost for row in own),
            )
            for part in scan.score.tiers
            for own in [[r for r in scored.rows if r.pair.tier == part.tier]]
        ],
        "rows": [
            (row, strip_drawing(row.pair), _notes(row, by_garak.get(row.pair.name)))
            for row in scored.rows
        ],
        "with_hits": has_hits,
        "no_hits": None if has_hits else _why_no_hits(scored),
        "evidence": None if isinstance(evidence, Unavailable) else evidence,
        "otherwise": len(by_garak),
        "facts": [
            *scan_facts(scored.report),
            ("Read from", document.read_from),
            ("Score before rounding", f"{document.raw_tbsa:.3f}"),
            ("Calibration", words.calibration),
            ("Version/probe hash", document.version_probe_hash),
        ],
        "parts": [
            (name, shown(canonical(value).decode("ascii"), PART_SHOWN))
            for name, value in sorted(scan.checksum.parts.items())
        ],
        "small_pairs": small_pairs(scan.graded),
        "chart": repeats_drawing({"this scan": scored}) if scored.ends else None,
        "can_find": scored.can_find,
        "hostile": HOSTILE,
    }
    return filled(
        "score.html", values, styles=["score.css", "hits.css"], scripts=["pairs.js"]
    )


def _has_hits(row: PairRow) -> bool:
    return row.found is not None and bool(row.found.hit_count)


def _notes(row: PairRow, by_garak: str | None) -> list[str]:
    """What is said of a pair beside its numbers."""
    then = None
    if row.step is not None:
        gain = f"+{row.step.raw_gain:.2f} before rounding"
        then = f"TBSA {said.tbsa_text(row.step.tbsa)} {said.if_fixed(row.step)}, {gain}"
    garak = by_garak and f"garak: {by_garak}"
    found = (then, said.edge_text(row.effect), row.remark, garak)
    return [said.capital(text) for text in found if text]


def _why_no_hits(scored: ScoredReport) -> str:
    found = [scored.evidence, *(row.found.hits for row in scored.rows if row.found)]
    reasons = (each.reason for each in found if isinstance(each, Unavailable))
    return next(reasons, "no pair has a hit")


def _said_by_garak(scan: Scan) -> dict[str, str]:
    """Garak's words for each pair that its page grades otherwise, by name.

    They are those of the digest, from which garak makes its page.
    """
    ours = {pair.name: pair.grade for pair in scan.graded}
    return {
        entry.pair_name: _garak_words(entry.wording)
        for entry in scan.report.measurements
        if entry.wording is not None
        and entry.pair_name in ours
        and entry.wording.defcon != ours[entry.pair_name]
    }


def _garak_words(said: GarakWording) -> str:
    parts = ["no DEFCON" if said.defcon is None else f"DEFCON {said.defcon}"]
    comments = (("pass rate", said.pass_rate_comment), ("Z", said.z_comment))
    parts += [
        f"{kind} “{shown(comment, COMMENT_LENGTH)}”"
        for kind, comment in comments
        if comment is not None
    ]
    return ", ".join(parts)
