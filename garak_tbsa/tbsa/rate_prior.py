# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What pass rates the pairs of one scan have: masses on a grid, of no given shape.

Each tier has masses of its own where both have pairs enough. A calibrated pair's rate
may also be like those of the calibration's models on that pair. For how many pairs of
the scan it is, the scan itself says.
"""

from __future__ import annotations

from math import erf, log, sqrt
from operator import mul

from garak_tbsa.lean.record import record
from garak_tbsa.lean.remembered import remembered
from garak_tbsa.tbsa.beta_binomial import FEWEST_TO_FIT, BetaShape, fit_prior
from garak_tbsa.tbsa.incomplete_beta import regularized_incomplete_beta
from garak_tbsa.tbsa.rate_grid import BETWEEN, likelihood, masses_between, products
from garak_tbsa.tbsa.rate_level import level_deviation, shifted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol, TypeAlias

    from garak_tbsa.garak_files.calibration import Distribution
    from garak_tbsa.tbsa.grades import GradedPair

    class ByPrompt(Protocol):
        """What was seen of outputs that are alike where they are of one prompt."""

        def likelihood(self) -> list[float]:
            """Return how likely that is at each rate, 1 at the likeliest."""

    Seen: TypeAlias = "tuple[float, float] | ByPrompt"
    LikelihoodsOf = Callable[["SeenPairs"], "Likelihoods"]

SMOOTHING = 30.0
"""Pairs' worth of the fitted Beta that the masses are smoothed with.

With few, a pair between two groups is drawn to the nearer one, and the score of a scan
with many outputs, which two or three pairs decide, is said to be surer than it is.
"""

UNLIKE_MODELS = 4.0
"""Calibrated pairs, added to the scan's, whose rates are not as the models have them.

A share fitted to few pairs would otherwise make the range too narrow."""

FEWEST_OF_TIER = 12
"""Pairs of a tier that are enough for masses of its own.

Fewer that are clean by chance would be said never to fail: with ten, the range held
93 % of simulated repeats, where one prior for both tiers held 95 %.
"""

AT_FIRST = 0.5
"""Share of the calibrated pairs that are as the models have them, before fitting."""

ROUNDS = 40

KNOWN_LEVEL = 0.05
"""Deviation below which the level of the rates is as good as known.

The hits are then so many, 400 at least, that what each pair did itself decides.
"""


@record
class RatePrior:
    """Masses of the rates, and the Beta that they are smoothed with.

    Attributes
    ----------
    masses : tuple of float
        One for each of :data:`RATES`; they sum to 1.
    beta : BetaShape
        It serves alone for pairs of more than :data:`MANY_OUTPUTS` outputs.
    as_models : float
        Share of the calibrated pairs, 0-1, whose rate is as the calibration's models
        have it on that pair; that of the others follows the masses.
    level_deviation : float
        How far all rates together may be from the target's: the standard deviation of
        the logarithm of a factor on the odds of a hit.
    """

    masses: tuple[float, ...]
    beta: BetaShape
    as_models: float = 0.0
    level_deviation: float = 0.0

    def before(self, distribution: Distribution | None) -> Sequence[float]:
        """Return the masses of a pair of which nothing was seen."""
        if distribution is None or not self.as_models:
            return self.masses
        models, other = self.as_models, 1 - self.as_models
        return [
            models * one + other * mass
            for one, mass in zip(
                masses_of_models(distribution), self.masses, strict=True
            )
        ]

    def after(
        self, seen: Seen, distribution: Distribution | None = None
    ) -> list[float]:
        """Return the masses once this was seen."""
        masses = list(map(mul, likelihood_of(seen), self.before(distribution)))
        total = sum(masses)
        return [mass / total for mass in masses]

    def at_level(self, deviations: float) -> RatePrior:
        """Return the prior with all rates so many deviations from those fitted."""
        return RatePrior(
            masses=tuple(shifted(self.masses, deviations * self.level_deviation)),
            beta=self.beta,
            as_models=self.as_models,
        )

    def beta_after(self, passed: float, outputs: float) -> BetaShape:
        """Return the Beta once ``passed`` of ``outputs`` were seen to pass."""
        return BetaShape(
            alpha=self.beta.alpha + passed, beta=self.beta.beta + outputs - passed
        )


@record
class TierPriors:
    """What pass rates the pairs of each tier have.

    Attributes
    ----------
    of_tiers : mapping of int to RatePrior
        For each tier that has pairs; one and the same where a tier has too few.
    """

    of_tiers: Mapping[int, RatePrior]

    def of(self, pair: GradedPair) -> RatePrior:
        """Return the prior of a pair's tier."""
        return self.of_tiers[pair.tier]

    def levels(self) -> tuple[TierPriors, ...]:
        """Return priors that are as likely as one another.

        Two with all rates a deviation below and above those fitted, which vary as much
        as the level does; one where the level is known.
        """
        priors = self.of_tiers
        if all(each.level_deviation < KNOWN_LEVEL for each in priors.values()):
            return (self,)
        return tuple(
            TierPriors(
                of_tiers={
                    tier: each.at_level(deviations) for tier, each in priors.items()
                }
            )
            for deviations in (-1.0, 1.0)
        )


@record
class SeenPairs:
    """What was seen of the pairs of a tier, or of all where a tier has too few.

    Attributes
    ----------
    counts : sequence of (float, float)
        Passed and all outputs of each pair, as many as independent ones would say as
        much about its rate, for the Beta.
    seen : sequence of ((float, float) or ByPrompt)
        The same as far as a repeat goes; or what each prompt's outputs are, where
        those of a prompt are alike.
    distributions : sequence of (Distribution or None)
        What the calibration says of each pair.
    """

    counts: Sequence[tuple[float, float]]
    seen: Sequence[Seen]
    distributions: Sequence[Distribution | None]


def fit_rates(
    groups: Iterable[SeenPairs], likelihoods: LikelihoodsOf | None = None
) -> list[RatePrior]:
    """Fit masses to what was seen of each group of pairs.

    Parameters
    ----------
    groups : iterable of SeenPairs
    likelihoods : callable, optional
        Makes the :class:`Likelihoods` of a group; for few pairs where not given.

    Notes
    -----
    The EM algorithm finds the largest likelihood over all distributions on the grid;
    for calibrated pairs these are mixed with the calibration's, in one share for all
    groups. :data:`SMOOTHING` more pairs in each group are distributed as the Beta
    fitted to it, and :data:`UNLIKE_MODELS` more in all are not as the models. With
    fewer than five pairs the Beta is used alone.
    """
    fits = [_Fit(group, (likelihoods or Likelihoods)(group)) for group in groups]
    calibrated = sum(each.calibrated for each in fits)
    as_models = 0.0
    if sum(each.pairs for each in fits) >= FEWEST_TO_FIT:
        as_models = AT_FIRST if calibrated else 0.0
        for _ in range(ROUNDS):
            to_models = sum([each.step(as_models) for each in fits])
            as_models = to_models / (calibrated + UNLIKE_MODELS)
        return [each.prior(as_models, each.level(as_models)) for each in fits]
    return [each.prior(as_models, 0.0) for each in fits]


class _Fit:
    """Masses of a group on their way to the likeliest, from its Beta."""

    def __init__(self, group: SeenPairs, likelihoods: Likelihoods) -> None:
        self.pairs = len(group.counts)
        self.calibrated = sum(each is not None for each in group.distributions)
        self.beta = fit_prior(group.counts)
        self.masses = beta_masses(self.beta)
        self._smoothing = [SMOOTHING * mass for mass in self.masses]
        self._likelihoods = likelihoods

    def step(self, as_models: float) -> float:
        """Make the masses likelier; return how many pairs are as the models."""
        times, to_models = self._likelihoods.belong(self.masses, as_models)
        whole = SMOOTHING + self.pairs - to_models
        self.masses = [
            (least + mass * more) / whole
            for least, mass, more in zip(
                self._smoothing, self.masses, times, strict=True
            )
        ]
        return to_models

    def level(self, as_models: float) -> float:
        """Return how far all rates together may be from the target's."""

        def log_likelihood(masses: Sequence[float]) -> float:
            return self._likelihoods.log_likelihood(masses, as_models)

        return level_deviation(self.masses, log_likelihood)

    def prior(self, as_models: float, deviation: float) -> RatePrior:
        """Return what was fitted."""
        return RatePrior(
            masses=tuple(self.masses),
            beta=self.beta,
            as_models=as_models,
            level_deviation=deviation,
        )


class Likelihoods:
    """How likely each rate makes what was seen of the pairs of a group."""

    def __init__(self, group: SeenPairs) -> None:
        alike: dict[Seen, _Alike] = {}
        for each, distribution in zip(group.seen, group.distributions, strict=True):
            if each not in alike:
                alike[each] = _Alike(likelihood_of(each))
            alike[each].add(distribution)
        self._alike = list(alike.values())
        self._likelihoods = [each.row for each in self._alike]
        self._columns = list(zip(*self._likelihoods, strict=True))

    def belong(
        self, masses: Sequence[float], as_models: float
    ) -> tuple[list[float], float]:
        """Return how many pairs belong to each rate, and how many to the models.

        Parameters
        ----------
        masses : sequence of float
        as_models : float
            Share of the calibrated pairs, 0-1, that are as the models have them.

        Returns
        -------
        times : list of float
            Times its mass, how many pairs have each rate.
        to_models : float
            How many have their rate as the models have it.
        """
        weights, to_models = [], 0.0
        by_masses = products(self._likelihoods, masses)
        for alike, likely in zip(self._alike, by_masses, strict=True):
            weight, share = alike.belongs(likely, as_models)
            weights.append(weight)
            to_models += share
        return products(self._columns, weights), to_models

    def log_likelihood(self, masses: Sequence[float], as_models: float) -> float:
        """Return the logarithm of how likely the masses make what was seen of all."""
        by_masses = products(self._likelihoods, masses)
        return sum(
            alike.log_likelihood(likely, as_models)
            for alike, likely in zip(self._alike, by_masses, strict=True)
        )


class _Alike:
    """Pairs of which the same was seen."""

    def __init__(self, row: Sequence[float]) -> None:
        self.row = row
        self.by_models: list[float] = []
        self._not_calibrated = 0

    def add(self, distribution: Distribution | None) -> None:
        """Add a pair, with how likely the calibration's models make what was seen."""
        if distribution is None:
            self._not_calibrated += 1
        else:
            models = masses_of_models(distribution)
            self.by_models += products([self.row], models)

    def belongs(self, by_masses: float, as_models: float) -> tuple[float, float]:
        """Return how many pairs belong to the masses, and how many to the models.

        Parameters
        ----------
        by_masses : float
            How likely the masses make what was seen, above 0.
        as_models : float
            Share of the calibrated pairs, 0-1, that are as the models have them.

        Returns
        -------
        weight : float
            Times mass and likelihood, how many of the pairs have each rate.
        to_models : float
            How many have their rate as the models have it.
        """
        weight, to_models = self._not_calibrated / by_masses, 0.0
        for by_models in self.by_models:
            likely = as_models * by_models + (1 - as_models) * by_masses
            weight += (1 - as_models) / likely
            to_models += as_models * by_models / likely
        return weight, to_models

    def log_likelihood(self, by_masses: float, as_models: float) -> float:
        """Return the logarithm of how likely what was seen is, over these pairs."""
        logs = [
            log(as_models * by_models + (1 - as_models) * by_masses)
            for by_models in self.by_models
        ]
        return self._not_calibrated * log(by_masses) + sum(logs)


@remembered
def likelihood_of(seen: Seen) -> Sequence[float]:
    """Return how likely what was seen is at each rate, 1 at the likeliest."""
    return likelihood(*seen) if isinstance(seen, tuple) else seen.likelihood()


def beta_masses(shape: BetaShape) -> list[float]:
    """Return a Beta's share around each rate."""
    return masses_between(
        [
            regularized_incomplete_beta(shape.alpha, shape.beta, place)
            for place in BETWEEN
        ]
    )


@remembered
def masses_of_models(distribution: Distribution) -> Sequence[float]:
    """Return the share around each rate of a normal distribution, cut off at 0 and 1.

    What is beyond either is at it: models that pass, or fail, always.
    """
    scale = 1 / (distribution.effective_sigma * sqrt(2))
    mu = distribution.mu
    return masses_between([(1 + erf((place - mu) * scale)) / 2 for place in BETWEEN])
