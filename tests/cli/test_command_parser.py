# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A wrong command line: one usage line, then the error in one line, with a hint."""

from __future__ import annotations

import pytest

from garak_tbsa.cli.command_parser import CommandParser, did_you_mean
from garak_tbsa.cli.main import main
from tests.gold import FOLDER

REPORT = str(FOLDER / "garak-0.17.1.report.jsonl")
SCORE_USAGE = "usage: garak-tbsa score [OPTION ...] [REPORT ...]"


def refused(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> list[str]:
    try:
        code: object = main(arguments)
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    return shown.err.splitlines()


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (
            ("score", "--verb", REPORT),
            [
                SCORE_USAGE,
                "garak-tbsa: unrecognized arguments: --verb; did you mean --verbose?",
            ],
        ),
        (
            ("score", "--hitz=3", "--fail_under=2", REPORT),
            [
                SCORE_USAGE,
                "garak-tbsa: unrecognized arguments: --hitz=3 --fail_under=2;"
                " did you mean --hits and --fail-under?",
            ],
        ),
        (
            ("score", "--nothing-of-the-kind", "\x1b[2J", REPORT),
            [
                SCORE_USAGE,
                "garak-tbsa: unrecognized arguments: --nothing-of-the-kind",
            ],
        ),
        (
            ("explain",),
            [
                "usage: garak-tbsa explain [OPTION ...] REPORT",
                "garak-tbsa: the following arguments are required: REPORT",
            ],
        ),
        (
            ("compare", REPORT, REPORT, "--forse"),
            [
                "usage: garak-tbsa compare [OPTION ...] first second",
                "garak-tbsa: unrecognized arguments: --forse; did you mean --force?",
            ],
        ),
    ],
)
def test_a_usage_error_is_two_lines(
    arguments: tuple[str, ...],
    lines: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert refused(arguments, capsys) == lines


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("score", "--formula", "documentd", REPORT), "did you mean documented?"),
        (("explian", REPORT), "did you mean explain?"),
        (("detectors", "evalute"), "did you mean evaluate?"),
    ],
)
def test_what_is_alike_is_suggested(
    arguments: tuple[str, ...], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(arguments, capsys)[-1].endswith(f"; {hint}")


def test_nothing_is_suggested_where_nothing_is_alike() -> None:
    assert did_you_mean(["--xyz"], ["--hits", "--formula"]) == ""
    assert did_you_mean([], ["--hits"]) == ""


def test_help_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = CommandParser(prog="garak-tbsa score")
    parser.add_argument("--hits", help="word " * 40)
    assert max(map(len, parser.format_help().splitlines())) in range(70, 81)
    monkeypatch.setattr("garak_tbsa.cli.command_parser.terminal_width", lambda: 60)
    assert max(map(len, parser.format_help().splitlines())) in range(50, 61)
