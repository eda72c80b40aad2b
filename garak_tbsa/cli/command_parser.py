# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The parser of every command: help that fits, errors in two lines, suggestions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import takewhile
from typing import Any, NoReturn

from garak_tbsa.errors import EXIT_USAGE, UsageError
from garak_tbsa.terminal import terminal_width, write_error, write_line

HELP_WIDTH = 80
ANY_WIDTH = 1 << 20


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
        super().__init__(allow_abbrev=False, formatter_class=help_formatter, **settings)

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
        write_line(self.usage_line(), stream=sys.stderr)
        write_error(message)
        self.exit(EXIT_USAGE)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words; tell a misspelt option before what is missing because of it."""
        words = sys.argv[1:] if args is None else list(args)
        own = takewhile(lambda word: word != "--", words)
        if self._subparsers is not None:
            own = takewhile(lambda word: word.startswith("-"), own)
        unknown = [
            word
            for word in own
            # a word with a space is a value, as argparse has it
            if word.startswith("--") and " " not in word
            if word.partition("=")[0] not in self._option_string_actions
        ]
        if unknown:
            self.refuse(unknown)
        return super().parse_known_args(words, namespace)

    def refuse(self, words: list[str]) -> NoReturn:
        """End the process because of words that the command does not take."""
        wrong = [word for word in words if word.startswith("-")]
        hint = did_you_mean(wrong, self._option_string_actions)
        self.error(f"unrecognized arguments: {' '.join(words)}{hint}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if not isinstance(action, argparse._SubParsersAction):
            try:
                super()._check_value(action, value)
            except argparse.ArgumentError as error:
                hint = did_you_mean([str(value)], map(str, action.choices or ()))
                raise argparse.ArgumentError(action, f"{error.message}{hint}") from None
        elif value not in action.choices:
            of = f" of {self.prog}" if " " in self.prog else ""
            raise UsageError(
                f"{value!r} is not a command{of};"
                f" expected one of {', '.join(action.choices)}"
                f"{did_you_mean([value], action.choices)}"
            )


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
