# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the parsers of ``garak-tbsa`` take a command line, without running it."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence

from garak_tbsa.cli.main import COMMANDS, GROUPS, command_of, parser_of
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
            command = command_of(words)
            parser_of(command).parse_args(words[len(command.split()) :])
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
    try:
        command = command_of(words)
    except GarakTbsaError as error:
        return str(error).partition(";")[0].replace(" of garak-tbsa detectors", "")
    parsers = [
        name for name in COMMANDS if name not in GROUPS and command in ("", name)
    ]
    if command == "detectors":
        parsers = [name for name in COMMANDS if name.startswith("detectors ")]
    known = {
        each for name in parsers for each in parser_of(name)._option_string_actions
    }
    named = [word.partition("=")[0].rstrip(",") for word in words if word[:1] == "-"]
    unknown = [name for name in named if name not in known and name not in ("-", "--")]
    return f"no such option: {', '.join(unknown)}" if unknown else None
