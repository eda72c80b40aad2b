# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa completion``: the script that completes its commands in a shell.

shtab writes it from the parsers: pressing TAB starts no Python.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from garak_tbsa.cli import detectors, score_options
from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.main import COMMANDS
from garak_tbsa.errors import EXIT_DONE, GarakTbsaError, UsageError
from garak_tbsa.terminal import write_line
from garak_tbsa.version import __version__

PROGRAM = "garak-tbsa"
SHELLS = ("bash", "zsh", "fish")
FILE_WORDS = ("PATH", "FILE", "REPORT", "FOLDER", "DIR", "SUMMARY", "LABELS")
"""What follows an option is a file if help calls it so."""

EPILOG = f"""\
bash: {PROGRAM} completion bash > ~/.local/share/bash-completion/completions/{PROGRAM};
zsh: into a file _garak_tbsa in a folder of $fpath;
fish: into ~/.config/fish/completions/{PROGRAM}.fish.
Then start a new shell. It needs shtab: pip install shtab."""


def build_parser() -> CommandParser:
    """Return the command's parser."""
    parser = CommandParser(
        prog=f"{PROGRAM} completion",
        description="Print the script that lets a shell complete commands, options and"
        " their values.",
        epilog=EPILOG,
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell it is for")
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        shtab is not installed.
    UsageError
        The shtab that is installed does not know the shell.
    """
    shell = build_parser().parse_args(argv).shell
    try:
        import shtab
    except ModuleNotFoundError:
        raise GarakTbsaError(
            "completion needs shtab, which is not installed; pip install shtab"
        ) from None
    if shell not in shtab.SUPPORTED_SHELLS:
        raise UsageError(
            f"shtab {shtab.__version__} has no completion for {shell}, only for"
            f" {', '.join(shtab.SUPPORTED_SHELLS)}; pip install --upgrade shtab"
        )
    program = whole_program()
    for action in _all_actions(program):
        if _takes_file(action):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    write_line(shtab.complete(program, shell).rstrip(), folded=False)
    return EXIT_DONE


def whole_program() -> argparse.ArgumentParser:
    """Return one parser with every command, as shtab reads it."""
    program = argparse.ArgumentParser(PROGRAM)
    program.add_argument("-V", "--version", action="version", version=__version__)
    commands = program.add_subparsers()
    for name, purpose in COMMANDS.items():
        if name == "detectors":
            group = commands.add_parser(name, help=purpose).add_subparsers()
            for command, its_purpose in detectors.COMMANDS.items():
                parser = _module(f"detectors_{command}").build_parser(PROGRAM)
                _add(group, command, its_purpose, parser)
        elif name == "score":
            _add(commands, name, purpose, score_options.build_parser(PROGRAM))
        else:
            _add(commands, name, purpose, _module(name).build_parser())
    return program


def _module(name: str) -> Any:
    return import_module(f"garak_tbsa.cli.{name}")


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    purpose: str,
    parser: argparse.ArgumentParser,
) -> None:
    commands.add_parser(name, help=purpose, parents=[parser], add_help=False)


def _all_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _all_actions(command)


def _takes_file(action: argparse.Action) -> bool:
    if not action.option_strings:
        return not action.choices
    return any(word in str(action.metavar) for word in FILE_WORDS)
