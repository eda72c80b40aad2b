# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scored reports as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from garak_tbsa.outputs.documents import score
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.scored import SCHEMA_VERSION, ScoredReport


def render(scored: ScoredReport) -> str:
    """Return the JSON text of one scored report."""
    return json_text(scored.document)


def several_document(
    results: Sequence[ScoredReport], unreadable: Sequence[score.Unreadable]
) -> score.Several:
    """Return the document of several reports."""
    return score.Several(
        schema_version=SCHEMA_VERSION,
        reports=[each.document for each in results],
        unreadable=list(unreadable),
    )
