# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every command with its parser, for completion."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from garak_tbsa.cli import detectors
from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.main import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = "garak-tbsa"
GROUP = "detectors"
"""A command that has modules of its own for its commands."""

FILE_WORDS = ("PATH", "FILE", "REPORT", "FOLDER", "DIR", "SUMMARY", "LABELS")


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option or argument of a command.

    Attributes
    ----------
    flags : tuple of str
        Empty for an argument that has its place.
    value : str
        What follows it, as help shows it; empty for a switch.
    choices : tuple of str
        All that may follow; empty where anything may.
    takes_path : bool
    purpose : str
    """

    flags: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    takes_path: bool
    purpose: str


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command, or a command of a command.

    Attributes
    ----------
    words : tuple of str
        ``("detectors", "rank")``; empty for the program.
    purpose : str
        In one line.
    description : str
        In a few sentences.
    usage : str
        One line.
    options : tuple of Option
    commands : dict of str to str
        Purpose of each command that follows it.
    """

    words: tuple[str, ...]
    purpose: str
    description: str
    usage: str
    options: tuple[Option, ...]
    commands: dict[str, str]

    @property
    def name(self) -> str:
        """The words after the program's name."""
        return " ".join(self.words)


def all_commands() -> list[Command]:
    """Return the program, then every command, each before its own commands."""
    program = Command(
        words=(),
        purpose="TBSA and detector metrics for garak",
        description="",
        usage=f"usage: {PROGRAM} COMMAND [OPTION ...]",
        options=(),
        commands=dict(COMMANDS),
    )
    found = [program]
    for name, purpose in COMMANDS.items():
        found += _of(name, purpose)
    return found


def _of(name: str, purpose: str) -> Iterator[Command]:
    if name == GROUP:
        yield Command(
            words=(name,),
            purpose=purpose,
            description=purpose,
            usage=f"usage: {PROGRAM} {name} COMMAND [OPTION ...]",
            options=(),
            commands=dict(detectors.COMMANDS),
        )
        for command, its_purpose in detectors.COMMANDS.items():
            yield _command((name, command), its_purpose, parser_of(name, command))
        return
    parser = parser_of(name)
    purposes = _purposes(parser)
    yield _command((name,), purpose, parser)
    for command, its_parser in parser.commands().items():
        yield _command((name, command), purposes[command], its_parser)


def parser_of(*words: str) -> CommandParser:
    """Return the parser of a command that has one."""
    prog = " ".join((PROGRAM, *words))
    if words == ("score",):
        from garak_tbsa.cli.score_options import build_parser

        return _ours(build_parser(prog))
    module = import_module(f"garak_tbsa.cli.{'_'.join(words[:2])}")
    return _ours(module.build_parser(*([prog] if words[0] == GROUP else [])))


def _ours(parser: argparse.ArgumentParser) -> CommandParser:
    assert isinstance(parser, CommandParser)
    return parser


def _purposes(parser: argparse.ArgumentParser) -> dict[str, str]:
    return {
        choice.dest: choice.help or ""
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for choice in action._choices_actions
    }


def _command(
    words: tuple[str, ...], purpose: str, parser: argparse.ArgumentParser
) -> Command:
    return Command(
        words=words,
        purpose=purpose,
        description=" ".join((parser.description or "").split()),
        usage=_ours(parser).usage_line(),
        options=tuple(
            _option(action)
            for action in parser._actions
            if not isinstance(action, argparse._SubParsersAction)
            and action.help != argparse.SUPPRESS
        ),
        commands=_purposes(parser),
    )


def _option(action: argparse.Action) -> Option:
    choices = tuple(map(str, action.choices or ()))
    value = ""
    if action.nargs != 0:
        shown = action.metavar or ("|".join(choices) if choices else action.dest)
        value = shown if isinstance(shown, str) else " ".join(shown)
        value = value.upper() if not (action.metavar or choices) else value
    if not choices and "|" in value:
        # as report|installed|PATH: the words in small letters are meant as they are
        choices = tuple(word for word in value.split("|") if word.islower())
    return Option(
        flags=tuple(action.option_strings),
        value=value,
        choices=choices,
        takes_path=any(word in value.upper() for word in FILE_WORDS),
        purpose=_purpose(action),
    )


def _purpose(action: argparse.Action) -> str:
    words = action.help or ""
    if "%(" in words or "%%" in words:
        words %= {**vars(action), "prog": PROGRAM}
    return " ".join(words.split())
