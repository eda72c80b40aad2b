# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far the people who labelled the rows agree: Krippendorff's alpha."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from garak_tbsa.detector_eval.labelled_row import LabelledRow


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Agreement of several raters on the same rows.

    Attributes
    ----------
    alpha : float or None
        1 perfect, 0 as by chance, below 0 worse (nominal labels). None where all
        gave one and the same label, so that chance has nothing to err about.
    rows : int
        Rows with at least two labels; others say nothing of agreement.
    raters : int
        Different raters among those.
    """

    alpha: float | None
    rows: int
    raters: int


class AgreementTally:
    """Counts labels row by row; who gave them matters for the number of raters."""

    def __init__(self) -> None:
        self._counts: list[Counter[str]] = []
        self._raters: set[str] = set()

    def add(self, row: LabelledRow) -> None:
        """Take up a row; with fewer than two labels it does not count."""
        self.add_labels(row.annotations)

    def add_labels(self, labels: Mapping[str, str]) -> None:
        """Take up what each rater said of one row."""
        if len(labels) >= 2:
            self._counts.append(Counter(labels.values()))
            self._raters |= set(labels)

    def result(self) -> Agreement | None:
        """The agreement; None where no row has two labels."""
        if not self._counts:
            return None
        return Agreement(
            alpha=_alpha(self._counts),
            rows=len(self._counts),
            raters=len(self._raters),
        )


def _alpha(counts: Sequence[Counter[str]]) -> float | None:
    """One less observed over expected disagreement (Krippendorff 2011, section C)."""
    pooled: Counter[str] = Counter()
    for labels in counts:
        pooled.update(labels)
    if len(pooled) < 2:
        return None
    return 1 - sum(map(_disagreement, counts)) / _disagreement(pooled)


def _disagreement(labels: Counter[str]) -> float:
    """Ordered pairs of unlike labels, per other label that one is paired with."""
    total = labels.total()
    alike = sum(count * count for count in labels.values())
    return (total * total - alike) / (total - 1)
