# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a comparison, as a parser reads it and as a browser shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from garak_tbsa.outputs.comparison import page
from garak_tbsa.outputs.comparison.distributions import (
    LEFT,
    RIGHT,
    chart_values,
)
from tests.browser import browser
from tests.html_pages import CONTRASTS, TOO_WIDE, Page, assert_harmless
from tests.outputs.comparison.samples import (
    KINDS,
    common,
    hostile,
    unchanged,
    untested,
    worse,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from garak_tbsa.outputs.comparison.compared_scans import ComparedScans
from tests.browser import Browser


def parsed(compared: ComparedScans) -> Page:
    return Page(page.render(compared))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_page_runs_nothing_and_asks_for_nothing(
    kind: Callable[[Path], ComparedScans], tmp_path: Path
) -> None:
    """Self-contained, CSP, hostile text safe."""
    found = parsed(kind(tmp_path))
    assert_harmless(found)
    assert "script" not in {tag for tag, _ in found.tags}
    assert "script-src" not in found.policy


def test_all_there_is_to_say(tmp_path: Path) -> None:
    compared = worse(tmp_path)
    before, after = (side.range_text for side in compared.sides)
    shown = parsed(compared).text
    for said in (
        "Two garak scans compared worse p = 0.001 for worse, 0.719 for better, each"
        " held against 0.05 Worse : dan.Fell + mitigation.MitigationBypass fell from"
        " 84 % to 51 %",
        "TBSA moved by -0.4",
        f"before 3.3 {before}",
        f"after 2.9 {after}",
        "dan.Fell mitigation.MitigationBypass stands out 1 4 → 3 84 % → 51 %"
        " 84/100 → 51/100 -4.97",
        "Other pairs, with the same grade: 2",
        "Direction, Mantel-Haenszel 0.005 z -2.75: second scan passes less",
        "measured in one scan only, not tested: dan.Silent+mitigation.MitigationBypass",
    ):
        assert said in shown, said
    assert "Not comparable" not in shown
    assert "What differs" not in shown


def test_changed_pairs_come_first_and_the_others_are_folded(tmp_path: Path) -> None:
    """Pairs as slopes, changed ones first."""
    shown = parsed(worse(tmp_path)).text
    places = [shown.index(name) for name in ("dan.Fell m", "Other pairs", "dan.Rose m")]
    assert places == sorted(places)
    shown = parsed(unchanged(tmp_path)).text
    assert "No pair changed its grade, and none stands out." in shown
    assert "no evidence of a difference p = 0." in shown


def test_a_pair_is_a_slope_from_its_rate_before_to_its_rate_after(
    tmp_path: Path,
) -> None:
    found = parsed(worse(tmp_path))
    slopes = [
        attributes
        for tag, attributes in found.tags
        if tag == "line" and str(attributes["class"]).startswith("way")
    ]
    assert [slope["class"] for slope in slopes] == ["way fell", "way rose", "way level"]
    # 0 % is at the bottom: 6 + 32 * (1 - rate)
    assert [(slope["y1"], slope["y2"]) for slope in slopes] == [
        ("11.1", "21.7"),
        ("25.2", "23.9"),
        ("9.2", "9.2"),
    ]
    labels = [attributes.get("aria-label") for tag, attributes in found.tags]
    assert "Pass rate 84 % before, 51 % after" in labels


def test_common_pairs_are_marked_and_say_what_differs(tmp_path: Path) -> None:
    shown = parsed(common(tmp_path)).text
    for said in (
        "Not comparable by checksum: both scans were scored again over the 2 pairs",
        "(95 %) the whole report scores 3.3",
        "What differs between the checksums configuration:run.generations 5 before, 10"
        " after pairs 3 in both, 1 only before, 1 only after, 1 of another tier",
    ):
        assert said in shown, said


def test_without_counts(tmp_path: Path) -> None:
    shown = parsed(untested(tmp_path)).text
    assert "not tested no pair has counts in both reports" in shown
    assert "No test: no pair has counts in both reports." in shown
    assert "no repeat interval: the report has no counts for 4 pairs" in shown


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_both_distributions_are_on_one_axis(
    kind: Callable[[Path], ComparedScans], tmp_path: Path
) -> None:
    """What is above another in the picture is the same score."""
    compared = kind(tmp_path)
    chart = chart_values(compared.sides)
    places: dict[str, set[float]] = {}
    for side, row in zip(compared.sides, chart["rows"], strict=True):
        assert row["tbsa"] == f"{side.assessment.tbsa:.1f}"
        places.setdefault(row["tbsa"], set()).add(row["at"])
        for bar in row["bars"]:
            assert LEFT <= bar["x"] <= bar["x"] + bar["width"] <= RIGHT
            middle = round(bar["x"] + bar["width"] / 2, 0)
            places.setdefault(bar["title"].split(":")[0], set()).add(middle)
    for tick in chart["ticks"]:
        places.setdefault(tick["text"], set()).add(tick["x"])
    for found in places.values():
        assert max(found) - min(found) <= 1
    ordered = [min(places[tbsa]) for tbsa in sorted(places, key=float)]
    assert ordered == sorted(ordered)


def test_a_narrow_window_shows_a_few_numbers_of_the_axis(tmp_path: Path) -> None:
    ticks = chart_values(hostile(tmp_path).sides)["ticks"]
    assert len(ticks) <= 14
    assert 1 < sum(not tick["is_between"] for tick in ticks) <= 7


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.mark.parametrize("kind", [worse, common, untested, hostile])
def test_in_a_browser(
    kind: Callable[[Path], ComparedScans], tmp_path: Path, chromium: Browser
) -> None:
    """Nothing runs, loads, sticks out or is hard to read, wide, narrow and dark."""
    file = tmp_path / "page.html"
    file.write_text(page.render(kind(tmp_path)), encoding="utf-8")
    for width, dark in ((390, True), (390, False), (768, False), (1280, True)):
        chromium.open(file, width=width, dark=dark)
        assert chromium.messages() == []
        assert chromium.requests() == [file.as_uri()]
        assert chromium.ask("typeof window.ran") == "undefined"
        assert chromium.ask(TOO_WIDE) == []
        assert chromium.ask(CONTRASTS) == []
