# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A badge for shields.io."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.gates.options import GateRules
from garak_tbsa.outputs import badge
from tests.gold import FOLDER
from tests.outputs.samples import HOSTILE, hostile, mixed, perfect

if TYPE_CHECKING:
    from pathlib import Path

    from garak_tbsa.outputs.view import ScoredReport

GOLD = str(FOLDER / "garak-0.17.1.report.jsonl")
WHAT_SHIELDS_TAKES = {"schemaVersion", "label", "message", "color"}
"""shields.io/badges/endpoint-badge; others are optional and not used here."""


def shields(scored: ScoredReport) -> dict[str, object]:
    document: dict[str, object] = json.loads(badge.render(scored))
    assert set(document) == WHAT_SHIELDS_TAKES
    return document


def test_shields_gets_its_schema(tmp_path: Path) -> None:
    assert shields(perfect(tmp_path)) == {
        "schemaVersion": 1,
        "label": "TBSA",
        "message": "5.0",
        "color": "blue",
    }


def test_what_a_reader_must_know_is_in_the_badge(tmp_path: Path) -> None:
    """A failed gate is red whatever the score."""
    failed = shields(mixed(tmp_path, rules=GateRules(fail_under=5.0)))
    assert (failed["message"], failed["color"]) == ("2.6, gate failed", "red")
    passed = shields(mixed(tmp_path, rules=GateRules(fail_under=1.0)))
    assert (passed["message"], passed["color"]) == ("2.6", "orange")
    text = badge.render(hostile(tmp_path))
    assert '"1.6, partial scan, gate failed"' in text
    assert text.isascii()
    assert not any(each in text for each in HOSTILE)
    place = tmp_path / "badge.json"
    argv = ["score", GOLD, "-q", "--formula", "garak", "--badge", str(place)]
    assert main(argv) == 0
    assert json.loads(place.read_bytes())["message"].endswith(", garak's formula")


def test_another_ending_is_a_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["score", GOLD, "--badge", str(tmp_path / "badge.png")])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "garak-tbsa: argument --badge: expected a path that ends with"
        f" .json, found '{tmp_path}/badge.png'"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (
            ("--badge", "badge.SVG"),
            "argument --badge: --badge PATH.svg is gone since 0.2.0; use --badge"
            " PATH.json: shields.io draws a badge from it",
        ),
        (
            ("--code-quality", "quality.json"),
            "--code-quality is gone since 0.2.0; use --junit or --sarif",
        ),
        (
            ("--code-quality=quality.json",),
            "--code-quality is gone since 0.2.0; use --junit or --sarif",
        ),
    ],
    ids=["badge", "code quality", "one word"],
)
def test_a_form_that_went_names_what_takes_its_place(
    option: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(["score", GOLD, *option])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"garak-tbsa: {told}"
    assert list(tmp_path.iterdir()) == []


def test_a_badge_replaces_no_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    report.write_bytes((FOLDER / "garak-0.17.1.report.jsonl").read_bytes())
    assert main(["score", str(report), "--badge", str(report)]) == 2
    assert "--badge " in capsys.readouterr().err
