# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the parsers of ``garak-tbsa`` take a command line, without running it."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Iterator, Sequence

from garak_tbsa.cli.main import COMMANDS, command_tree, parsed
from garak_tbsa.errors import GarakTbsaError

HELP = ("-h", "--help", "-V", "--version")


def refused(words: Sequence[str]) -> str | None:
    """Why a command line is refused; ``None`` where it is accepted.

    Parameters
    ----------
    words : sequence of str
        Those after ``garak-tbsa``.
    """
    if words and words[0] in HELP:
        return None
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            parsed(command_tree(COMMANDS), words)
        except GarakTbsaError as error:
            return str(error)
        except SystemExit as end:
            return said.getvalue().strip().splitlines()[-1] if end.code else None
    return None


def unknown_names(words: Sequence[str]) -> str | None:
    """Which commands or options of a mentioned command line there are not.

    Placeholders, such as ``REPORT`` and ``--detect X``, may be anything.
    """
    if words and words[0] in HELP:
        return None
    parser: argparse.ArgumentParser = command_tree(COMMANDS)
    for word in words[: 2 if words[0] == "detectors" else 1]:
        commands = _commands_of(parser)
        if word not in commands:
            return f"{word!r} is not a command"
        parser = commands[word]
    known = set(_options(parser))
    named = [word.partition("=")[0].rstrip(",") for word in words if word[:1] == "-"]
    unknown = [name for name in named if name not in known and name not in ("-", "--")]
    return f"no such option: {', '.join(unknown)}" if unknown else None


def _commands_of(
    parser: argparse.ArgumentParser,
) -> dict[str, argparse.ArgumentParser]:
    return {
        name: chosen
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, chosen in action.choices.items()
    }


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from parser._option_string_actions
    for command in _commands_of(parser).values():
        yield from _options(command)
