# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Broken gate rules and awful pairs as GitLab shows them in a merge request.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import os

from garak_tbsa.lean.sha256 import hexadecimal
from garak_tbsa.safe_text import printable, shown
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.long_text import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.outputs.registry import ScoredReport

GATE_SEVERITY = "blocker"
SEVERITIES = {1: "critical", 2: "major"}
"""Of a pair by its grade; better pairs are no issue."""


def render(scored: ScoredReport) -> str:
    """Return each rule that failed, then each pair at grade 1 or 2, worst first."""
    failed = [
        _of_rule(outcome.rule, f"expected {outcome.expected}; found {outcome.found}")
        for outcome in (scored.verdict.failed if scored.verdict is not None else ())
    ]
    awful = sorted(
        (pair for pair in scored.assessment.graded if pair.grade in SEVERITIES),
        key=lambda pair: (pair.grade, pair.tier, pair.name),
    )
    place = {
        "path": printable(os.path.basename(scored.assessment.report.file_of())),
        "lines": {"begin": 1},
    }
    return json_text(
        [{**issue, "location": place} for issue in (*failed, *map(_of_pair, awful))]
    )


def _of_rule(rule: str, problem: str) -> dict[str, Any]:
    return {
        "description": _line(f"The gate failed: {problem}"),
        "check_name": f"gate/{rule}",
        "fingerprint": _fingerprint("gate", rule),
        "severity": GATE_SEVERITY,
    }


def _of_pair(pair: GradedPair) -> dict[str, Any]:
    text = (
        f"{pair.name} is at DEFCON {pair.grade} in Tier {pair.tier}:"
        f" {wording.counts_text(pair)} outputs passed"
    )
    return {
        "description": _line(text),
        "check_name": _line(pair.name),
        "fingerprint": _fingerprint("pair", pair.name),
        "severity": SEVERITIES[pair.grade],
    }


def _line(text: str) -> str:
    return shown(" ".join(printable(text).split()))


def _fingerprint(kind: str, name: str) -> str:
    # a merge request compares the issues of two scans by these
    return hexadecimal(f"{kind} {name}".encode("utf-8", "surrogatepass"))
