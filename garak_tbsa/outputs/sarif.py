# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Broken gate rules and awful pairs as SARIF 2.1.0, which code-scanning pages list."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from typing import Any
from urllib.parse import quote

from garak_tbsa.evidence import Evidence, PairEvidence
from garak_tbsa.hits import HOSTILE, NO_TEXT, Hit
from garak_tbsa.outputs import said as wording
from garak_tbsa.outputs.evidence_said import probe_text, siblings_text, trust_text
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.markdown_text import unlinked
from garak_tbsa.outputs.scored import ScoredReport
from garak_tbsa.safe_text import printable, shown
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
    behind = {} if isinstance(evidence, Unavailable) else evidence.pairs
    rules, results = [], []
    for outcome in scored.failed:
        rule, page = (
            f"gate/{outcome.rule}",
            wording.documentation("how_to/gates", outcome.rule),
        )
        rules.append(
            _rule(
                rule,
                f"The gate's rule {outcome.rule}",
                f"Expected {outcome.expected}.",
                "The scan does not pass a rule that was set for it."
                f" {page} says when the rule fails and what to do.",
                page,
                ("gate", 1),
            )
        )
        before: Counter[str] = Counter()
        for about, found in outcome.findings:
            said, key = outcome.said_of(found), f"{outcome.rule} {about}"
            # a pair may contradict itself in several ways
            key += f" {before[about]}" * bool(before[about])
            before[about] += 1
            place = _place(report.source)
            results.append(_result(rule, "error", said, place, ("gate/v1", key)))
    for pair in scored.by_risk:
        if pair.grade not in LEVELS:
            continue
        hits, place = behind.get(pair.name), _place(report.source)
        rules.append(
            _rule(
                pair.name,
                f"{pair.probe} detected by {pair.detector}",
                f"Outputs to {pair.probe} in which {pair.detector} found the failure"
                " mode. The pair is at one of the two worst grades.",
                "Read the hits in garak's hitlog and report, repair the target or its"
                " guards, and scan again. garak-tbsa explain says how many passes are"
                f" missing. {wording.DISCLAIMER}{_of_probe(hits)}",
                wording.documentation("how_to/gates", AWFUL_PAIRS),
                (f"tier{pair.tier}", pair.grade),
            )
        )
        said = (
            f"DEFCON {pair.grade} in Tier {pair.tier}: {wording.counts_text(pair)}"
            f" outputs of {pair.probe} passed {pair.detector} (pass rate"
            f" {wording.percentage(pair.pass_rate)}, Z-score {wording.z_text(pair)})"
        )
        result = _result(
            pair.name, LEVELS[pair.grade], said, place, ("pair/v1", pair.name)
        )
        results.append(result | _of_hits(hits, place))
    run = {
        "tool": {
            "driver": {
                "name": "garak-tbsa",
                "semanticVersion": __version__,
                "informationUri": wording.documentation("index"),
                "rules": rules,
            }
        },
        "results": results,
        "properties": {
            "tbsa": scored.tbsa,
            "checksum": scored.checksum,
            "note": wording.DISCLAIMER,
            **_left_out(evidence),
        },
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _left_out(evidence: Evidence | Unavailable) -> dict[str, list[str]]:
    """What could not be shown of the scan as a whole."""
    problems = () if isinstance(evidence, Unavailable) else evidence.problems
    return {"leftOut": [*map(printable, problems)]} if problems else {}


def _rule(
    name: str, short: str, full: str, advice: str, page: str, kind: tuple[str, int]
) -> dict[str, Any]:
    """A rule; its kind is a tag and the grade that it weighs as much as."""
    return {
        "id": printable(name),
        "shortDescription": {"text": printable(short)},
        "fullDescription": {"text": printable(full)},
        "help": {"text": advice},
        "helpUri": page,
        "properties": {
            "security-severity": SECURITY_SEVERITY[kind[1]],
            "tags": ["security", "garak", kind[0]],
        },
    }


def _result(
    rule: str, level: str, said: str, place: dict[str, Any], mark: tuple[str, str]
) -> dict[str, Any]:
    """A result; pages know it again by its mark.

    GitHub takes results of one rule in one place for one alert, unless the hash that it
    has for lines of code tells them apart.
    """
    ours = f"{rule} {mark[1]}".encode("utf-8", "backslashreplace")
    line_hash = hashlib.sha256(ours).hexdigest()[:16]
    return {
        "ruleId": printable(rule),
        "level": level,
        "message": {"text": printable(said)},
        "locations": [place],
        "partialFingerprints": {
            mark[0]: printable(mark[1]),
            "primaryLocationLineHash": f"{line_hash}:1",
        },
    }


def _place(source: str, line: int = 1) -> dict[str, Any]:
    uri = quote(printable(os.path.basename(source)) or "report.jsonl")
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": line},
        }
    }


def message_text(text: str, longest: int = LONGEST) -> str:
    """Return a text on one line, cut, in which nothing is a link or a mention."""
    line = shown(" ".join(printable(text).split()), longest)
    return unlinked(line).translate(LINK_MARKS)


def _of_hits(found: PairEvidence | None, place: dict[str, Any]) -> dict[str, Any]:
    """Members of a pair's result: its hits, at their lines of the report."""
    if found is None:
        return {}
    properties: dict[str, Any] = {"evidence": HOSTILE}
    if found.siblings:
        properties["otherDetectorsOnTheseHits"] = printable(siblings_text(found))
    if isinstance(found.hits, Unavailable):
        return {"properties": {**properties, "noHits": printable(found.hits.reason)}}
    properties["hits"] = [
        {
            "attempt": hit.attempt_uuid,
            "outputIndex": hit.output_index,
            "line": hit.line,
            "prompt": hit.prompt.text,
            "response": hit.response.text,
            # results go to other people, and the folder is none of theirs
            "whole": printable(hit.show_command(os.path.basename(hit.report))),
        }
        for hit in found.hits
    ]
    places = [
        {
            "id": number,
            "physicalLocation": {
                **place["physicalLocation"],
                "region": {"startLine": hit.line},
            },
            "message": {"text": _hit_text(hit)},
        }
        for number, hit in enumerate(found.hits, start=1)
    ]
    return {"relatedLocations": places, "properties": properties}


def _hit_text(hit: Hit) -> str:
    prompt, response = (
        message_text(text.text or NO_TEXT) for text in (hit.prompt, hit.response)
    )
    return f"Hit: {hit.place()}. Prompt: “{prompt}” Response: “{response}”"


def _of_probe(found: PairEvidence | None) -> str:
    """What a rule's help says of the probe, and how right its detector is."""
    if found is None:
        return ""
    said = []
    if not isinstance(found.facts, Unavailable):
        said.append(message_text(f"The probe: {probe_text(found.facts)}", 1000))
    if not isinstance(found.trust, Unavailable):
        said.append(message_text(f"The detector: {trust_text(found.trust)}.", 1000))
    if found.probe_page is not None:
        said.append(f"garak's documentation: {found.probe_page}")
    return "".join(f" {sentence}" for sentence in said)
