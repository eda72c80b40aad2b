# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa man``: the manual page, made from the parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garak_tbsa import __version__
from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.command_tree import PROGRAM, Command, Option, all_commands
from garak_tbsa.cli.terminal import write_line
from garak_tbsa.cli.words import all_words
from garak_tbsa.errors import EXIT_DONE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EXIT_CODES = {
    "0": "done",
    "1": "could not; one line on standard error says why",
    "2": "usage: the command line asks for something that does not exist",
    "3": "a gate failed",
}


def build_parser() -> CommandParser:
    """Return the command's parser."""
    return CommandParser(
        prog="garak-tbsa man",
        description="Print the manual page of all commands: garak-tbsa man | man -l -",
    )


def run(argv: Sequence[str]) -> int:
    """Run the command."""
    build_parser().parse_args(argv)
    write_line(page(), folded=False)
    return EXIT_DONE


def page() -> str:
    """Return the page in the language of ``man``."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    program, *commands = all_commands()
    yield f'.TH {PROGRAM.upper()} 1 "" "{PROGRAM} {__version__}" "User Commands"'
    yield ".SH NAME"
    yield rf"{roff(PROGRAM)} \- {roff(program.purpose)}"
    yield ".SH SYNOPSIS"
    yield rf".B {roff(PROGRAM)}"
    yield r"\fICOMMAND\fR [\fIOPTION\fR ...]"
    yield ".SH COMMANDS"
    for command in commands:
        yield from _section(command)
    yield ".SH WORDS"
    for word in all_words():
        yield from (".TP", f".B {roff(word.word)}", roff(word.text))
    yield ".SH EXIT STATUS"
    for code, meaning in EXIT_CODES.items():
        yield from (".TP", f".B {code}", roff(meaning))
    yield ".SH SEE ALSO"
    yield roff("garak, the scanner whose reports are read: https://docs.garak.ai")


def _section(command: Command) -> Iterator[str]:
    yield f".SS {roff(f'{PROGRAM} {command.name}')}"
    yield roff(command.description or command.purpose)
    yield ".PP"
    yield roff(command.usage)
    for option in command.options:
        yield from (".TP", _heading(option), roff(option.purpose))


def _heading(option: Option) -> str:
    value = rf" \fI{roff(option.value)}\fR" if option.value else ""
    if not option.flags:
        return value.strip()
    return ", ".join(rf"\fB{roff(flag)}\fR{value}" for flag in option.flags)


def roff(text: str) -> str:
    """Return text of one line that ``man`` shows as it is."""
    shown = text.replace("\\", r"\e").replace("-", r"\-").replace("\n", " ")
    shown = "".join(
        char if char.isascii() else rf"\[u{ord(char):04X}]" for char in shown
    )
    return rf"\&{shown}" if shown[:1] in (".", "'") else shown
