# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Text from a report, made harmless to look at."""

from __future__ import annotations

EMOJI_SELECTOR = "\ufe0f"


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
