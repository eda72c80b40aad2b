# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs of one prompt that are alike: each prompt has a pass rate of its own.

With rho the correlation of two outputs of a prompt and r the pair's pass rate, the
rates of prompts follow a Beta(rM, (1 - r)M) distribution, with M = 1/rho - 1, so that
a prompt's passes are beta-binomial (Skellam 1948). A repeat on fresh prompts draws
from that distribution again, one on the same prompts from what their outputs leave of
it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from garak_tbsa.lean.record import record
from garak_tbsa.lean.remembered import remembered
from garak_tbsa.tbsa.rate_grid import RATES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Cell = tuple[tuple[int, int], int]

LEAST_CORRELATION = 1e-6
"""Below it outputs of a prompt are as good as independent."""

NEGLIGIBLE = 1e-28
"""Likelihood of a rate that cannot have been the pair's, where the likeliest has 1."""


@record
class PromptCounts:
    """What was seen of a pair, prompt by prompt.

    Attributes
    ----------
    cells : tuple of ((int, int), int)
        Passed and evaluated outputs of a prompt, and how many prompts have these.
    correlation : float
        Of two outputs of a prompt, above 0 and below 1.
    on_same_prompts : bool
        Whether a repeat has the scan's prompts, or others of the probe.
    """

    cells: tuple[Cell, ...]
    correlation: float
    on_same_prompts: bool

    @classmethod
    def of(
        cls,
        counted: Iterable[tuple[int, int]],
        correlation: float,
        *,
        on_same_prompts: bool,
    ) -> PromptCounts:
        """Count prompts by their passed and evaluated outputs."""
        found = Counter(each for each in counted if each[1])
        return cls(
            cells=tuple(sorted(found.items())),
            correlation=correlation,
            on_same_prompts=on_same_prompts,
        )

    @property
    def independent(self) -> tuple[float, float]:
        """Passed and all outputs, as many as would say as much about the pair's rate.

        All of them divided by what alike outputs multiply the variance by,
        1 + rho (g - 1) for g outputs to each prompt.
        """
        passed = sum(passed * prompts for (passed, _), prompts in self.cells)
        outputs = sum(outputs * prompts for (_, outputs), prompts in self.cells)
        squares = sum(outputs**2 * prompts for (_, outputs), prompts in self.cells)
        factor = 1 + self.correlation * (squares / outputs - 1)
        return passed / factor, outputs / factor

    def likelihood(self) -> list[float]:
        """Return how likely what was seen is at each of ``RATES``, 1 at the likeliest.

        0 at a rate that makes it impossible.
        """
        logs = np.zeros(len(RATES))
        tables: dict[int, Floats] = {}
        for (passed, outputs), prompts in self.cells:
            if outputs not in tables:
                tables[outputs] = log_chances(outputs, *self._shapes(RATES))
            logs += prompts * tables[outputs][:, passed]
        found: list[float] = np.exp(logs - logs.max()).tolist()
        return found

    def below(self, edges: Sequence[int], masses: Sequence[float]) -> list[float]:
        """Return the probability that fewer outputs of a repeat pass than each edge.

        Parameters
        ----------
        edges : sequence of int
            0 to one more than all outputs.
        masses : sequence of float
            Of ``RATES``, once the outputs were seen.
        """
        likely, below = _below_at_rates(self, tuple(edges))
        # a product of matrices would start as many threads as there are processors
        mixed = np.einsum("r,re->e", np.array(masses)[likely], below)
        found: list[float] = np.minimum(mixed, 1.0).tolist()
        return found

    def transformed(self, rates: Floats, size: int) -> NDArray[np.complex128]:
        """Return Fourier transforms of a repeat's pass count at each rate.

        Parameters
        ----------
        rates : array of float, shape (rates,)
        size : int
            Of the transforms, at least one more than all outputs.

        Returns
        -------
        array of complex, shape (rates, size // 2 + 1)
        """
        product = np.ones((len(rates), size // 2 + 1), dtype=complex)
        alpha, beta = self._shapes(rates)
        for (passed, outputs), prompts in self._repeated():
            chances = np.exp(
                log_chances(outputs, alpha + passed, beta + (outputs - passed))
                if self.on_same_prompts
                else log_chances(outputs, alpha, beta)
            )
            product *= np.fft.rfft(chances, size) ** prompts
        return product

    def _repeated(self) -> Iterable[Cell]:
        """Prompts of a repeat that are alike."""
        if self.on_same_prompts:
            return self.cells
        sizes: Counter[int] = Counter()
        for (_, outputs), prompts in self.cells:
            sizes[outputs] += prompts
        return [((0, outputs), prompts) for outputs, prompts in sizes.items()]

    def _shapes(self, rates: Sequence[float] | Floats) -> tuple[Floats, Floats]:
        concentration = 1 / self.correlation - 1
        each = np.asarray(rates)
        return each * concentration, (1 - each) * concentration


@remembered
def _below_at_rates(
    seen: PromptCounts, edges: tuple[int, ...]
) -> tuple[NDArray[np.intp], Floats]:
    """Places of the rates that are possible, and what is below the edges at each.

    No prior makes a rate matter that is left out, since none has a mass below 1e-12.
    """
    likely = np.flatnonzero(np.array(seen.likelihood()) > NEGLIGIBLE)
    size = 1 + sum(outputs * prompts for (_, outputs), prompts in seen.cells)
    transformed = seen.transformed(np.array(RATES)[likely], size)
    chances = np.maximum(np.fft.irfft(transformed, size), 0.0)
    none = np.zeros((len(likely), 1))
    upto = np.concatenate([none, np.cumsum(chances, axis=1)], axis=1)
    return likely, upto[:, list(edges)]


def log_chances(outputs: int, alpha: Floats, beta: Floats) -> Floats:
    """Return the logarithms of beta-binomial probabilities.

    Parameters
    ----------
    outputs : int
        1 or more.
    alpha, beta : array of float, shape (rates,)
        0 or more, not both 0.

    Returns
    -------
    array of float, shape (rates, outputs + 1)
        Of each pass count; ``-inf`` for one that is impossible.
    """
    passes, hits = _log_rising(alpha, outputs), _log_rising(beta, outputs)
    both = _log_rising(alpha + beta, outputs)
    counts = np.arange(1.0, outputs + 1)
    ways = np.concatenate([[0.0], np.cumsum(np.log((outputs + 1 - counts) / counts))])
    found: Floats = ways + passes + hits[:, ::-1] - both[:, -1:]
    return found


def _log_rising(shape: Floats, most: int) -> Floats:
    """Logarithms of ``shape (shape + 1) ... (shape + k - 1)`` for k from 0 to most."""
    with np.errstate(divide="ignore"):
        logs = np.log(shape[:, np.newaxis] + np.arange(most))
    return np.concatenate([np.zeros((len(shape), 1)), np.cumsum(logs, axis=1)], axis=1)
