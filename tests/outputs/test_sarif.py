# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.verdict import RULES
from garak_tbsa.outputs import wording
from garak_tbsa.outputs.sarif import message_text, render
from garak_tbsa.outputs.view import EVIDENCE_LEFT_OUT, ScoredReport
from tests.factories import PairFacts, pairs_named
from tests.outputs.samples import (
    HOSTILE,
    hostile,
    mixed,
    perfect,
    sample_of,
    with_evidence,
)

EMBEDDED_LINK = re.compile(r"(?<!\\)\[")
DOCS = Path(__file__).parents[2] / "docs"


def run_of(sample: ScoredReport) -> dict[str, Any]:
    """The one run, with what GitHub asks for.

    docs.github.com, "SARIF support for code scanning".
    """
    document = json.loads(render(sample))
    assert set(document) == {"$schema", "version", "runs"}
    assert document["version"] == "2.1.0"
    run: dict[str, Any]
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "garak-tbsa"
    assert driver["semanticVersion"]
    texts = [result["message"] for result in run["results"]]
    for rule in driver["rules"]:
        assert rule["helpUri"].startswith("https://")
        assert len(rule["properties"]["tags"]) <= 20
        assert re.fullmatch(r"\d\.\d", rule["properties"]["security-severity"])
        texts += [
            rule[name] for name in ("shortDescription", "fullDescription", "help")
        ]
    assert all(1 <= len(text["text"]) <= 5000 for text in texts)
    for result in run["results"]:
        assert result["level"] in ("note", "warning", "error")
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"]
        assert location["physicalLocation"]["region"]["startLine"] >= 1
    rules = [rule["id"] for rule in driver["rules"]]
    assert rules == list(dict.fromkeys(result["ruleId"] for result in run["results"]))
    assert len(set(rules)) == len(rules)
    marks = [tuple(each["partialFingerprints"].items()) for each in run["results"]]
    assert len(set(marks)) == len(marks)
    return run


def test_pairs_at_defcon_1_and_2_are_results(tmp_path: Path) -> None:
    run = run_of(mixed(tmp_path))
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("dan.One+dan.DAN", "error")
    assert result["message"]["text"] == (
        "DEFCON 1 in Tier 1: 2/7 outputs of dan.One passed dan.DAN"
        " (pass rate 28.6%, Z-score -2.14)"
    )
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "sample.report.jsonl"}
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["properties"]["security-severity"] == "9.5"
    assert rule["properties"]["tags"] == ["security", "garak", "tier1"]
    assert run["properties"]["tbsa"] == 2.6


def messages(run: dict[str, Any], rule: str) -> list[str]:
    return [
        result["message"]["text"]
        for result in run["results"]
        if result["ruleId"] == f"gate/{rule}"
    ]


def test_each_broken_rule_names_its_pairs(tmp_path: Path) -> None:
    """A result for each pair that a rule fails for, or one for the scan."""
    rules = GateRules(fail_under=4, require_tier1_grade=4, min_coverage=0.1)
    run = run_of(mixed(tmp_path, rules=rules))
    assert messages(run, "fail-under") == [
        "expected TBSA of at least 4; found TBSA 2.6"
    ]
    assert messages(run, "require-tier1-grade") == [
        "expected every Tier 1 pair at grade 4 or better; found dan.One+dan.DAN at 1"
        " (depends on 7 outputs)",
        "expected every Tier 1 pair at grade 4 or better; found dan.Two+dan.DAN at 3",
        "expected every Tier 1 pair at grade 4 or better; found new.Unknown+new.D of"
        " unknown tier",
    ]
    assert messages(run, "min-coverage") == [], "it passed"
    assert {result["level"] for result in run["results"]} == {"error"}


@pytest.mark.parametrize(
    "rules",
    [
        GateRules(fail_under=5),
        GateRules(require_tier1_grade=5),
        GateRules(min_coverage=1),
    ],
)
def test_a_failed_gate_never_leaves_it_empty(tmp_path: Path, rules: GateRules) -> None:
    """Grades 1 and 2 alone were results, and exit code 3 came with none."""
    pairs = [
        *pairs_named((1, 90, 100), (2, 90, 100)),
        PairFacts(probe="n.N", passed=0, total=0),
    ]
    run = run_of(sample_of(tmp_path, pairs, rules=rules))
    assert len(run["results"]) == 1 + (rules.require_tier1_grade is not None)


def test_its_links_lead_to_headings_of_our_pages(tmp_path: Path) -> None:
    rules = GateRules(fail_under=5, require_tier1_grade=5, min_coverage=1)
    driver = run_of(mixed(tmp_path, rules=rules))["tool"]["driver"]
    links = {rule["helpUri"] for rule in driver["rules"]}
    links |= {wording.gate_rule_page(rule) for rule in RULES}
    for link in (*links, driver["informationUri"]):
        page, _, anchor = link.removeprefix(wording.DOCUMENTATION + "/").partition("#")
        text = (DOCS / page.replace(".html", ".md")).read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.*)", text, re.MULTILINE)
        slugs = [
            re.sub(r"[^a-z0-9-]", "", h.lower().replace(" ", "-")) for h in headings
        ]
        assert anchor in ("", *slugs)


def test_a_scan_without_an_awful_pair_has_no_result(tmp_path: Path) -> None:
    assert run_of(perfect(tmp_path))["results"] == []


def test_hostile_text_is_visible_and_worst_comes_first(tmp_path: Path) -> None:
    all_results = run_of(hostile(tmp_path))["results"]
    results = [each for each in all_results if not each["ruleId"].startswith("gate/")]
    assert all_results[-len(results) :] == results
    levels = [result["level"] for result in results]
    assert levels == sorted(levels) == ["error"] * 6 + ["warning"]
    text = json.dumps(all_results, ensure_ascii=False)
    assert text.isprintable()
    uri = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(uri) == "sample.report.jsonl"


def test_hits_are_at_their_lines_and_hold_no_links(tmp_path: Path) -> None:
    run = run_of(with_evidence(hostile(tmp_path), HOSTILE))
    with_hits = [each for each in run["results"] if "relatedLocations" in each]
    assert with_hits
    for result in with_hits:
        places = result["relatedLocations"]
        assert [place["id"] for place in places] == list(range(1, len(HOSTILE) + 1))
        for place in places:
            assert place["physicalLocation"]["region"] == {"startLine": 4}
            said = place["message"]["text"]
            assert said.isprintable() or "\u200b" in said
            assert not EMBEDDED_LINK.search(said)
            assert "@team" not in said
            assert "https://evil" not in said
            assert len(said) < 1_500
        (hit, *_) = result["properties"]["hits"]
        assert hit["attempt"] == "a-1"
        assert hit["whole"].startswith("garak-tbsa show ")


def test_a_rule_says_what_its_probe_tries(tmp_path: Path) -> None:
    run = run_of(with_evidence(hostile(tmp_path), HOSTILE))
    rules = run["tool"]["driver"]["rules"]
    told = [rule["help"]["text"] for rule in rules if not rule["id"].startswith("gate")]
    assert told
    assert all("The detector: by the metrics that come" in text for text in told)
    assert not any(EMBEDDED_LINK.search(text) for text in told)


def test_without_evidence_nothing_of_it_is_there(tmp_path: Path) -> None:
    scored = hostile(tmp_path)
    left_out = render(replace(scored, evidence=EVIDENCE_LEFT_OUT))
    assert left_out == render(scored)
    assert "relatedLocations" not in left_out


def test_text_of_a_message() -> None:
    r"""A message of SARIF may hold links, ``[text](target)``."""
    assert message_text("[a](b) \\ c") == "\\[a\\](b) \\\\ c"
    assert message_text("a\n\x1b[2J b") == "a \\\\x1b\\[2J b"
    assert "@team" not in message_text("@team")
    assert len(message_text("x" * 5_000)) < 350
