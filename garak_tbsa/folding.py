# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Lines no wider than a terminal; names break where a reader finds them again."""

from __future__ import annotations

AFTER = frozenset("./+_-|,:;=&")
"""A name breaks after one of these, or before the next capital."""

LEAST_ROOM = 8
DEEPEST = 3
"""A line's rest begins at most a third of the width to the right."""

FIRST_WIDE = "\u1100"
VARIATION = "\ufe0f"


def fit(text: str, width: int) -> str:
    """Return text whose lines take at most ``width`` columns.

    Parameters
    ----------
    text : str
        Printable, in lines.
    width : int
        Columns of the terminal.
    """
    if len(text) <= width and "\n" not in text and text.isascii():
        return text
    return "\n".join(
        part for line in text.split("\n") for part in _fitting(line, width)
    )


def _fitting(line: str, width: int) -> list[str]:
    if columns(line) <= width:
        return [line]
    inner = line.lstrip(" ")
    leading = line[: len(line) - len(inner)]
    deeper = " " * min(len(leading) + 2, width // DEEPEST)
    leading = leading[: width // DEEPEST]
    first, *rest = broken(inner, width - len(deeper))
    return [leading + first, *(deeper + part for part in rest)]


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
    parts: list[str] = []
    line = ""
    is_empty = True
    for word in text.split(" "):
        joined = word if is_empty else f"{line} {word}"
        is_empty = False
        if columns(joined) <= room:
            line = joined
            continue
        if line.strip():
            parts.append(line.rstrip())
        *pieces, line = _pieces(word, room)
        parts += pieces
    return [*parts, line.rstrip()] if line.strip() or not parts else parts


def _pieces(word: str, room: int) -> list[str]:
    """Break one word, at the last border that fits."""
    pieces = []
    while columns(word) > room:
        end = _last_border(word, _fitting_length(word, room))
        pieces.append(word[:end])
        word = word[end:]
    return [*pieces, word]


def _fitting_length(word: str, room: int) -> int:
    taken = 0
    for length, char in enumerate(word):
        taken += columns(char)
        if taken > room:
            return max(length, 1)
    return len(word)


def _last_border(word: str, most: int) -> int:
    for end in range(most, 1, -1):
        before, after = word[end - 1], word[end]
        if before in AFTER or (before.islower() and after.isupper()):
            return end
    return most


def columns(text: str) -> int:
    """Return how many columns a terminal gives a text; symbols may take two."""
    if text.isascii():
        return len(text)
    import unicodedata

    taken = 0
    for char in text:
        if char == VARIATION:
            taken += 1  # it makes the symbol before it a wide one
        elif not unicodedata.combining(char):
            taken += 1 + (
                char >= FIRST_WIDE and unicodedata.east_asian_width(char) in "WF"
            )
    return taken
