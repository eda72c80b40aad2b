# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A bar for work of more than two seconds, in a terminal, and for nothing else."""

from __future__ import annotations

import io
import re
import sys

import pytest

from garak_tbsa.cli import progress, terminal
from garak_tbsa.cli.main import main
from garak_tbsa.cli.progress import with_progress
from tests.gold import FOLDER


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def screen_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal, in the test's own call: capture changes it."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def test_long_work_has_a_bar_with_the_time_that_remains(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = screen_of(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    assert list(with_progress("abc", 3, "reports", name=str.upper)) == list("abc")
    shown = screen.getvalue()
    assert "0/3" in shown
    assert " reports" in shown
    assert terminal.hide_bar is None


def test_short_work_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = screen_of(monkeypatch)
    assert list(with_progress(range(3), 3, "reports")) == [0, 1, 2]
    assert screen.getvalue() == ""


def test_a_pipe_gets_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    assert list(with_progress(range(3), 3, "reports")) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_a_line_takes_the_bar_away_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = screen_of(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    for item in with_progress("ab", 2, "reports"):
        terminal.write_error(f"{item}: bad")
    assert "\rgarak-tbsa: a: bad\n" in screen.getvalue()


def test_work_that_fails_leaves_no_bar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen_of(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)

    def work() -> None:
        for _ in with_progress("ab", 2, "reports"):
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert terminal.hide_bar is None


def test_a_plan_shows_how_long_it_will_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    screen = screen_of(monkeypatch)
    report = str(FOLDER / "garak-0.17.1.report.jsonl")
    assert main(["plan", report, "--detect", "0.5"]) == 0
    assert re.search(r"%\|.*\| \d\d:\d\d<", screen.getvalue())
    assert terminal.hide_bar is None
