# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors diff``."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from tests.detector_eval.summaries import COUNTS, write_summary

WORSE = {**COUNTS, "dan.DAN": {"tp": 3, "fp": 10, "fn": 27, "tn": 20}}


@pytest.fixture
def old(tmp_path: Path) -> str:
    return write_summary(tmp_path / "old.json", COUNTS)


def test_nothing_changed(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["detectors", "diff", old, old, "--fail-on-regression"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == ["3 unchanged"]


def test_a_regression(
    old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = write_summary(tmp_path / "new.json", WORSE)
    assert main(["detectors", "diff", old, new]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == f"{new}: 3 detectors evaluated, 2026-01-30, garak 0.17.1"
    cells = lines[3].split()
    assert cells[:4] == ["dan.DAN", "0.667", "->", "0.140"]
    assert cells[-2:] == ["1.000", "worse"]
    assert lines[4] == "1 worse, 2 unchanged"
    assert lines[5].startswith("On the same rows every changed count is a change of")


def test_it_fails_where_that_was_asked_for(
    old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = write_summary(
        tmp_path / "new.json",
        {name: WORSE[name] for name in ("dan.DAN", "goodside.PlainJSON")},
        failures={"mitigation.Prefixes": "no module"},
    )
    assert main(["detectors", "diff", old, new, "--fail-on-regression"]) == 3
    said = capsys.readouterr()
    assert "  mitigation.Prefixes: no module" in said.out.splitlines()
    assert said.err == (
        f"garak-tbsa: {new}: dan.DAN (worse), mitigation.Prefixes (no longer"
        " evaluated); `garak-tbsa detectors explain DETECTOR` shows the rows\n"
    )


@pytest.mark.parametrize(("lost", "more"), [(5, ""), (6, " and 1 more")])
def test_five_regressions_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lost: int, more: str
) -> None:
    cells = {"tp": 20, "fp": 10, "fn": 10, "tn": 20}
    counts = {f"a.D{number}": cells for number in range(lost)}
    old = write_summary(tmp_path / "old.json", counts)
    new = write_summary(tmp_path / "new.json", {})
    assert main(["detectors", "diff", old, new, "--fail-on-regression"]) == 3
    named = ", ".join(f"a.D{number} (no longer evaluated)" for number in range(5))
    assert f"{new}: {named}{more};" in capsys.readouterr().err


@pytest.mark.parametrize("confidence", ["0", "1"])
def test_every_share_is_a_confidence(old: str, confidence: str) -> None:
    assert main(["detectors", "diff", old, old, "--confidence", confidence]) == 0


def test_an_improvement_does_not_fail(
    old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worse = write_summary(tmp_path / "new.json", WORSE)
    assert main(["detectors", "diff", worse, old, "--fail-on-regression"]) == 0
    assert "1 better, 2 unchanged" in capsys.readouterr().out


def test_other_settings_and_other_rows_are_told(
    old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = write_summary(tmp_path / "new.json", WORSE, threshold=0.4, data="1")
    assert main(["detectors", "diff", old, new]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "eval_threshold: 0.5 -> 0.4"
    assert (
        lines[-1] == "1 of the changed detectors were measured on other rows: dan.DAN"
    )


def test_a_missing_file(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["detectors", "diff", old, "none.json"]) == 1
    assert "none.json: cannot be read (no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", [("--confidence", "2"), ("--seed", "-1"), ("--confidence", "x")]
)
def test_bad_options(old: str, option: tuple[str, str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["detectors", "diff", old, old, *option])
    assert caught.value.code == 2
