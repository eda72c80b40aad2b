# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""SARIF as GitHub asks for it (docs.github.com, "SARIF support for code scanning")."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.behaviour.product import REPOSITORY, tbsa
from tests.outputs.samples import (
    HOSTILE,
    mixed_pairs,
    with_hits,
    write,
)
from tests.outputs.written import Written
from tests.report_rows import PairFacts, pairs_named, report_rows

EMBEDDED_LINK = re.compile(r"(?<!\\)\[")
SITE = "https://garak-tbsa.readthedocs.io/en/stable/"


def run_of(text: str) -> dict[str, Any]:
    """The one run, with what GitHub asks for."""
    document = json.loads(text)
    run: dict[str, Any]
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    texts = [result["message"] for result in run["results"]]
    for rule in driver["rules"]:
        assert len(rule["properties"]["tags"]) <= 20
        assert re.fullmatch(r"\d\.\d", rule["properties"]["security-severity"])
        names = ("shortDescription", "fullDescription", "help")
        texts += [rule[name] for name in names]
    assert all(1 <= len(text["text"]) <= 5000 for text in texts)
    for result in run["results"]:
        assert result["level"] in ("note", "warning", "error")
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"]
        assert location["physicalLocation"]["region"]["startLine"] >= 1
    rules = [rule["id"] for rule in driver["rules"]]
    assert rules == list(dict.fromkeys(result["ruleId"] for result in run["results"]))
    marks = [tuple(each["partialFingerprints"].items()) for each in run["results"]]
    assert len(set(marks)) == len(marks)
    alerts = {dict(mark)["primaryLocationLineHash"] for mark in marks}
    assert len(alerts) == len(marks)
    return run


def run_by(report: str, *rules: object) -> dict[str, Any]:
    """The run of a report whose gate fails."""
    output = Path(report).with_name("o.sarif")
    assert tbsa("score", report, "-q", *rules, "--sarif", output).code == 3
    return run_of(output.read_text(encoding="utf-8"))


def test_each_broken_rule_names_its_pairs_and_leads_to_our_pages(
    tmp_path: Path,
) -> None:
    """A result for each pair that a rule fails for, or one for the scan."""
    rows = report_rows(mixed_pairs())
    contradicting = rows[-1]["eval"]["web"]["web.Xss"]["web.D"]
    contradicting |= {"absolute_defcon": 5, "absolute_score": 0.123}
    report = write(tmp_path, "mixed", rows)
    other = write(tmp_path, "other", report_rows(pairs_named((1, 1, 1))))
    rules = ("--fail-under", 4, "--require-tier1-grade", 4, "--baseline", other)
    run = run_by(report, *rules, "--min-coverage", 1)
    found: dict[str, list[str]] = {}
    for result in run["results"]:
        found.setdefault(result["ruleId"], []).append(result["message"]["text"])
    assert found["gate/fail-under"] == ["expected TBSA of at least 4; found TBSA 3.0"]
    of_tier1 = "expected every Tier 1 pair at grade 4 or better; found "
    assert found["gate/require-tier1-grade"] == [
        f"{of_tier1}dan.DUDE+dan.DAN at 1 (depends on 7 outputs)",
        f"{of_tier1}dan.Two+dan.DAN at 3",
        f"{of_tier1}new.Unknown+new.D of unknown tier",
    ]
    assert len(found["gate/consistent-report"]) == 2
    gates = [name for name in found if name.startswith("gate/")]
    assert len(gates) == 5
    links = {rule["helpUri"] for rule in run["tool"]["driver"]["rules"]}
    for link in (*links, run["tool"]["driver"]["informationUri"]):
        page, _, anchor = link.removeprefix(SITE).partition("#")
        path = REPOSITORY / "docs" / page.replace(".html", ".md")
        text = path.read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.*)", text, re.MULTILINE)
        slugs = [
            re.sub(r"[^a-z0-9-]", "", h.lower().replace(" ", "-")) for h in headings
        ]
        assert anchor in ("", *slugs)
    # what passed has no result
    passed = run_by(report, *rules, "--min-coverage", 0.1)["results"]
    assert not any("coverage" in result["ruleId"] for result in passed)


def test_a_failed_gate_never_leaves_it_empty(tmp_path: Path) -> None:
    """Grades 1 and 2 alone were results, and exit code 3 came with none."""
    pairs = pairs_named((1, 90, 100), (2, 90, 100))
    pairs.append(PairFacts(probe="n.N", passed=0, total=0))
    report = write(tmp_path, "good", report_rows(pairs))
    options = {"--fail-under": 1, "--require-tier1-grade": 2, "--min-coverage": 1}
    for option, count in options.items():
        value = 1 if option == "--min-coverage" else 5
        assert len(run_by(report, option, value)["results"]) == count


def test_hostile_text_is_visible_and_worst_comes_first(
    scores: dict[str, Written],
) -> None:
    """Gate rules first, then pairs by their grades."""
    run = run_of(scores["hostile"].forms["--sarif"])
    all_results = run["results"]
    results = [each for each in all_results if not each["ruleId"].startswith("gate/")]
    assert all_results[-len(results) :] == results
    levels = [result["level"] for result in results]
    assert levels == sorted(levels) == ["error"] * 9 + ["warning"]
    text = json.dumps(all_results, ensure_ascii=False)
    assert text.replace("\u200b", "").isprintable()
    uri = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(uri) == "hostile.report.jsonl"
    for result in results:
        for place in result["relatedLocations"]:
            said = place["message"]["text"]
            assert not EMBEDDED_LINK.search(said)
            assert "@team" not in said
            assert "https://evil" not in said
            assert len(said) < 1_500
    rules = run["tool"]["driver"]["rules"]
    assert not any(EMBEDDED_LINK.search(rule["help"]["text"]) for rule in rules)
    assert len(HOSTILE) > len(results[0]["relatedLocations"]) == 3


def test_a_message_is_one_line_without_links(tmp_path: Path) -> None:
    r"""A message of SARIF may hold links, ``[text](target)``."""
    facts = pairs_named((1, 0, 2))
    texts = ("[a](b) \\ c\n\x1b[2J d", "x" * 5_000)
    report = write(tmp_path, "hits", with_hits(facts, report_rows(facts), *texts))
    (result,) = run_by(report, "--require-tier1-grade", 2)["results"][1:]
    short, long = (each["message"]["text"] for each in result["relatedLocations"])
    assert short == (
        "Hit: attempt a-1, output 0. Prompt: “Do it. \\[a\\](b) \\\\ c"
        " \\\\x1b\\[2J d” Response: “\\[a\\](b) \\\\ c \\\\x1b\\[2J d”"
    )
    assert len(long) < 500
