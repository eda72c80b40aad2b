# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a page or a text shows, by the standard library's own parser."""

from __future__ import annotations

import html
import json
import unicodedata
from html.parser import HTMLParser
from typing import Any


class Page(HTMLParser):
    """Elements of a page, its attributes, and its text outside scripts and styles."""

    VOID = ("meta", "link", "br", "img", "input", "hr", "col", "wbr")

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.attributes: set[str] = set()
        self.addresses: set[str] = set()
        self.scripts: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], "elements that were not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements += [tag] if tag != "wbr" else []
        for name, value in attrs:
            self.attributes.add(name)
            if name in ("href", "src", "action"):
                self.addresses.add(value or "")
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["script"]:
            self.scripts.append(data)
        elif self._open[-1:] != ["style"]:
            self.text += data


class Source(HTMLParser):
    """Tags, and what is in a page's scripts and style sheets."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, str] = {}
        self._name = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._name = dict(attrs).get("id") or tag

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("script", "style"):
            self.raw[self._name] = self.raw.get(self._name, "") + data

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self.tags.append(("/" + tag, {}))

    @property
    def data(self) -> Any:
        """What the page knows of the report."""
        return json.loads(self.raw["data"])


def controls(text: str) -> set[str]:
    """Characters that a terminal obeys or that turn its writing round."""
    return {
        char
        for char in text
        if (unicodedata.category(char) == "Cc" and char != "\n")
        or char in "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    }


def joined(text: str) -> str:
    """A text without spaces, frames and line ends."""
    return "".join(char for char in text if char not in " \n|│")


def rows_of(markdown: str) -> list[list[str]]:
    """The cells of each row of the tables of a Markdown text, as they are shown."""
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    return [
        [html.unescape(cell).replace("\u200b", "").strip() for cell in row.split("|")]
        for row in rows
    ]
