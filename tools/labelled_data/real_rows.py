# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Rows that a real model said, and how many of them are babble."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tools.labelled_data.babble import kind_of_babble
from tools.labelled_data.row_rules import Problem

MOST_BABBLE = 20
"""One real row of so many may be babble."""
LEAST_REAL_ROWS = 25
LEAST_REAL_DETECTORS = 25


def real_rows(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows that name the model that said them."""
    return [row for row in rows if row.get("model") is not None]


def babble_problems(rows: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    """At most a twentieth of a file's real rows says nothing."""
    real = real_rows(rows)
    babble = [
        str(row["id"])
        for row in real
        if kind_of_babble(str(row["output"]), str(row.get("probe")))
    ]
    if len(babble) * MOST_BABBLE > len(real):
        yield Problem(
            rule="real rows",
            problem=f"{len(babble)} of {len(real)} real rows are babble"
            f" ({', '.join(babble)}), at most one of {MOST_BABBLE} expected",
            remedy="leave some of them out, and draw others at random",
        )


def real_row_problems(
    by_detector: Mapping[str, Sequence[Mapping[str, Any]]],
) -> Iterator[Problem]:
    """Enough detectors have enough rows that a real model said."""
    enough = sum(
        len(real_rows(rows)) >= LEAST_REAL_ROWS for rows in by_detector.values()
    )
    if enough < LEAST_REAL_DETECTORS:
        yield Problem(
            rule="real rows",
            problem=f"{enough} detectors have {LEAST_REAL_ROWS} rows of a real model,"
            f" at least {LEAST_REAL_DETECTORS} expected",
            remedy="add labelled responses of its scans",
        )
