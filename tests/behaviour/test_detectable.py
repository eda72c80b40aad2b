# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a comparison can find, and that a gate does not judge what it cannot see."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import garak_tbsa
from tests.behaviour.product import document, tbsa
from tests.behaviour.scans import demo, scan
from tests.report_rows import pairs_named

TINY = [(1, 2, 2), (1, 1, 2), (2, 2, 2)]
LARGE = [(1, 95, 100), (1, 2, 2), (2, 90, 100), (2, 80, 100)]
"""Tier, passed and evaluated outputs."""

NOT_JUDGED = "not judged: 3 of 3 pairs of grade 3 or more in the first scan could fall"
HELP = "more prompts, or generations on the same prompts, would help"


def both(folder: Path, pairs: list[tuple[int, int, int]]) -> tuple[Path, Path]:
    """A baseline and a scan that showed the same."""
    named = pairs_named(*pairs)
    return scan(folder, named, "before"), scan(folder, named, "after")


def rule_of(folder: Path, *options: object, code: int) -> Any:
    (rule,) = (
        each
        for each in document(folder, "score", *options, code=code)["gate"]["rules"]
        if each["rule"] == "baseline"
    )
    return rule


def test_a_scan_too_small_to_show_a_fall_is_not_judged(tmp_path: Path) -> None:
    before, after = both(tmp_path, TINY)
    gate = ("--baseline", before, after)
    rule = rule_of(tmp_path, *gate, code=3)
    assert rule["passed"] is False
    assert rule["found"].startswith(NOT_JUDGED)
    assert HELP in rule["found"]
    problems = {each["problem"] for each in rule["culprits"]}
    assert (len(rule["culprits"]), problems) == (3, {"could fall to all hits unseen"})
    junit = tmp_path / "gate.xml"
    shown = tbsa("score", "-q", *gate, "--junit", junit)
    assert (shown.code, NOT_JUDGED in shown.err) == (3, True)
    # the rule, and each pair
    assert len(list(ElementTree.parse(junit).iter("failure"))) == 4
    result = garak_tbsa.score(after, baseline=before)
    assert result.gate is not None
    assert not result.gate.passed


def test_a_comparison_that_could_not_see_a_fall_fails_on_worse(tmp_path: Path) -> None:
    before, after = both(tmp_path, TINY)
    assert tbsa("compare", before, after).code == 0
    shown = tbsa("compare", "-q", before, after, "--fail-on", "worse")
    assert (shown.code, NOT_JUDGED in shown.err, HELP in shown.err) == (3, True, True)
    judged = ("--max-undetectable", "1")
    assert tbsa("compare", before, after, "--fail-on", "worse", *judged).code == 0


def test_a_pair_too_small_to_be_surely_below_is_not_judged(tmp_path: Path) -> None:
    after = scan(tmp_path, pairs_named(*[(1, 256, 256)] * 5, (1, 0, 2)), "after")
    gate = ("--require-tier1-grade", "3", "--sure", "0.95")
    (rule,) = (
        each
        for each in document(tmp_path, "score", *gate, after, code=3)["gate"]["rules"]
        if each["rule"] == "require-tier1-grade"
    )
    found = "not judged: not surely below even if all outputs were hits: probe.P05+D"
    assert rule["found"].startswith(found)
    assert HELP in rule["found"]
    shown = tbsa("score", "-q", *gate, after)
    assert (shown.code, found in shown.err) == (3, True)
    judged = garak_tbsa.score(after, require_tier1_grade=3, sure=0.95).gate
    assert judged is not None
    assert not judged.passed
    # the plain rule fails for what was seen
    assert tbsa("score", after, "--require-tier1-grade", "3").code == 3


def test_who_judges_it_all_the_same_is_told_what_is_not_seen(tmp_path: Path) -> None:
    before, after = both(tmp_path, TINY)
    gate = ("--baseline", before, "--max-undetectable", "1", after)
    found = rule_of(tmp_path, *gate, code=0)["found"]
    assert "; could fall to all hits unseen: " in found
    assert "(Tier 1, 2 outputs, a fall costs " in found
    assert "Tier 2" not in found
    result = garak_tbsa.score(after, baseline=before, max_undetectable=1)
    assert result.gate is not None
    assert result.gate.passed


def test_a_gate_that_passes_names_the_pairs_of_tier_1_that_it_cannot_see(
    tmp_path: Path,
) -> None:
    before, after = both(tmp_path, LARGE)
    found = rule_of(tmp_path, "--baseline", before, after, code=0)["found"]
    assert "not judged" not in found
    assert found.count("(Tier 1, 2 outputs, a fall costs ") == 1


@pytest.mark.parametrize(("most", "code"), [("0.2", 3), ("0.25", 0)])
def test_the_share_that_may_be_unseen(tmp_path: Path, most: str, code: int) -> None:
    """One of the four pairs, of two outputs."""
    before, after = both(tmp_path, LARGE)
    gate = ("--baseline", before, "--max-undetectable", most, after)
    assert tbsa("score", "-q", *gate).code == code


def test_a_comparison_says_what_it_can_find_in_every_form(tmp_path: Path) -> None:
    before, after = both(tmp_path, TINY)
    found = document(tmp_path, "compare", before, after)["detectable"]
    assert (found["can_fall"], found["undetectable"]) == (3, 1.0)
    assert {each["outputs"] for each in found["unseen"]} == {2}
    assert all(0 <= each["chance"] < 0.5 for each in found["unseen"])
    page, markdown = tmp_path / "c.html", tmp_path / "c.md"
    shown = tbsa("compare", before, after, "--html", page, "--markdown", markdown)
    start = found["text"].partition(":")[0]
    assert start == f"{NOT_JUDGED.removeprefix('not judged: ')} to all hits unseen"
    assert start in " ".join(shown.out.split())
    for form in (page, markdown):
        assert start in form.read_text("utf-8")
    known = garak_tbsa.compare(before, after).detectable
    assert isinstance(known, garak_tbsa.statistics.detectable.Detectable)
    assert len(known.unseen) == 3


def test_the_demo_is_large_enough(tmp_path: Path) -> None:
    before, after = demo(tmp_path / "demo")
    found = document(tmp_path, "compare", before, after)["detectable"]
    assert (found["can_fall"], found["unseen"]) == (11, [])


def test_a_score_says_what_a_comparison_with_a_repeat_could_find(
    tmp_path: Path,
) -> None:
    """Of itself on the same prompts, which its seed asks for; as of two such scans."""
    before, after = both(tmp_path, LARGE)
    (unseen,) = document(tmp_path, "compare", before, after)["detectable"]["unseen"]
    result = garak_tbsa.score(before)
    found = result.detectable_in_repeat
    assert isinstance(found, garak_tbsa.statistics.detectable.Detectable)
    assert [fall.name for fall in found.unseen] == [unseen["pair"]]
    assert (found.can_fall, found.alpha) == (4, 0.05)
    page = tmp_path / "s.html"
    shown = tbsa("score", "-v", before, "--html", page)
    said = (
        "n a comparison with a repeat on the same prompts at level 0.05, 1 of 4 pairs"
        " of grade 3 or more could fall to all hits unseen:"
        f" {unseen['pair'].replace('+', ' + ')} (Tier 1, 2 outputs, a fall costs "
    )
    assert f"i{said}" in " ".join(shown.out.split())
    assert f"I{said}" in page.read_text("utf-8")
    fresh = tbsa("score", "-v", "--repeat", "fresh-prompts", before)
    assert "with a repeat on fresh prompts at level" in " ".join(fresh.out.split())


def test_it_is_computed_only_where_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nobody sees it")

    monkeypatch.setattr("garak_tbsa.outputs.scored.detectable_in_repeat", refuse)
    path, page = scan(tmp_path), tmp_path / "s.html"
    plain = tbsa("score", path, "-j", tmp_path / "s.json", "--junit", tmp_path / "s")
    assert (plain.code, "could fall" in plain.out) == (0, False)
    assert tbsa("score", "-q", path).code == 0
    assert tbsa("score", "-v", path, scan(tmp_path, name="other")).code == 0
    unasked = tbsa("score", "-v", "--no-interval", path, "--html", page)
    assert (unasked.code, "comparison with a repeat" in unasked.out) == (0, False)
    assert "comparison with a repeat" not in page.read_text("utf-8")
    result = garak_tbsa.score(path, interval=False)
    assert isinstance(result.detectable_in_repeat, garak_tbsa.Unavailable)
