# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa help WORD``: a command, an option, or a word of the glossary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garak_tbsa.cli.command_parser import CommandParser, did_you_mean
from garak_tbsa.cli.command_tree import GROUP, PROGRAM, all_commands, parser_of
from garak_tbsa.cli.detectors import COMMANDS as DETECTOR_COMMANDS
from garak_tbsa.cli.main import COMMANDS, show_help
from garak_tbsa.cli.terminal import write_line, write_lines
from garak_tbsa.cli.words import all_words, by_name
from garak_tbsa.errors import EXIT_DONE, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

LISTED = "words"
"""``garak-tbsa help words`` lists the glossary."""


def build_parser() -> CommandParser:
    """Return the command's parser."""
    parser = CommandParser(
        prog="garak-tbsa help",
        description="Explain a command (`help detectors rank`), an option (`help"
        " --hits`) or a word (`help tier`). `help words` lists the words.",
    )
    parser.add_argument("words", nargs="*", metavar="WORD", help="what to explain")
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command.

    Raises
    ------
    UsageError
        Nothing has that name.
    """
    # an option of another command is what is asked about, and none of this one
    build_parser().parse_known_args(argv)
    wanted = " ".join(argv).strip()
    if not wanted:
        show_help()
        return EXIT_DONE
    if wanted.casefold() == LISTED:
        write_lines(f"{word.word}: {word.text}" for word in all_words())
        return EXIT_DONE
    parts = [part for part in (_word(wanted), _command(argv)) if part]
    if not parts or wanted.startswith("-"):
        parts += _options(wanted)
    if not parts:
        raise UsageError(
            f"{wanted!r} is not a command, an option or a word of the glossary;"
            f" `{PROGRAM} help` lists the commands, `{PROGRAM} help {LISTED}` the words"
            f"{did_you_mean([wanted], _names_like(wanted))}"
        )
    write_line("\n\n".join(parts))
    return EXIT_DONE


def _word(wanted: str) -> str | None:
    word = by_name().get(wanted.casefold())
    return None if word is None else f"{word.word}: {word.text}"


def _command(words: Sequence[str]) -> str | None:
    """The help of a command; a command of ``detectors`` needs no first word."""
    name, *rest = words
    if name in DETECTOR_COMMANDS and name not in COMMANDS and not rest:
        name, rest = GROUP, [name]
    if name not in COMMANDS:
        return None
    if name != GROUP:
        parser = parser_of(name)
        if not rest:
            return parser.format_help().rstrip()
        found = parser.commands().get(rest[0]) if len(rest) == 1 else None
        return None if found is None else found.format_help().rstrip()
    if not rest:
        listed = [f"  {key:<11} {told}" for key, told in DETECTOR_COMMANDS.items()]
        usage = f"usage: {PROGRAM} {GROUP} COMMAND [OPTION ...]"
        return "\n".join([usage, "", *listed])
    if rest[0] in DETECTOR_COMMANDS and len(rest) == 1:
        return parser_of(name, rest[0]).format_help().rstrip()
    return None


def _options(wanted: str) -> list[str]:
    """What an option does, once for each way in which commands say it."""
    flags = {wanted} if wanted.startswith("-") else {f"--{wanted}", f"-{wanted}"}
    used: dict[str, list[str]] = {}
    for command in all_commands():
        for option in command.options:
            if flags & set(option.flags):
                heading = f"{', '.join(option.flags)} {option.value}".strip()
                told = f"{heading}\n  {option.purpose}"
                used.setdefault(told, []).append(command.name)
    return [f"{told}\n  ({', '.join(commands)})" for told, commands in used.items()]


def _names_like(wanted: str) -> list[str]:
    """What may have been meant: options where it looks like one."""
    if not wanted.startswith("-"):
        return [*COMMANDS, *DETECTOR_COMMANDS, *by_name()]
    return [
        flag
        for command in all_commands()
        for option in command.options
        for flag in option.flags
    ]
