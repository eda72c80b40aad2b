# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every form in which a result is written: options and modules, one line each.

Options, settings and the names of files beside a report all follow from
:data:`FORMATS`. A form of a score is a module of this package with a function
``render`` that takes a :class:`~garak_tbsa.outputs.scored.ScoredReport`; it is imported
when it is asked for. The forms of a comparison are functions of ``compared`` by their
names; those of a history and of an audit are named below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

DEFAULT_HITS, MOST_HITS = 3, 100
"""Hits that are shown of each pair."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputFormat:
    """One form of a result.

    Attributes
    ----------
    name : str
        The setting under ``reporting.tbsa`` that asks for it.
    module : str
        The module that renders it: of this package, or after a dot of the whole one.
    purpose : str
        What it is, for ``--help``; begins with a verb's object.
    flags : tuple of str
        How a command line asks for it; ``--<name>`` where empty.
    replaces_text : bool
        Whether an option without a path prints it in place of the text.
    shows_evidence : bool
        Whether it shows hits, for which the report's attempts are read.
    compares : bool
        Whether a comparison has this form too.
    ending : str
        Of the file beside a report, after its prefix; empty where there is none.
    function : str
        Of the module, which renders it.
    """

    name: str
    module: str
    purpose: str
    ending: str = ""
    function: str = "render"
    flags: tuple[str, ...] = ()
    replaces_text: bool = False
    shows_evidence: bool = False
    compares: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """The flags of the command line."""
        return self.flags or (f"--{self.name}",)

    def render(self, result: Any) -> str:
        """Return the whole text of the output."""
        module = import_module(f".{self.module}", __package__)
        render: Callable[[Any], str] = getattr(module, self.function)
        return render(result)


JSON = OutputFormat(
    name="json",
    module="json_document",
    ending=".tbsa.json",
    purpose="the result as JSON",
    flags=("-j", "--json_output"),
    compares=True,
)
"""Of several reports too, which the other forms do not show together."""

FORMATS = (
    JSON,
    OutputFormat(
        name="html",
        module="page",
        ending=".tbsa.html",
        purpose="one self-contained page",
        shows_evidence=True,
        compares=True,
    ),
    OutputFormat(
        name="markdown",
        module="markdown",
        ending=".tbsa.md",
        purpose="Markdown, as for a GitHub step summary",
        shows_evidence=True,
        compares=True,
    ),
    OutputFormat(
        name="junit",
        module="junit",
        ending=".tbsa.junit.xml",
        purpose="JUnit XML, gate rules or verdict and each pair as tests",
        compares=True,
    ),
    OutputFormat(
        name="sarif",
        module="sarif",
        ending=".tbsa.sarif",
        purpose="SARIF of broken gate rules and pairs at DEFCON 1 and 2",
        shows_evidence=True,
    ),
)

COMPARISON_FORMATS = tuple(
    replace(form, module="compared", function=form.name)
    for form in FORMATS
    if form.compares
)

HISTORY_FORMATS = (
    OutputFormat(
        name="jsonl",
        module=".api.history",
        function="jsonl",
        purpose="one JSON object for each scan",
    ),
    OutputFormat(
        name="html",
        module=".api.history",
        function="html",
        purpose="a page with charts",
    ),
)

EXPLANATION_FORMATS = (JSON,)
AUDIT_FORMATS = (
    replace(JSON, module=".labels.forms", function="json_document"),
    OutputFormat(
        name="html",
        module=".labels.forms",
        function="page",
        purpose="one self-contained page",
    ),
    OutputFormat(
        name="markdown",
        module=".labels.forms",
        function="markdown",
        purpose="Markdown, as for a GitHub step summary; without a path, print it"
        " instead of the text",
        replaces_text=True,
    ),
)


def ask_for_evidence(names: Iterable[str]) -> bool:
    """Whether any form of these names shows hits."""
    wanted = frozenset(names)
    return any(form.shows_evidence and form.name in wanted for form in FORMATS)
