# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From the pages that users read to the commands in them.

A block with lines that begin with ``$`` is a *transcript*: commands, each with what it
printed below it. A block of type ``sh``, and an unnamed one that begins with
``garak-tbsa``, has *commands* alone. Anywhere else, in YAML or in a sentence, a command
is *mentioned*, possibly with placeholders such as ``REPORT``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
MADE = ("_build", "measured")
"""Folders of pages that are made: their makers have tests of their own."""

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<kind>[^`\n]*)\n(?P<text>.*?)"
    r"^(?P=indent)(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)
_FILE = re.compile(r"^<!-- file: (\S+) -->\n+```\w+\n(.*?)^```$", re.M | re.S)
_INLINE = re.compile(r"`(garak-tbsa [^`]+)`")
_EMBEDDED = re.compile(r"garak-tbsa (?:\\\n|[^\n])+")


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command of a page.

    Attributes
    ----------
    page : str
        The page's path in the repository.
    line : int
        Counted from 1.
    text : str
        As a shell is given it, without the prompt; continued lines are joined.
    printed : str or None
        What the page says that it prints; ``None`` where the page does not say.
    """

    page: str
    line: int
    text: str
    printed: str | None = None

    @property
    def place(self) -> str:
        """Where it is, as editors and compilers write it."""
        return f"{self.page}:{self.line}"

    @property
    def words(self) -> list[str]:
        """The words, without a comment at the end."""
        return shlex.split(self.text, comments=True)


@dataclass(frozen=True, kw_only=True)
class Page:
    """The commands of a page.

    Attributes
    ----------
    commands : tuple of Command
        Those that can be typed as they are, in their order.
    mentions : tuple of Command
        Those in sentences, YAML and the like.
    files : dict of str to str
        Files that the page shows whole, by name: blocks below a line
        ``<!-- file: NAME -->``.
    """

    name: str
    commands: tuple[Command, ...]
    mentions: tuple[Command, ...]
    files: dict[str, str]


def pages() -> list[Page]:
    """Every page of the documentation, and the README."""
    docs = REPOSITORY / "docs"
    found = [REPOSITORY / "README.md", *sorted(docs.rglob("*.md"))]
    return [
        page_of(path.relative_to(REPOSITORY).as_posix(), path.read_text("utf-8"))
        for path in found
        if not set(path.relative_to(REPOSITORY).parts) & set(MADE)
    ]


def page_of(name: str, text: str) -> Page:
    """Read a page."""
    commands: list[Command] = []
    mentions: list[Command] = []
    for block in _FENCE.finditer(text):
        line = text.count("\n", 0, block.start()) + 2
        kind = block["kind"].strip()
        lines = [each.removeprefix(block["indent"]) for each in _lines(block["text"])]
        if any(each.startswith("$ ") for each in lines):
            commands += _transcript(name, line, lines)
        elif kind in ("sh", "bash", "console", "shell") or _is_plain(kind, lines):
            commands += _commands(name, line, lines)
        elif kind not in ("text", "python"):
            mentions += _found(name, line, block["text"], _EMBEDDED)
    prose = _FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)
    mentions += _found(name, 1, prose, _INLINE)
    return Page(
        name=name,
        commands=tuple(commands),
        mentions=tuple(mentions),
        files=dict(_FILE.findall(text)),
    )


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _is_plain(kind: str, lines: list[str]) -> bool:
    return not kind and lines[0].startswith("garak-tbsa ")


def _transcript(page: str, first: int, lines: list[str]) -> Iterator[Command]:
    at = 0
    while at < len(lines):
        start, text = first + at, lines[at].removeprefix("$ ")
        while text.endswith("\\") and at + 1 < len(lines):
            at += 1
            text = text[:-1] + lines[at].strip()
        at += 1
        printed = []
        while at < len(lines) and not lines[at].startswith("$ "):
            printed.append(lines[at])
            at += 1
        yield Command(page=page, line=start, text=text, printed="\n".join(printed))


def _commands(page: str, first: int, lines: list[str]) -> Iterator[Command]:
    at = 0
    while at < len(lines):
        start, text = first + at, lines[at].strip()
        while text.endswith("\\") and at + 1 < len(lines):
            at += 1
            text = text[:-1] + lines[at].strip()
        at += 1
        if text and not text.startswith("#"):
            yield Command(page=page, line=start, text=text)


def _found(page: str, first: int, text: str, shape: re.Pattern[str]) -> list[Command]:
    return [
        Command(
            page=page,
            line=first + text.count("\n", 0, found.start()),
            text=" ".join(found[found.lastindex or 0].replace("\\\n", " ").split()),
        )
        for found in shape.finditer(text)
    ]
