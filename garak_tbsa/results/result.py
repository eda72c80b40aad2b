# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What every result can do, and what results show themselves with.

Notebooks get escaped HTML: tables and lines, without links, images and scripts. pandas
is imported when a table is asked for, and only then.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from garak_tbsa.errors import GarakTbsaError
from garak_tbsa.gates.outcome import GateVerdict, worth_saying
from garak_tbsa.outputs.wording import DISCLAIMER
from garak_tbsa.safe_text import printable, shown
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.unavailable import Unavailable

if TYPE_CHECKING:
    from pandas import DataFrame

Cell = str | float | int | None

LONGEST_NAME = 60
"""Characters of a file name that are shown."""

MOST_ROWS = 20
"""Rows of a table in a notebook; the others are counted."""

NO_FORMULAS = "tex2jax_ignore mathjax_ignore"
"""Classes whose content notebooks do not typeset: a report may hold dollar signs."""

TEXT, WHOLE, NUMBER, FLAG = "string", "Int64", "Float64", "boolean"
"""Kinds of columns; what is missing is ``pandas.NA`` in each."""


class NotInstalledError(GarakTbsaError, ImportError):
    """pandas is missing, which only ``to_frame`` needs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table of a notebook: its head, its rows, and what its rows are."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    noun: str = "rows"


class Result(ABC):
    """A result that shows itself in a terminal, a notebook and a table."""

    @abstractmethod
    def to_json(self) -> str:
        """Return the text of the file that the command writes."""

    def to_dict(self) -> dict[str, Any]:
        """Return what the command writes as JSON, as a new object each time."""
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    @abstractmethod
    def to_frame(self) -> DataFrame:
        """Return a pandas table.

        Raises
        ------
        NotInstalledError
            pandas is not installed.
        """

    @abstractmethod
    def _summary(self) -> str:
        """What ``repr`` says between the brackets, in one line."""

    @abstractmethod
    def _shown(self) -> tuple[str, list[str | Table]]:
        """What a notebook shows: a title, lines and tables, none of them escaped."""

    def _repr_html_(self) -> str:
        return fragment(*self._shown())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {one_line(self._summary())}>"


def one_line(text: str) -> str:
    """Return a text of a report as one line without control characters."""
    return " ".join(printable(shown(text)).split())


def safe(value: Cell) -> str:
    """Return a value as harmless HTML; None is a dash."""
    if value is None:
        return "–"
    return escape(printable(shown(str(value))), quote=True)


def fragment(title: str, parts: Iterable[str | Table]) -> str:
    """Return what a notebook shows of one result.

    Parameters
    ----------
    title : str
    parts : iterable of str or Table
        Texts are paragraphs of one line. All is escaped here.
    """
    inside = "\n".join(
        f"<p>{safe(part)}</p>" if isinstance(part, str) else _table(part)
        for part in parts
        if isinstance(part, str) or part.rows
    )
    return (
        f'<div class="{NO_FORMULAS} garak-tbsa">\n<p><strong>{safe(title)}</strong></p>'
        f"\n{inside}\n<p><small>{safe(DISCLAIMER)}</small></p>\n</div>"
    )


def _table(shown: Table) -> str:
    """The first rows, and how many more there are."""
    head = "".join(f"<th>{safe(name)}</th>" for name in shown.header)
    body = "\n".join(
        f"<tr>{''.join(f'<td>{safe(cell)}</td>' for cell in row)}</tr>"
        for row in shown.rows[:MOST_ROWS]
    )
    more = len(shown.rows) - MOST_ROWS
    rest = f"\n<p>{more} more {safe(shown.noun)}</p>" if more > 0 else ""
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


def range_of(
    repeat: RepeatDistribution | Unavailable,
) -> tuple[float, float] | Unavailable:
    """Return the range of 95 % of repeats, or why it is not known."""
    return repeat if isinstance(repeat, Unavailable) else repeat.prediction_interval


def percent(share: float | None) -> str | None:
    """Return a share in whole percent, rounded towards neither 0 nor 100."""
    if share is None:
        return None
    whole = round(100 * share)
    if whole in (0, 100) and share not in (0, 1):
        return "< 1 %" if whole == 0 else "> 99 %"
    return f"{whole} %"


def frame(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> DataFrame:
    """Return a table of some columns of rows; what a row lacks is missing.

    Parameters
    ----------
    rows : iterable of mapping
    columns : mapping
        Name -> kind.

    Raises
    ------
    NotInstalledError
        pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise NotInstalledError(
            "to_frame() needs pandas, which is not installed; `pip install pandas`"
        ) from None
    found = list(rows)
    table: DataFrame = pandas.DataFrame(
        {
            name: pandas.Series([row.get(name) for row in found], dtype=kind)
            for name, kind in columns.items()
        }
    )
    return table


def file_name(path: str) -> str:
    """Return the last part of a path, however long the path is."""
    return shown(path.rstrip("/").rpartition("/")[2] or path, LONGEST_NAME)
