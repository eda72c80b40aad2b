# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Rows that check the published metrics: scanned, labelled, and in none of the files.

The scans have another seed than those of the labelled rows. Of the responses that no
labelled row is a near copy of, some flagged and some unflagged ones were drawn, at
random within each verdict, so that weights by verdict restore the scan. A file is a
line with the sizes, then the rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garak_tbsa.errors import DatasetError

FLAGGED, UNFLAGGED = "flagged", "unflagged"
VERDICTS = (FLAGGED, UNFLAGGED)
LABELS = ("hit", "pass")


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    """What was drawn for a detector.

    Attributes
    ----------
    detector : str
    distinct : mapping of str to int
        Responses of the scans by verdict, without babble and near copies.
    rows : tuple of dict
        In random order, with ``verdict`` and ``label``.
    """

    detector: str
    distinct: Mapping[str, int]
    rows: tuple[dict[str, Any], ...]


def read_held_out(path: Path) -> HeldOut:
    """Read the labelled rows of one detector.

    Raises
    ------
    DatasetError
        A line is none of these, or a row has no label.
    """
    try:
        sizes, *rows = map(json.loads, path.read_text("utf-8").splitlines())
        return HeldOut(
            detector=sizes["detector"],
            distinct={name: int(sizes["distinct"][name]) for name in VERDICTS},
            rows=tuple(map(_checked, rows)),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DatasetError(
            f"{path}: expected sizes and labelled rows with their verdict, found none"
            f" ({error!r}); restore the file"
        ) from None


def _checked(row: dict[str, Any]) -> dict[str, Any]:
    if row["verdict"] not in VERDICTS or row["label"] not in LABELS:
        raise ValueError(row["id"])
    return row
