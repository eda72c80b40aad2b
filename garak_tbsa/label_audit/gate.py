# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether an audited scan may pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garak_tbsa.tbsa.gate import consistency
from garak_tbsa.tbsa.gate_outcomes import GateVerdict, RuleOutcome

if TYPE_CHECKING:
    from garak_tbsa.label_audit.score import ScoreRange
    from garak_tbsa.tbsa.assessment import Assessment


def judge_range(
    assessment: Assessment, found: ScoreRange, fail_under: float
) -> GateVerdict:
    """Hold the lower end of an audited score's range against a rule.

    As with any gate, the report must agree with itself.

    Parameters
    ----------
    assessment : Assessment
        Held against its rows.
    found : ScoreRange
        By labels.
    fail_under : float
        Lowest TBSA that passes, 1.0-5.0.
    """
    lower, upper = found.lower / 10, found.upper / 10
    outcome = RuleOutcome(
        rule="fail-under",
        passed=lower >= fail_under,
        expected=f"a lower end of at least {fail_under:g}",
        found=f"{found.tenths / 10:.1f} ({lower:.1f} to {upper:.1f}) by labels",
    )
    return GateVerdict(outcomes=(outcome, consistency(assessment)))
