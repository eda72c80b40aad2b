# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from garak_tbsa.outputs import json_document
from garak_tbsa.outputs.compared import ComparedScans
from garak_tbsa.results.result import (
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Result,
    Table,
    file_name,
    frame,
    percent,
    range_of,
    range_text,
)
from garak_tbsa.statistics.compare import ComparedPair, Comparison
from garak_tbsa.statistics.detectable import Detectable
from garak_tbsa.tbsa.fallen import FallenOutputs
from garak_tbsa.unavailable import Unavailable

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = {
    "probe": TEXT,
    "detector": TEXT,
    "tier": WHOLE,
    "first_grade": WHOLE,
    "second_grade": WHOLE,
    "first_pass_rate": NUMBER,
    "second_pass_rate": NUMBER,
    "first_passed": WHOLE,
    "first_total_evaluated": WHOLE,
    "second_passed": WHOLE,
    "second_total_evaluated": WHOLE,
    "tested": FLAG,
    "z": NUMBER,
    "p_fell": NUMBER,
    "p_rose": NUMBER,
}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ComparisonResult(Result):
    """What :func:`garak_tbsa.compare` returns.

    Attributes
    ----------
    compared : ComparedScans
        Everything known, as the stages pass it on.
    """

    compared: ComparedScans

    @property
    def comparison(self) -> Comparison:
        """Both scans, every pair, every test."""
        return self.compared.comparison

    @property
    def alpha(self) -> float:
        """Significance level of the verdict."""
        return self.compared.alpha

    @property
    def verdict(self) -> str:
        """One of ``VERDICTS`` of ``garak_tbsa.statistics.compare``: ``"worse"``, ..."""
        return self.comparison.verdict(self.alpha)

    @property
    def headline(self) -> str:
        """The verdict with its p-value and its cause, in one sentence."""
        return self.compared.headline

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
    def detectable(self) -> Detectable | Unavailable:
        """Which pairs could fall wholly unseen by this comparison."""
        return self.compared.detectable

    @property
    def difference(self) -> float:
        """Second score minus the first, in whole tenths."""
        return self.comparison.tbsa_difference

    @property
    def outputs(self) -> FallenOutputs:
        """Outputs before and after of pairs that fell, if ``hits`` was given."""
        return self.compared.outputs

    @property
    def pairs(self) -> tuple[ComparedPair, ...]:
        """The pairs that both scans measured."""
        return self.comparison.pairs

    def to_json(self) -> str:
        """Return the text that ``garak-tbsa compare -j`` writes."""
        return json_document.render_comparison(self.compared)

    def to_frame(self) -> DataFrame:
        """Return one row for each pair that both scans measured.

        Raises
        ------
        NotInstalledError
            pandas is not installed.
        """
        return frame(map(_row, self.to_dict()["pairs"]), COLUMNS)

    def _summary(self) -> str:
        first, second = (side.assessment for side in self.compared.sides)
        return (
            f"{self.headline}; TBSA {first.tbsa:.1f} to {second.tbsa:.1f},"
            f" {file_name(first.report.source)} to {file_name(second.report.source)}"
        )

    def _shown(self) -> tuple[str, list[str | Table]]:
        marked = self.compared.not_comparable
        moved = sorted(self.pairs, key=lambda pair: (-abs(pair.z), pair.name))
        sides = [
            (
                side.label,
                f"{side.assessment.tbsa:.1f}",
                range_text(range_of(side.repeat)),
                side.assessment.report.target,
                side.checksum,
                file_name(side.assessment.report.source),
            )
            for side in self.compared.sides
        ]
        rows = [
            (
                pair.name,
                pair.second.tier,
                f"{pair.first.grade} → {pair.second.grade}",
                f"{percent(pair.first.pass_rate)} → {percent(pair.second.pass_rate)}",
                None if pair.move is None else f"{pair.move.z:+.2f}",
            )
            for pair in moved
        ]
        header = ("", "TBSA", "95 % of repeats", "target", "checksum", "report")
        said: list[str | Table] = [] if marked is None else [marked]
        pairs = Table(
            header=("pair", "tier", "grade", "pass rate", "z"), rows=rows, noun="pairs"
        )
        return self.headline, [*said, Table(header=header, rows=sides), pairs]


def _row(pair: Mapping[str, Any]) -> dict[str, Any]:
    """A pair of the JSON with its counts beside its other members."""
    return dict(pair) | {
        f"{scan}_{name}": count
        for scan in ("first", "second")
        for name, count in pair[f"{scan}_counts"].items()
    }
