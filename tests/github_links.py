# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What GitHub makes a mention, a reference or a link of in Markdown."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

LINKED = re.compile(
    r"@\w|#\d|\bgh-\d|\bghsa-\w|\bcve-\d|://|\bwww\.\w|:[\w+-]+:"
    r"|(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])",
    re.IGNORECASE,
)
"""In rendered text, emoji included; code is left alone."""

REFERENCES = (
    "@octocat",
    "@org/team",
    "a@b.example",
    "#1",
    "fixes #2",
    "owner/repo#12",
    "GH-7",
    "gh-7",
    "https://github.com/owner/repo/issues/5",
    "www.evil.example",
    ":smile:",
    ":+1:",
    "deadbeef",
    "0123456789abcdef0123456789ABCDEF01234567",
    "owner/repo@deadbeef",
    "CVE-2024-12345",
    "GHSA-abcd-efgh-ijkl",
)


def rendered(document: str) -> list[str]:
    """Return the text of each paragraph, cell and heading, code left out."""
    return [
        "".join(
            child.content if child.type == "text" else "\0"
            for child in token.children or ()
        )
        for token in PARSER.parse(document)
        if token.type == "inline"
    ]


def links_in(document: str) -> list[str]:
    """Return what GitHub would link of a document."""
    return [found[0] for text in rendered(document) for found in LINKED.finditer(text)]


def harmless_tokens(document: str) -> list[Token]:
    """Return all tokens of a document that has no markup of a report's text."""
    for line in document.splitlines():
        assert line.isprintable()
    tokens = list(PARSER.parse(document))
    for token in list(tokens):
        tokens += token.children or []
    kinds = {token.type for token in tokens}
    assert not kinds & {"link_open", "image", "html_inline", "s_open", "fence"}
    return tokens
