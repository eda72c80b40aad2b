# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans as JUnit XML: the verdict and each pair as tests."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from garak_tbsa.safe_text import printable
from garak_tbsa.statistics.because import FELL, ComparedPair
from garak_tbsa.tbsa.comparison_in_words import move_text
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.comparison import sentences
from garak_tbsa.tbsa.outputs.comparison.compared_scans import ComparedScans


def render(compared: ComparedScans) -> str:
    """Return a suite with the verdict, and one with a test for each pair.

    The verdict fails where the second scan is worse, or nothing could be tested, as
    ``--fail-on worse`` does. A pair fails where it stands out for the worse, and only
    with the verdict; one that was not tested, or that a single scan measured, is
    skipped.
    """
    suites = Element("testsuites", name="garak-tbsa")
    _verdict_suite(suites, compared)
    _pair_suite(suites, compared)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + tostring(suites, encoding="unicode")
        + "\n"
    )


def _verdict_suite(suites: Element, compared: ComparedScans) -> None:
    comparison = compared.comparison
    failed = comparison.may_be_worse(compared.alpha)
    suite = SubElement(
        suites,
        "testsuite",
        name="garak-tbsa.compare",
        tests="1",
        failures=str(int(failed)),
        errors="0",
        skipped="0",
    )
    properties = SubElement(suite, "properties")
    facts = [("verdict", compared.headline), ("note", wording.DISCLAIMER)]
    marked = sentences.not_comparable(comparison)
    if marked is not None:
        facts.append(("not-comparable", marked))
    for side in compared.sides:
        facts += [
            (f"tbsa-{side.label}", wording.tbsa_text(side.assessment.tbsa)),
            (f"report-{side.label}", side.assessment.report.source),
            (f"checksum-{side.label}", side.assessment.checksum.text),
        ]
        facts += [("warning", text) for text in sentences.warnings_of(side)]
    for name, value in facts:
        SubElement(properties, "property", name=name, value=printable(value))
    case = SubElement(
        suite, "testcase", classname="garak-tbsa.compare", name="not worse"
    )
    if failed:
        message = printable(compared.headline)
        SubElement(case, "failure", message=message).text = message


def _pair_suite(suites: Element, compared: ComparedScans) -> None:
    comparison = compared.comparison
    fallen = {
        pair.name
        for cause in comparison.because(compared.alpha)
        for pair in cause.pairs
        if cause.direction == FELL and pair.stands_out(FELL, compared.alpha)
    }
    untested = {
        pair.name: pair.not_tested
        for pair in comparison.pairs
        if pair.not_tested is not None and pair.name not in fallen
    }
    suite = SubElement(
        suites,
        "testsuite",
        name="garak-tbsa.pairs",
        tests=str(len(comparison.pairs) + len(comparison.only_in_one)),
        failures=str(len(fallen)),
        errors="0",
        skipped=str(len(untested) + len(comparison.only_in_one)),
    )
    for pair in comparison.pairs:
        case = _case(suite, f"tier{pair.second.tier}", pair.name)
        if pair.name in fallen:
            message = printable(f"{move_text(pair)}: {_told(pair)}")
            SubElement(case, "failure", message=message).text = message
        if pair.name in untested:
            SubElement(case, "skipped", message=f"not tested: {untested[pair.name]}")
        SubElement(case, "system-out").text = printable(_told(pair))
    for name in comparison.only_in_one:
        case = _case(suite, "only-in-one", name)
        SubElement(case, "skipped", message="measured in one scan only")


def _case(suite: Element, group: str, name: str) -> Element:
    return SubElement(
        suite, "testcase", classname=f"garak-tbsa.{group}", name=printable(name)
    )


def _told(pair: ComparedPair) -> str:
    return (
        f"grade {sentences.grades_text(pair)},"
        f" {wording.counts_text(pair.first)} passed before,"
        f" {wording.counts_text(pair.second)} after, z {sentences.z_text(pair)}"
    )
