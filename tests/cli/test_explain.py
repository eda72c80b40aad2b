# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa explain``: what to fix first, in text and in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from tests.factories import PairFacts, report_rows, write_report
from tests.gold import FOLDER

REPORT = str(FOLDER / "garak-0.17.1.report.jsonl")


def test_the_json_is_that_of_a_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    explained, scored = tmp_path / "explained.json", tmp_path / "scored.json"
    assert main(["explain", "-j", str(explained), REPORT]) == 0
    assert main(["score", "-j", str(scored), REPORT]) == 0
    capsys.readouterr()
    assert json.loads(explained.read_text()) == json.loads(scored.read_text())


def test_what_garaks_formula_alone_can_score_is_not_explained(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = report_rows([PairFacts(probe="a.A", passed=0, total=0, mu=0.5)])
    path = write_report(tmp_path / "r.report.jsonl", rows)
    assert main(["explain", "--formula", "garak", path]) == 1
    assert "no pair in Tier 1 or 2 was measured" in capsys.readouterr().err


def test_garaks_number_never_comes_with_the_other_formulas_interval(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The interval and the bounds of the unmeasured are of the documented formula."""
    output = tmp_path / "out.json"
    for command in ("explain", "score"):
        code = main([command, "--formula", "garak", "-j", str(output), REPORT])
        shown = capsys.readouterr().out
        assert code == 0
        assert "if it was" not in shown
        document = json.loads(output.read_text(encoding="utf-8"))
        assert document["formula"] == "garak"
        assert document["repeat_interval"]["lower"] is None
        assert document["repeat_interval"]["missing_because"] == (
            "garak's own formula has no repeat interval"
        )
        assert document["unmeasured"] is None
