# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Lines that GitHub Actions obey, which show errors and warnings beside a run.

A line that begins with ``::`` is a command to the runner. Texts of a report are in its
title and its message alone, escaped as GitHub's own toolkit does, so that they can end
neither and begin no other command. No score is needed for them: they also tell that
something which a score needs is missing.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from garak_tbsa.safe_text import SHOWN_ERROR, printable, shown, without_commands

ERROR, WARNING = "error", "warning"
MOST = 10
"""Of each kind that GitHub shows for one step."""

IN_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTY = {**IN_MESSAGE, ":": "%3A", ",": "%2C"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation:
    """One thing to show.

    Attributes
    ----------
    kind : str
        ``error`` or ``warning``.
    title, message : str
        As they are, not escaped.
    """

    kind: str
    title: str
    message: str

    @property
    def command(self) -> str:
        """The line that tells the runner."""
        title = _escaped(self.title, IN_PROPERTY)
        return f"::{self.kind} title={title}::{_escaped(self.message, IN_MESSAGE)}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    line = shown(" ".join(printable(text).split()), SHOWN_ERROR)
    # an escape in the report's text is text; each character is replaced once
    return "".join(escapes.get(char, char) for char in without_commands(line))


def failure(problem: str) -> Annotation:
    """Return what is shown where there is no score, or no verdict."""
    return Annotation(kind=ERROR, title="garak-tbsa", message=problem)


def commands(found: Iterable[Annotation]) -> list[str]:
    """Return the lines, as many of each kind as GitHub shows."""
    all_of, lines = list(found), []
    for kind in (ERROR, WARNING):
        own = [each for each in all_of if each.kind == kind]
        if len(own) > MOST:
            more = f"{len(own) - MOST + 1} more, see the log"
            rest = Annotation(kind=kind, title="garak-tbsa", message=more)
            own = [*own[: MOST - 1], rest]
        lines += [each.command for each in own]
    return lines
