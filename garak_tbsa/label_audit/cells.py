# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Cells: the outputs of a pair with one verdict, and how many of them are labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from garak_tbsa.tbsa.grades import GradedPair


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Outputs of a pair that the detector judged alike.

    Attributes
    ----------
    pair : int
        Its place among the scan's pairs.
    detector : str
    flagged : bool
        The detector's verdict at garak's threshold.
    outputs : int
        How many there are.
    labelled, hits : int
        How many of them are labelled, and labelled as hits;
        ``0 <= hits <= labelled <= outputs``.
    """

    pair: int
    detector: str
    flagged: bool
    outputs: int
    labelled: int = 0
    hits: int = 0

    @property
    def group(self) -> tuple[str, bool]:
        """Detector and verdict, whose cells share what is learnt of them."""
        return self.detector, self.flagged

    @property
    def unlabelled(self) -> int:
        """Outputs of which the truth is not known."""
        return self.outputs - self.labelled


@dataclass(frozen=True, kw_only=True)
class AuditedScan:
    """The pairs of a scan, and their cells.

    Attributes
    ----------
    pairs : sequence of GradedPair
        Those that count, each with counts and grades by count.
    cells : sequence of Cell
        At most two for each pair, flagged and unflagged, in any order; their outputs
        add up to the pair's evaluated ones. A pair without cells is not audited: its
        pass count stays the detector's.
    """

    pairs: Sequence[GradedPair]
    cells: Sequence[Cell]

    @property
    def labels(self) -> int:
        """Labelled outputs."""
        return sum(cell.labelled for cell in self.cells)
