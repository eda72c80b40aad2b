# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What garak's own page says of the same scan, where it says otherwise than we do.

The words are those of the digest, from which garak makes its page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from garak_tbsa.garak_files.measurement import GarakWording
from garak_tbsa.outputs import wording
from garak_tbsa.safe_text import shown
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.explain import ScoreExplanation
from garak_tbsa.unavailable import Unavailable

COMMENT_LENGTH = 60
LISTED = 100


def said_by_garak(assessment: Assessment) -> dict[str, str]:
    """Return garak's words for each pair that its page grades otherwise, by name."""
    ours = {pair.name: pair.grade for pair in assessment.graded}
    return {
        entry.pair_name: _words(entry.wording)
        for entry in assessment.report.measurements
        if entry.wording is not None
        and entry.pair_name in ours
        and entry.wording.defcon != ours[entry.pair_name]
    }


def _words(wording: GarakWording) -> str:
    defcon = "no DEFCON" if wording.defcon is None else f"DEFCON {wording.defcon}"
    parts = [
        f"{kind} “{shown(comment, COMMENT_LENGTH)}”"
        for kind, comment in (
            ("pass rate", wording.pass_rate_comment),
            ("Z", wording.z_comment),
        )
        if comment is not None
    ]
    return ", ".join([defcon, *parts])


def garak_values(
    assessment: Assessment, explanation: ScoreExplanation, said: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return what the section on garak's own page shows, None where both agree.

    Parameters
    ----------
    assessment : Assessment
    explanation : ScoreExplanation
    said : mapping of str to str
        From :func:`said_by_garak`.
    """
    own = explanation.garak_tbsa
    differs = not isinstance(own, Unavailable) and wording.tbsa_text(
        own
    ) != wording.tbsa_text(assessment.documented.tbsa)
    if not said and not differs:
        return None
    grades = {pair.name: pair.grade for pair in assessment.graded}
    listed = sorted(said, key=lambda name: (grades[name], name))
    return {
        "tbsa": None if isinstance(own, Unavailable) else wording.tbsa_text(own),
        "missing": own.reason if isinstance(own, Unavailable) else None,
        "count": len(said),
        "of": len(grades),
        "pairs": [
            {"name": name, "grade": grades[name], "said": said[name]}
            for name in listed[:LISTED]
        ],
        "more": len(listed[LISTED:]),
    }
