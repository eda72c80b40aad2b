# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What labels of a few outputs say of a scan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from garak_tbsa.gates.outcome import GateVerdict
from garak_tbsa.labels.audit import Audit, AuditedPair, NextLabels
from garak_tbsa.labels.detectors import SHARES, DetectorOnScan
from garak_tbsa.labels.disagreements import Disagreement
from garak_tbsa.labels.forms import json_document, text
from garak_tbsa.labels.forms.view import AuditedReport
from garak_tbsa.result import FLAG, NUMBER, TEXT, WHOLE, Result, file_name, frame

if TYPE_CHECKING:
    from pandas import DataFrame

ENDS = ("", "_lower", "_upper")
PAIRS = {
    **dict.fromkeys(("probe", "detector"), TEXT),
    **dict.fromkeys(("tier", "passed", "total_evaluated", "labels", "grade"), WHOLE),
    **{
        f"{of}{end}": WHOLE
        for of in ("audited_grade", "grade_if_labels_right", "audited_hits")
        for end in ENDS
    },
    "changed": FLAG,
}
COUNTS = ("flagged", "unflagged")
DETECTORS = {
    "detector": TEXT,
    **{f"{of}{what}": WHOLE for what in ("", "_labels", "_hits") for of in COUNTS},
    **{f"{share}{end}": NUMBER for share in SHARES for end in ENDS},
}
NEXT = {
    **dict.fromkeys(("probe", "detector"), TEXT),
    "flagged": FLAG,
    **dict.fromkeys(("labels", "unlabelled"), WHOLE),
}
DISAGREEMENTS = {
    **dict.fromkeys(("probe", "detector"), TEXT),
    "flagged": FLAG,
    **dict.fromkeys(("label", "attempt"), TEXT),
    **dict.fromkeys(("line", "output_index"), WHOLE),
    **dict.fromkeys(("prompt", "response"), TEXT),
}
TABLES = {
    "pairs": PAIRS,
    "detectors": DETECTORS,
    "next": NEXT,
    "disagreements": DISAGREEMENTS,
}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class AuditResult(Result):
    """What :func:`garak_tbsa.audit` returns.

    Attributes
    ----------
    audited : AuditedReport
        Everything known, as the stages pass it on.
    """

    audited: AuditedReport

    @property
    def found(self) -> Audit:
        """What the labels say, with every number from which it was computed."""
        return self.audited

    @property
    def tbsa(self) -> float:
        """The score by the labels, 1.0-5.0."""
        return self.found.score.by_labels.value / 10

    @property
    def interval(self) -> tuple[float, float]:
        """The range of the score by labels, with 95 % probability."""
        found = self.found.score.by_labels
        return found.lower / 10, found.upper / 10

    @property
    def by_detectors(self) -> float:
        """The score as the detectors judged, 1.0-5.0."""
        return self.found.score.by_detectors / 10

    @property
    def detectors(self) -> tuple[DetectorOnScan, ...]:
        """How good each detector was on this scan, or why that is not known."""
        return self.found.detectors

    @property
    def pairs(self) -> tuple[AuditedPair, ...]:
        """The pairs that could be audited."""
        return self.found.pairs

    @property
    def not_audited(self) -> Mapping[str, str]:
        """Pair -> why it could not be audited."""
        return self.found.not_audited

    @property
    def next(self) -> tuple[NextLabels, ...]:
        """What to label next; never show raters its verdicts."""
        return self.found.next

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """Labelled outputs on which labels and detectors disagree, with their texts."""
        return self.audited.disagreements

    @property
    def problems(self) -> tuple[str, ...]:
        """Why labels were not used, one line each."""
        return tuple(self.found.matched.problems)

    @property
    def gate(self) -> GateVerdict | None:
        """The outcome of the rule; None without a rule."""
        return self.audited.verdict

    def to_json(self) -> str:
        """Return the text that ``garak-tbsa audit -j`` writes."""
        return json_document.render(self.audited)

    def to_frame(
        self, of: Literal["pairs", "detectors", "next", "disagreements"] = "pairs"
    ) -> DataFrame:
        """Return one row for each pair, detector, kind to label next, or disagreement.

        Parameters
        ----------
        of : {"pairs", "detectors", "next", "disagreements"}

        Raises
        ------
        NotInstalledError
            pandas is not installed.
        """
        return frame(map(_flat, self.to_dict()[of]), TABLES[of])

    def _summary(self) -> str:
        lower, upper = self.interval
        missing = self.found.scan.not_audited_text
        return (
            f"TBSA {self.tbsa:.1f} by {self.found.scan.labels} labels ({lower:.1f} to"
            f" {upper:.1f}), {self.by_detectors:.1f} by detectors,"
            + f" {missing}," * (missing is not None)
            + f" {file_name(self.audited.assessment.report.source)}"
        )

    def _lines(self) -> list[str]:
        return text.lines(self.audited)


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the JSON with each range as three members."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            found[name] = value["value"]
            found[f"{name}_lower"] = value["lower"]
            found[f"{name}_upper"] = value["upper"]
        else:
            found[name] = value
    return found
