# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Text from a report, made harmless to look at."""

from __future__ import annotations

from unicodedata import category

EMOJI_SELECTOR = "\ufe0f"

SHOWN_TEXT = 500
SHOWN_ERROR = 1000
"""Longest text from a report, and longest message, in characters."""

TAB = 4
MOST_MARKS = 3
"""Combining marks on one letter; more would cover other lines."""

RUNNER_COMMANDS = {"##[": r"\x23#[", "##vso[": r"\x23#vso["}
"""What GitHub and Azure take for a command wherever it is in a line."""


def shown(text: str, limit: int = SHOWN_TEXT) -> str:
    """Return ``text``, its middle left out where it is longer than ``limit``.

    Every text of a report passes through here before anything shows it: the name of
    a target may be megabytes long.
    """
    if len(text) <= limit:
        return text
    end = limit // 3
    return f"{text[: limit - end]}…[{len(text):,} characters]…{text[-end:]}"


def without_commands(text: str) -> str:
    """Return ``text`` with nothing that a build's runner takes for a command.

    GitHub Actions obeys lines that begin with ``::``, blanks before them aside.
    """
    for command, harmless in RUNNER_COMMANDS.items():
        text = text.replace(command, harmless)
    if "::" not in text:
        return text
    return "\n".join(map(_without_colon, text.split("\n")))


def _without_colon(line: str) -> str:
    start = line.lstrip()
    if not start.startswith("::"):
        return line
    return f"{line[: len(line) - len(start)]}\\x3a{start[1:]}"


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
