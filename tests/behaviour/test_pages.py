# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pages and Markdown show the numbers that the JSON has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from tests.behaviour.pages import joined
from tests.behaviour.product import GOLD, document, rows_of, tbsa
from tests.page_parser import Page
from tests.report_rows import (
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
        assert ("1 more below grade 4" in text, "0 more" in text) == (more, False)


@pytest.mark.parametrize("name", ["garak-0.9", "garak-0.13.3", "garak-0.17.1"])
def test_the_page_of_a_score_shows_every_pair(name: str, tmp_path: Path) -> None:
    path = GOLD / f"{name}.report.jsonl"
    text = page_of(tmp_path, "score", "-q", path)
    found = document(tmp_path, "score", path)
    missing = [fact for fact in expected_of(found) if fact.lower() not in text.lower()]
    assert missing == []


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
    charts = charts_of(tmp_path / "o.html", "compare", "-q", *real)
    (both,) = (each for each in charts if each.get("class") == "chart")
    slopes = [each for each in charts if each is not both]
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
    rows = rows_of(output)
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
