# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Gate rules and pairs of a scored report as JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.junit_xml import Case, Suite, junit_text
from garak_tbsa.outputs.view import ScoredReport


def render(scored: ScoredReport) -> str:
    """Return one suite with a test per rule, and one with a test per pair.

    A pair fails where a rule that was set fails for it, and for no other reason. One
    that was left out, and that no rule fails for, is a skipped test with its reason.
    """
    rules = [
        Case(
            group="gate",
            name=outcome.rule,
            failure=None if outcome.passed else outcome.said,
            kind=outcome.rule,
        )
        for outcome in scored.outcomes
    ]
    properties = [
        ("tbsa", wording.tbsa_text(scored.tbsa)),
        ("checksum", scored.checksum),
        ("report", scored.report.source),
        ("note", wording.DISCLAIMER),
        *(("warning", warning) for warning in scored.warnings),
    ]
    return junit_text(
        [
            Suite(name="gate", cases=rules, properties=properties),
            Suite(name="pairs", cases=list(_pairs(scored))),
        ]
    )


def _pairs(scored: ScoredReport) -> Iterator[Case]:
    problems = {} if scored.verdict is None else scored.verdict.problems_by_pair()
    not_sure = {e.pair: e.problem for rule in scored.outcomes for e in rule.not_sure}
    kinds = {name: found[0][0].rule for name, found in problems.items()}
    # one failure says what each rule expects and what the pair is
    failures = {
        name: "; ".join(
            f"{outcome.rule}: {outcome.said_of(f'it {culprit.problem}')}"
            for outcome, culprit in found
        )
        for name, found in problems.items()
    }
    for pair in scored.assessment.graded:
        said = f"grade {pair.grade}, {wording.counts_text(pair)} passed"
        if pair.name in not_sure:
            said += f"; not surely below: {not_sure[pair.name]}"
        yield Case(
            group=f"tier{pair.tier}",
            name=pair.name,
            failure=failures.get(pair.name),
            kind=kinds.get(pair.name),
            said=said,
        )
    for entry in scored.left_out:
        name = entry.pair.name
        yield Case(
            group="left-out",
            name=name,
            failure=failures.get(name),
            kind=kinds.get(name),
            skipped=None if name in failures else entry.text,
        )
