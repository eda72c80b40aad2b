# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold of every outcome, and of every kind of document."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import PurePath
from typing import Any
from xml.etree import ElementTree

from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from garak_tbsa.evidence.links import DOCUMENTATION
from tools.fuzz.case import Case, Failure
from tools.fuzz.drive import Outcome
from tools.fuzz.mutate import MARK

LONGEST_LINE = 1200
LARGEST_DOCUMENT = 8 << 20
CODES = (0, 1, 2, 3)
EMOJI_SELECTOR = "\ufe0f"
UNUSED_LABEL = re.compile(r"garak-tbsa: (warning: )?labels\.\w+, (row|line) \d+: ")
WORKFLOW_COMMAND = re.compile(r"^\s*::", re.MULTILINE)
SCHEMAS = {
    "score": ("garak_tbsa.tbsa.outputs", "score.schema.json"),
    "compare": ("garak_tbsa.tbsa.outputs.comparison", "compare.schema.json"),
    "plan": ("garak_tbsa.tbsa.outputs", "plan.schema.json"),
    "audit": ("garak_tbsa.label_audit.forms", "audit.schema.json"),
    "summary": ("garak_tbsa.detector_eval", "summary.schema.json"),
}
HARMFUL_TAGS = frozenset(("img", "iframe", "object", "embed", "form", "base", "link"))


def of_outcome(case: Case, outcome: Outcome) -> Failure | None:
    """Return what breaks the promises about every command, None if nothing does."""
    if outcome.crash is not None:
        kind = outcome.crash.partition(":")[0]
        return Failure(kind=kind, at=outcome.place, text=outcome.crash)
    found = _of_texts(outcome)
    if found is None and outcome.code not in CODES:
        found = "exit code", f"{outcome.code}"
    if found is None and outcome.changed:
        found = "input changed", ", ".join(outcome.changed)
    stray = [name for name in outcome.written if not name.startswith("out")]
    if found is None and stray:
        found = "stray file", ", ".join(stray)
    if found is None:
        found = _of_files(outcome)
    if found is None:
        return None
    return Failure(kind=found[0], at=command(case), text=found[1][:1000])


def command(case: Case) -> str:
    """Return the command's words: ``score``, ``detectors rank``."""
    words = case.argv[: 2 if case.argv[:1] == ("detectors",) else 1]
    return " ".join(words) or case.subject


def _of_texts(outcome: Outcome) -> tuple[str, str] | None:
    for text in (outcome.out, outcome.err):
        if not text.replace("\n", "").replace(EMOJI_SELECTOR, "").isprintable():
            return "control characters in the output", repr(text)
        if WORKFLOW_COMMAND.search(text):
            return "a workflow command in the output", text
    if "a defect of garak-tbsa" in outcome.err or "Traceback" in outcome.err:
        return "a defect by its own word", outcome.err
    lines = outcome.err.splitlines()
    if any(len(line) > LONGEST_LINE for line in lines):
        return "a long line on stderr", f"{max(map(len, lines))} characters"
    # what is said of a partial report is beside the error
    errors = [line for line in lines if ": partial: " not in line]
    # so is each label that cannot be used, before what ends the command
    errors = [e for e in errors[:-1] if not UNUSED_LABEL.match(e)] + errors[-1:]
    if outcome.code == 1 and len(errors) != 1:
        return "not one line on stderr", outcome.err
    return None


def _of_files(outcome: Outcome) -> tuple[str, str] | None:
    for name, content in outcome.written.items():
        check = DOCUMENTS.get(PurePath(name).suffix)
        if len(content) > LARGEST_DOCUMENT:
            return "a large document", f"{name}: {len(content)} bytes"
        try:
            problem = None if check is None else check(content.decode("utf-8"))
        except (ValueError, ElementTree.ParseError) as error:
            problem = str(error)
        if problem is not None:
            return f"bad document {PurePath(name).suffix}", problem
    return None


def strict_json(text: str) -> Any:
    """Parse JSON as its standard has it, without NaN.

    Raises
    ------
    ValueError
        It is none.
    """

    def refuse(name: str) -> None:
        raise ValueError(f"{name} in JSON")

    return json.loads(text, parse_constant=refuse)


@lru_cache(maxsize=4)
def _schema(name: str) -> Draft202012Validator:
    package, file = SCHEMAS[name]
    return Draft202012Validator(json.loads((files(package) / file).read_text("utf-8")))


def _json(text: str) -> str | None:
    document = strict_json(text)
    kind = "score" if "tbsa" in document else "summary"
    marks = {"audited": "audit", "plans": "plan", "because": "compare"}
    kind = next((marks[mark] for mark in marks if mark in document), kind)
    if kind == "summary" and "metadata" not in document:
        return None
    errors = sorted(_schema(kind).iter_errors(document), key=str)
    return None if not errors else f"{errors[0].json_path}: {errors[0].message[:300]}"


def _json_lines(text: str) -> str | None:
    for line in text.rstrip("\n").split("\n"):
        if line:
            strict_json(line)
    return None


class _Page(HTMLParser):
    """Looks for what a page must not get from a report: elements, links, handlers."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.problem: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in HARMFUL_TAGS or MARK in tag:
            self.problem = f"element {tag!r}"
        for name, value in attrs:
            aims = name in ("href", "src", "action", "data") and MARK in (value or "")
            if name.startswith("on") or aims:
                self.problem = f"{tag} with {name}={value!r}"


def _page(text: str) -> str | None:
    page = _Page()
    page.feed(text)
    page.close()
    return page.problem


def _markdown(text: str) -> str | None:
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    page = _Page()
    page.feed(rendered)
    if page.problem is not None:
        return page.problem
    links = re.findall(r'<a\s+href="([^"]*)"', rendered)
    if any(not link.startswith(DOCUMENTATION) or MARK in link for link in links):
        return "a link from a report's text"
    if re.search(rf"<a\s(?!href=\")|@{MARK}|#17\b|://{MARK}", rendered):
        return "a link, mention or reference from a report's text"
    return None


def _xml(text: str) -> str | None:
    ElementTree.fromstring(text)  # noqa: S314 (our own document)
    return None


def _sarif(text: str) -> str | None:
    document = strict_json(text)
    runs = document["runs"]
    rules = {rule["id"] for run in runs for rule in run["tool"]["driver"]["rules"]}
    wrong = [
        result["ruleId"]
        for run in runs
        for result in run["results"]
        if result["ruleId"] not in rules or not result["message"]["text"]
    ]
    return f"results without rule or text: {wrong[:3]}" if wrong else None


DOCUMENTS = {
    ".json": _json,
    ".jsonl": _json_lines,
    ".html": _page,
    ".md": _markdown,
    ".xml": _xml,
    ".sarif": _sarif,
}
"""By ending of the output's name."""
