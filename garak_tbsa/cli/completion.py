# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa completion``: the script that completes its commands in a shell.

The script knows every command and option by itself: pressing TAB starts no Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.command_tree import PROGRAM, all_commands
from garak_tbsa.cli.completion_scripts import bash, fish, zsh
from garak_tbsa.cli.terminal import write_line
from garak_tbsa.errors import EXIT_DONE

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
EPILOG = f"""\
bash: {PROGRAM} completion bash > ~/.local/share/bash-completion/completions/{PROGRAM};
zsh: into a file _garak_tbsa in a folder of $fpath;
fish: into ~/.config/fish/completions/{PROGRAM}.fish.
Then start a new shell."""


def build_parser() -> CommandParser:
    """Return the command's parser."""
    parser = CommandParser(
        prog=f"{PROGRAM} completion",
        description="Print the script that lets a shell complete commands, options and"
        " their values.",
        epilog=EPILOG,
    )
    parser.add_argument("shell", choices=SCRIPTS, help="the shell it is for")
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command."""
    options = build_parser().parse_args(argv)
    write_line(SCRIPTS[options.shell](all_commands()), folded=False)
    return EXIT_DONE
