# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa completion``: the script that completes its commands in a shell.

shtab writes it from the parsers: pressing TAB starts no Python.
"""

from __future__ import annotations

import argparse

from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.main import COMMANDS, PROGRAM, command_tree
from garak_tbsa.errors import GarakTbsaError, UsageError
from garak_tbsa.terminal import write_line

SHELLS = ("bash", "zsh", "fish")
FILE_WORDS = ("PATH", "FILE", "REPORT", "FOLDER", "DIR", "SUMMARY", "LABELS")
"""What follows an option is a file if help calls it so."""

EPILOG = f"""\
bash: {PROGRAM} completion bash > ~/.local/share/bash-completion/completions/{PROGRAM};
zsh: into a file _garak_tbsa in a folder of $fpath;
fish: into ~/.config/fish/completions/{PROGRAM}.fish.
Then start a new shell. It needs shtab: pip install shtab."""


def add_options(parser: CommandParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Print the script that lets a shell complete commands, options and their"
        " values."
    )
    parser.epilog = EPILOG
    parser.add_argument("shell", choices=SHELLS, help="the shell it is for")


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        shtab is not installed.
    UsageError
        The shtab that is installed does not know the shell.
    """
    try:
        import shtab
    except ModuleNotFoundError:
        raise GarakTbsaError(
            "completion needs shtab, which is not installed; pip install shtab"
        ) from None
    if options.shell not in shtab.SUPPORTED_SHELLS:
        raise UsageError(
            f"shtab {shtab.__version__} has no completion for {options.shell}, only for"
            f" {', '.join(shtab.SUPPORTED_SHELLS)}; pip install --upgrade shtab"
        )
    program = command_tree(COMMANDS)
    for action in program.every_action():
        if _takes_file(action):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    write_line(shtab.complete(program, options.shell).rstrip(), folded=False)


def _takes_file(action: argparse.Action) -> bool:
    if not action.option_strings:
        return not action.choices
    return any(word in str(action.metavar) for word in FILE_WORDS)
