# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Text of a report as Markdown in which no character is markup."""

from __future__ import annotations

import re

from garak_tbsa.safe_text import printable, shown

MARKUP = frozenset("\\`*_[]<>#|~&@:$")
LIST_START = re.compile(r"[-+=]|\d+[.)]")
GAP = "\u200b"
"""Keeps GitHub, and GitLab, from links of their own.

It looks for mentions, references and commits in the rendered text, where an entity
is the character again (cmark-gfm issue 181); a space of no width ends its match.
"""
LINK_START = re.compile(
    r"[@#!$%&~](?=\w)|:(?=[\w+/-])|\bgh-(?=\d)|\bcve-(?=\d)|\bghsa-(?=\w)|\bwww\.",
    re.IGNORECASE,
)
COMMIT = re.compile(r"[0-9a-f]{7,}", re.IGNORECASE)
BEFORE_COMMIT = 6
"""GitHub takes 7 to 40 hex digits for a commit."""


class Escaped(str):
    """Markdown that is ready: text in which no character is markup, or ours."""

    __slots__ = ()


def escaped(text: object) -> Escaped:
    """Return text in which no character is markup, on one line."""
    line = shown(" ".join(printable(str(text)).split()))
    line = unlinked(line)
    marked = "".join(_entity(char) if char in MARKUP else char for char in line)
    if LIST_START.match(marked):
        marked = _entity(marked[0]) + marked[1:]
    gapped = marked.replace(f".{GAP}", f"&#46;{GAP}").replace(GAP, _entity(GAP))
    return Escaped(gapped)


def unlinked(line: str) -> str:
    """Return a line in which no page finds an address, a mention or a commit."""
    return COMMIT.sub(_with_gaps, LINK_START.sub(rf"\g<0>{GAP}", line))


def _with_gaps(found: re.Match[str]) -> str:
    digits = found[0]
    pieces = range(0, len(digits), BEFORE_COMMIT)
    return GAP.join(digits[start : start + BEFORE_COMMIT] for start in pieces)


def _entity(char: str) -> str:
    return f"&#{ord(char)};"
