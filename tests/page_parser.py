# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a page or a part of one consists of, by the standard library's own parser."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {
    *("meta", "link", "br", "img", "input", "hr", "col", "wbr"),
    *("rect", "circle", "line", "polyline", "path"),
}
ADDRESSES = ("href", "src", "action")


class Page(HTMLParser):
    """A parsed page: every element is closed, and scripts and styles are no text.

    Attributes
    ----------
    tags : list of tuple
        Each tag with its attributes, in order.
    texts : list of str
        Each text between two tags; a name that may break is one.
    shown : str
        All text as it stands.
    raw : dict
        What is in scripts and style sheets, by their tag.
    """

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.shown = ""
        self.raw: dict[str, str] = {}
        self._open: list[str] = []
        self._goes_on = False
        self.feed(source)
        self.close()
        assert self._open == [], "elements that were not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._goes_on = tag == "wbr"
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self._goes_on = False
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] in (["script"], ["style"]):
            tag = self._open[-1]
            self.raw[tag] = self.raw.get(tag, "") + data
            return
        self.shown += data
        if self._goes_on:
            # a name may break here, and is one word
            self.texts[-1] += data
        elif data.strip():
            self.texts.append(data)

    @property
    def elements(self) -> list[str]:
        """The tags in order, without places where a name may break."""
        return [tag for tag, _ in self.tags if tag != "wbr"]

    @property
    def attributes(self) -> set[str]:
        """The names of all attributes."""
        return {name for _, attributes in self.tags for name in attributes}

    @property
    def addresses(self) -> set[str]:
        """Where the page leads, or what it loads."""
        return {
            value or ""
            for _, attributes in self.tags
            for name, value in attributes.items()
            if name in ADDRESSES
        }

    @property
    def text(self) -> str:
        """The text on one line."""
        return " ".join(" ".join(self.texts).split())

    @property
    def style(self) -> str:
        """The style sheet."""
        return self.raw.get("style", "")

    @property
    def script(self) -> str:
        """What runs."""
        return self.raw.get("script", "")

    @property
    def policy(self) -> str:
        """What the page says that a browser may run and load."""
        (policy,) = (
            str(attributes["content"])
            for tag, attributes in self.tags
            if tag == "meta"
            and attributes.get("http-equiv") == "Content-Security-Policy"
        )
        return policy
