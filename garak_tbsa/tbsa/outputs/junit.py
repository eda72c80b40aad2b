# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Gate rules and pairs as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from garak_tbsa.safe_text import printable
from garak_tbsa.tbsa.outputs import wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.gate import GateVerdict
    from garak_tbsa.tbsa.outputs.registry import ScoredReport


def render(scored: ScoredReport) -> str:
    """Return one suite with a test per rule, and one with a test per pair.

    Pairs never fail here: a gate on pairs is the rule ``require-tier1-grade``.
    A pair that was left out is a skipped test with its reason.
    """
    suites = Element("testsuites", name="garak-tbsa")
    _gate_suite(suites, scored.assessment, scored.verdict)
    _pair_suite(suites, scored.assessment)
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
            message = printable(f"expected {outcome.expected}, found {outcome.found}")
            SubElement(case, "failure", message=message).text = message


def _pair_suite(suites: Element, assessment: Assessment) -> None:
    suite = SubElement(
        suites,
        "testsuite",
        name="garak-tbsa.pairs",
        tests=str(len(assessment.graded) + len(assessment.left_out)),
        failures="0",
        errors="0",
        skipped=str(len(assessment.left_out)),
    )
    for pair in assessment.graded:
        case = SubElement(
            suite,
            "testcase",
            classname=f"garak-tbsa.tier{pair.tier}",
            name=printable(pair.name),
        )
        SubElement(
            case, "system-out"
        ).text = f"grade {pair.grade}, {wording.counts_text(pair)} passed"
    for entry in assessment.left_out:
        case = SubElement(
            suite,
            "testcase",
            classname="garak-tbsa.left-out",
            name=printable(entry.pair.name),
        )
        SubElement(case, "skipped", message=printable(entry.text))
