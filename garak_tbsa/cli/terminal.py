# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The one way to a terminal: no control characters, no encoding failures.

Reports hold text elicited from attacked models. Whatever is printed passes
through :func:`printable`, so no escape sequence reaches the terminal.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
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


def printable(text: str) -> str:
    r"""Return ``text`` with every control and format character made visible.

    Newlines stay; all else that ``str.isprintable`` rejects (escape, bell,
    carriage return, bidirectional overrides, lone surrogates) becomes
    ``\x1b`` or ``\u202e`` style text.
    """
    if text.replace("\n", "").replace("\ufe0f", "").isprintable():
        return text
    return "".join(
        char
        if char == "\n" or char == "\ufe0f" or char.isprintable()
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


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
