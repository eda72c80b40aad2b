# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What came of the rules of a gate."""

from __future__ import annotations

from dataclasses import dataclass

from garak_tbsa.gates.options import RULE_OPTIONS
from garak_tbsa.tbsa.pairs import Culprit

FAIL_UNDER, TIER1_GRADE, MIN_COVERAGE, BASELINE = (each.rule for each in RULE_OPTIONS)


CONSISTENT = "consistent-report"
ANSWERS = "constant-target"
"""Of a target that answers everything alike; its option takes the rule away."""

RULES = (*(each.rule for each in RULE_OPTIONS), CONSISTENT, ANSWERS)
"""Every rule; all but the last two are options of the same name."""

NOT_JUDGED = "not judged: "
"""What is said before the reason where a rule fails since nobody knows."""

PLAIN_RULES = (BASELINE, CONSISTENT, ANSWERS)
"""What was found says by itself what was expected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleOutcome:
    """One rule and how the scan did.

    Attributes
    ----------
    rule : str
        One of :data:`RULES`.
    passed : bool
    expected, found : str
        In words, for every output.
    culprits : tuple of Culprit
        The pairs that the rule fails for; empty where it passed, or where it fails
        for the scan as a whole.
    not_sure : tuple of Culprit
        The pairs that it would fail for, were it not asked to be sure.
    is_doubtful : bool
        Whether a person should look at it although it passed.
    is_judged : bool
        False where it fails since nobody knows; see :func:`not_judged`.
    """

    rule: str
    passed: bool
    expected: str
    found: str
    culprits: tuple[Culprit, ...] = ()
    not_sure: tuple[Culprit, ...] = ()
    is_doubtful: bool = False
    is_judged: bool = True

    @property
    def said(self) -> str:
        """What was found, in one phrase with what was expected unless that is plain."""
        return self.said_of(self.found)

    def said_of(self, found: str) -> str:
        """Return the same phrase of one of several findings."""
        if self.rule in PLAIN_RULES:
            return found
        verb = "found " if self.is_judged else ""
        return f"expected {self.expected}; {verb}{found}"

    @property
    def findings(self) -> list[tuple[str, str]]:
        """What it is about and what was found: each culprit, or ``scan`` as a whole."""
        if not self.culprits:
            return [("scan", self.found)]
        return [(culprit.pair, culprit.text) for culprit in self.culprits]


def not_judged(
    rule: str, expected: str, why: str, culprits: tuple[Culprit, ...] = ()
) -> RuleOutcome:
    """Return the outcome of a rule that fails since nobody knows."""
    return RuleOutcome(
        rule=rule,
        passed=False,
        expected=expected,
        found=NOT_JUDGED + why,
        culprits=culprits,
        is_judged=False,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class GateVerdict:
    """The outcome of every rule."""

    outcomes: tuple[RuleOutcome, ...]

    @property
    def passed(self) -> bool:
        """Whether no rule failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[RuleOutcome, ...]:
        """The rules that failed."""
        return tuple(outcome for outcome in self.outcomes if not outcome.passed)


def worth_saying(verdict: GateVerdict | None) -> tuple[RuleOutcome, ...]:
    """All rules; nobody asked that a report agree with itself, where it does."""
    return tuple(
        outcome
        for outcome in (() if verdict is None else verdict.outcomes)
        if outcome.rule != CONSISTENT or not outcome.passed
    )
