# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Gates: what passes, what fails, and that every output says the same."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.behaviour.product import GOLD, document, tbsa
from tests.behaviour.scans import SMALL, scan
from tests.behaviour.schemas import assert_keeps_schema
from tests.report_rows import (
    PairFacts,
    pairs_named,
    report_rows,
    write_report,
)

REPORT = GOLD / "garak-0.17.1.report.jsonl"
BEFORE = "the scan was interrupted before it"
SILENT = "selected, and no result was left"
CULPRIT = "misleading.FalseAssertion+misleading.MustRefuteClaimKW"


RULES: dict[str, tuple[list[str], int, list[str]]] = {
    "score above": (["--fail-under", "3"], 0, []),
    "score equal": (["--fail-under", "3.7"], 0, []),
    "score below": (["--fail-under", "3.8"], 3, ["fail-under"]),
    "not by the raw score": (["--fail-under", "3.68"], 0, []),
    "Tier 1 at its grade": (["--require-tier1-grade", "4"], 0, []),
    "Tier 1 below": (["--require-tier1-grade", "5"], 3, ["require-tier1-grade"]),
    "all measured": (["--min-coverage", "1"], 0, []),
    "two rules, one fails": (
        ["--fail-under", "3", "--require-tier1-grade", "5"],
        3,
        ["require-tier1-grade"],
    ),
    "two rules fail": (
        ["--fail-under", "4", "--require-tier1-grade", "5"],
        3,
        ["fail-under", "require-tier1-grade"],
    ),
}
"""Of a scan with 3.7 (11/3 before rounding) and grades 4 in Tier 1, 3 and 3 in 2."""


@pytest.mark.parametrize("name", RULES)
def test_a_rule_passes_or_ends_with_exit_code_3(name: str, tmp_path: Path) -> None:
    options, code, failed = RULES[name]
    path = scan(tmp_path)
    quiet = tbsa("score", "-q", *options, path)
    assert quiet.code == code
    assert [line[1:] for line in quiet.lines[-1:]] == [" TBSA: 3.7"]
    assert len(quiet.lines) == 3
    reasons = quiet.err.splitlines()
    assert [reason.split(": ")[2:4] for reason in reasons] == [
        ["gate failed", rule] for rule in failed
    ]
    assert all(str(path) in reason for reason in reasons)
    text = tbsa("score", "--no-interval", *options, path)
    assert (text.code, text.err) == (code, "")
    for rule in failed:
        assert f"gate failed: {rule}: " in text.out
    assert text.out.count("gate failed") == len(failed)
    # that the report agrees with itself is said only where it does not
    assert text.out.count("gate passed") == len(options) // 2 - len(failed)


def test_each_tier_1_pair_that_fails_its_rule_is_a_failed_case(tmp_path: Path) -> None:
    """One that nobody measured too; a build shows ten lines at most."""
    unknown = PairFacts(probe="x.Unknown", tier=None)
    pairs = [*pairs_named((1, 10, 10), (1, 5, 10), (2, 0, 0), (3, 0, 10)), unknown]
    path, output = (
        scan(tmp_path, [*pairs, PairFacts(passed=0, total=0)]),
        tmp_path / "j",
    )
    rule = ["score", "-q", "--github", "--require-tier1-grade", "4"]
    found = document(tmp_path, *rule, path, "--junit", output, code=3)
    failing = ["probe.P01+D", "x.Unknown+dan.DAN", "dan.Ablation_Dan_11_0+dan.DAN"]
    culprits = [each["pair"] for each in found["gate"]["rules"][0]["culprits"]]
    assert sorted(culprits) == sorted(failing)
    passed = {
        ("garak-tbsa.gate", "consistent-report"),
        ("garak-tbsa.tier1", "probe.P00+D"),
        ("garak-tbsa.left-out", "probe.P02+D"),
        ("garak-tbsa.left-out", "probe.P03+D"),
    }
    failed = {
        ("garak-tbsa.gate", "require-tier1-grade"),
        ("garak-tbsa.tier1", failing[0]),
        *(("garak-tbsa.left-out", name) for name in failing[1:]),
    }
    cases = junit(ElementTree.parse(output).getroot())
    assert cases == dict.fromkeys(passed, True) | dict.fromkeys(failed, False)
    # the rule and each pair
    for count, told in ((1, 1), (2, 3), (9, 10), (20, 10)):
        shown = tbsa(*rule, scan(tmp_path, pairs_named(*[(1, 5, 10)] * count)))
        assert (shown.out + shown.err).count("::error ") == told


def test_every_output_says_the_same_verdict(tmp_path: Path) -> None:
    path = scan(tmp_path)
    suites, sarif, markdown = (tmp_path / name for name in ("junit", "sarif", "md"))
    forms = ("--junit", suites, "--sarif", sarif, "--markdown", markdown)
    for least, passed in (("3.7", True), ("4", False)):
        given = ("score", "--no-interval", "--github", "--fail-under", least, path)
        found = document(tmp_path, *given, *forms, code=0 if passed else 3)
        assert_keeps_schema(found, "score.schema.json")
        assert found["gate"]["passed"] == passed
        rules = {rule["rule"]: rule["passed"] for rule in found["gate"]["rules"]}
        assert rules == {"fail-under": passed, "consistent-report": True}
        cases = junit(ElementTree.parse(suites).getroot())
        assert [name for name, is_well in cases.items() if not is_well] == (
            [] if passed else [("garak-tbsa.gate", "fail-under")]
        )
        results = json.loads(sarif.read_text("utf-8"))["runs"][0]["results"]
        assert [result["ruleId"] for result in results] == (
            [] if passed else ["gate/fail-under"]
        )
        assert ("**failed**" in markdown.read_text("utf-8")) != passed
        lines = commands(tbsa(*given).out)
        assert [line.split(" ")[0] for line in lines] == ([] if passed else ["::error"])


def junit(suites: Iterable[Any]) -> dict[tuple[str, str], bool]:
    """Whether each case of a JUnit file passed; its counts must be right."""
    found = {}
    for suite in suites:
        cases = suite.findall("testcase")
        failed = [case for case in cases if case.find("failure") is not None]
        counts = (int(suite.get("tests")), int(suite.get("failures")))
        assert counts == (len(cases), len(failed))
        for case in cases:
            found[case.get("classname"), case.get("name")] = case not in failed
    return found


def test_sure_asks_for_the_repeats_too(tmp_path: Path) -> None:
    """A pass that most repeats would not reach is doubtful without it."""
    # at the edge of its grade, so that many repeats score less
    path = scan(tmp_path, pairs_named(*[(1, 80, 100)] * 6, *[(2, 80, 100)] * 6))
    clean = scan(tmp_path, pairs_named((1, 99, 100), (2, 99, 100)), "clean")
    for each, doubt in ((path, True), (clean, False)):
        found = document(tmp_path, "score", "--fail-under", "4", each)
        assert found["gate"]["rules"][0]["is_doubtful"] == doubt
    for least, code in (("1", 0), ("4", 3), ("4.1", 3)):
        sure = ("--sure", "0.95", "--fail-under", least)
        assert tbsa("score", "-q", *sure, path).code == code
    codes = []
    for passed, total in ((79, 100), (500, 1000), (990, 1000)):
        path = scan(tmp_path, pairs_named((1, passed, total), (2, 9, 10)))
        rule = ["score", "-q", "--require-tier1-grade", "4", path]
        codes.append((tbsa(*rule).code, tbsa(*rule, "--sure", "0.95").code))
    assert codes == [(3, 0), (3, 3), (0, 0)]


def test_an_option_that_says_nothing_alone_is_a_wrong_use() -> None:
    alone = "--sure has no effect without --fail-under or --require-tier1-grade"
    for options, said in (
        (["--sure", "0.9"], alone),
        (["--sure", "0.9", "--min-coverage", "1"], alone),
        (
            ["--baseline-optional", "--fail-under", "3"],
            "--baseline-optional has no effect without --baseline",
        ),
        (
            ["--alpha", "0.01", "--fail-under", "3"],
            "--alpha has no effect without --baseline",
        ),
    ):
        shown = tbsa("score", *options, REPORT)
        assert shown.code == 2
        assert f"{said}; give that too" in shown.err


def commands(text: str) -> list[str]:
    """What GitHub's runner takes for a command."""
    return [line for line in text.splitlines() if line.lstrip().startswith("::")]


def test_github_is_told_on_request(tmp_path: Path) -> None:
    gate = ("score", "--fail-under", 4.2, REPORT)
    assert commands(tbsa(*gate, together=True).out) == []
    expected = (
        "::error title=gate failed%3A fail-under::"
        f"{REPORT}: expected TBSA of at least 4.2; found TBSA 4.1"
    )
    shown = tbsa(*gate, "--github")
    assert (shown.code, commands(shown.out), shown.err) == (3, [expected], "")
    # where standard output is a result, the lines are beside it
    for quiet in (["-q"], ["--junit", "-"], ["-q", "--junit", "-"]):
        shown = tbsa(*gate, "--github", *quiet)
        assert (shown.code, commands(shown.out)) == (3, [])
        assert commands(shown.err) == [expected]
    gone = tmp_path / "a,b%c.report.jsonl"
    shown = tbsa("score", "--github", gone)
    (line,) = commands(shown.out)
    assert line.startswith("::error title=garak-tbsa::")
    assert "a,b%25c.report.jsonl: cannot be opened" in line
    assert (shown.code, str(gone) in shown.err) == (1, True)
    shown = tbsa("score", "--github", gone, REPORT)
    assert (shown.code, len(commands(shown.out))) == (1, 1)
    # of what a report says nothing is a command
    attack = "x\n::add-mask::secret\r\n::stop-commands::y%0A::error::z"
    (facts,) = pairs_named((1, 1, 40))
    path = scan(tmp_path, [replace(facts, probe=f"probe.{attack}")])
    rule = ("--require-tier1-grade", 3)
    shown = tbsa("score", "-v", "--github", *rule, path, together=True)
    (line,) = commands(shown.out)
    assert shown.code == 3
    assert line.startswith("::error title=gate failed%3A require-tier1-grade::")
    assert "%0A" not in line.replace("%250A", "")


def test_a_partial_scan_is_judged_by_what_it_measured(tmp_path: Path) -> None:
    rows = report_rows(pairs_named(*SMALL), digest=False)[:-1]
    path = Path(write_report(tmp_path / "partial.report.jsonl", rows))
    for least, code in ((3, 0), (4, 3)):
        shown = tbsa("score", "-q", "--fail-under", least, path)
        assert shown.code == code
        assert f"garak-tbsa: {path}: partial: " in shown.err


def test_a_probe_that_an_interrupted_scan_did_not_come_to_is_not_measured(
    tmp_path: Path,
) -> None:
    """Coverage counts it, Tier 1 may be its; one that garak could not load too."""
    pairs = pairs_named(*SMALL)
    last = "web.Xss"
    named = [f"probes.{name}" for name in (*(each.probe for each in pairs), last)]
    rows = report_rows(pairs, digest=False)
    rows[0]["transient.active_probes"] = named
    plugins = {"probes": {f"probes.{last}": {"tier": 2}}}
    other_tier = {"entry_type": "plugin_cache", "plugin_cache": plugins}
    every, tier1 = ("--min-coverage", 1), ("--require-tier1-grade", 4)
    for given, options, failed in (
        (rows, every, "found 3 of 4 selected probes measured"),
        (rows[:-1], every, "found 3 of 4 selected probes measured"),
        (rows[:-1], ("--min-coverage", 0.75), None),
        (rows, tier1, f"1 below: {last} not measured: {SILENT}"),
        (rows[:-1], tier1, f"1 below: {last} not measured: {BEFORE}"),
        ([*rows[:-1], other_tier], tier1, None),
        (rows[:-1], ("--fail-under", 3), None),
    ):
        path = write_report(tmp_path / "scan.report.jsonl", given)
        shown = tbsa("score", "-q", *options, path)
        assert shown.code == (0 if failed is None else 3), shown
        assert failed is None or failed in shown.err


def test_a_scan_worse_than_its_baseline_fails_and_names_the_pair(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    before, after = real
    found = document(tmp_path, "score", after, "--baseline", before, code=3)
    rule, consistent = found["gate"]["rules"]
    assert (rule["rule"], rule["passed"]) == ("baseline", False)
    assert consistent["passed"]
    assert [culprit["pair"] for culprit in rule["culprits"]] == [CULPRIT]
    shown = tbsa("score", "-q", after, "--baseline", before)
    assert (shown.code, len(shown.lines)) == (3, 3)
    assert f"garak-tbsa: {after}: gate failed: baseline: " in shown.err
    assert "misleading.FalseAssertion" in shown.err
    assert tbsa("score", "-q", after, "--baseline", before, "--alpha=0.001").code == 0
    assert tbsa("score", "-q", before, "--baseline", after).code == 0


def test_a_baseline_is_graded_as_the_reports_that_are_held_against_it(
    tmp_path: Path,
) -> None:
    path, before = scan(tmp_path), scan(tmp_path, name="before")
    other = ["--calibration", "installed"]
    for reports in ([path], [path, path]):
        shown = tbsa("score", "-q", *reports, "--baseline", before, *other)
        assert shown.code == 0, shown
        found = document(tmp_path, "score", *reports, "--baseline", before, *other)
        for each in found.get("reports", [found]):
            rules = {rule["rule"]: rule["passed"] for rule in each["gate"]["rules"]}
            assert rules == {"baseline": True, "consistent-report": True}


def test_a_baseline_that_cannot_be_compared_with_fails(tmp_path: Path) -> None:
    path = scan(tmp_path)
    other = scan(tmp_path, None, "other", setup={"run.generations": 7})
    shown = tbsa("score", "-q", path, "--baseline", other)
    assert shown.code == 3
    for words in ("gate failed: baseline", "run.generations", "6149-610e", str(other)):
        assert words in shown.err


def test_an_optional_baseline_may_be_absent_and_no_other_may(tmp_path: Path) -> None:
    path, missing = scan(tmp_path), tmp_path / "missing.report.jsonl"
    given = ["score", "-q", path, "--baseline"]
    shown = tbsa(*given, missing)
    assert shown.code == 1
    assert shown.error.startswith(f"garak-tbsa: {missing}: cannot be opened")
    found = document(tmp_path, *given, missing, "--baseline-optional")
    (rule, _) = found["gate"]["rules"]
    assert (rule["rule"], rule["passed"]) == ("baseline", True)
    assert rule["is_doubtful"]
    assert str(missing) in rule["found"]
    options = ["--baseline-optional", "--fail-under", "4"]
    assert tbsa(*given, missing, *options).code == 3
    broken, empty = tmp_path / "broken.jsonl", tmp_path / "empty.jsonl"
    broken.write_text("{")
    empty.touch()
    for there in (broken, empty, broken / "below"):
        for options in ([], ["--baseline-optional"]):
            shown = tbsa(*given, there, *options)
            assert shown.code == 1
            assert shown.error.startswith(f"garak-tbsa: {there}")


def test_a_digest_that_left_a_pair_out_fails_any_gate(tmp_path: Path) -> None:
    for rule in ("--fail-under=1", "--min-coverage=0"):
        pairs = pairs_named(*SMALL)
        rows = report_rows(pairs)
        rows[-1]["eval"]["probe"].pop("probe.P01")
        path = write_report(tmp_path / "less.report.jsonl", rows)
        assert tbsa("score", "-q", path).code == 0
        shown = tbsa("score", "-q", rule, path)
        assert shown.code == 3
        assert "gate failed: consistent-report: " in shown.err
        assert "probe.P01+D" in shown.err
        twice = [*report_rows(pairs), *report_rows([replace(pairs[0], passed=10)])]
        path = write_report(tmp_path / "twice.report.jsonl", twice)
        assert tbsa("score", "-q", rule, path).code == 3
