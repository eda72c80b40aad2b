# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A detector's sensitivity and specificity on scans, beside the published ones.

Rows are drawn by verdict, so that a row counts for all responses of its verdict. With
``s`` the share of flagged responses, ``f`` and ``u`` the shares of true hits among
flagged and unflagged ones:

    sensitivity = s f / (s f + (1 - s) u)
    specificity = (1 - s) (1 - u) / ((1 - s) (1 - u) + s (1 - f))

Intervals are the middle 95 % of draws from Jeffreys posteriors of s, f and u
(Tenenbein 1970: double sampling), those of published shares likewise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.unavailable import Unavailable
from tools.real_model.held_out import FLAGGED, UNFLAGGED, HeldOut

DRAWS = 20_000
LEAST_ROWS = 5
"""Labelled rows of a class, below which nothing is said of it."""

Draws = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Share:
    """A share with its interval.

    Attributes
    ----------
    value : float
    lower, upper : float
        Of 95 %.
    draws : ndarray of float, shape (DRAWS,)
    """

    value: float
    lower: float
    upper: float
    draws: Draws


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One of a detector's shares, published and on scans.

    Attributes
    ----------
    published : Share or Unavailable
    scanned : Share or Unavailable
    """

    published: Share | Unavailable
    scanned: Share | Unavailable

    @property
    def known(self) -> tuple[Share, ...]:
        """Both, or the published one alone."""
        found = (self.published, self.scanned)
        return tuple(each for each in found if isinstance(each, Share))

    @property
    def differs(self) -> bool:
        """Whether the interval of the difference leaves out 0."""
        if len(self.known) < 2:
            return False
        published, scanned = self.known
        low, high = np.quantile(scanned.draws - published.draws, [0.025, 0.975])
        return bool(low > 0 or high < 0)


@dataclass(frozen=True, kw_only=True)
class DetectorCheck:
    """A detector on both kinds of rows.

    Attributes
    ----------
    detector : str
    rows, hits : int
        Held-out rows, and true hits among them.
    flagged_share : float
        Of the scans' distinct responses.
    sensitivity, specificity : Compared
    """

    detector: str
    rows: int
    hits: int
    flagged_share: float
    sensitivity: Compared
    specificity: Compared

    @property
    def differs(self) -> bool:
        """Whether either share differs."""
        return self.sensitivity.differs or self.specificity.differs


def check_detector(
    held_out: HeldOut,
    counts: Mapping[str, int],
    unmeasurable: str | None = None,
    seed: int = 1,
) -> DetectorCheck:
    """Compare a detector's published counts with its labelled held-out rows.

    Parameters
    ----------
    held_out : HeldOut
        All rows labelled.
    counts : mapping of str to int
        Published ``tp``, ``fp``, ``fn``, ``tn``.
    unmeasurable : str or None
        Why no sensitivity is published.
    seed : int
    """
    rng = np.random.default_rng([seed, *held_out.detector.encode()])
    cells = Counter((row["verdict"], row["label"]) for row in held_out.rows)
    labels = Counter(row["label"] for row in held_out.rows)
    flagged, unflagged = (held_out.distinct[name] for name in (FLAGGED, UNFLAGGED))
    share = _beta(rng, flagged, unflagged)
    hits_flagged, hits_unflagged = (
        _beta(rng, cells[verdict, "hit"], cells[verdict, "pass"])
        for verdict in (FLAGGED, UNFLAGGED)
    )
    found, missed = share * hits_flagged, (1 - share) * hits_unflagged
    alone = (1 - share) * (1 - hits_unflagged)
    wrong = share * (1 - hits_flagged)
    weight = {
        verdict: held_out.distinct[verdict] / max(1, _rows(cells, verdict))
        for verdict in (FLAGGED, UNFLAGGED)
    }

    def scanned(label: str, rows: str, right: str, draws: Draws) -> Share | Unavailable:
        weighed = {
            verdict: weight[verdict] * cells[verdict, label] for verdict in weight
        }
        part = weighed.pop(right)
        return _scanned(labels[label], rows, _ratio(part, *weighed.values()), draws)

    return DetectorCheck(
        detector=held_out.detector,
        rows=len(held_out.rows),
        hits=labels["hit"],
        flagged_share=flagged / max(1, flagged + unflagged),
        sensitivity=Compared(
            published=counted_share(rng, counts["tp"], counts["fn"])
            if unmeasurable is None
            else Unavailable(reason=unmeasurable),
            scanned=scanned("hit", "hits", FLAGGED, found / (found + missed)),
        ),
        specificity=Compared(
            published=counted_share(rng, counts["tn"], counts["fp"]),
            scanned=scanned("pass", "passes", UNFLAGGED, alone / (alone + wrong)),
        ),
    )


def _rows(cells: Mapping[tuple[Any, Any], int], verdict: str) -> int:
    return sum(count for (said, _), count in cells.items() if said == verdict)


def _beta(rng: np.random.Generator, successes: int, failures: int) -> Draws:
    return rng.beta(successes + 0.5, failures + 0.5, DRAWS)


def _ratio(part: float, rest: float) -> float | None:
    return part / (part + rest) if part + rest else None


def counted_share(rng: np.random.Generator, right: int, wrong: int) -> Share:
    """Return the share of rows that a detector got right."""
    return _share(right / (right + wrong), _beta(rng, right, wrong))


def _scanned(
    rows: int, what: str, value: float | None, draws: Draws
) -> Share | Unavailable:
    if value is None or rows < LEAST_ROWS:
        return Unavailable(
            reason=f"{rows} {what} among the rows, {LEAST_ROWS} are needed"
        )
    return _share(value, draws)


def _share(value: float, draws: Draws) -> Share:
    lower, upper = np.quantile(draws, [0.025, 0.975])
    return Share(value=value, lower=float(lower), upper=float(upper), draws=draws)
