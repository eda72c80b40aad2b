# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the parsers of ``garak-tbsa`` take a command line, without running it."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

from garak_tbsa.cli import main
from garak_tbsa.errors import GarakTbsaError

HELP = ("-h", "--help", "-V", "--version")


class _ParsedError(BaseException):
    """A parser was reached; no ``except Exception`` of a command stops it."""

    def __init__(self, parser: argparse.ArgumentParser, rest: Sequence[str]) -> None:
        self.parser = parser
        self.rest = rest


def refused(words: Sequence[str]) -> str | None:
    """Why a command line is refused; ``None`` where it is accepted.

    Parameters
    ----------
    words : sequence of str
        Those after ``garak-tbsa``.
    """
    if words and words[0] in HELP:
        return None
    try:
        parsed = _parsed(words, is_parsed=True)
    except _RefusedError as why:
        return str(why)
    rest = parsed.rest if parsed else ()
    unknown = [word for word in rest if word[:1] == "-" != word]
    return f"unrecognized arguments: {' '.join(unknown)}" if unknown else None


def unknown_names(words: Sequence[str]) -> str | None:
    """Which commands or options of a mentioned command line there are not.

    Placeholders, such as ``REPORT`` and ``--detect X``, may be anything.
    """
    if words and words[0] in HELP:
        return None
    try:
        parsed = _parsed([*_path(words)], is_parsed=False)
    except _RefusedError as why:
        return str(why)
    known = set(_options(parsed.parser)) if parsed else set()
    named = [word.partition("=")[0].rstrip(",") for word in words if word[:1] == "-"]
    unknown = [name for name in named if name not in known and name not in ("-", "--")]
    return f"no such option: {', '.join(unknown)}" if unknown else None


class _RefusedError(Exception):
    pass


def _path(words: Sequence[str]) -> Sequence[str]:
    """The words that choose the command."""
    return words[: 2 if words[0] == "detectors" else 1]


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from parser._option_string_actions
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for chosen in action.choices.values():
                yield from _options(chosen)


def _parsed(words: Sequence[str], *, is_parsed: bool) -> _ParsedError | None:
    """Where a parser was reached; ``None`` where help alone was asked for."""
    original = argparse.ArgumentParser.parse_known_args

    def stopped(
        self: argparse.ArgumentParser, args: Any = None, namespace: Any = None
    ) -> Any:
        rest = original(self, args, namespace)[1] if is_parsed else ()
        raise _ParsedError(self, rest)

    said = io.StringIO()
    with (
        patch.object(argparse.ArgumentParser, "parse_known_args", stopped),
        contextlib.redirect_stderr(said),
        contextlib.redirect_stdout(said),
    ):
        try:
            main._dispatch([*words])
        except _ParsedError as parsed:
            return parsed
        except GarakTbsaError as error:
            raise _RefusedError(str(error)) from error
        except SystemExit as end:
            raise _RefusedError(said.getvalue().strip().splitlines()[-1]) from end
    return None
