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
from garak_tbsa.outputs import history as of_history
from garak_tbsa.outputs import json_document
from garak_tbsa.outputs.compared import ComparedScans
from garak_tbsa.outputs.history import History
from garak_tbsa.outputs.scored import ScoredReport
from garak_tbsa.outputs.text import answer_lines
from garak_tbsa.safe_text import printable, shown
from garak_tbsa.statistics.compare import ComparedPair
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
OF_COMPARISON = {
    **dict.fromkeys(("probe", "detector"), TEXT),
    **dict.fromkeys(("tier", "first_grade", "second_grade"), WHOLE),
    **dict.fromkeys(("first_pass_rate", "second_pass_rate"), NUMBER),
    **dict.fromkeys(("first_passed", "first_total_evaluated"), WHOLE),
    **dict.fromkeys(("second_passed", "second_total_evaluated"), WHOLE),
    "tested": FLAG,
    **dict.fromkeys(("z", "p_fell", "p_rose"), NUMBER),
}
OF_HISTORY = {
    **dict.fromkeys(("target", "start_time"), TEXT),
    **dict.fromkeys(("tbsa", "lower", "upper", "difference"), NUMBER),
    "verdict": TEXT,
    **dict.fromkeys(("p_worse", "p_better"), NUMBER),
    "checksum": TEXT,
    **dict.fromkeys(("pairs", "left_out"), WHOLE),
    **dict.fromkeys(("partial", "latest", "best"), FLAG),
    **dict.fromkeys(("garak_version", "run_uuid", "source"), TEXT),
}
"""Columns of the tables, in their order."""


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
        known, worst = f"TBSA {self.tbsa:.1f}", self.by_risk[0].pair
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


class ComparisonResult(Result, ComparedScans):
    """What :func:`garak_tbsa.compare` returns.

    Attributes
    ----------
    comparison : Comparison
        Both scans, every pair, every test.
    alpha : float
        Significance level of the verdict.
    outputs : FallenOutputs
        Outputs before and after of pairs that fell, if ``hits`` was given.
    """

    @property
    def p_worse(self) -> float | None:
        """p-value of worse; None if nothing could be tested."""
        tests = self.comparison.tests
        return None if tests is None else tests.p_worse

    @property
    def p_better(self) -> float | None:
        """p-value of better; None if nothing could be tested."""
        tests = self.comparison.tests
        return None if tests is None else tests.p_better

    @property
    def difference(self) -> float:
        """Second score minus the first, in whole tenths."""
        return self.comparison.tbsa_difference

    @property
    def pairs(self) -> tuple[ComparedPair, ...]:
        """The pairs that both scans measured."""
        return self.comparison.pairs

    def to_json(self) -> str:
        """Return the text that ``garak-tbsa compare -j`` writes."""
        return json_document.render_comparison(self)

    def to_frame(self) -> DataFrame:
        """Return one row for each pair that both scans measured."""
        rows = [
            dict(pair)
            | {
                f"{scan}_{name}": count
                for scan in ("first", "second")
                for name, count in pair[f"{scan}_counts"].items()
            }
            for pair in self.to_dict()["pairs"]
        ]
        return frame(rows, OF_COMPARISON)

    def _summary(self) -> str:
        first, second = self.sides
        return (
            f"{self.headline}; TBSA {first.tbsa:.1f} to {second.tbsa:.1f},"
            f" {file_name(first.report.source)} to {file_name(second.report.source)}"
        )

    def _lines(self) -> list[str]:
        return self.lines


class HistoryResult(Result, History):
    """What :func:`garak_tbsa.history` returns.

    Attributes
    ----------
    targets : tuple of TargetHistory
        Each target with its scans, oldest first, and what changed in each.
    not_scored : tuple of NotScored
        The reports without a score, each with its problem and what to do.
    warnings : tuple of str
        What was left out of folders, one line each.
    """

    def to_json(self) -> str:
        """Return the JSON Lines that ``garak-tbsa history --jsonl`` writes."""
        return of_history.render(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the objects of these lines as ``scans``, and ``not_scored``."""
        return {
            "scans": [json.loads(line) for line in self.to_json().splitlines()],
            "not_scored": [
                {"infile": each.path, "problem": each.problem, "advice": each.advice}
                for each in self.not_scored
            ],
        }

    def to_frame(self) -> DataFrame:
        """Return one row for each scan, with the change since the previous one."""
        rows = ({**(scan["change"] or {}), **scan} for scan in self.to_dict()["scans"])
        return frame(rows, OF_HISTORY)

    def _summary(self) -> str:
        scans, targets = len(self.scans), len(self.targets)
        missing = f", {len(self.not_scored)} not scored" if self.not_scored else ""
        noun = "target" if targets == 1 else "targets"
        return f"{scans} scan{'s' * (scans != 1)} of {targets} {noun}{missing}"

    def _lines(self) -> list[str]:
        table = of_history.text_lines(self, width=None)
        return [*table, *of_history.not_scored_lines(self), *self.warnings]
