# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scored reports with evidence behind their pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from garak_tbsa.evidence.links import DETECTORS, PROBES, plugin_page
from garak_tbsa.safe_text import readable
from garak_tbsa.tbsa.evidence import (
    SHIPPED,
    CutText,
    DetectorTrust,
    Evidence,
    Hit,
    PairEvidence,
    ProbeFacts,
    Share,
    SiblingVerdicts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.outputs.view import ScoredReport


def with_evidence(
    scored: ScoredReport,
    texts: Sequence[str] = ("Do it.", "Sure, here it is."),
    *,
    page: str | None = None,
) -> ScoredReport:
    """Give every pair with hits a hit of each text, in every place a text can be.

    Parameters
    ----------
    scored : ScoredReport
    texts : sequence of str
        As a report has them.
    page : str or None
        Of garak's own, beside the report.
    """
    safe = [readable(text) for text in texts]
    whole = " ".join(safe)
    pairs = {}
    for pair in scored.assessment.graded:
        counts = pair.counts
        hits = 0 if counts is None else counts.total_evaluated - counts.passed
        pairs[pair.name] = PairEvidence(
            probe=pair.probe,
            detector=pair.detector,
            hits=tuple(
                Hit(
                    attempt_uuid="a-1",
                    report=scored.assessment.report.source,
                    line=4,
                    output_index=index,
                    prompt=CutText(text=text, length=len(text), is_cut=False),
                    response=CutText(text=text, length=9_000, is_cut=True),
                )
                for index, text in enumerate(safe if hits else ())
            ),
            hit_count=hits,
            siblings=(SiblingVerdicts(detector=whole, passed=12, judged=12),),
            facts=ProbeFacts(
                description=whole, goal=whole, tags=(whole, "owasp:llm01")
            ),
            trust=DetectorTrust(
                detector=pair.detector,
                basis=SHIPPED,
                source=whole,
                hits_found=Share(value=0.9, part=9, whole=10),
            ),
            probe_page=plugin_page(PROBES, pair.probe),
            detector_page=plugin_page(DETECTORS, pair.detector),
        )
    return replace(
        scored,
        evidence=Evidence(
            report=scored.assessment.report.source,
            pairs=pairs,
            garak_page=page,
            hit_log=None,
            seed=1,
            problems=(whole,),
        ),
    )
