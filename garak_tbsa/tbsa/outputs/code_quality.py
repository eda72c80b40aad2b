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
    from collections.abc import Iterable
    from typing import Any

    from garak_tbsa.tbsa.gate_outcomes import RuleOutcome
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.outputs.registry import ScoredReport

GATE_SEVERITY = "blocker"
SEVERITIES = {1: "critical", 2: "major"}
"""Of a pair by its grade; better pairs are no issue."""


def render(scored: ScoredReport) -> str:
    """Return the issues of each rule that failed, then the awful pairs, worst first.

    A rule has one issue for each pair that it fails for, or one for the scan. A pair is
    awful at grade 1 and 2.
    """
    failed = () if scored.verdict is None else scored.verdict.failed
    awful = sorted(
        (pair for pair in scored.assessment.graded if pair.grade in SEVERITIES),
        key=lambda pair: (pair.grade, pair.tier, pair.name),
    )
    place = {
        "path": printable(os.path.basename(scored.assessment.report.file_of())),
        "lines": {"begin": 1},
    }
    return json_text(
        [
            {**issue, "location": place}
            for issue in (*_of_rules(failed), *map(_of_pair, awful))
        ]
    )


def _of_rules(failed: Iterable[RuleOutcome]) -> list[dict[str, Any]]:
    return [
        {
            "description": _line(
                f"The gate failed: expected {outcome.expected}; found {found}"
            ),
            "check_name": f"gate/{outcome.rule}",
            "fingerprint": _fingerprint(f"gate {outcome.rule}", about),
            "severity": GATE_SEVERITY,
        }
        for outcome in failed
        for about, found in outcome.findings
    ]


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
