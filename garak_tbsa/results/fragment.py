# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Escaped HTML for notebooks: tables and lines, without links, images and scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from garak_tbsa.outputs.wording import DISCLAIMER
from garak_tbsa.safe_text import printable, shown
from garak_tbsa.tbsa.gate_outcomes import GateVerdict, worth_saying
from garak_tbsa.unavailable import Unavailable

Cell = str | float | int | None

MOST_ROWS = 20
NO_FORMULAS = "tex2jax_ignore mathjax_ignore"
"""Classes whose content notebooks do not typeset: a report may hold dollar signs."""


def one_line(text: str) -> str:
    """Return a text of a report as one line without control characters."""
    return " ".join(printable(shown(text)).split())


def safe(value: Cell) -> str:
    """Return a value as harmless HTML; None is a dash."""
    if value is None:
        return "–"
    return escape(printable(shown(str(value))), quote=True)


def fragment(title: str, parts: Iterable[str]) -> str:
    """Return what a notebook shows of one result.

    Parameters
    ----------
    title : str
        Text, escaped here.
    parts : iterable of str
        HTML, from the functions of this module.
    """
    inside = "\n".join(filter(None, parts))
    return (
        f'<div class="{NO_FORMULAS} garak-tbsa">\n<p><strong>{safe(title)}</strong></p>'
        f"\n{inside}\n<p><small>{safe(DISCLAIMER)}</small></p>\n</div>"
    )


def lines(texts: Iterable[str]) -> str:
    """Return texts as paragraphs of one line each."""
    return "\n".join(f"<p>{safe(text)}</p>" for text in texts)


def table(
    header: Sequence[str], rows: Sequence[Sequence[Cell]], *, noun: str = "rows"
) -> str:
    """Return a table of the first rows, and how many more there are.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of sequence
        One cell for each column.
    noun : str
        What the rows are.
    """
    if not rows:
        return ""
    head = "".join(f"<th>{safe(name)}</th>" for name in header)
    body = "\n".join(
        f"<tr>{''.join(f'<td>{safe(cell)}</td>' for cell in row)}</tr>"
        for row in rows[:MOST_ROWS]
    )
    more = len(rows) - MOST_ROWS
    rest = f"\n<p>{more} more {safe(noun)}</p>" if more > 0 else ""
    return (
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n"
        f"</table>{rest}"
    )


def gate_lines(verdict: GateVerdict | None) -> list[str]:
    """Return what came of each rule of a gate; nothing where none is set."""
    return [
        f"Gate {'passed' if each.passed else 'failed'}: {each.rule}: {each.said}"
        for each in worth_saying(verdict)
    ]


def range_text(found: tuple[float, float] | Unavailable) -> str:
    """Return a range of scores in words."""
    if isinstance(found, Unavailable):
        return f"no range: {found.reason}"
    return f"{found[0]:.1f} to {found[1]:.1f}"


def percent(share: float | None) -> str | None:
    """Return a share in whole percent, rounded towards neither 0 nor 100."""
    if share is None:
        return None
    whole = round(100 * share)
    if whole in (0, 100) and share not in (0, 1):
        return "< 1 %" if whole == 0 else "> 99 %"
    return f"{whole} %"
