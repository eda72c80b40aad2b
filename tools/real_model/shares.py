# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A detector's sensitivity and specificity, published and on scans of a real model.

Held-out rows are scanned, labelled, and in none of the labelled files. The scans have
another seed than those of the labelled rows. Of the responses that no labelled row is a
near copy of, some flagged and some unflagged ones were drawn, at random within each
verdict, so that a row counts for all responses of its verdict. With ``s`` the share of
flagged responses, ``f`` and ``u`` the shares of true hits among flagged and unflagged
ones:

    sensitivity = s f / (s f + (1 - s) u)
    specificity = (1 - s) (1 - u) / ((1 - s) (1 - u) + s (1 - f))

Intervals are the middle 95 % of draws from Jeffreys posteriors of s, f and u
(Tenenbein 1970: double sampling), those of published shares likewise.

How far a share differs from population to population: random effects on the logit. The
logits of the shares are normal around a mean, with a standard deviation tau between
populations, beside the error of each. tau is the estimate of Paule and Mandel (1982,
doi:10.6028/jres.087.022): with it the squared distances from the mean, each in units of
its variance, add up to their number. (That of DerSimonian and Laird is too small here,
as errors depend on the share.) The share of a further population is within the
prediction interval of Higgins, Thompson and Spiegelhalter (2009,
doi:10.1111/j.1467-985X.2008.00552.x), with Student's t.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats
from scipy.special import expit, logit

from garak_tbsa.errors import DatasetError

DRAWS = 20_000
LEAST_ROWS = 5
"""Labelled rows of a class, below which nothing is said of it."""
MOST_BETWEEN = 1000.0
"""Variance of logits that no shares have."""
LEAST_POPULATIONS = 3
"""Below which a further population may be anywhere."""

Draws = NDArray[np.float64]
Verdict = Literal["flagged", "unflagged"]
Label = Literal["hit", "pass"]


class HeldOutRow(msgspec.Struct, frozen=True):
    """A labelled response of a scan."""

    verdict: Verdict
    label: Label
    source: str = ""


class Distinct(msgspec.Struct, frozen=True):
    """Responses of the scans by verdict, without babble and near copies."""

    flagged: int
    unflagged: int


class HeldOut(msgspec.Struct, frozen=True, kw_only=True):
    """What was drawn for a detector: a line with the sizes, then the rows."""

    detector: str
    distinct: Distinct
    rows: tuple[HeldOutRow, ...] = ()


def read_held_out(path: Path) -> HeldOut:
    """Read the labelled rows of one detector."""
    try:
        sizes, _, rows = path.read_bytes().partition(b"\n")
        return msgspec.structs.replace(
            msgspec.json.decode(sizes, type=HeldOut),
            rows=tuple(msgspec.json.Decoder(HeldOutRow).decode_lines(rows)),
        )
    except ValueError as error:
        raise DatasetError(
            f"{path}: expected sizes and labelled rows with their verdict; {error};"
            " restore the file"
        ) from None


@dataclass(frozen=True, kw_only=True)
class Share:
    """A share with its interval of 95 % and the draws behind it."""

    value: float
    lower: float
    upper: float
    draws: Draws

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.lower:.2f}, {self.upper:.2f}]"


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One of a detector's shares; None where nothing can be said of it."""

    published: Share | None
    scanned: Share | None

    @property
    def known(self) -> list[Share]:
        """Those that something can be said of."""
        return [each for each in (self.published, self.scanned) if each is not None]

    @property
    def differs(self) -> bool:
        """Whether the interval of the difference leaves out 0."""
        if self.published is None or self.scanned is None:
            return False
        between = self.scanned.draws - self.published.draws
        low, high = np.quantile(between, [0.025, 0.975])
        return bool(low > 0 or high < 0)


@dataclass(frozen=True, kw_only=True)
class DetectorCheck:
    """A detector on both kinds of rows: shares by name, *sensitivity* first.

    Attributes
    ----------
    rows, hits : int
        Held-out rows, and true hits among them.
    flagged_share : float
        Of the scans' distinct responses.
    """

    detector: str
    rows: int
    hits: int
    flagged_share: float
    shares: Mapping[str, Compared]

    @property
    def differing(self) -> list[str]:
        """The shares that differ."""
        return [name for name, share in self.shares.items() if share.differs]


def check_detector(
    held_out: HeldOut, counts: Mapping[str, int], *, measurable: bool = True
) -> DetectorCheck:
    """Compare a detector's published counts with its labelled held-out rows.

    Parameters
    ----------
    counts : mapping of str to int
        Published ``tp``, ``fp``, ``fn``, ``tn``.
    measurable : bool
        Whether a sensitivity is published.
    """
    rng = np.random.default_rng([1, *held_out.detector.encode()])
    cells = Counter((row.verdict, row.label) for row in held_out.rows)
    flagged, unflagged = held_out.distinct.flagged, held_out.distinct.unflagged
    s, f, u = (
        _beta(rng, flagged, unflagged),
        _beta(rng, cells["flagged", "hit"], cells["flagged", "pass"]),
        _beta(rng, cells["unflagged", "hit"], cells["unflagged", "pass"]),
    )

    def weighed(verdict: Verdict, label: Label) -> float:
        """Rows of a cell, each for all responses of its verdict."""
        rows = sum(count for (said, _), count in cells.items() if said == verdict)
        distinct = flagged if verdict == "flagged" else unflagged
        return distinct / max(1, rows) * cells[verdict, label]

    def scanned(label: Label, right: float, wrong: float, draws: Draws) -> Share | None:
        rows = sum(row.label == label for row in held_out.rows)
        if rows < LEAST_ROWS or not right + wrong:
            return None
        return _share(right / (right + wrong), draws)

    sensitivity = counted_share(rng, counts["tp"], counts["fn"]) if measurable else None
    hits = scanned(
        "hit",
        weighed("flagged", "hit"),
        weighed("unflagged", "hit"),
        s * f / (s * f + (1 - s) * u),
    )
    passes = scanned(
        "pass",
        weighed("unflagged", "pass"),
        weighed("flagged", "pass"),
        (1 - s) * (1 - u) / ((1 - s) * (1 - u) + s * (1 - f)),
    )
    specificity = counted_share(rng, counts["tn"], counts["fp"])
    return DetectorCheck(
        detector=held_out.detector,
        rows=len(held_out.rows),
        hits=sum(row.label == "hit" for row in held_out.rows),
        flagged_share=flagged / max(1, flagged + unflagged),
        shares={
            "sensitivity": Compared(published=sensitivity, scanned=hits),
            "specificity": Compared(published=specificity, scanned=passes),
        },
    )


def counted_share(rng: np.random.Generator, right: int, wrong: int) -> Share:
    """Return the share of rows that a detector got right."""
    return _share(right / (right + wrong), _beta(rng, right, wrong))


def _beta(rng: np.random.Generator, successes: int, failures: int) -> Draws:
    return rng.beta(successes + 0.5, failures + 0.5, DRAWS)


def _share(value: float, draws: Draws) -> Share:
    lower, upper = np.quantile(draws, [0.025, 0.975])
    return Share(value=value, lower=float(lower), upper=float(upper), draws=draws)


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Of a share between at least two populations.

    Attributes
    ----------
    tau : float
        Standard deviation between populations, on the logit.
    further : tuple of float or None
        Where a further population is expected, with 95 %; None for fewer than three.
    """

    tau: float
    further: tuple[float, float] | None


def spread_of(shares: Sequence[Share]) -> Spread | None:
    """Return how far the shares differ beyond their errors; None of fewer than two."""
    count = len(shares)
    if count < 2:
        return None
    drawn = [logit(np.clip(share.draws, 1e-9, 1 - 1e-9)) for share in shares]
    means = np.array([each.mean() for each in drawn])
    variances = np.array([each.var() for each in drawn])

    def centre_of(between: float) -> tuple[float, Draws]:
        weights = 1 / (variances + between)
        return float((weights * means).sum() / weights.sum()), weights

    def excess(between: float) -> float:
        centre, weights = centre_of(between)
        return float((weights * (means - centre) ** 2).sum() - (count - 1))

    explained = excess(0) <= 0
    between = 0.0 if explained else float(optimize.brentq(excess, 0, MOST_BETWEEN))
    further = None
    if count >= LEAST_POPULATIONS:
        centre, weights = centre_of(between)
        reach = stats.t.ppf(0.975, count - 2) * np.sqrt(between + 1 / weights.sum())
        further = float(expit(centre - reach)), float(expit(centre + reach))
    return Spread(tau=float(np.sqrt(between)), further=further)
