# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The evidence behind the pairs: real hits, and what is known of probe and detector.

Every text here is hostile; the template writes it as text, and only the addresses of
garak's documentation, which no report can choose, and files beside the report become
links.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from garak_tbsa.tbsa.evidence import HOSTILE, CutText, Evidence, Hit, PairEvidence
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.outputs import evidence_wording as wording
from garak_tbsa.tbsa.outputs.registry import NOT_ASKED_FOR
from garak_tbsa.unavailable import Unavailable


def hits_values(
    evidence: Evidence | Unavailable,
    pairs: Mapping[str, GradedPair],
    places: Mapping[str, int],
) -> dict[str, Any] | None:
    """Return what the section on hits shows, None where nobody asked for it.

    Parameters
    ----------
    evidence : Evidence or Unavailable
    pairs : mapping of str to GradedPair
        Those that count, by name.
    places : mapping of str to int
        The number of each pair's row, by name; hits are shown of pairs with a row.
    """
    if evidence == NOT_ASKED_FOR:
        return None
    if isinstance(evidence, Unavailable):
        return {"missing": evidence.reason, "pairs": []}
    shown = [
        _pair(found, pairs[name], places[name])
        for name, found in evidence.pairs.items()
        if found.hit_count and name in pairs and name in places
    ]
    beside = (("page", evidence.garak_page), ("hit log", evidence.hit_log))
    return {
        "missing": None if shown else _why_none(evidence),
        "warning": HOSTILE,
        "seed": evidence.seed,
        "problems": evidence.problems,
        "files": [_file(what, path) for what, path in beside if path is not None],
        "pairs": shown,
    }


def _why_none(evidence: Evidence) -> str:
    reasons = [
        found.hits.reason
        for found in evidence.pairs.values()
        if isinstance(found.hits, Unavailable)
    ]
    return reasons[0] if reasons else "no pair has a hit"


def _file(what: str, path: str) -> dict[str, str]:
    """Link a file by its name: pages are written beside the report, or sent with it."""
    name = os.path.basename(path)
    # "./" keeps a name with a colon from being a scheme
    return {"what": what, "name": name, "href": f"./{quote(name, errors='replace')}"}


def _pair(found: PairEvidence, pair: GradedPair, place: int) -> dict[str, Any]:
    hits = () if isinstance(found.hits, Unavailable) else found.hits
    facts = None if isinstance(found.facts, Unavailable) else found.facts
    trust = found.trust
    return {
        "place": place,
        "probe": found.probe,
        "detector": found.detector,
        "grade": pair.grade,
        "tier": pair.tier,
        "found": wording.found_text(found, pair),
        "tries": None if facts is None else wording.tries_text(facts),
        "tags": () if facts is None else facts.tags,
        "trust": _sentence(
            trust.reason
            if isinstance(trust, Unavailable)
            else wording.trust_text(trust)
        ),
        "siblings": wording.siblings_text(found),
        "probe_page": found.probe_page,
        "detector_page": found.detector_page,
        "hits": [_hit(hit) for hit in hits],
    }


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "place": _sentence(wording.place_text(hit)),
        "texts": [_text("Prompt", hit.prompt), _text("Response", hit.response)],
        "command": wording.show_command(hit),
    }


def _text(name: str, text: CutText) -> dict[str, str]:
    return {
        "heading": wording.heading(name, text),
        "text": text.text or wording.NO_TEXT,
    }
