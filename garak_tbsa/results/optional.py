# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""pandas and matplotlib: imported when they are asked for, and only then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from garak_tbsa.errors import GarakTbsaError
from garak_tbsa.safe_text import printable, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

LABEL = 60
"""Longest name in a chart, in characters."""

TEXT, WHOLE, NUMBER, FLAG = "string", "Int64", "Float64", "boolean"
"""Kinds of columns; what is missing is ``pandas.NA`` in each."""


class NotInstalledError(GarakTbsaError, ImportError):
    """A package is missing that only this method needs."""


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
        raise _missing("to_frame()", "pandas") from None
    found = list(rows)
    table: DataFrame = pandas.DataFrame(
        {
            name: pandas.Series([row.get(name) for row in found], dtype=kind)
            for name, kind in columns.items()
        }
    )
    return table


def axes(ax: Axes | None) -> Axes:
    """Return where to draw: what was given, or the axes of a new figure.

    Raises
    ------
    NotInstalledError
        matplotlib is not installed.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise _missing("plot()", "matplotlib") from None
    return pyplot.subplots(layout="constrained")[1]


def _missing(method: str, package: str) -> NotInstalledError:
    return NotInstalledError(
        f"{method} needs {package}, which is not installed; `pip install {package}`"
    )


def label(text: str) -> str:
    """Return a text of a report as a chart may show it: no formula, no line breaks."""
    cut = text if len(text) <= LABEL else f"{text[: LABEL - 1]}…"
    return " ".join(printable(cut).split()).replace("$", r"\$")


def labels(ax: Axes, names: Sequence[str]) -> None:
    """Name the rows of a chart, the first on top."""
    ax.set_yticks(range(len(names)), [label(name) for name in names])
    ax.invert_yaxis()


def file_name(path: str) -> str:
    """Return the last part of a path, however long the path is."""
    return shown(path.rstrip("/").rpartition("/")[2] or path, LABEL)
