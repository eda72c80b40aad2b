# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a file to the prose in it: paragraphs without their code, with their lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

CODE = "`x`"
"""What takes the place of code and of values: one word to whoever counts words."""

_MADE_BELOW = "do not edit below -->"
"""Ends the part of a page that somebody writes."""

_COMMANDS = frozenset({"run", "script", "default", "pattern", "$id", "$ref"})
"""Keys of YAML and JSON whose values are not prose."""

_DOUBLE_TICKS = re.compile(r"``.+?``|:\w+:`[^`]+`|:math:`[^`]+`", re.DOTALL)
_UNDERLINED = re.compile(r"^[^\n]+\n[ ]*[-=]{3,}[ ]*$", re.MULTILINE)
_TERM = re.compile(r"^([ ]*)\S[^\n]*\n(?=\1[ ]{4}\S)", re.MULTILINE)
_BREAK = re.compile(r"(\n[ \t]*\n\s*|\f|\n[ ]*(?=[*-] |\d+\. |`x`[ ]{2,}))")
_TEMPLATE = re.compile(r"\{#.*?#\}|\{%.*?%\}", re.DOTALL)
_UNSEEN = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1>", re.DOTALL)
_WITHIN_TEXT = re.compile(r"</?(?:a|abbr|b|br|code|em|i|span|strong|sub|sup)\b[^>]*>")
_SCRIPT_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`')
_PROSE = re.compile(r"[A-Za-z]{2,}[,;:]?\s+[a-z]{2,}[,;:]?\s+[A-Za-z`]")


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A paragraph, a cell of a table, or a string that somebody reads.

    Attributes
    ----------
    path : Path
        The file it is in.
    line : int
        The line that it begins on, counted from 1.
    text : str
        With the file's line breaks, so that a place in it has a line.
    """

    path: Path
    line: int
    text: str

    def line_of(self, place: int) -> int:
        """The line of the character at ``place``."""
        return self.line + self.text.count("\n", 0, place)


def read_passages(path: Path) -> tuple[Passage, ...]:
    """The prose of a file, by what kind of file it is.

    Raises
    ------
    KeyError
        If nothing is known of files with this suffix.
    """
    found = READERS[path.suffix](path.read_text(encoding="utf-8"))
    return tuple(
        Passage(path=path, line=line, text=text)
        for line, text in found
        if text.strip() not in {"", CODE}
    )


def of_markdown(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, headings and cells; fenced blocks and code spans left out."""
    text = text.partition(_MADE_BELOW)[0]
    if text.startswith("---\n"):  # what precedes a page is for its builder
        head, _, rest = text.removeprefix("---\n").partition("\n---\n")
        text = "\n" * (head.count("\n") + 3) + rest
    for token in MarkdownIt().enable(["table", "strikethrough"]).parse(text):
        if token.type == "inline" and token.map and token.children:
            yield token.map[0] + 1, "".join(map(_words, token.children))


def _words(token: Token) -> str:
    if token.type in {"softbreak", "hardbreak"}:
        return "\n"
    if token.type in {"code_inline", "html_inline"}:
        return CODE
    if token.type == "image":
        return ""
    return token.content


def of_python(text: str) -> Iterator[tuple[int, str]]:
    """Docstrings, paragraph by paragraph, and the strings that hold a phrase."""
    tree = ast.parse(text)
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = _joined(node)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in inside
        ):
            text = node.value
        else:
            continue
        if id(node) in docstrings:
            yield from _of_docstring(text, node.lineno)
        elif _PROSE.search(text):
            yield node.lineno, text


def _joined(node: ast.JoinedStr) -> str:
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else CODE
        for part in node.values
    )


def _of_docstring(text: str, line: int) -> Iterator[tuple[int, str]]:
    for pattern in (_UNDERLINED, _TERM):
        text = pattern.sub(_lines_alone, text)
    text = _DOUBLE_TICKS.sub(lambda code: CODE + "\n" * code[0].count("\n"), text)
    yield from _paragraphs(text, line)


def _paragraphs(text: str, line: int) -> Iterator[tuple[int, str]]:
    for part in _BREAK.split(text):
        if part.strip():
            yield line, part
        line += part.count("\n")


def _lines_alone(match: re.Match[str]) -> str:
    """As many lines, and nothing in them; whatever is beside them is a paragraph."""
    return "\f" + "\n" * match[0].count("\n") + "\f"


def of_template(text: str) -> Iterator[tuple[int, str]]:
    """The text between the elements of a page or of its template."""
    for pattern in (_UNSEEN, _TEMPLATE):
        text = pattern.sub(lambda found: "\n" * found[0].count("\n"), text)
    text = re.sub(r"\{\{.*?\}\}", CODE, text, flags=re.DOTALL)
    text = _WITHIN_TEXT.sub("", text)
    line = 1
    for part in re.split(r"(<[^>]*>)", text):
        if not part.startswith("<"):
            yield line, part
        line += part.count("\n")


def of_script(text: str) -> Iterator[tuple[int, str]]:
    """The strings of JavaScript that hold a phrase."""
    for found in _SCRIPT_TEXT.finditer(text):
        said = re.sub(r"\$\{[^}]*\}", CODE, found[0][1:-1])
        if _PROSE.search(said):
            yield text.count("\n", 0, found.start()) + 1, said


def of_settings(text: str) -> Iterator[tuple[int, str]]:
    """The values of YAML or JSON that hold a phrase and are no commands."""
    for root in yaml.compose_all(text, yaml.SafeLoader):
        yield from _values(root)


def _values(node: yaml.Node) -> Iterator[tuple[int, str]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value not in _COMMANDS:
                yield from _values(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _values(value)
    elif isinstance(node, yaml.ScalarNode) and _PROSE.search(node.value):
        text = re.sub(r"`[^`]+`", CODE, node.value)
        yield node.start_mark.line + 1, text


READERS: dict[str, Callable[[str], Iterator[tuple[int, str]]]] = {
    ".md": of_markdown,
    ".py": of_python,
    ".html": of_template,
    ".js": of_script,
    ".json": of_settings,
    ".yml": of_settings,
}
"""How the prose of a file is found, by the file's suffix."""
