# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Broken gate rules and awful pairs as SARIF 2.1.0, which code-scanning pages list."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from typing import Any
from urllib.parse import quote

from garak_tbsa.evidence import PairEvidence
from garak_tbsa.hits import HOSTILE, NO_TEXT
from garak_tbsa.outputs.evidence_said import (
    drawn,
    probe_text,
    siblings_text,
    trust_text,
)
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.markdown_text import unlinked
from garak_tbsa.outputs.said import (
    DISCLAIMER,
    counts_text,
    documentation,
    percentage,
    z_text,
)
from garak_tbsa.outputs.scored import PairRow, ScoredReport
from garak_tbsa.safe_text import printable, shown
from garak_tbsa.unavailable import Unavailable
from garak_tbsa.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
GATES = "how_to/gates"
AWFUL_PAIRS = documentation(GATES, "pairs-at-defcon-1-and-2")
LEVELS = {1: "error", 2: "warning"}
SECURITY_SEVERITY = {1: "9.5", 2: "7.5"}
"""As code-scanning pages sort: critical above 9.0, high from 7.0."""

LONGEST, LONGEST_HELP = 300, 1000
LINK_MARKS = str.maketrans({"\\": "\\\\", "[": "\\[", "]": "\\]"})
"""A message of SARIF may hold links, ``[text](target)`` (2.1.0, 3.11.6)."""


def render(scored: ScoredReport) -> str:
    """Return the results of each gate rule that failed, then the awful pairs.

    A rule that fails has one result for each pair that it fails for, or one for the
    scan, so that a failed gate is never without a result. Each pair at grade 1 or 2
    has one more, worst first, whether a gate was set or not.
    """
    document, source, evidence = scored.document, scored.report.source, scored.evidence
    rules, results = [], []
    for outcome in scored.failed:
        rule, page = f"gate/{outcome.rule}", documentation(GATES, outcome.rule)
        about = {
            "shortDescription": f"The gate's rule {outcome.rule}",
            "fullDescription": printable(f"Expected {outcome.expected}."),
            "help": "The scan does not pass a rule that was set for it."
            f" {page} says when the rule fails and what to do.",
        }
        rules.append(_rule(rule, about, page, "gate", 1))
        before: Counter[str] = Counter()
        for name, found in outcome.findings:
            # a pair may contradict itself in several ways
            key = f"{outcome.rule} {name}" + f" {before[name]}" * bool(before[name])
            before[name] += 1
            told = outcome.said_of(found)
            results.append(_result(rule, "error", told, source, gate=key))
    for row in scored.rows:
        pair = row.pair
        if pair.grade not in LEVELS:
            continue
        probe, detector = printable(pair.probe), printable(pair.detector)
        about = {
            "shortDescription": f"{probe} detected by {detector}",
            "fullDescription": f"Outputs to {probe} in which {detector} found the"
            " failure mode. The pair is at one of the two worst grades.",
            "help": "Read the hits in garak's hitlog and report, repair the target or"
            " its guards, and scan again. garak-tbsa explain says how many passes are"
            f" missing. {DISCLAIMER}{_of_probe(row.found)}",
        }
        rules.append(
            _rule(pair.name, about, AWFUL_PAIRS, f"tier{pair.tier}", pair.grade)
        )
        told = (
            f"DEFCON {pair.grade} in Tier {pair.tier}: {counts_text(pair)} outputs of"
            f" {pair.probe} passed {pair.detector} (pass rate"
            f" {percentage(pair.pass_rate)}, Z-score {z_text(pair)})"
        )
        level = LEVELS[pair.grade]
        result = _result(pair.name, level, told, source, pair=pair.name)
        results.append(result | _of_hits(row, source))
    driver = {
        "name": "garak-tbsa",
        "semanticVersion": __version__,
        "informationUri": documentation("index"),
        "rules": rules,
    }
    properties: dict[str, Any] = {
        "tbsa": document.tbsa,
        "checksum": document.checksum,
        "note": DISCLAIMER,
    }
    if not isinstance(evidence, Unavailable) and evidence.problems:
        properties["leftOut"] = [*map(printable, evidence.problems)]
    run = {"tool": {"driver": driver}, "results": results, "properties": properties}
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(
    name: str, about: dict[str, str], page: str, tag: str, grade: int
) -> dict[str, Any]:
    """A rule, which weighs as much as a pair of that grade; its texts are printable."""
    return {
        "id": printable(name),
        **{member: {"text": text} for member, text in about.items()},
        "helpUri": page,
        "properties": {
            "security-severity": SECURITY_SEVERITY[grade],
            "tags": ["security", "garak", tag],
        },
    }


def _result(
    rule: str, level: str, told: str, source: str, **mark: str
) -> dict[str, Any]:
    """A result; pages know it again by its mark, of a gate's rule or of a pair.

    GitHub takes results of one rule in one place for one alert, unless the hash that it
    has for lines of code tells them apart.
    """
    ((kind, key),) = mark.items()
    ours = f"{rule} {key}".encode("utf-8", "backslashreplace")
    line_hash = hashlib.sha256(ours).hexdigest()[:16]
    return {
        "ruleId": printable(rule),
        "level": level,
        "message": {"text": printable(told)},
        "locations": [_place(source)],
        "partialFingerprints": {
            f"{kind}/v1": printable(key),
            "primaryLocationLineHash": f"{line_hash}:1",
        },
    }


def _place(source: str, line: int = 1) -> dict[str, Any]:
    uri = quote(printable(os.path.basename(source)) or "report.jsonl")
    region = {"startLine": line}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def message_text(text: str, longest: int = LONGEST) -> str:
    """Return a text on one line, cut, in which nothing is a link or a mention."""
    line = shown(" ".join(printable(text).split()), longest)
    return unlinked(line).translate(LINK_MARKS)


def _of_hits(row: PairRow, source: str) -> dict[str, Any]:
    """Members of a pair's result: its hits, at their lines of the report."""
    found = row.found
    if found is None:
        return {}
    properties: dict[str, Any] = {"evidence": HOSTILE}
    if found.siblings:
        properties["otherDetectorsOnTheseHits"] = printable(siblings_text(found))
    if isinstance(found.hits, Unavailable):
        return {"properties": {**properties, "noHits": printable(found.hits.reason)}}
    properties["hits"], places = [], []
    for number, hit in enumerate(drawn(found), start=1):
        properties["hits"].append(
            {
                "attempt": hit.attempt_uuid,
                "outputIndex": hit.output_index,
                "line": hit.line,
                "prompt": hit.prompt.text,
                "response": hit.response.text,
                # results go to other people, and the folder is none of theirs
                "whole": printable(hit.show_command(os.path.basename(hit.report))),
            }
        )
        prompt, response = (
            message_text(text.text or NO_TEXT) for text in (hit.prompt, hit.response)
        )
        told = f"Hit: {hit.place()}. Prompt: “{prompt}” Response: “{response}”"
        place = _place(source, hit.line)
        places.append({"id": number, **place, "message": {"text": told}})
    return {"relatedLocations": places, "properties": properties}


def _of_probe(found: PairEvidence | None) -> str:
    """What a rule's help says of the probe, and how right its detector is."""
    if found is None:
        return ""
    told = []
    if not isinstance(found.facts, Unavailable):
        about = f"The probe: {probe_text(found.facts)}"
        told.append(message_text(about, LONGEST_HELP))
    if not isinstance(found.trust, Unavailable):
        about = f"The detector: {trust_text(found.trust)}."
        told.append(message_text(about, LONGEST_HELP))
    if found.probe_page is not None:
        told.append(f"garak's documentation: {found.probe_page}")
    return "".join(f" {sentence}" for sentence in told)
