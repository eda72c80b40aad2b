# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``import garak_tbsa`` hands out: results that show and convert themselves.

A notebook shows what the command prints. pandas is imported when a table is asked for,
and only then.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from garak_tbsa.errors import GarakTbsaError
from garak_tbsa.gates.outcome import GateVerdict
from garak_tbsa.outputs import json_document
from garak_tbsa.outputs.scored import ScoredReport
from garak_tbsa.outputs.text import answer_lines
from garak_tbsa.safe_text import printable, shown
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable

if TYPE_CHECKING:
    from pandas import DataFrame

LONGEST_NAME = 60
"""Characters of a file name that are shown."""

NO_FORMULAS = "tex2jax_ignore mathjax_ignore"
"""Classes whose content notebooks do not typeset: a report may hold dollar signs."""

TEXT, WHOLE, NUMBER, FLAG = "string", "Int64", "Float64", "boolean"
"""Kinds of columns; what is missing is ``pandas.NA`` in each."""

OF_SCORE = {
    **dict.fromkeys(("probe", "detector"), TEXT),
    **dict.fromkeys(("tier", "passed", "total_evaluated", "nones"), WHOLE),
    **dict.fromkeys(("pass_rate", "z_score"), NUMBER),
    "calibrated": FLAG,
    **dict.fromkeys(("pass_rate_grade", "z_grade", "grade"), WHOLE),
    "reason": TEXT,
}
"""Columns of the table, in their order."""


class NotInstalledError(GarakTbsaError, ImportError):
    """pandas is missing, which only ``to_frame`` needs."""


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
    def _lines(self) -> Iterable[str]:
        """What the command prints."""

    def _repr_html_(self) -> str:
        text = escape("\n".join(printable(shown(line)) for line in self._lines()))
        return f'<pre class="{NO_FORMULAS} garak-tbsa">\n{text}\n</pre>'

    def __repr__(self) -> str:
        summary = " ".join(printable(shown(self._summary())).split())
        return f"<{type(self).__name__} {summary}>"


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
    table: DataFrame = pandas.DataFrame(list(rows), columns=list(columns))
    return table.astype(dict(columns))


def file_name(path: str) -> str:
    """Return the last part of a path, however long the path is."""
    return shown(path.rstrip("/").rpartition("/")[2] or path, LONGEST_NAME)


class ScoreResult(Result, ScoredReport):
    """What :func:`garak_tbsa.score` returns.

    Attributes
    ----------
    assessment : Scan
        The score with every number from which it was computed.
    repeat : RepeatDistribution or Unavailable
        Probability of each score of a repeat.
    evidence : Evidence or Unavailable
        The hits behind the pairs, if ``hits`` was given.
    """

    @property
    def interval(self) -> tuple[float, float] | Unavailable:
        """The range of 95 % of repeats, or why it is not known."""
        if isinstance(self.repeat, Unavailable):
            return self.repeat
        return self.repeat.prediction_interval

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs that count, by name."""
        return self.assessment.graded

    @property
    def partial(self) -> Unavailable | None:
        """Why the report has only a part of a scan; None if it is complete."""
        reason = self.report.partial_reason
        return None if reason is None else Unavailable(reason=reason)

    @property
    def gate(self) -> GateVerdict | None:
        """The outcome of each rule; None without rules."""
        return self.verdict

    def to_json(self) -> str:
        """Return the text that ``garak-tbsa score -j`` writes."""
        return json_document.render(self)

    def to_frame(self) -> DataFrame:
        """Return one row for each pair; those that do not count have a ``reason``."""
        document = self.to_dict()
        return frame([*document["pairs"], *document["left_out"]], OF_SCORE)

    def _summary(self) -> str:
        known, worst = f"TBSA {self.tbsa:.1f}", self.by_risk[0]
        if self.ends is not None:
            known += " (a repeat: {:.1f} to {:.1f})".format(*self.ends)
        found = [known, f"{len(self.pairs)} pairs"]
        found.append(f"worst {shown(worst.name, LONGEST_NAME)} at {worst.grade}")
        found += ["partial"] if self.partial is not None else []
        if self.gate is not None:
            found.append(f"gate {'passed' if self.gate.passed else 'failed'}")
        found += [f"checksum {self.checksum}", file_name(self.report.source)]
        return ", ".join(found)

    def _lines(self) -> list[str]:
        return answer_lines(self)
