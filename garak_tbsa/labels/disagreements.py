# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of a scan -> the outputs on which they and the detectors disagree."""

from __future__ import annotations

from dataclasses import dataclass

from garak_tbsa.detector_eval.report_labels import (
    HIT,
    PASS,
    Judged,
    Place,
    ReportLabels,
)
from garak_tbsa.labels.scan import AuditedScan
from garak_tbsa.tbsa.evidence import Hit
from garak_tbsa.tbsa.pairs import Pair


@dataclass(frozen=True, kw_only=True, slots=True)
class Disagreement:
    """An output on which those who labelled it and its detector disagree.

    Attributes
    ----------
    pair : Pair
    flagged : bool
        The detector's verdict.
    output : Hit
        Its texts are hostile.
    """

    pair: Pair
    flagged: bool
    output: Hit

    @property
    def label(self) -> str:
        """What most answers call it."""
        return PASS if self.flagged else HIT

    def __str__(self) -> str:
        judged = "flagged" if self.flagged else "passed"
        return f"{self.pair.name}: {judged} by the detector, labelled {self.label}"


def disputed_verdicts(scan: AuditedScan, matched: ReportLabels) -> list[Judged]:
    """Return the outputs on which labels and detector disagree, Tier 1 first."""
    found = [
        judged
        for judged, is_hit in matched.truth.items()
        if judged in scan.stratum_of and scan.flagged(judged) != is_hit
    ]

    def order(judged: Judged) -> tuple[int | None, str, Place]:
        pair = scan.pairs[scan.strata[scan.stratum_of[judged]].pair]
        return pair.tier, pair.name, judged[0]

    return sorted(found, key=order)
