# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Rows drawn by verdict, thinned once they are labelled.

Where one label is rare, as many flagged as unflagged responses are drawn, and both
sensitivity and specificity of what comes are biased. Among the rows of one label the
verdicts are then brought back to the proportion that they have in the scans.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from garak_tbsa.errors import DatasetError

SAID = ", drawn by verdict and thinned to the scans' proportion"
"""Ends the ``source`` of such a row."""


def thinned(
    rows: Sequence[Mapping[str, Any]],
    flagged: Mapping[str, bool],
    weights: Mapping[bool, float],
    seed: int,
) -> list[dict[str, Any]]:
    """Return the rows that stay, in their order.

    Parameters
    ----------
    rows : sequence of mapping
        With ``id``, ``label`` and ``source``.
    flagged : mapping of str to bool
        Verdicts by id.
    weights : mapping of bool to float
        How many distinct responses of the scans a row of each verdict was drawn for;
        above 0. The verdict with the largest keeps all its rows, the other one
        ``weight / largest`` of them, rounded, within each label.
    seed : int
    """
    rng = random.Random(seed)  # noqa: S311 (to be repeated)
    largest = max(weights.values())
    staying: set[str] = set()
    for label in sorted({row["label"] for row in rows}):
        for verdict, weight in sorted(weights.items()):
            ids = [
                row["id"]
                for row in rows
                if row["label"] == label and flagged[row["id"]] is verdict
            ]
            staying |= set(rng.sample(ids, round(len(ids) * weight / largest)))
    return [
        {**row, "source": row["source"] + SAID} for row in rows if row["id"] in staying
    ]


def thin_file(labelled: Path, cells: Path, seed: int) -> list[dict[str, Any]]:
    """Thin labelled rows by the cells file of their draw.

    Raises
    ------
    DatasetError
        A row has no label or is not of this draw.
    """
    try:
        design = json.loads(cells.read_bytes())
        flagged = {name: row["flagged"] for name, row in design["rows"].items()}
        weights = weights_of(design["cells"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DatasetError(
            f"{cells}: expected the cells of a draw, found none"
            f" ({type(error).__name__}); give its DETECTOR.cells.json"
        ) from None
    rows = []
    for number, line in enumerate(labelled.read_text("utf-8").splitlines(), 1):
        row = _row(line)
        if row.get("label") not in ("hit", "pass") or row.get("id") not in flagged:
            raise DatasetError(
                f"{labelled}:{number}: expected a row of {cells.name} with the label"
                " hit or pass; label it, or give the cells file of its draw"
            )
        rows.append(row)
    return thinned(rows, flagged, weights, seed)


def _row(line: str) -> dict[str, Any]:
    """Return a row; nothing of one where the line is none."""
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}


def weights_of(cells: Sequence[Mapping[str, Any]]) -> dict[bool, float]:
    """Return how many distinct responses a drawn row is one of, by verdict."""
    weights = {}
    for verdict in (False, True):
        of_verdict = [cell for cell in cells if cell["flagged"] is verdict]
        drawn = sum(cell["drawn"] for cell in of_verdict)
        if drawn:
            weights[verdict] = sum(cell["distinct"] for cell in of_verdict) / drawn
    return weights
