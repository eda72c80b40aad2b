# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as Markdown, for a pull request or a GitHub step summary."""

from __future__ import annotations

import re

from garak_tbsa.outputs import evidence_wording, wording
from garak_tbsa.outputs.markdown_form import filled_markdown
from garak_tbsa.outputs.markdown_text import Escaped, escaped
from garak_tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.safe_text import shown
from garak_tbsa.tbsa.evidence import HOSTILE
from garak_tbsa.tbsa.gate import GateVerdict, worth_saying
from garak_tbsa.unavailable import Unavailable

LONGEST, LINES = 300, 12
"""Characters, and lines, that are shown of a text."""

PLAIN = re.compile(r"[A-Za-z0-9 ,./_'-]{1,400}")


def render(scored: ScoredReport) -> str:
    """Return the score, the gate's rules, what to fix first and the hits."""
    explanation, evidence = scored.explanation, scored.evidence
    is_missing = isinstance(evidence, Unavailable)
    return filled_markdown(
        "score.md",
        view=scored,
        square=wording.colour_square(scored.tbsa),
        outcomes=scored.said_outcomes,
        steps=None if explanation is None else explanation.together,
        evidence=None if is_missing else evidence,
        no_evidence=evidence if is_missing and evidence != NOT_ASKED_FOR else None,
        words=evidence_wording,
        hostile=HOSTILE,
        typed=_typed,
        quoted=_quoted,
    )


def gate_table(verdict: GateVerdict) -> str:
    """Return each rule's outcome as a table."""
    return filled_markdown("gate.md", outcomes=worth_saying(verdict)).rstrip("\n")


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
