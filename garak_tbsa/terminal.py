# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The one way to a terminal: no control characters, no lines that it cannot show.

Reports hold text elicited from attacked models. Whatever is printed passes through
:func:`~garak_tbsa.safe_text.printable`, so no escape sequence reaches the terminal.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TextIO
from unicodedata import combining, east_asian_width

from garak_tbsa.errors import OutputError
from garak_tbsa.safe_text import SHOWN_ERROR, printable, shown, without_commands

NARROWEST = 40
USUAL_WIDTH = 80

BORDER = re.compile(r"(?<=[./+_|,:;=&-])|(?<=[a-z])(?=[A-Z])")
"""A name breaks after one of these, or before the next capital."""

LEAST_ROOM = 8
DEEPEST = 3
"""A line's rest begins at most a third of the width to the right."""

COMMAND = re.compile(r" *(?:\w+: )?garak-tbsa \S")
"""A line that is a command, perhaps behind a word for what it does."""

VARIATION = "\ufe0f"

ASCII_FORMS = {
    "─": "-",
    "…": "...",
    "→": "->",
    "–": "-",
    "🟥": "[1]",
    "🟧": "[2]",
    "🟨": "[3]",
    "🟩": "[4]",
    "🟦": "[5]",
    "📜": "*",
    "📐": "*",
    "📝": "*",
    "•": "*",
    "🔑": "*",
    "⚠️": "!",
    "✔️": "ok",
    "❌": "x",
}
"""ASCII for each symbol that our own output uses, for terminals without it."""


def encodable(text: str, encoding: str) -> str:
    """Return ``text`` in characters that ``encoding`` has."""
    try:
        text.encode(encoding)
        return text
    except (UnicodeEncodeError, LookupError):
        for symbol, ascii_form in ASCII_FORMS.items():
            text = text.replace(symbol, ascii_form)
        return text.encode(encoding, "backslashreplace").decode(encoding)


def fit(text: str, width: int) -> str:
    """Return text whose lines take at most ``width`` columns.

    A line with a command to run stays as it is, so that it can be pasted.

    Parameters
    ----------
    text : str
        Printable, in lines.
    width : int
        Columns of the terminal.
    """
    fitting: list[str] = []
    for line in text.split("\n"):
        if columns(line) <= width or COMMAND.match(line):
            fitting.append(line)
            continue
        inner = line.lstrip(" ")
        leading = " " * min(len(line) - len(inner), width // DEEPEST)
        deeper = " " * min(len(leading) + 2, width // DEEPEST)
        first, *rest = broken(inner, width - len(deeper))
        fitting += [leading + first, *(deeper + part for part in rest)]
    return "\n".join(fitting)


def broken(text: str, room: int) -> list[str]:
    """Return the parts of a line, each at most ``room`` columns wide.

    It breaks at spaces; a word that is longer breaks after ``.``, ``+``, ``_`` and
    the like or before a capital letter, and within a plain word only where it must.

    Parameters
    ----------
    text : str
        One line; runs of spaces, as between columns, are kept inside a part.
    room : int
        Columns; taken as 8 where it is less.
    """
    room = max(room, LEAST_ROOM)
    parts = [""]
    for number, word in enumerate(text.split(" ")):
        joined = f"{parts[-1]} {word}" if number else word
        if columns(joined) <= room:
            parts[-1] = joined
            continue
        parts.append("")
        for name in BORDER.split(word):
            # what has no border breaks at any character
            for piece in [name] if columns(name) <= room else name:
                if columns(parts[-1] + piece) > room:
                    parts.append("")
                parts[-1] += piece
    return [part.rstrip() for part in parts if part.strip()] or [""]


def columns(text: str) -> int:
    """Return how many columns a terminal gives a text; symbols may take two."""
    if text.isascii():
        return len(text)
    # a variation makes the symbol before it a wide one
    wide = sum(east_asian_width(char) in "WF" or char == VARIATION for char in text)
    return wide + sum(not combining(char) and char != VARIATION for char in text)


def text_to_stderr() -> None:
    """Say what is said to people on standard error: standard output holds a file."""
    flush()
    sys.stdout = sys.stderr


room_made: Callable[[], AbstractContextManager[None]] = nullcontext
"""Takes the line of progress away while something else is written."""


def write_line(text: str = "", *, stream: TextIO | None = None) -> None:
    """Print one piece of text, safely, with a newline; fitting the terminal on stdout.

    A closed pipe (``garak-tbsa ... | head``) swallows the rest; the exit code is kept.

    Parameters
    ----------
    text : str
    stream : text file, optional
        ``sys.stdout`` by default.

    Raises
    ------
    OutputError
        The stream cannot be written.
    """
    safe = without_commands(printable(text))
    width = terminal_width() if stream is None else None
    _write(safe if width is None else fit(safe, width), stream)


def write_commands(lines: Iterable[str], *, stream: TextIO | None = None) -> None:
    """Print lines that a build's runner is to obey.

    Parameters
    ----------
    lines : iterable of str
        Of :mod:`garak_tbsa.outputs.github_commands`, or printed by a command of ours
        in another process; nothing else may be printed here.
    stream : text file, optional
        ``sys.stdout`` by default.
    """
    for line in lines:
        _write(printable(line).replace("\n", " "), stream)


def _write(safe_text: str, stream: TextIO | None) -> None:
    target = sys.stdout if stream is None else stream
    if target is None:
        # the process was started without the stream
        return
    encoding = getattr(target, "encoding", None) or "ascii"
    try:
        with room_made():
            target.write(encodable(safe_text, encoding) + "\n")
    except OSError as error:
        _discard_rest(target, error)


def write_lines(lines: Iterable[str]) -> None:
    """Print lines; a line break inside one, from a report's text, is made visible."""
    if shown_lines := [line.replace("\n", "\\n") for line in lines]:
        write_line("\n".join(shown_lines))


def write_error(text: str) -> None:
    """Print one line to stderr, prefixed with the program's name, after all output."""
    line = shown(" ".join(text.split()), SHOWN_ERROR)
    # where nobody is left to tell, the exit code still says it
    with suppress(OutputError):
        flush()
    if sys.stderr is not None:
        with suppress(OutputError):
            write_line(f"garak-tbsa: {line}", stream=sys.stderr)


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Return the columns of a terminal, None for a pipe.

    Parameters
    ----------
    stream : text file, optional
        ``sys.stdout`` by default.
    """
    stream = sys.stdout if stream is None else stream
    if stream is None or not stream.isatty():
        return None
    wanted = os.environ.get("COLUMNS")
    try:
        found = int(wanted or os.get_terminal_size(stream.fileno()).columns)
    except (OSError, ValueError):
        found = 0
    return max(NARROWEST, found or USUAL_WIDTH)


def flush() -> None:
    """Flush stdout; a pipe closed by its reader is no failure of ours.

    Raises
    ------
    OutputError
        Standard output cannot be written.
    """
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        _discard_rest(sys.stdout, error)


def _discard_rest(stream: TextIO, error: OSError) -> None:
    """Let what is still to be printed on this stream go nowhere."""
    # the interpreter flushes it again at exit, which would fail a second time
    # a stream of the host's own may have no descriptor
    with open(os.devnull, "wb") as nowhere, suppress(OSError):
        os.dup2(nowhere.fileno(), stream.fileno())
    if not isinstance(error, BrokenPipeError):
        raise OutputError(
            f"standard output: cannot be written ({error.strerror}); the result is"
            " lost, make room or write elsewhere"
        ) from error
