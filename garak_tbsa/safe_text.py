# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Text from a report, made harmless to look at."""

from __future__ import annotations

import re
from unicodedata import category

EMOJI_SELECTOR = "\ufe0f"

SHOWN_TEXT = 500
SHOWN_ERROR = 1000
"""Longest text from a report, and longest message, in characters."""

TAB = 4
MOST_MARKS = 3
"""Combining marks on one letter; more would cover other lines."""

RUNNER_COMMANDS = ("##[", "##vso[")
"""What GitHub and Azure take for a command wherever it is in a line."""

COLON = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
"""The first of two colons with which a line begins."""

FOR_PEOPLE, IN_JSON, IN_MARKUP = r"\x{:02x}", r"\u{:04x}", "&#{};"
"""How a character is written so that it is no part of a command."""


def shown(text: str, limit: int = SHOWN_TEXT) -> str:
    """Return ``text``, its middle left out where it is longer than ``limit``.

    Every text of a report passes through here before anything shows it: the name of
    a target may be megabytes long.
    """
    if len(text) <= limit:
        return text
    end = limit // 3
    return f"{text[: limit - end]}…[{len(text):,} characters]…{text[-end:]}"


def without_commands(text: str, escape: str = FOR_PEOPLE) -> str:
    """Return ``text`` with nothing that a build's runner takes for a command.

    GitHub Actions obeys lines that begin with ``::``, blanks before them aside.

    Parameters
    ----------
    text : str
    escape : str
        :data:`FOR_PEOPLE`, or what keeps the meaning of a file: :data:`IN_JSON`,
        :data:`IN_MARKUP`.
    """
    for command in RUNNER_COMMANDS:
        text = text.replace(command, escape.format(ord("#")) + command[1:])
    if "::" not in text:
        return text
    colon = escape.format(ord(":"))
    return COLON.sub(lambda found: found[1] + colon, text)


def file_without_commands(text: str) -> str:
    """Return a file's text without such commands, and with the same meaning."""
    return without_commands(text, IN_JSON if text.startswith("{") else IN_MARKUP)


def printable(text: str) -> str:
    r"""Return ``text`` with every control and format character made visible.

    Newlines stay; all else that ``str.isprintable`` rejects (escape, bell,
    carriage return, bidirectional overrides, lone surrogates) becomes
    ``\x1b`` or ``\u202e`` style text.
    """
    if text.replace("\n", "").replace(EMOJI_SELECTOR, "").isprintable():
        return text
    return "".join(
        char
        if char == "\n" or char == EMOJI_SELECTOR or char.isprintable()
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def readable(text: str) -> str:
    """Return a text of a report as people may read it; lines stay lines."""
    text = printable(text.replace("\r\n", "\n").expandtabs(TAB))
    return text if text.isascii() else _without_towers(text)


def _without_towers(text: str) -> str:
    pieces: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if category(char) in ("Mn", "Me") else 0
        is_too_much = marks > MOST_MARKS
        pieces.append(char.encode("unicode_escape").decode() if is_too_much else char)
    return "".join(pieces)
