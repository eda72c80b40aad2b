# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The parser of every command: help that fits, errors in two lines, suggestions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, NoReturn

from garak_tbsa.errors import EXIT_USAGE
from garak_tbsa.removed import REMOVED, removal
from garak_tbsa.terminal import terminal_width, write_error, write_line

HELP_WIDTH = 80
ANY_WIDTH = 1 << 20
UNRECOGNIZED = "unrecognized arguments: "


def help_formatter(prog: str) -> argparse.HelpFormatter:
    """Return a help formatter as wide as the terminal, and at most 80 columns."""
    width = min(HELP_WIDTH, terminal_width() or HELP_WIDTH)
    return argparse.HelpFormatter(prog, width=width)


class CommandParser(argparse.ArgumentParser):
    """argparse's parser with our help and our errors.

    Parameters
    ----------
    **settings
        As of :class:`argparse.ArgumentParser`.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            **{"allow_abbrev": False, "formatter_class": help_formatter, **settings}
        )

    def print_help(self, file: Any = None) -> None:
        """Print the help as everything else is printed."""
        write_line(self.format_help().rstrip(), stream=file)

    def usage_line(self) -> str:
        """Return the usage in one line, without naming each option."""
        formatter = argparse.HelpFormatter(f"{self.prog} [OPTION ...]", width=ANY_WIDTH)
        positional = [action for action in self._actions if not action.option_strings]
        formatter.add_usage(None, positional, [])
        return formatter.format_help().strip()

    def error(self, message: str) -> NoReturn:
        """End the process with one usage line and the error in one line."""
        if message.startswith(UNRECOGNIZED):
            words = message.removeprefix(UNRECOGNIZED).split()
            wrong = [word for word in words if word.startswith("-")]
            gone = [
                flag for word in wrong if (flag := word.partition("=")[0]) in REMOVED
            ]
            message = (
                removal(gone[0])
                if gone
                else f"{message}{did_you_mean(wrong, self.all_flags())}"
            )
        write_line(self.usage_line(), stream=sys.stderr)
        write_error(message)
        self.exit(EXIT_USAGE)

    def all_flags(self) -> list[str]:
        """Return every option of the command and of its commands."""
        return [
            flag
            for parser in self.with_commands()
            for action in parser._actions
            for flag in action.option_strings
        ]

    def with_commands(self) -> Iterator[argparse.ArgumentParser]:
        """Yield this parser and those of its commands."""
        yield self
        yield from self.commands().values()

    def commands(self) -> dict[str, argparse.ArgumentParser]:
        """Return the parser of each command of this command, by its name."""
        found: dict[str, argparse.ArgumentParser] = {}
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                found.update(action.choices)
        return found

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            hint = did_you_mean([str(value)], map(str, action.choices or ()))
            raise argparse.ArgumentError(action, f"{error.message}{hint}") from None


def did_you_mean(wrong: Iterable[str], known: Iterable[str]) -> str:
    """Return what ends an error about words that do not exist.

    Parameters
    ----------
    wrong : iterable of str
        Each may be an option with its value, ``--hitz=3``.
    known : iterable of str
        What exists.

    Returns
    -------
    str
        ``"; did you mean --hits?"``, empty where nothing is alike.
    """
    by_letters = {_letters(name): name for name in known}
    alike: dict[str, None] = {}
    for word in wrong:
        matches = get_close_matches(_letters(word), by_letters, n=1)
        alike.update((by_letters[match], None) for match in matches)
    return f"; did you mean {' and '.join(alike)}?" if alike else ""


def _letters(word: str) -> str:
    """What is compared: dashes are in every option, and would make all alike."""
    return word.partition("=")[0].strip("-").replace("_", "-").casefold()
