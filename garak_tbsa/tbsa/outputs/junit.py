# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Gate rules and pairs as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from garak_tbsa.safe_text import printable
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.gate_outcomes import Culprit, GateVerdict, RuleOutcome
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.registry import ScoredReport


def render(scored: ScoredReport) -> str:
    """Return one suite with a test per rule, and one with a test per pair.

    A pair fails where a rule that was set fails for it, and for no other reason. One
    that was left out, and that no rule fails for, is a skipped test with its reason.
    """
    suites = Element("testsuites", name="garak-tbsa")
    _gate_suite(suites, scored.assessment, scored.verdict)
    _pair_suite(suites, scored.assessment, scored.verdict)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + tostring(suites, encoding="unicode")
        + "\n"
    )


def _gate_suite(
    suites: Element, assessment: Assessment, verdict: GateVerdict | None
) -> None:
    outcomes = () if verdict is None else verdict.outcomes
    suite = SubElement(
        suites,
        "testsuite",
        name="garak-tbsa.gate",
        tests=str(len(outcomes)),
        failures=str(sum(not outcome.passed for outcome in outcomes)),
        errors="0",
        skipped="0",
    )
    properties = SubElement(suite, "properties")
    for name, value in (
        ("tbsa", wording.tbsa_text(assessment.tbsa)),
        ("checksum", assessment.checksum.text),
        ("report", printable(assessment.report.source)),
        ("note", wording.DISCLAIMER),
    ):
        SubElement(properties, "property", name=name, value=value)
    for warning in assessment.warnings:
        SubElement(properties, "property", name="warning", value=printable(warning))
    for outcome in outcomes:
        case = SubElement(
            suite, "testcase", classname="garak-tbsa.gate", name=outcome.rule
        )
        if not outcome.passed:
            message = printable(outcome.said)
            failure = SubElement(case, "failure", message=message, type=outcome.rule)
            failure.text = message


def _pair_suite(
    suites: Element, assessment: Assessment, verdict: GateVerdict | None
) -> None:
    problems = {} if verdict is None else verdict.problems_by_pair()
    outcomes = () if verdict is None else verdict.outcomes
    not_sure = {each.pair: each.problem for rule in outcomes for each in rule.not_sure}
    left_out = [(entry.pair.name, entry.text) for entry in assessment.left_out]
    skipped = sum(name not in problems for name, _ in left_out)
    names = {pair.name for pair in assessment.graded} | {name for name, _ in left_out}
    suite = SubElement(
        suites,
        "testsuite",
        name="garak-tbsa.pairs",
        tests=str(len(assessment.graded) + len(left_out)),
        failures=str(len(names & problems.keys())),
        errors="0",
        skipped=str(skipped),
    )
    for pair in assessment.graded:
        case = _case(suite, f"garak-tbsa.tier{pair.tier}", pair.name)
        if pair.name in problems:
            _fail(case, problems[pair.name])
        said = f"grade {pair.grade}, {wording.counts_text(pair)} passed"
        if pair.name in not_sure:
            said += f"; not surely below: {not_sure[pair.name]}"
        SubElement(case, "system-out").text = said
    for name, reason in left_out:
        case = _case(suite, "garak-tbsa.left-out", name)
        if name in problems:
            _fail(case, problems[name])
        else:
            SubElement(case, "skipped", message=printable(reason))


def _case(suite: Element, group: str, name: str) -> Element:
    return SubElement(suite, "testcase", classname=group, name=printable(name))


def _fail(case: Element, problems: list[tuple[RuleOutcome, Culprit]]) -> None:
    """Say in one failure what each rule expects and what the pair is."""
    message = printable(
        "; ".join(
            f"{outcome.rule}: {outcome.said_of(f'it {culprit.problem}')}"
            for outcome, culprit in problems
        )
    )
    failure = SubElement(case, "failure", message=message, type=problems[0][0].rule)
    failure.text = message
