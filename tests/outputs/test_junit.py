# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from garak_tbsa.outputs.junit import render
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.tbsa.gate_options import GateRules
from tests.outputs.samples import hostile, mixed

if TYPE_CHECKING:
    from pathlib import Path


def parsed(sample: ScoredReport) -> ElementTree.Element:
    return ElementTree.fromstring(render(sample).encode())


def assert_counts_hold(root: ElementTree.Element) -> None:
    """What a suite says of itself is what it holds."""
    assert root.tag == "testsuites"
    for suite in root:
        assert suite.tag == "testsuite"
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        for name, tag in (("failures", "failure"), ("skipped", "skipped")):
            assert suite.get(name) == str(len(suite.findall(f"testcase/{tag}")))
        assert suite.get("errors") == "0"
        assert all(case.get("name") and case.get("classname") for case in cases)
    names = [
        (case.get("classname"), case.get("name")) for case in root.iter("testcase")
    ]
    assert len(set(names)) == len(names)


def test_rules_and_pairs_are_tests(tmp_path: Path) -> None:
    sample = mixed(tmp_path, rules=GateRules(fail_under=2, require_tier1_grade=2))
    root = parsed(sample)
    assert_counts_hold(root)
    gate, pairs = root
    assert (gate.get("name"), gate.get("failures")) == ("garak-tbsa.gate", "1")
    properties = {p.get("name"): p.get("value") for p in gate.iter("property")}
    assert properties["tbsa"] == "2.6"
    assert properties["checksum"] == sample.assessment.checksum.text
    assert properties["report"] == sample.assessment.report.source
    (failure,) = gate.iter("failure")
    assert (
        failure.get("message")
        == failure.text
        == (
            "expected every Tier 1 pair at grade 2 or better;"
            " found 2 below: dan.One+dan.DAN at 1 (depends on 7 outputs);"
            " new.Unknown+new.D of unknown tier"
        )
    )
    assert failure.get("type") == "require-tier1-grade"
    assert (pairs.get("tests"), pairs.get("failures")) == ("7", "2")
    assert {
        case.get("name"): case.find("failure").get("message")  # type: ignore[union-attr]
        for case in pairs.findall("testcase")
        if case.find("failure") is not None
    } == {
        "dan.One+dan.DAN": "require-tier1-grade: expected every Tier 1 pair at grade 2"
        " or better; found it at 1 (depends on 7 outputs)",
        "new.Unknown+new.D": "require-tier1-grade: expected every Tier 1 pair at"
        " grade 2 or better; found it of unknown tier",
    }
    said = {
        case.get("name"): (case.get("classname"), case.findtext("system-out"))
        for case in pairs.findall("testcase")
    }
    assert said["dan.One+dan.DAN"] == ("garak-tbsa.tier1", "grade 1, 2/7 passed")
    assert said["web.Xss+web.D"] == ("garak-tbsa.tier2", "grade 4, 90/100 passed")
    assert [skip.get("message") for skip in pairs.iter("skipped")] == [
        "tier 3 does not count",
        "no output was evaluated",
    ]


def test_without_a_gate_no_rule_is_a_test(tmp_path: Path) -> None:
    root = parsed(mixed(tmp_path))
    assert_counts_hold(root)
    assert root[0].get("tests") == "0"


def test_a_pair_that_several_rules_fail_for_is_one_failed_test(tmp_path: Path) -> None:
    """A pair fails where a rule that was set fails for it, and for no other reason."""
    rules = GateRules(require_tier1_grade=5, min_coverage=1)
    root = parsed(mixed(tmp_path, rules=rules))
    assert_counts_hold(root)
    failed = {
        case.get("name"): case.find("failure").text  # type: ignore[union-attr]
        for case in root[1].findall("testcase")
        if case.find("failure") is not None
    }
    assert set(failed) == {
        "dan.One+dan.DAN",
        "dan.Two+dan.DAN",
        "new.Unknown+new.D",
        "web.None+web.D",
    }
    assert failed["new.Unknown+new.D"] == (
        "require-tier1-grade: expected every Tier 1 pair at grade 5 or better; found it"
        " of unknown tier; min-coverage: expected at least 100.0% of the attempted"
        " pairs measured; found it not measured: neither the report nor the installed"
        " garak knows its tier"
    )


def test_without_a_broken_rule_no_pair_fails(tmp_path: Path) -> None:
    root = parsed(mixed(tmp_path, rules=GateRules(fail_under=1)))
    assert_counts_hold(root)
    assert [suite.get("failures") for suite in root] == ["0", "0"]
    assert root[1].get("skipped") == "3"


def test_hostile_text_is_well_formed_and_visible(tmp_path: Path) -> None:
    root = parsed(hostile(tmp_path))
    assert_counts_hold(root)
    names = [case.get("name", "") for case in root[1].findall("testcase")]
    assert "p0.<script>window.ran=1</script>+d.<script>window.ran=1</script>" in names
    assert any("\\x1b[2J" in name and "\\ud800" in name for name in names)
    assert {element.tag for element in root.iter()} == {
        "testsuites",
        "testsuite",
        "properties",
        "property",
        "testcase",
        "failure",
        "skipped",
        "system-out",
    }
