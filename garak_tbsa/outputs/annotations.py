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
    doubtful = [each for each in scored.outcomes if each.passed and each.is_doubtful]
    rules = [(ERROR, "gate failed", outcome) for outcome in scored.failed]
    rules += [(WARNING, "gate passed, with a doubt", outcome) for outcome in doubtful]
    found = [
        Annotation(
            kind=kind,
            title=f"{said}: {outcome.rule}",
            message=f"{source}: {outcome.said}",
        )
        for kind, said, outcome in rules
    ]
    found += [
        Annotation(kind=ERROR, title=outcome.rule, message=culprit.text)
        for outcome in scored.failed
        # a single pair is named by the rule's own line
        if len(outcome.culprits) > 1
        for culprit in outcome.culprits
    ]
    found += [
        Annotation(kind=WARNING, title=f"TBSA of {source}", message=warning)
        for warning in (scored.report.partial_reason, *scored.warnings)
        if warning is not None
    ]
    return found
