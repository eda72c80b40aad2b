# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far the people who labelled the rows agree: Krippendorff's alpha."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
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


def agreement_of(ratings: Iterable[Mapping[str, str]]) -> Agreement | None:
    """Return how far raters agree; None where no row has two labels.

    Alpha is one less observed over expected disagreement (Krippendorff 2011,
    section C).

    Parameters
    ----------
    ratings : iterable of mapping of rater to label
        What each rater said of one row.
    """
    several = [each for each in ratings if len(each) >= 2]
    if not several:
        return None
    counts = [Counter(each.values()) for each in several]
    pooled = Counter(label for each in several for label in each.values())
    alpha = None
    if len(pooled) >= 2:
        alpha = 1 - sum(map(_disagreement, counts)) / _disagreement(pooled)
    raters = {rater for each in several for rater in each}
    return Agreement(alpha=alpha, rows=len(several), raters=len(raters))


def _disagreement(labels: Counter[str]) -> float:
    """Ordered pairs of unlike labels, per other label that one is paired with."""
    total = labels.total()
    alike = sum(count * count for count in labels.values())
    return (total * total - alike) / (total - 1)
