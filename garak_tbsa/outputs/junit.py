# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report, or a comparison, as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, tostring

from garak_tbsa.outputs import said
from garak_tbsa.outputs.scored import ScoredReport
from garak_tbsa.safe_text import printable


def render(scored: ScoredReport) -> str:
    """Return one suite with a test per rule, and one with a test per pair.

    A pair fails where a rule that was set fails for it, and for no other reason. One
    that was left out, and that no rule fails for, is a skipped test with its reason.
    """
    suites = Element("testsuites", name="garak-tbsa")
    properties = [
        ("tbsa", said.tbsa_text(scored.tbsa)),
        ("checksum", scored.checksum),
        ("report", scored.report.source),
        ("note", said.DISCLAIMER),
        *(("warning", warning) for warning in scored.warnings),
    ]
    gate = add_suite(suites, "gate", properties)
    # one failure says what each rule expects and what the pair is
    failures: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for outcome in scored.outcomes:
        failure = None if outcome.passed else outcome.said
        add_case(gate, "gate", outcome.rule, failure=failure, kind=outcome.rule)
        for culprit in outcome.culprits:
            found = f"{outcome.rule}: {outcome.said_of(f'it {culprit.problem}')}"
            failures.setdefault(culprit.pair, []).append(found)
            kinds.setdefault(culprit.pair, outcome.rule)
    unsure = {each.pair: each.problem for o in scored.outcomes for each in o.not_sure}
    cases: list[tuple[str, str, str | None, str | None]] = []
    for pair in scored.assessment.graded:
        what = f"grade {pair.grade}, {said.counts_text(pair)} passed"
        if pair.name in unsure:
            what += f"; not surely below: {unsure[pair.name]}"
        cases.append((f"tier{pair.tier}", pair.name, what, None))
    left_out = scored.assessment.left_out_lines
    cases += [("left-out", name, None, why) for name, why in left_out]
    pairs = add_suite(suites, "pairs")
    for group, name, told, skipped in cases:
        failure = "; ".join(failures.get(name, ())) or None
        add_case(
            pairs,
            group,
            name,
            failure=failure,
            kind=kinds.get(name),
            skipped=None if failure else skipped,
            said=told,
        )
    return text_of(suites)


def add_suite(
    suites: Element, name: str, properties: Iterable[tuple[str, str]] = ()
) -> Element:
    """Add a suite, and what is known of it."""
    suite = SubElement(suites, "testsuite", name=f"garak-tbsa.{name}")
    if properties:
        own = SubElement(suite, "properties")
        for key, value in properties:
            SubElement(own, "property", name=key, value=printable(value))
    return suite


def add_case(
    suite: Element,
    group: str,
    name: str,
    *,
    failure: str | None = None,
    kind: str | None = None,
    skipped: str | None = None,
    said: str | None = None,
) -> None:
    """Add a test: why it fails, or was skipped, and what it says whatever came of it.

    The group stands after our own name, as ``pairs``; the kind is that of the failure.
    """
    classname = f"garak-tbsa.{group}"
    case = SubElement(suite, "testcase", classname=classname, name=printable(name))
    if failure is not None:
        found = SubElement(case, "failure", message=printable(failure))
        if kind is not None:
            found.set("type", kind)
        found.text = printable(failure)
    if skipped is not None:
        SubElement(case, "skipped", message=printable(skipped))
    if said is not None:
        SubElement(case, "system-out").text = printable(said)


def text_of(suites: Element) -> str:
    """Count each suite's tests, and return the document."""
    for suite in suites:
        suite.set("tests", str(len(suite.findall("testcase"))))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
        suite.set("errors", "0")
        suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    text = tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
