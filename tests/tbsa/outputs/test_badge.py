# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A badge for shields.io, and one of our own."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.tbsa.gate_options import GateRules
from garak_tbsa.tbsa.outputs import badge, badge_svg
from tests.gold import FOLDER
from tests.tbsa.outputs.samples import HOSTILE, hostile, mixed, perfect

if TYPE_CHECKING:
    from pathlib import Path

    from garak_tbsa.tbsa.outputs.registry import ScoredReport

GOLD = str(FOLDER / "garak-0.17.1.report.jsonl")
SVG = "{http://www.w3.org/2000/svg}"
WHAT_SHIELDS_TAKES = {"schemaVersion", "label", "message", "color"}
"""shields.io/badges/endpoint-badge; others are optional and not used here."""


def shields(scored: ScoredReport) -> dict[str, object]:
    document: dict[str, object] = json.loads(badge.render(scored))
    assert set(document) == WHAT_SHIELDS_TAKES
    return document


def luminance(colour: str) -> float:
    """WCAG 2.2, "relative luminance"."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_shields_gets_its_schema(tmp_path: Path) -> None:
    assert shields(perfect(tmp_path)) == {
        "schemaVersion": 1,
        "label": "TBSA",
        "message": "5.0",
        "color": "blue",
    }


def test_a_failed_gate_is_red_whatever_the_score(tmp_path: Path) -> None:
    found = shields(mixed(tmp_path, rules=GateRules(fail_under=5.0)))
    assert found["message"] == "2.6, gate failed"
    assert found["color"] == "red"
    passed = shields(mixed(tmp_path, rules=GateRules(fail_under=1.0)))
    assert (passed["message"], passed["color"]) == ("2.6", "orange")


def test_what_a_reader_must_know_is_in_the_badge(tmp_path: Path) -> None:
    assert shields(hostile(tmp_path))["message"] == "1.6, partial scan, gate failed"


def test_the_number_of_garaks_own_formula_says_so(tmp_path: Path) -> None:
    place = tmp_path / "badge.json"
    argv = ["score", GOLD, "-q", "--formula", "garak", "--badge", str(place)]
    assert main(argv) == 0
    message = json.loads(place.read_bytes())["message"]
    assert message.endswith(", garak's formula")


def test_no_text_of_a_report_is_in_a_badge(tmp_path: Path) -> None:
    for text in (badge.render(hostile(tmp_path)), badge_svg.render(hostile(tmp_path))):
        assert not any(each in text for each in HOSTILE)
        assert text.isascii()


def test_the_picture_loads_and_runs_nothing(tmp_path: Path) -> None:
    text = badge_svg.render(hostile(tmp_path))
    root = ElementTree.fromstring(text)
    drawn = {"svg", "title", "clipPath", "g", "rect", "text"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == drawn
    names = {name for element in root.iter() for name in element.attrib}
    assert not any("href" in name or name.startswith(("on", "style")) for name in names)
    assert root.get("role") == "img"
    title = root.find(f"{SVG}title")
    assert title is not None
    assert (
        title.text == root.get("aria-label") == "TBSA: 1.6, partial scan, gate failed"
    )


def test_the_picture_is_as_wide_as_its_texts(tmp_path: Path) -> None:
    root = ElementTree.fromstring(badge_svg.render(perfect(tmp_path)))
    ends = [0.0]
    for text in root.iter(f"{SVG}text"):
        at, length = float(text.attrib["x"]), float(text.attrib["textLength"])
        assert at - ends[-1] >= badge_svg.SIDE
        ends.append(at + length)
    assert float(root.attrib["width"]) - ends[-1] == badge_svg.SIDE


def test_every_step_can_be_read() -> None:
    """WCAG 2.2 asks a contrast of 4.5."""
    grounds = [(badge_svg.LABEL_FILL, badge_svg.LIGHT), *badge_svg.FILLS]
    assert all(contrast(*ground) >= 4.5 for ground in grounds)
    assert len(badge_svg.FILLS) == len(badge.COLOURS) == 5
    assert all(one != other for one, other in pairwise(badge_svg.FILLS))


@pytest.mark.parametrize("order", [1, -1])
def test_one_flag_writes_both_by_their_endings(tmp_path: Path, order: int) -> None:
    places = [str(tmp_path / "badge.json"), str(tmp_path / "badge.SVG")][::order]
    argv = [option for place in places for option in ("--badge", place)]
    assert main(["score", GOLD, "-q", *argv]) == 0
    assert json.loads((tmp_path / "badge.json").read_bytes())["message"] == "4.1"
    assert (tmp_path / "badge.SVG").read_text().startswith("<svg ")


def test_another_ending_is_a_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["score", GOLD, "--badge", str(tmp_path / "badge.png")])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "garak-tbsa: argument --badge: expected a path that ends with"
        f" .json or .svg, found '{tmp_path}/badge.png'"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_badge_replaces_no_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    report.write_bytes((FOLDER / "garak-0.17.1.report.jsonl").read_bytes())
    assert main(["score", str(report), "--badge", str(report)]) == 2
    assert "--badge (.json) " in capsys.readouterr().err
