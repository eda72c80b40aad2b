# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether an audited scan may pass."""

from __future__ import annotations

from garak_tbsa.labels.audit import Audit
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.gate import GateVerdict, RuleOutcome, consistency


def judge_range(assessment: Assessment, audit: Audit, fail_under: float) -> GateVerdict:
    """Hold the lower end of an audited score's range against a rule.

    It is not judged by what is left where labels could not be used, nor by labels that
    something speaks against. As with any gate, the report must agree with itself.

    Parameters
    ----------
    assessment : Assessment
        Held against its rows.
    audit : Audit
    fail_under : float
        Lowest TBSA that passes, 1.0-5.0.
    """
    by_labels, matched = audit.score.by_labels, audit.matched
    lower, upper = by_labels.lower / 10, by_labels.upper / 10
    found = f"{by_labels.tenths / 10:.1f} ({lower:.1f} to {upper:.1f}) by labels"
    if audit.warnings:
        found += f", not judged, since {audit.warnings[0]}"
    if matched.problems:
        found += (
            f", not judged, since {matched.unusable:,} of the labels could not be used,"
            f" first {matched.problems[0]}"
        )
    outcome = RuleOutcome(
        rule="fail-under",
        passed=lower >= fail_under and not (matched.problems or audit.warnings),
        expected=f"a lower end of at least {fail_under:g}",
        found=found,
    )
    return GateVerdict(outcomes=(outcome, consistency(assessment)))
