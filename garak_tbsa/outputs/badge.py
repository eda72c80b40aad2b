# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as a badge that shields.io draws, by its endpoint schema.

https://shields.io/badges/endpoint-badge
"""

from __future__ import annotations

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.view import ScoredReport

COLOURS = ("red", "orange", "yellow", "green", "blue")
"""garak's own scale, as shields.io names the colours; worst first."""


def render(scored: ScoredReport) -> str:
    """Return the score, and in one word each what a reader must know of it.

    The colour is by the score's whole part, as garak does, and red for a scan that does
    not pass its gate. No text of the report is in it.
    """
    said = [wording.tbsa_text(scored.tbsa)]
    if scored.partial is not None:
        said.append("partial scan")
    if scored.failed:
        said.append("gate failed")
    return json_text(
        {
            "schemaVersion": 1,
            "label": "TBSA",
            "message": ", ".join(said),
            "color": COLOURS[0 if scored.failed else int(scored.tbsa) - 1],
        }
    )
