# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as Markdown, for a pull request or a step summary.

Each value of a template becomes text in which no character is markup.
"""

from __future__ import annotations

import re

from garak_tbsa.evidence import Evidence
from garak_tbsa.gates.outcome import worth_saying
from garak_tbsa.hits import HOSTILE
from garak_tbsa.outputs import said
from garak_tbsa.outputs.html_page import environment_of
from garak_tbsa.outputs.markdown_text import Escaped, escaped
from garak_tbsa.outputs.scored import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.safe_text import shown

LONGEST, LINES = 300, 12
"""Characters, and lines, that are shown of a text."""

FIXES_SHOWN = 10

PLAIN = re.compile(r"[A-Za-z0-9 ,./_'-]{1,400}")


def render(scored: ScoredReport) -> str:
    """Return the score, the gate's rules, what to fix first and the hits."""
    fixes = [row for row in scored.rows if row.step is not None]
    rows = fixes[:FIXES_SHOWN]
    return filled_markdown(
        "score.md",
        document=scored.document,
        target=scored.report.target,
        square=said.colour_square(scored.tbsa, scored.ends),
        outcomes=worth_saying(scored.verdict),
        rows=rows,
        more=len(fixes) - len(rows),
        evidence=scored.evidence,
        has_evidence=isinstance(scored.evidence, Evidence),
        is_asked_for=scored.evidence != NOT_ASKED_FOR,
        hostile=HOSTILE,
    )


def filled_markdown(template: str, **values: object) -> str:
    """Fill a template of this package."""
    found = environment_of(_harmless).get_template(template)
    return found.render(
        disclaimer=said.DISCLAIMER, typed=_typed, quoted=_quoted, **values
    )


def _harmless(value: object) -> object:
    # jinja marks by __html__ what a template of ours calls safe
    is_ready = isinstance(value, Escaped) or hasattr(value, "__html__")
    return value if is_ready else escaped(value)


def _typed(text: str) -> Escaped:
    """Return what readers type elsewhere as code, if nothing in it is markup."""
    return Escaped(f"`{text}`") if PLAIN.fullmatch(text) else escaped(text)


def _quoted(text: str) -> Escaped:
    """A text of a report, each of its lines escaped, in one line of Markdown."""
    lines = shown(text, LONGEST).split("\n")
    marked = [escaped(line) for line in lines[:LINES]]
    if len(lines) > LINES:
        marked.append(Escaped(f"… and {len(lines) - LINES} more lines"))
    return Escaped("<br>".join(marked))
