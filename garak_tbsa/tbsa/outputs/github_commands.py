# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What GitHub Actions show beside a run: failed rules as errors, doubts as warnings.

A line that begins with ``::`` is a command to the runner. Texts of a report are in its
title and its message alone, escaped as GitHub's own toolkit does, so that they can end
neither and begin no other command.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from garak_tbsa.lean.record import record
from garak_tbsa.safe_text import SHOWN_ERROR, printable, shown, without_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from garak_tbsa.tbsa.gate_outcomes import RuleOutcome
    from garak_tbsa.tbsa.outputs.registry import ScoredReport

ERROR, WARNING = "error", "warning"
MOST = 10
"""Of each kind that GitHub shows for one step."""

IN_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTY = {**IN_MESSAGE, ":": "%3A", ",": "%2C"}


@record
class Annotation:
    """One thing to show.

    Attributes
    ----------
    kind : str
        ``error`` or ``warning``.
    title, message : str
        As they are, not escaped.
    """

    kind: str
    title: str
    message: str

    @property
    def command(self) -> str:
        """The line that tells the runner."""
        title = _escaped(self.title, IN_PROPERTY)
        return f"::{self.kind} title={title}::{_escaped(self.message, IN_MESSAGE)}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    line = shown(" ".join(printable(text).split()), SHOWN_ERROR)
    # an escape in the report's text is text; each character is replaced once
    return "".join(escapes.get(char, char) for char in without_commands(line))


def annotations_of(scored: ScoredReport) -> list[Annotation]:
    """Return what is to be shown of a scored report.

    Each failed rule is an error that names its pairs, and each of several pairs is one
    more. A rule that passed with a doubt, a partial scan and whatever the score warns
    of are warnings.
    """
    verdict, report = scored.verdict, scored.assessment.report
    outcomes = () if verdict is None else verdict.outcomes
    failed = [outcome for outcome in outcomes if not outcome.passed]
    found = [
        _of_rule(ERROR, "gate failed", outcome, report.source) for outcome in failed
    ]
    for outcome in failed:
        found += _of_pairs(outcome)
    found += [
        _of_rule(WARNING, "gate passed, with a doubt", outcome, report.source)
        for outcome in outcomes
        if outcome.passed and outcome.is_doubtful
    ]
    partial = () if report.partial_reason is None else (report.partial_reason,)
    found += [
        Annotation(kind=WARNING, title=f"TBSA of {report.source}", message=warning)
        for warning in (*partial, *scored.assessment.warnings)
    ]
    return found


def failure(problem: str) -> Annotation:
    """Return what is shown where there is no score, or no verdict."""
    return Annotation(kind=ERROR, title="garak-tbsa", message=problem)


def commands(found: Iterable[Annotation]) -> list[str]:
    """Return the lines, as many of each kind as GitHub shows."""
    all_of = list(found)
    return [
        annotation.command
        for kind in (ERROR, WARNING)
        for annotation in _first([each for each in all_of if each.kind == kind])
    ]


def _of_rule(kind: str, said: str, outcome: RuleOutcome, source: str) -> Annotation:
    return Annotation(
        kind=kind,
        title=f"{said}: {outcome.rule}",
        message=f"{source}: {outcome.said}",
    )


def _of_pairs(outcome: RuleOutcome) -> Iterator[Annotation]:
    # a single pair is named by the rule's own line
    for culprit in outcome.culprits if len(outcome.culprits) > 1 else ():
        yield Annotation(kind=ERROR, title=outcome.rule, message=culprit.text)


def _first(found: list[Annotation]) -> list[Annotation]:
    if len(found) <= MOST:
        return found
    more = len(found) - MOST + 1
    last = Annotation(
        kind=found[0].kind, title="garak-tbsa", message=f"{more} more, see the log"
    )
    return [*found[: MOST - 1], last]
