# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scored reports as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from garak_tbsa.outputs.documents import score
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.scored import SCHEMA_VERSION, ScoredReport


def render(scored: ScoredReport) -> str:
    """Return the JSON text of one scored report."""
    return json_text(scored.document)


def several(results: Sequence[ScoredReport], problems: Mapping[str, str]) -> str:
    """Return the JSON text of several reports.

    Parameters
    ----------
    results : sequence of ScoredReport
    problems : mapping of str to str
        What is wrong with some, by report; those not scored are told as unreadable.
    """
    scored = {each.report.source for each in results}
    unreadable = [
        score.Unreadable(infile=path, error=problem)
        for path, problem in problems.items()
        if path not in scored
    ]
    return json_text(
        score.Several(
            schema_version=SCHEMA_VERSION,
            reports=[each.document for each in results],
            unreadable=unreadable,
        )
    )
