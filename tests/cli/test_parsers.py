# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A public function is its command's options, and refuses the same values."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Annotated, Any

import pytest

import garak_tbsa
from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.main import parser_of
from garak_tbsa.cli.parsers import add_options_of, arguments_for
from garak_tbsa.errors import UsageError
from garak_tbsa.option import Option, checked

IN_PYTHON_ALONE = {"watch", "paths", "each"}
COMMANDS: dict[str, Callable[..., Any]] = {
    "score": garak_tbsa.score,
    "compare": garak_tbsa.compare,
    "history": garak_tbsa.history,
    "audit": garak_tbsa.audit,
    "detectors evaluate": garak_tbsa.evaluate,
}


@checked
def taken(
    report: str,
    *,
    count: Annotated[int | None, Option(kind=int, low=1, metavar="N")] = None,
    share: Annotated[float, Option(kind=float, high=1)] = 0.5,
    way: Annotated[str | None, Option(kind=str, choices=("up", "down"))] = None,
    files: Annotated[list[str] | None, Option(kind=object, several=True)] = None,
    whole: bool = True,
    strict: bool = False,
) -> dict[str, Any]:
    """Return what was given.

    Parameters
    ----------
    report : str
        A file.
    count : int, optional
        How many; see ``share``.
    share : float
        Of 100 %.
    whole : bool
        Read all of it...
    """
    return {**locals()}


def test_options_give_the_function_what_it_takes() -> None:
    parser = CommandParser(prog="taken")
    add_options_of(parser, taken)

    def given(*words: str) -> dict[str, Any]:
        return taken(**arguments_for(taken, parser.parse_args(words)))

    usual = taken("x")
    assert given("x") == usual
    assert given("--count", "3", "x", "--no-whole", "--strict") == usual | {
        "count": 3,
        "whole": False,
        "strict": True,
    }
    assert given("x", "--share", "1", "--way=up", "--files", "a", "b") == usual | {
        "share": 1.0,
        "way": "up",
        "files": ["a", "b"],
    }
    said = " ".join(parser.format_help().split())
    for option in (
        "REPORT a file",
        "--count N how many; see --share",
        "--share SHARE of 100 % (default 0.5)",
        "--no-whole do not read all of it...",
    ):
        assert option in said


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("count", 0, "a whole number of at least 1"),
        ("count", 1.5, "a whole number of at least 1"),
        ("count", True, "a whole number of at least 1"),
        ("share", 1.01, "a number from 0 to 1"),
        ("share", float("nan"), "a number from 0 to 1"),
        ("count", float("inf"), "a whole number of at least 1"),
        ("way", "left", "'up' or 'down'"),
    ],
)
def test_what_it_does_not_take_is_refused_in_python_and_on_the_command_line(
    name: str, value: Any, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError) as caught:
        taken("x", **{name: value})
    assert str(caught.value) == f"{name}: expected {expected}, found {value!r}"
    parser = CommandParser(prog="taken")
    add_options_of(parser, taken)
    with pytest.raises(SystemExit):
        parser.parse_args(["x", f"--{name}", str(value)])
    told = capsys.readouterr().err
    assert (f"expected {expected}" in told) or ("invalid choice" in told)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_python_can_ask_the_command_can_too(command: str) -> None:
    parser = parser_of(command)
    options = {action.dest for action in parser._actions} | {"report"}
    assert signature(COMMANDS[command]).parameters.keys() <= options | IN_PYTHON_ALONE
    helps = {action.dest: action.help for action in parser._actions}
    assert [name for name, said in helps.items() if not said] == []
