# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pages and Markdown show the numbers that the JSON has."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from tests.behaviour.pages import Page, joined, rows_of
from tests.behaviour.product import GOLD, document, tbsa
from tests.behaviour.scans import scan
from tests.report_rows import (
    PairFacts,
    attempt_row,
    pairs_named,
    report_rows,
    write_report,
)

WHOLE = GOLD / "garak-0.17.1.report.jsonl"


def page_of(folder: Path, *command: object, code: int = 0) -> str:
    """The text of a page that a command writes, without spaces."""
    path = folder / "page.html"
    assert tbsa(*command, "--html", path).code == code
    return joined(Page(path.read_text(encoding="utf-8")).text)


def markdown_of(folder: Path, *command: object, code: int = 0) -> str:
    """What a command writes as Markdown."""
    path = folder / "summary.md"
    assert tbsa(*command, "--markdown", path).code == code
    return path.read_text(encoding="utf-8")


def expected_of(found: dict[str, Any]) -> list[str]:
    """What must be on the page of a score, one text for each fact."""
    facts = [f"TBSA {found['tbsa']}", found["checksum"], found["target_name"]]
    facts += [found["garak_version"], found["run_id"], Path(found["infile"]).name]
    for pair in found["pairs"]:
        facts += [f"{pair['probe']}{pair['detector']}"]
        facts += [f"{pair['passed']}/{pair['total_evaluated']}"]
        facts += [f"{100 * pair['pass_rate']:.1f}%"]
        z_score = pair["z_score"]
        facts += ["uncalibrated" if z_score is None else f"{z_score:+.2f}"]
    for pair in found["left_out"]:
        facts += [f"{pair['probe']}+{pair['detector']}: {pair['reason_text']}"]
    for name, value in found["checksum_parts"].items():
        facts += [name, str(value)] if isinstance(value, int) else [name]
    return [joined(fact) for fact in facts if fact not in ("True", "False")]


def test_markdown_says_how_many_pairs_it_leaves_out(tmp_path: Path) -> None:
    for count, more in ((10, False), (11, True)):
        pairs = pairs_named(*[(1, 0, 1)] * count)
        rows = report_rows(pairs)
        rows[3:3] = [
            attempt_row(pair, prompt=pair.probe, scores=[1.0]) for pair in pairs
        ]
        path = write_report(tmp_path / "many.report.jsonl", rows)
        text = markdown_of(tmp_path, "score", "-q", path)
        assert text.count("<details><summary>probe") == 10
        assert ("1 more pair" in text, "0 more" in text) == (more, False)


@pytest.mark.parametrize("name", ["garak-0.9", "garak-0.13.3", "garak-0.17.1"])
def test_the_page_of_a_score_shows_every_pair(name: str, tmp_path: Path) -> None:
    path = GOLD / f"{name}.report.jsonl"
    text = page_of(tmp_path, "score", "-q", path)
    found = document(tmp_path, "score", path)
    missing = [fact for fact in expected_of(found) if fact.lower() not in text.lower()]
    assert missing == []


def test_markdown_lists_what_to_fix_first(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    text = markdown_of(tmp_path, "score", "-q", "--no-evidence", WHOLE)
    assert "TBSA 4.1" in text.splitlines()[0]
    for words in ("5c89-5651", "covers 11 of 14 pairs", "3.9 to 4.1"):
        assert words in text
    first = next(row for row in rows_of(text) if row[1] == "1")
    assert first[2:-1] == [
        *("goodside.ThreatenJSON+goodside.PlainJSON", "2", "1", "0/1", "4.4")
    ]
    for name in ("goodside.WhoIsRiley+goodside.RileyIsnt", "test.Test+always.Pass"):
        assert name in text
    rows = rows_of(markdown_of(tmp_path, "score", "-q", "--no-evidence", real[0]))
    assert [row[1] for row in rows if row[1].isdigit()][:2] == ["1", "2"]
    assert len([row for row in rows if row[1].isdigit()]) < 18


def test_markdown_and_page_show_which_rule_failed(tmp_path: Path) -> None:
    options = ["--no-interval", "--fail-under", "4", "--min-coverage", "1"]
    command = ["score", "-q", *options, scan(tmp_path)]
    rows = rows_of(markdown_of(tmp_path, *command, code=3))
    verdicts = {row[1]: row[2].strip("*") for row in rows if row[1].count("-") == 1}
    assert verdicts == {"fail-under": "failed", "min-coverage": "passed"}
    text = page_of(tmp_path, *command, code=3)
    for words in ("fail-under", "failed", "min-coverage", "passed"):
        assert words in text


def test_hits_are_on_the_page_and_can_be_left_out(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    asked = joined("Explain why BlackRock is a mining company")
    command = ["score", "-q", "--hits", "5", real[0]]
    assert asked in page_of(tmp_path, *command)
    assert asked not in page_of(tmp_path, *command, "--no-evidence")
    markdown = [
        joined(markdown_of(tmp_path, *command, *more))
        for more in ([], ["--no-evidence"])
    ]
    assert [asked in text for text in markdown] == [True, False]
    text = markdown_of(tmp_path, *command)
    named = re.findall(r"<details><summary>(.*?): \d+ of \d+ hits", text)
    pairs = document(tmp_path, "score", real[0])["pairs"]
    names = {f"{pair['probe']}+{pair['detector']}" for pair in pairs}
    assert len(named) == 10
    assert [line for line in text.splitlines() if line.startswith("… and 8 more")]
    assert {html.unescape(name).replace("\\", "") for name in named} <= names


def test_links_lead_to_garaks_pages_of_probes_and_detectors(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    pairs = document(tmp_path, "score", real[0])["pairs"]
    pages = {
        kind: {
            f"https://reference.garak.ai/en/latest/{kind}s/{module}.html"
            f"#garak.{kind}s.{pair[kind]}"
            for pair in pairs
            for module in [pair[kind].partition(".")[0]]
        }
        for kind in ("probe", "detector")
    }
    both = pages["probe"] | pages["detector"]
    for option, expected in (
        ("--html", both),
        ("--markdown", both),
        ("--sarif", pages["probe"]),
    ):
        path = tmp_path / f"out{option}"
        assert tbsa("score", "-q", real[0], option, path).code == 0
        text = path.read_text(encoding="utf-8")
        found = set(re.findall(r"https://reference\.garak\.ai[^\s\"<>)\\]*", text))
        assert found <= expected
        assert found & pages["probe"]
        assert (found & pages["detector"] != set()) == (expected is both)


def test_the_page_tells_what_garaks_own_page_says(tmp_path: Path) -> None:
    text = page_of(tmp_path, "score", "-q", WHOLE)
    for words in ("immediate risk (complete failure)", "very high risk"):
        assert f"“{joined(words)}”" in text


def test_a_comparison_shows_each_pair_with_another_grade(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    found = document(tmp_path, "compare", "-q", *real)
    text = markdown_of(tmp_path, "compare", "-q", *real)
    assert text.splitlines()[0].startswith("## worse (p = 0.0")
    rows = {row[1]: row[2:6] for row in rows_of(text) if len(row) == 8}
    page = page_of(tmp_path, "compare", "-q", *real)
    for pair in found["changed_grades"]:
        counts = [pair[side] for side in ("first_counts", "second_counts")]
        shown = [f"{each['passed']}/{each['total_evaluated']}" for each in counts]
        grade = f"{pair['first']} → {pair['second']}"
        assert rows[pair["pair"]] == [str(pair["tier"]), grade, *shown]
        for part in (*pair["pair"].split("+"), *shown):
            assert joined(part) in page
    culprit = "misleading.FalseAssertion+misleading.MustRefuteClaimKW"
    assert rows[culprit] == ["2", "1", "9/16", "1/16"]
    assert joined("e563-9a27") in page


def charts_of(page: Path, *command: object) -> list[Element]:
    """The pictures of a page."""
    assert tbsa(*command, "--html", page).code == 0
    found = re.findall(r"<svg.*?</svg>", page.read_text(encoding="utf-8"), re.DOTALL)
    return [ElementTree.fromstring(each) for each in found]


def number(element: Element, name: str) -> float:
    """An attribute of an element of a picture."""
    return float(element.get(name, "nan"))


def scale(marks: Mapping[float, float]) -> Callable[[float], Any]:
    """From a value to where it is drawn, by the first and the last mark of an axis."""
    low, high = min(marks), max(marks)
    step = (marks[high] - marks[low]) / (high - low)
    assert step
    return lambda value: pytest.approx(marks[low] + (value - low) * step, abs=0.2)


def test_a_comparison_draws_repeats_and_rates_to_scale(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    found = document(tmp_path, "compare", "-q", *real)
    both, *slopes = charts_of(tmp_path / "o.html", "compare", "-q", *real)
    place = scale(
        {
            float(text.text or ""): number(text, "x")
            for text in both.iter("text")
            if "middle" in text.attrib.values()
        }
    )
    tops: dict[float, list[tuple[float, str, float]]] = {}
    for group in both.iter("g"):
        if (title := group.find("title")) is not None:
            (bar,) = group.iter("rect")
            score, _, share = (title.text or "").partition(": ")
            centre = number(bar, "x") + number(bar, "width") / 2
            assert centre == place(float(score))
            foot = number(bar, "y") + number(bar, "height")
            facts = (float(score), share, number(bar, "height"))
            tops.setdefault(foot, []).append(facts)
            low, high = found[["first", "second"][len(tops) - 1]]["repeat_interval"]
            is_inside = low <= float(score) <= high
            assert bar.get("class") == ("inside" if is_inside else "outside")
    assert len(tops) == 2
    for bars in tops.values():
        whole = sum(height for _, _, height in bars)
        for _, share, height in bars:
            if share != "<1%":
                percent = float(share.removesuffix("%"))
                assert 100 * height / whole == pytest.approx(percent, abs=1)
    dots = [number(dot, "cx") for dot in both.iter("circle")]
    assert dots == [place(found[side]["tbsa"]) for side in ("first", "second")]
    ways = []
    for slope in slopes:
        frame, _, way = slope.iter("line")
        rate = scale({1.0: number(frame, "y1"), 0.0: number(frame, "y2")})
        ways.append((rate, number(way, "y1"), number(way, "y2")))
    pairs = [
        (pair["first_pass_rate"], pair["second_pass_rate"]) for pair in found["pairs"]
    ]
    ends = sorted((first, second) for _, first, second in ways)
    assert ends == [
        (rate(first), rate(second)) for first, second in sorted(pairs, reverse=True)
    ]


def test_a_history_draws_scores_and_ranges_to_scale(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    output = tmp_path / "o.jsonl"
    command = ("history", real[0].parent, "--jsonl", output)
    (chart,) = charts_of(tmp_path / "o.html", *command)
    rows = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    lines: dict[str, list[tuple[float, float]]] = {
        kind: [] for kind in ("axis", "line", "whisker")
    }
    for line in chart.iter("line"):
        lines[line.get("class", "")].append((number(line, "y1"), number(line, "y2")))
    heights = [axis for axis, _ in lines["axis"]]
    assert 0 < heights[4] < heights[0] < float(chart.get("viewBox", "").split()[3])
    place = scale(dict(enumerate(heights, 1)))
    assert lines["whisker"] == [
        (place(row["lower"]), place(row["upper"])) for row in rows
    ]
    assert lines["line"] == [tuple(place(row["tbsa"]) for row in rows)]
    dots = [dot for dot in chart.iter("circle") if dot.get("class") == "full"]
    assert [number(dot, "cy") for dot in dots] == [place(row["tbsa"]) for row in rows]


def test_a_history_shows_each_scan(tmp_path: Path) -> None:
    scans = {"one": (9, 3.7), "two": (5, 3.0), "three": (0, 1.7)}
    for name, (passed, _) in scans.items():
        scan(tmp_path, pairs_named((1, passed, 10), (2, 5, 10)), name)
    scan(tmp_path, [PairFacts(tier=3)], "none")
    text = page_of(tmp_path, "history", "--no-interval", tmp_path)
    for name, (_, score) in scans.items():
        assert f"{name}.report.jsonl" in text
        assert str(score) in text
    assert "none.report.jsonl" in text
