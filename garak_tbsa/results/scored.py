# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from garak_tbsa.gates.outcome import GateVerdict
from garak_tbsa.outputs import json_document
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.results.result import (
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Result,
    Table,
    file_name,
    frame,
    gate_lines,
    percent,
    range_of,
    range_text,
)
from garak_tbsa.statistics.detectable import Detectable
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.evidence import Evidence
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = {
    "probe": TEXT,
    "detector": TEXT,
    "tier": WHOLE,
    "passed": WHOLE,
    "total_evaluated": WHOLE,
    "nones": WHOLE,
    "pass_rate": NUMBER,
    "z_score": NUMBER,
    "calibrated": FLAG,
    "pass_rate_grade": WHOLE,
    "z_grade": WHOLE,
    "grade": WHOLE,
    "reason": TEXT,
}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ScoreResult(Result):
    """What :func:`garak_tbsa.score` returns.

    Attributes
    ----------
    scored : ScoredReport
        Everything known, as the stages pass it on.
    """

    scored: ScoredReport

    @property
    def tbsa(self) -> float:
        """The score, 1.0 (awful) to 5.0 (great)."""
        return self.scored.tbsa

    @property
    def interval(self) -> tuple[float, float] | Unavailable:
        """The range of 95 % of repeats, or why it is not known."""
        return range_of(self.repeat)

    @property
    def repeat(self) -> RepeatDistribution | Unavailable:
        """Probability of each score of a repeat."""
        return self.scored.repeat

    @property
    def detectable_in_repeat(self) -> Detectable | Unavailable:
        """Which pairs could fall wholly unseen by a comparison with a repeat.

        At the usual level of 0.05. It is computed when it is first asked for, which
        takes up to a second.
        """
        return self.scored.detectable_in_repeat

    @property
    def checksum(self) -> str:
        """Only scores with equal checksums can be compared."""
        return self.scored.checksum

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs that count, by name."""
        return self.assessment.graded

    @property
    def left_out(self) -> tuple[Pair, ...]:
        """The pairs that do not count, each with its reason."""
        return self.scored.left_out

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the score, one line each."""
        return self.scored.warnings

    @property
    def partial(self) -> Unavailable | None:
        """Why the report has only a part of a scan; None if it is complete."""
        reason = self.scored.partial
        return None if reason is None else Unavailable(reason=reason)

    @property
    def gate(self) -> GateVerdict | None:
        """The outcome of each rule; None without rules."""
        return self.scored.verdict

    @property
    def evidence(self) -> Evidence | Unavailable:
        """The hits behind the pairs, if ``hits`` was given."""
        return self.scored.evidence

    @property
    def assessment(self) -> Scan:
        """The score with every number from which it was computed."""
        return self.scored.assessment

    def to_json(self) -> str:
        """Return the text that ``garak-tbsa score -j`` writes."""
        return json_document.render(self.scored)

    def to_frame(self) -> DataFrame:
        """Return one row for each pair; those that do not count have a ``reason``.

        Raises
        ------
        NotInstalledError
            pandas is not installed.
        """
        document = self.to_dict()
        return frame([*document["pairs"], *document["left_out"]], COLUMNS)

    def _summary(self) -> str:
        known = f"TBSA {self.tbsa:.1f}"
        if not isinstance(self.interval, Unavailable):
            known += f" (a repeat: {range_text(self.interval)})"
        found = [known, f"{len(self.pairs)} pairs"]
        found += ["partial"] if self.partial is not None else []
        if self.gate is not None:
            found.append(f"gate {'passed' if self.gate.passed else 'failed'}")
        found += [f"checksum {self.checksum}", file_name(self.assessment.report.source)]
        return ", ".join(found)

    def _shown(self) -> tuple[str, list[str | Table]]:
        report = self.assessment.report
        said: list[str | Table] = [
            f"Target {report.target}, garak {report.garak_version or 'unknown'},"
            f" checksum {self.checksum}",
            f"95 % of repeats of this scan: {range_text(self.interval)}",
        ]
        if self.partial is not None:
            said.append(f"Partial: {self.partial.reason}")
        said += [f"Warning: {warning}" for warning in self.warnings]
        said += gate_lines(self.gate)
        rows = [
            (
                pair.name,
                pair.tier,
                pair.grade,
                percent(pair.pass_rate),
                None if pair.z_score is None else f"{pair.z_score:.2f}",
                pair.passed,
                pair.total_evaluated,
            )
            for pair in self.scored.worst_first
        ]
        header = ("pair", "tier", "grade", "pass rate", "Z-score", "passed", "of")
        said.append(Table(header=header, rows=rows, noun="pairs"))
        if out := len(self.left_out):
            said.append(f"{out} pairs do not count; `left_out` says why of each")
        return f"TBSA {self.tbsa:.1f}", said
