# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs at DEFCON 1 and 2 as SARIF 2.1.0, which code-scanning pages list."""

from __future__ import annotations

import os

from garak_tbsa import __version__
from garak_tbsa.safe_text import printable
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.long_text import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.outputs.registry import ScoredReport

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {1: "error", 2: "warning"}
SECURITY_SEVERITY = {1: "9.5", 2: "7.5"}
"""As code-scanning pages sort: critical above 9.0, high from 7.0."""


def render(scored: ScoredReport) -> str:
    """Return one result per pair at grade 1 or 2, worst first."""
    assessment = scored.assessment
    awful = sorted(
        (pair for pair in assessment.graded if pair.grade in LEVELS),
        key=lambda pair: (pair.grade, pair.tier, pair.name),
    )
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "garak-tbsa",
                        "semanticVersion": __version__,
                        "rules": [_rule(pair) for pair in awful],
                    }
                },
                "results": [_result(pair, assessment) for pair in awful],
                "properties": {
                    "tbsa": assessment.tbsa,
                    "checksum": assessment.checksum.text,
                    "note": wording.DISCLAIMER,
                },
            }
        ],
    }
    return json_text(document)


def _rule(pair: GradedPair) -> dict[str, Any]:
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
            f" are missing. {wording.DISCLAIMER}"
        },
        "properties": {
            "security-severity": SECURITY_SEVERITY[pair.grade],
            "tags": ["security", "garak", f"tier{pair.tier}"],
        },
    }


def _result(pair: GradedPair, assessment: Assessment) -> dict[str, Any]:
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
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(assessment.report.source)},
                    "region": {"startLine": 1},
                }
            }
        ],
        "partialFingerprints": {"pair/v1": printable(pair.name)},
    }


def _uri(source: str) -> str:
    from urllib.parse import quote

    return quote(printable(os.path.basename(source)) or "report.jsonl")
