# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""JUnit XML of scores and comparisons, as CI systems read it."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

from tests.behaviour.product import tbsa
from tests.outputs.samples import mixed_pairs, write
from tests.outputs.written import Written
from tests.report_rows import report_rows


def parsed(text: str) -> Element:
    """The document, in which what a suite says of itself is what it holds."""
    root = fromstring(text.encode())
    assert root.tag == "testsuites"
    for suite in root:
        assert suite.tag == "testsuite"
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        for name, tag in (("failures", "failure"), ("skipped", "skipped")):
            assert suite.get(name) == str(len(suite.findall(f"testcase/{tag}")))
        assert all(case.get("name") and case.get("classname") for case in cases)
    names = [
        (case.get("classname"), case.get("name")) for case in root.iter("testcase")
    ]
    assert len(set(names)) == len(names)
    assert all(name.replace("\n", "").isprintable() for _, name in names if name)
    return root


def test_a_pair_that_several_rules_fail_for_is_one_failed_test(tmp_path: Path) -> None:
    """A pair fails where a rule that was set fails for it, and for no other reason."""
    report = write(tmp_path, "mixed", report_rows(mixed_pairs()))
    output = tmp_path / "o.xml"
    rules = ("--require-tier1-grade", 5, "--min-coverage", 1)
    assert tbsa("score", report, *rules, "--junit", output).code == 3
    failed = {
        case.get("name"): case.findtext("failure")
        for case in parsed(output.read_text(encoding="utf-8"))[1]
        if case.find("failure") is not None
    }
    unknown = "new.Unknown+new.D"
    assert [*failed] == [
        "dan.DUDE+dan.DAN",
        "dan.Two+dan.DAN",
        unknown,
        "web.None+web.D",
    ]
    assert failed[unknown] == (
        "require-tier1-grade: expected every Tier 1 pair at grade 5 or better; found it"
        " of unknown tier; min-coverage: expected at least 100.0% of pairs, selected"
        " probes and outputs measured; found it not measured: neither the report nor"
        " the installed garak knows its tier"
    )


def test_every_document_is_well_formed_and_hostile_text_visible(
    scores: dict[str, Written], comparisons: dict[str, Written]
) -> None:
    """What suites count is what they hold, whatever a pair is called."""
    for kind, each in (*scores.items(), *comparisons.items()):
        if "--junit" not in each.forms:
            continue
        root = parsed(each.forms["--junit"])
        names = [case.get("name", "") for case in root[1].findall("testcase")]
        if kind == "hostile":
            assert any("<script>window.ran=1</script>" in name for name in names)
            assert any("\\x1b[2J" in name and "\\ud800" in name for name in names)
        assert {element.tag for element in root.iter()} <= {
            *("testsuites", "testsuite", "properties", "property"),
            *("testcase", "failure", "skipped", "system-out"),
        }
