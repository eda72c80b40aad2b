# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""JUnit XML, which CI systems show as tests, from what each test is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

from garak_tbsa.safe_text import printable


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One test.

    Attributes
    ----------
    group, name : str
        The group stands after our own name, as ``pairs``.
    failure : str or None
        Why it fails; None where it passes.
    kind : str or None
        Of the failure.
    skipped : str or None
        Why it was skipped.
    said : str or None
        What it has to say whatever came of it.
    """

    group: str
    name: str
    failure: str | None = None
    kind: str | None = None
    skipped: str | None = None
    said: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Suite:
    """Several tests, with properties of all of them."""

    name: str
    cases: Sequence[Case]
    properties: Iterable[tuple[str, str]] = ()


def junit_text(suites: Iterable[Suite]) -> str:
    """Return the document; each text of a report is made printable."""
    root = Element("testsuites", name="garak-tbsa")
    for suite in suites:
        _add_suite(root, suite)
    text = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _add_suite(root: Element, suite: Suite) -> None:
    element = SubElement(
        root,
        "testsuite",
        name=f"garak-tbsa.{suite.name}",
        tests=str(len(suite.cases)),
        failures=str(sum(case.failure is not None for case in suite.cases)),
        errors="0",
        skipped=str(sum(case.skipped is not None for case in suite.cases)),
    )
    if suite.properties:
        properties = SubElement(element, "properties")
        for name, value in suite.properties:
            SubElement(properties, "property", name=name, value=printable(value))
    for case in suite.cases:
        _add_case(element, case)


def _add_case(suite: Element, case: Case) -> None:
    element = SubElement(
        suite,
        "testcase",
        classname=f"garak-tbsa.{case.group}",
        name=printable(case.name),
    )
    if case.failure is not None:
        message = printable(case.failure)
        failure = SubElement(element, "failure", message=message)
        if case.kind is not None:
            failure.set("type", case.kind)
        failure.text = message
    if case.skipped is not None:
        SubElement(element, "skipped", message=printable(case.skipped))
    if case.said is not None:
        SubElement(element, "system-out").text = printable(case.said)
