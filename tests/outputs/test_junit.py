# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""JUnit XML of scores and comparisons, as CI systems read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest

from garak_tbsa.gates.options import GateRules
from garak_tbsa.outputs.compared import ComparedScans
from garak_tbsa.outputs.junit import render, render_comparison
from garak_tbsa.outputs.view import ScoredReport
from tests.outputs import compared
from tests.outputs.samples import hostile, mixed


def parsed(result: ScoredReport | ComparedScans) -> Element:
    """The document, in which what a suite says of itself is what it holds."""
    if isinstance(result, ComparedScans):
        text = render_comparison(result)
    else:
        text = render(result)
    root = fromstring(text.encode())
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
    assert all(name.replace("\n", "").isprintable() for _, name in names if name)
    return root


def failures(root: Element) -> dict[str, str]:
    """Message by the name of each test that failed."""
    found = {}
    for case in root.iter("testcase"):
        for failure in case.iter("failure"):
            assert failure.get("message") == failure.text
            found[case.get("name", "")] = failure.text or ""
    return found


def properties(root: Element) -> dict[str, str]:
    return {e.get("name", ""): e.get("value", "") for e in root.iter("property")}


def test_rules_and_pairs_are_tests(tmp_path: Path) -> None:
    sample = mixed(tmp_path, rules=GateRules(fail_under=2, require_tier1_grade=2))
    gate, pairs = root = parsed(sample)
    assert (gate.get("name"), gate.get("failures")) == ("garak-tbsa.gate", "1")
    said = properties(root)
    assert said["tbsa"] == "2.6"
    assert said["checksum"] == sample.assessment.checksum.text
    assert said["report"] == sample.assessment.report.source
    rule = "expected every Tier 1 pair at grade 2 or better;"
    assert failures(gate) == {
        "require-tier1-grade": f"{rule} found 2 below: dan.One+dan.DAN at 1 (depends on"
        " 7 outputs); new.Unknown+new.D of unknown tier"
    }
    assert {e.get("type") for e in root.iter("failure")} == {"require-tier1-grade"}
    assert failures(pairs) == {
        "dan.One+dan.DAN": f"require-tier1-grade: {rule} found it at 1 (depends on 7"
        " outputs)",
        "new.Unknown+new.D": f"require-tier1-grade: {rule} found it of unknown tier",
    }
    cases = {
        case.get("name"): (case.get("classname"), case.findtext("system-out"))
        for case in pairs.findall("testcase")
    }
    assert len(cases) == 7
    assert cases["dan.One+dan.DAN"] == ("garak-tbsa.tier1", "grade 1, 2/7 passed")
    assert cases["web.Xss+web.D"] == ("garak-tbsa.tier2", "grade 4, 90/100 passed")
    skipped = [skip.get("message") for skip in pairs.iter("skipped")]
    assert skipped == ["tier 3 does not count", "no output was evaluated"]


def test_without_a_broken_rule_no_pair_fails(tmp_path: Path) -> None:
    root = parsed(mixed(tmp_path, rules=GateRules(fail_under=1)))
    assert failures(root) == {}
    assert root[1].get("skipped") == "3"
    assert parsed(mixed(tmp_path))[0].get("tests") == "0"


def test_a_pair_that_several_rules_fail_for_is_one_failed_test(tmp_path: Path) -> None:
    """A pair fails where a rule that was set fails for it, and for no other reason."""
    rules = GateRules(require_tier1_grade=5, min_coverage=1)
    failed = failures(parsed(mixed(tmp_path, rules=rules))[1])
    names = [
        "dan.One+dan.DAN",
        "dan.Two+dan.DAN",
        "new.Unknown+new.D",
        "web.None+web.D",
    ]
    assert list(failed) == names
    assert failed["new.Unknown+new.D"] == (
        "require-tier1-grade: expected every Tier 1 pair at grade 5 or better; found it"
        " of unknown tier; min-coverage: expected at least 100.0% of the attempted"
        " pairs measured; found it not measured: neither the report nor the installed"
        " garak knows its tier"
    )


def test_hostile_text_is_well_formed_and_visible(tmp_path: Path) -> None:
    for root in (parsed(hostile(tmp_path)), parsed(compared.hostile(tmp_path))):
        names = [case.get("name", "") for case in root[1].findall("testcase")]
        assert any("<script>window.ran=1</script>" in name for name in names)
        assert any("\\x1b[2J" in name and "\\ud800" in name for name in names)
        assert {element.tag for element in root.iter()} == {
            *("testsuites", "testsuite", "properties", "property"),
            *("testcase", "failure", "skipped", "system-out"),
        }


@pytest.mark.parametrize("kind", compared.KINDS, ids=lambda kind: kind.__name__)
def test_counts_hold(kind: Callable[[Path], ComparedScans], tmp_path: Path) -> None:
    assert properties(parsed(kind(tmp_path)))["verdict"]


def test_a_worse_scan_fails_and_the_pair_with_it(tmp_path: Path) -> None:
    worse = compared.worse(tmp_path)
    root = parsed(worse)
    assert failures(root) == {
        "not worse": worse.headline,
        "dan.Fell+mitigation.MitigationBypass": (
            "fell from 84 % to 51 %: grade 4 → 3, 84/100 passed before, 51/100 after,"
            " z -4.97"
        ),
    }
    skipped = [case.get("name") for case in root[1] if case.find("skipped") is not None]
    assert skipped == ["dan.Silent+mitigation.MitigationBypass"]
    assert failures(parsed(compared.better(tmp_path))) == {}
    assert failures(parsed(compared.untested(tmp_path))) == {
        "not worse": "not tested: no pair has counts in both reports"
    }
    marked = properties(parsed(compared.common(tmp_path)))
    assert "for information only" in marked["not-comparable"]
    assert marked["checksum-before"] != marked["checksum-after"]
