# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The evidence behind a pair as members of a SARIF result and its rule."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from garak_tbsa.safe_text import printable, shown
from garak_tbsa.tbsa.evidence import HOSTILE, Evidence, Hit, PairEvidence
from garak_tbsa.tbsa.outputs import evidence_wording as wording
from garak_tbsa.tbsa.outputs.markdown_text import unlinked
from garak_tbsa.unavailable import Unavailable

LONGEST = 300
LINK_MARKS = str.maketrans({"\\": "\\\\", "[": "\\[", "]": "\\]"})
"""A message of SARIF may hold links, ``[text](target)`` (2.1.0, 3.11.6)."""


def message_text(text: str, longest: int = LONGEST) -> str:
    """Return a text on one line, cut, in which nothing is a link or a mention."""
    line = shown(" ".join(printable(text).split()), longest)
    return unlinked(line).translate(LINK_MARKS)


def of_result(
    evidence: Evidence | Unavailable, name: str, place: Mapping[str, Any]
) -> dict[str, Any]:
    """Return members of a pair's result: its hits, at their lines of the report.

    Parameters
    ----------
    evidence : Evidence or Unavailable
    name : str
        The pair.
    place : mapping
        The report's own location.
    """
    if isinstance(evidence, Unavailable) or name not in evidence.pairs:
        return {}
    found = evidence.pairs[name]
    siblings = wording.siblings_text(found)
    properties: dict[str, Any] = {"evidence": HOSTILE}
    if siblings is not None:
        properties["otherDetectorsOnTheseHits"] = printable(siblings)
    if isinstance(found.hits, Unavailable):
        return {"properties": {**properties, "noHits": printable(found.hits.reason)}}
    return {
        "relatedLocations": [
            _hit_place(number, hit, place)
            for number, hit in enumerate(found.hits, start=1)
        ],
        "properties": {
            **properties,
            "hits": [_hit(hit) for hit in found.hits],
        },
    }


def _hit_place(number: int, hit: Hit, place: Mapping[str, Any]) -> dict[str, Any]:
    physical = {**place["physicalLocation"], "region": {"startLine": hit.line}}
    said = (
        f"Hit: {wording.place_text(hit)}. Prompt: {_quoted(hit.prompt.text)}"
        f" Response: {_quoted(hit.response.text)}"
    )
    return {"id": number, "physicalLocation": physical, "message": {"text": said}}


def _quoted(text: str) -> str:
    return f"“{message_text(text or wording.NO_TEXT)}”"


def _hit(hit: Hit) -> dict[str, Any]:
    # results go to other people, and the folder is none of theirs
    name = os.path.basename(hit.report)
    return {
        "attempt": hit.attempt_uuid,
        "outputIndex": hit.output_index,
        "line": hit.line,
        "prompt": hit.prompt.text,
        "response": hit.response.text,
        "whole": printable(wording.show_command(hit, name)),
    }


def of_rule(evidence: Evidence | Unavailable, name: str) -> str:
    """Return a rule's help: what the probe tries, how right its detector is."""
    if isinstance(evidence, Unavailable) or name not in evidence.pairs:
        return ""
    return "".join(f" {sentence}" for sentence in _sentences(evidence.pairs[name]))


def _sentences(found: PairEvidence) -> list[str]:
    sentences = []
    if not isinstance(found.facts, Unavailable):
        sentences.append(f"The probe: {wording.tries_text(found.facts)}")
    if not isinstance(found.trust, Unavailable):
        sentences.append(f"The detector: {wording.trust_text(found.trust)}.")
    told = [message_text(sentence, 1000) for sentence in sentences]
    if found.probe_page is not None:
        told.append(f"garak's documentation: {found.probe_page}")
    return told
