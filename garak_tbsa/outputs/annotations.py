# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What GitHub Actions show of a score: failed rules as errors, doubts as warnings."""

from __future__ import annotations

from garak_tbsa.outputs.github_commands import ERROR, WARNING, Annotation
from garak_tbsa.outputs.scored import ScoredReport


def annotations_of(scored: ScoredReport) -> list[Annotation]:
    """Return what is to be shown of a scored report.

    Each failed rule is an error that names its pairs, and each of several pairs is one
    more. A rule that passed with a doubt, a partial scan and whatever the score warns
    of are warnings.
    """
    source = scored.report.source
    found: list[Annotation] = []
    # GitHub shows few, so each rule comes before the pairs of any
    pairs: list[Annotation] = []
    for outcome in sorted(scored.outcomes, key=lambda outcome: outcome.passed):
        if outcome.passed and not outcome.is_doubtful:
            continue
        kind = WARNING if outcome.passed else ERROR
        what = "gate passed, with a doubt" if outcome.passed else "gate failed"
        title, message = f"{what}: {outcome.rule}", f"{source}: {outcome.said}"
        found.append(Annotation(kind=kind, title=title, message=message))
        # a single pair is named by the rule's own line
        culprits = outcome.culprits if len(outcome.culprits) > 1 else ()
        pairs += [
            Annotation(kind=ERROR, title=outcome.rule, message=culprit.text)
            for culprit in culprits
        ]
    doubts = [
        Annotation(kind=WARNING, title=f"TBSA of {source}", message=warning)
        for warning in (scored.report.partial_reason, *scored.warnings)
        if warning is not None
    ]
    return [*found, *pairs, *doubts]
