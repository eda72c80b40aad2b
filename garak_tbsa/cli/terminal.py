# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The one way to a terminal: no control characters, no encoding failures.

Reports hold text elicited from attacked models. Whatever is printed passes through
:func:`~garak_tbsa.safe_text.printable`, so no escape sequence reaches the terminal.
"""

from __future__ import annotations

import sys

from garak_tbsa.safe_text import printable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

ASCII_FORMS = {
    "─": "-",
    "│": "|",
    "█": "#",
    "▏": "|",
    "·": ".",
    "…": "...",
    "→": "->",
    "≥": ">=",
    "≤": "<=",
    "–": "-",
    "—": "-",
    "±": "+/-",
    "α": "alpha",
    "🟥": "[1]",
    "🟧": "[2]",
    "🟨": "[3]",
    "🟩": "[4]",
    "🟦": "[5]",
    "📜": "*",
    "📐": "*",
    "📝": "*",
    "🔑": "*",
    "❄️": "*",
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


def write_line(text: str = "", *, stream: TextIO | None = None) -> None:
    """Print one piece of text, safely, with a newline.

    A closed pipe (``garak-tbsa ... | head``) ends the process quietly.
    """
    target = sys.stdout if stream is None else stream
    encoding = getattr(target, "encoding", None) or "ascii"
    try:
        target.write(encodable(printable(text), encoding) + "\n")
    except BrokenPipeError:
        _leave_quietly()


def write_lines(lines: Iterable[str]) -> None:
    """Print lines; a line break inside one, from a report's text, is made visible."""
    write_line("\n".join(line.replace("\n", "\\n") for line in lines))


def write_error(text: str) -> None:
    """Print one line to stderr, prefixed with the program's name."""
    line = " ".join(text.split())
    write_line(f"garak-tbsa: {line}", stream=sys.stderr)


def flush() -> None:
    """Flush stdout; a pipe closed by its reader is no failure of ours."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_quietly()


def _leave_quietly() -> None:
    import os

    # the interpreter flushes stdout again at exit, which would fail a second time
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(0)
