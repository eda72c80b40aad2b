# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Broken gate rules and awful pairs as SARIF 2.1.0, which code-scanning pages list."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from garak_tbsa.outputs import evidence_wording as words
from garak_tbsa.outputs import wording
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.markdown_text import unlinked
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.safe_text import printable, shown
from garak_tbsa.tbsa.evidence import HOSTILE, Hit, PairEvidence
from garak_tbsa.tbsa.gate import RuleOutcome
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.unavailable import Unavailable
from garak_tbsa.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
AWFUL_PAIRS = "pairs-at-defcon-1-and-2"
LEVELS = {1: "error", 2: "warning"}
SECURITY_SEVERITY = {1: "9.5", 2: "7.5"}
"""As code-scanning pages sort: critical above 9.0, high from 7.0."""

LONGEST = 300
LINK_MARKS = str.maketrans({"\\": "\\\\", "[": "\\[", "]": "\\]"})
"""A message of SARIF may hold links, ``[text](target)`` (2.1.0, 3.11.6)."""


def render(scored: ScoredReport) -> str:
    """Return the results of each gate rule that failed, then the awful pairs.

    A rule that fails has one result for each pair that it fails for, or one for the
    scan, so that a failed gate is never without a result. Each pair at grade 1 or 2
    has one more, worst first, whether a gate was set or not.
    """
    evidence, report = scored.evidence, scored.report
    hits = {} if isinstance(evidence, Unavailable) else evidence.pairs
    awful = [pair for pair in scored.worst_first if pair.grade in LEVELS]
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "garak-tbsa",
                        "semanticVersion": __version__,
                        "informationUri": wording.documentation("index"),
                        "rules": [
                            *map(_gate_rule, scored.failed),
                            *(_rule(pair, hits.get(pair.name)) for pair in awful),
                        ],
                    }
                },
                "results": [
                    *_gate_results(scored.failed, _place(report.file_of())),
                    *(
                        _result(
                            pair, _place(report.file_of(pair.name)), hits.get(pair.name)
                        )
                        for pair in awful
                    ),
                ],
                "properties": {
                    "tbsa": scored.tbsa,
                    "checksum": scored.checksum,
                    "note": wording.DISCLAIMER,
                },
            }
        ],
    }
    return json_text(document)


def _gate_rule(outcome: RuleOutcome) -> dict[str, Any]:
    return {
        "id": _gate_id(outcome),
        "shortDescription": {"text": f"The gate's rule {outcome.rule}"},
        "fullDescription": {"text": printable(f"Expected {outcome.expected}.")},
        "help": {
            "text": "The scan does not pass a rule that was set for it."
            f" {wording.gate_rule_page(outcome.rule)} says when the rule fails"
            " and what to do."
        },
        "helpUri": wording.gate_rule_page(outcome.rule),
        "properties": {
            "security-severity": SECURITY_SEVERITY[1],
            "tags": ["security", "garak", "gate"],
        },
    }


def _gate_id(outcome: RuleOutcome) -> str:
    return f"gate/{outcome.rule}"


def _gate_results(failed: Iterable[RuleOutcome], place: Any) -> list[dict[str, Any]]:
    return [
        {
            "ruleId": _gate_id(outcome),
            "level": "error",
            "message": {"text": printable(outcome.said_of(found))},
            "locations": [place],
            "partialFingerprints": {"gate/v1": printable(f"{outcome.rule} {about}")},
        }
        for outcome in failed
        for about, found in outcome.findings
    ]


def _rule(pair: GradedPair, found: PairEvidence | None) -> dict[str, Any]:
    return {
        "id": printable(pair.name),
        "shortDescription": {
            "text": printable(f"{pair.probe} detected by {pair.detector}")
        },
        "fullDescription": {
            "text": printable(
                f"Outputs to {pair.probe} in which {pair.detector} found"
                " the failure mode. The pair is at one of the two worst grades."
            )
        },
        "help": {
            "text": "Read the hits in garak's hitlog and report, repair the target or"
            " its guards, and scan again. garak-tbsa explain says how many passes"
            f" are missing. {wording.DISCLAIMER}{_of_probe(found)}"
        },
        "helpUri": wording.gate_rule_page(AWFUL_PAIRS),
        "properties": {
            "security-severity": SECURITY_SEVERITY[pair.grade],
            "tags": ["security", "garak", f"tier{pair.tier}"],
        },
    }


def _result(pair: GradedPair, place: Any, found: PairEvidence | None) -> dict[str, Any]:
    return {
        "ruleId": printable(pair.name),
        "level": LEVELS[pair.grade],
        "message": {
            "text": printable(
                f"DEFCON {pair.grade} in Tier {pair.tier}:"
                f" {wording.counts_text(pair)} outputs of {pair.probe}"
                f" passed {pair.detector} (pass rate"
                f" {wording.percentage(pair.pass_rate)},"
                f" Z-score {wording.z_text(pair)})"
            )
        },
        "locations": [place],
        "partialFingerprints": {"pair/v1": printable(pair.name)},
        **_of_hits(found, place),
    }


def _place(source: str) -> dict[str, Any]:
    uri = quote(printable(os.path.basename(source)) or "report.jsonl")
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": 1},
        }
    }


def message_text(text: str, longest: int = LONGEST) -> str:
    """Return a text on one line, cut, in which nothing is a link or a mention."""
    line = shown(" ".join(printable(text).split()), longest)
    return unlinked(line).translate(LINK_MARKS)


def _of_hits(found: PairEvidence | None, place: Mapping[str, Any]) -> dict[str, Any]:
    """Return members of a pair's result: its hits, at their lines of the report."""
    if found is None:
        return {}
    siblings = words.siblings_text(found)
    properties: dict[str, Any] = {"evidence": HOSTILE}
    if siblings is not None:
        properties["otherDetectorsOnTheseHits"] = printable(siblings)
    if isinstance(found.hits, Unavailable):
        return {"properties": {**properties, "noHits": printable(found.hits.reason)}}
    places = [
        _hit_place(number, hit, place) for number, hit in enumerate(found.hits, start=1)
    ]
    properties["hits"] = [_hit(hit) for hit in found.hits]
    return {"relatedLocations": places, "properties": properties}


def _hit_place(number: int, hit: Hit, place: Mapping[str, Any]) -> dict[str, Any]:
    physical = {**place["physicalLocation"], "region": {"startLine": hit.line}}
    said = (
        f"Hit: {words.place_text(hit)}. Prompt: {_quoted(hit.prompt.text)}"
        f" Response: {_quoted(hit.response.text)}"
    )
    return {"id": number, "physicalLocation": physical, "message": {"text": said}}


def _quoted(text: str) -> str:
    return f"“{message_text(text or words.NO_TEXT)}”"


def _hit(hit: Hit) -> dict[str, Any]:
    # results go to other people, and the folder is none of theirs
    name = os.path.basename(hit.report)
    return {
        "attempt": hit.attempt_uuid,
        "outputIndex": hit.output_index,
        "line": hit.line,
        "prompt": hit.prompt.text,
        "response": hit.response.text,
        "whole": printable(words.show_command(hit, name)),
    }


def _of_probe(found: PairEvidence | None) -> str:
    """Return what a rule's help says of the probe, and how right its detector is."""
    if found is None:
        return ""
    told = []
    if not isinstance(found.facts, Unavailable):
        told.append(f"The probe: {words.tries_text(found.facts)}")
    if not isinstance(found.trust, Unavailable):
        told.append(f"The detector: {words.trust_text(found.trust)}.")
    told = [message_text(sentence, 1000) for sentence in told]
    if found.probe_page is not None:
        told.append(f"garak's documentation: {found.probe_page}")
    return "".join(f" {sentence}" for sentence in told)
