# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What GitHub Actions show of a score: failed rules as errors, doubts as warnings."""

from __future__ import annotations

from collections.abc import Iterator

from garak_tbsa.outputs.github_commands import ERROR, WARNING, Annotation
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.tbsa.gate import RuleOutcome


def annotations_of(scored: ScoredReport) -> list[Annotation]:
    """Return what is to be shown of a scored report.

    Each failed rule is an error that names its pairs, and each of several pairs is one
    more. A rule that passed with a doubt, a partial scan and whatever the score warns
    of are warnings.
    """
    source = scored.report.source
    found = [
        _of_rule(ERROR, "gate failed", outcome, source) for outcome in scored.failed
    ]
    for outcome in scored.failed:
        found += _of_pairs(outcome)
    found += [
        _of_rule(WARNING, "gate passed, with a doubt", outcome, source)
        for outcome in scored.outcomes
        if outcome.passed and outcome.is_doubtful
    ]
    found += [
        Annotation(kind=WARNING, title=f"TBSA of {source}", message=warning)
        for warning in (scored.partial, *scored.warnings)
        if warning is not None
    ]
    return found


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
