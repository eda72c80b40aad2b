# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold of every outcome, and of every kind of document."""

from __future__ import annotations

import json
import re
from pathlib import PurePath
from typing import Any
from xml.etree import ElementTree

from markdown_it import MarkdownIt

from garak_tbsa.api.evidence import DOCUMENTATION
from tests.behaviour.schemas import assert_keeps_schema
from tests.fuzz.case import Outcome
from tests.fuzz.drawing import MARK
from tests.page_parser import Page

LONGEST_LINE = 1200
EMOJI_SELECTOR = "\ufe0f"
UNUSED_LABEL = re.compile(r"garak-tbsa: (warning: )?labels\.\w+, (row|line) \d+: ")
SCHEMAS = {
    "audited": "audit.schema.json",
    "because": "compare.schema.json",
    "tbsa": "score.schema.json",
    "metadata": "summary.schema.json",
}
"""By a member that no document of a later line has."""

HARMFUL_TAGS = frozenset(("img", "iframe", "object", "embed", "form", "base", "link"))


def assert_kept(outcome: Outcome) -> None:
    """Raise unless the promises about every command are kept."""
    for text in (outcome.out, outcome.err):
        assert text.replace("\n", "").replace(EMOJI_SELECTOR, "").isprintable()
        assert not re.search(r"^\s*::", text, re.MULTILINE), "a workflow command"
    assert outcome.code in (0, 1, 2, 3)
    assert "a defect of garak-tbsa" not in outcome.err
    assert "Traceback" not in outcome.err
    lines = outcome.err.splitlines()
    assert all(len(line) <= LONGEST_LINE for line in lines)
    # what is said of a partial report, and of labels, is beside the error
    errors = [line for line in lines if ": partial: " not in line]
    errors = [e for e in errors[:-1] if not UNUSED_LABEL.match(e)] + errors[-1:]
    assert outcome.code != 1 or len(errors) == 1, outcome.err
    assert not outcome.changed, "an input was changed"
    for name, content in outcome.written.items():
        assert name.startswith("out"), f"{name}: a stray file"
        check = DOCUMENTS.get(PurePath(name).suffix)
        if check is not None:
            check(content.decode("utf-8"))


def strict_json(text: str) -> Any:
    """Parse JSON as its standard has it; NaN raises ValueError."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} in JSON")

    return json.loads(text, parse_constant=refuse)


def _assert_json(text: str) -> None:
    document = strict_json(text)
    name = next((SCHEMAS[each] for each in SCHEMAS if each in document), None)
    if name is not None:
        assert_keeps_schema(document, name)


def _assert_json_lines(text: str) -> None:
    for line in text.split("\n"):
        if line:
            strict_json(line)


def _assert_harmless(text: str) -> None:
    """A page gets no elements, links or handlers from a report."""
    page = Page(text)
    assert not HARMFUL_TAGS & {*page.elements}
    assert not any(MARK in each for each in (*page.elements, *page.addresses))
    assert not any(name.startswith("on") for name in page.attributes)


def _assert_harmless_markdown(text: str) -> None:
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    _assert_harmless(rendered)
    for link in re.findall(r'<a\s+href="([^"]*)"', rendered):
        assert link.startswith(DOCUMENTATION)
    assert not re.search(rf"<a\s(?!href=\")|@{MARK}|#17\b|://{MARK}", rendered)


def _assert_xml(text: str) -> None:
    ElementTree.fromstring(text)


def _assert_sarif(text: str) -> None:
    for run in strict_json(text)["runs"]:
        rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
        for result in run["results"]:
            assert result["ruleId"] in rules
            assert result["message"]["text"]


DOCUMENTS = {
    ".json": _assert_json,
    ".jsonl": _assert_json_lines,
    ".html": _assert_harmless,
    ".md": _assert_harmless_markdown,
    ".xml": _assert_xml,
    ".sarif": _assert_sarif,
}
"""By ending of the output's name."""
