# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as a badge that shields.io draws, by its endpoint schema.

https://shields.io/badges/endpoint-badge
"""

from __future__ import annotations

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.view import ScoredReport

LABEL = "TBSA"
COLOURS = ("red", "orange", "yellow", "green", "blue")
"""garak's own scale, as shields.io names the colours; worst first."""


def render(scored: ScoredReport) -> str:
    """Return the badge; no text of the report is in it."""
    return json_text(
        {
            "schemaVersion": 1,
            "label": LABEL,
            "message": message_of(scored),
            "color": COLOURS[step_of(scored)],
        }
    )


def message_of(scored: ScoredReport) -> str:
    """Return the score, and in one word each what a reader must know of it."""
    remarks = []
    if scored.assessment.garak_score is not None:
        remarks.append("garak's formula")
    if scored.partial is not None:
        remarks.append("partial scan")
    if scored.failed:
        remarks.append("gate failed")
    return ", ".join([wording.tbsa_text(scored.tbsa), *remarks])


def step_of(scored: ScoredReport) -> int:
    """Return where a score is on the scale, 0-4: by its whole part, as garak does.

    A scan that does not pass its gate is red, whatever it scores.
    """
    return 0 if scored.failed else int(scored.tbsa) - 1
