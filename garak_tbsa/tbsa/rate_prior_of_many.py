# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Masses of pass rates with numpy, for many pairs."""

from __future__ import annotations

import numpy as np

from garak_tbsa.tbsa.rate_grid import LOG_HIT, LOG_PASS, RATES
from garak_tbsa.tbsa.rate_prior import Likelihoods, masses_of_models

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from garak_tbsa.garak_files.calibration import Distribution
    from garak_tbsa.tbsa.rate_prior import Seen, SeenPairs

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]


class LikelihoodsOfMany(Likelihoods):
    """The same in tables, with a row for all pairs of which the same was seen."""

    def __init__(self, group: SeenPairs) -> None:
        rows: dict[Seen, int] = {}
        place = np.array([rows.setdefault(each, len(rows)) for each in group.seen])
        calibrated = np.array([each is not None for each in group.distributions])
        self._rows = _likelihoods(list(rows))
        self._calibrated = place[calibrated]
        self._others = np.bincount(place[~calibrated], minlength=len(rows))
        by_models = _by_models(self._rows, place, group.distributions)
        self._by_models = by_models[calibrated]

    def belong(
        self, masses: Sequence[float], as_models: float
    ) -> tuple[list[float], float]:
        """Return how many pairs belong to each rate, and how many to the models."""
        by_masses = self._rows @ np.array(masses)
        by_models = as_models * self._by_models
        likely = by_models + (1 - as_models) * by_masses[self._calibrated]
        weights = self._others / by_masses
        weights += np.bincount(
            self._calibrated, (1 - as_models) / likely, len(self._rows)
        )
        times: list[float] = (weights @ self._rows).tolist()
        return times, float((by_models / likely).sum())

    def log_likelihood(self, masses: Sequence[float], as_models: float) -> float:
        """Return the logarithm of how likely the masses make what was seen of all."""
        by_masses = self._rows @ np.array(masses)
        likely = as_models * self._by_models
        likely += (1 - as_models) * by_masses[self._calibrated]
        return float(np.log(likely).sum() + self._others @ np.log(by_masses))


def _by_models(
    rows: Floats, place: Whole, distributions: Sequence[Distribution | None]
) -> Floats:
    """How likely is what was seen of each pair, by the calibration's models; or 0."""
    pairs_of: dict[Distribution, list[int]] = {}
    for index, distribution in enumerate(distributions):
        if distribution is not None:
            pairs_of.setdefault(distribution, []).append(index)
    found = np.zeros(len(place))
    for distribution, pairs in pairs_of.items():
        found[pairs] = rows[place[pairs]] @ np.array(masses_of_models(distribution))
    return found


def _likelihoods(seen: Sequence[Seen]) -> Floats:
    """How likely each is at each rate, 1 at the likeliest; a row for each."""
    rows = np.empty((len(seen), len(RATES)))
    plain = [row for row, each in enumerate(seen) if isinstance(each, tuple)]
    passed, outputs = np.array([seen[row] for row in plain]).reshape(-1, 2).T[..., None]
    logs = passed * np.array(LOG_PASS) + (outputs - passed) * np.array(LOG_HIT)
    rows[plain] = np.exp(logs - logs.max(axis=1, keepdims=True))
    for row, each in enumerate(seen):
        if not isinstance(each, tuple):
            rows[row] = each.likelihood()
    return rows
