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

from markdown_it import MarkdownIt

REPOSITORY = Path(__file__).resolve().parents[2]
MADE = ("_build", "measured")
"""Folders of pages that are made: their makers have tests of their own."""

_FILE = re.compile(r"^<!-- file: (\S+) -->\n+```\w+\n(.*?)^```$", re.M | re.S)
_EMBEDDED = re.compile(r"garak-tbsa (?:\\\n|[^\n])+")
_SHELLS = ("sh", "bash", "console", "shell")


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
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        line = token.map[0] + 1 if token.map else 0
        kind, content = token.info.strip(), token.content
        is_shell = kind in _SHELLS or (not kind and content.startswith("garak-tbsa "))
        if token.type == "inline":
            codes = (
                each.content
                for each in token.children or ()
                if each.type == "code_inline"
            )
            found = [each for each in codes if each.startswith("garak-tbsa ")]
            mentions += [Command(page=name, line=line, text=each) for each in found]
        elif token.type != "fence" or kind in ("text", "python"):
            continue
        elif re.search(r"^\$ ", content, re.M) or is_shell:
            commands += _commands(name, line + 1, content)
        else:
            mentions += _embedded(name, line + 1, content)
    files = dict(_FILE.findall(text))
    return Page(
        name=name, commands=tuple(commands), mentions=tuple(mentions), files=files
    )


def _commands(page: str, first: int, text: str) -> Iterator[Command]:
    """Commands of a block; in a transcript those after ``$``, and what they print."""
    is_transcript = re.search(r"^\$ ", text, re.M)
    lines = text.removesuffix("\n").split("\n")
    while lines:
        start, command = first, lines.pop(0).strip()
        first += 1
        while command.endswith("\\") and lines:
            command = command[:-1] + lines.pop(0).strip()
            first += 1
        printed = []
        while is_transcript and lines and not lines[0].startswith("$ "):
            printed.append(lines.pop(0))
            first += 1
        if command and not command.startswith("#"):
            yield Command(
                page=page,
                line=start,
                text=command.removeprefix("$ "),
                printed="\n".join(printed) if is_transcript else None,
            )


def _embedded(page: str, first: int, text: str) -> Iterator[Command]:
    for found in _EMBEDDED.finditer(text):
        yield Command(
            page=page,
            line=first + text.count("\n", 0, found.start()),
            text=" ".join(found[0].replace("\\\n", " ").split()),
        )
