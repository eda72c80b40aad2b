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

from garak_tbsa.errors import EXIT_USAGE
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
        write_line(self.usage_told, stream=sys.stderr)
        write_error(message)
        self.exit(EXIT_USAGE)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words; tell a misspelt option before what is missing because of it."""
        words = sys.argv[1:] if args is None else list(args)
        # argparse hides the arguments while it takes options from among them
        self.usage_told = self.usage_line()
        known = self._option_string_actions
        wrong = [
            word
            for word in takewhile(lambda word: word != "--", words)
            # a word with a space is a value, as argparse has it
            if word.startswith("--") and " " not in word
            if word.partition("=")[0] not in known
        ]
        if wrong:
            hint = did_you_mean(wrong, known)
            self.error(f"unrecognized arguments: {' '.join(wrong)}{hint}")
        if self._subparsers is not None or "--" in words:
            return super().parse_args(words, namespace)
        # reports may stand among the options
        return self.parse_intermixed_args(words, namespace)


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
