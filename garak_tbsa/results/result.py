# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What every result can do."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from garak_tbsa.results.fragment import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


class Result(ABC):
    """A result that shows itself in a terminal, a notebook, a table and a chart."""

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
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure otherwise.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        NotInstalledError
            matplotlib is not installed.
        """

    @abstractmethod
    def _summary(self) -> str:
        """What ``repr`` says between the brackets, in one line."""

    @abstractmethod
    def _html(self) -> str:
        """The fragment that a notebook shows, all of a report escaped."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {one_line(self._summary())}>"

    def _repr_html_(self) -> str:
        return self._html()
