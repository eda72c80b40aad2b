# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Passes of prompts whose rates are beta-distributed: beta-binomial counts.

Counts of several prompts are added up. Where they have few outputs together, how the
sum is distributed is worked out (by Fourier transform) for some rates, and each draw
takes one of the two that are next to its own, the nearer one more often. Where they
have many, how many prompts have which count is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from garak_tbsa.statistics.special import Counts, Floats

SMALLEST_SHAPE = 1e-9
"""Of a beta distribution; numpy draws from none of 0."""

FEW_OUTPUTS = 1024
RATE_NODES, STRENGTH_NODES = 96, 16


Kinds = Mapping[tuple[int, int, int], int]
"""How many prompts have so many outputs, of which so many are known to have passed and
so many to have failed; none of a fresh prompt."""


def passes_of_prompts(
    kinds: Kinds, rates: Floats, strength: Floats, rng: np.random.Generator
) -> Counts:
    """Draw passes of prompts, all added up, one sum for each draw.

    Parameters
    ----------
    kinds : mapping of tuple of int to int
        At least one prompt with an output.
    rates : array of float
        Of the pair, within 0-1, in each draw.
    strength : array of float
        Of the beta distribution of the prompts' rates: its two shapes added up.
    rng : numpy.random.Generator
    """
    outputs = sum(kind[0] * prompts for kind, prompts in kinds.items())
    if outputs > FEW_OUTPUTS:
        counts = np.zeros(len(rates), dtype=np.int64)
        for kind, prompts in kinds.items():
            shapes = _shapes(kind, rates, strength)
            drawn = prompts_by_passes(kind[0], prompts, *shapes, rng)
            counts += drawn @ np.arange(kind[0] + 1)
        return counts
    logits, at_rate = _nodes(np.log(rates / (1 - rates)), RATE_NODES, rng)
    logs, at_strength = _nodes(np.log(strength), STRENGTH_NODES, rng)
    used, place = np.unique(at_rate * STRENGTH_NODES + at_strength, return_inverse=True)
    below = _distributions(
        kinds,
        outputs,
        1 / (1 + np.exp(-logits[used // STRENGTH_NODES])),
        np.exp(logs[used % STRENGTH_NODES]),
    )
    # one after the other, each a step higher, they are searched in one go
    steps = (below + np.arange(len(used))[:, None]).ravel()
    found = np.searchsorted(steps, place + rng.random(len(place)), side="right")
    return np.asarray(found - place * below.shape[1])


def _nodes(
    values: Floats, count: int, rng: np.random.Generator
) -> tuple[Floats, Counts]:
    """Equal steps between the extremes, and for each value one next to it."""
    low, high = values.min(), values.max()
    nodes = np.linspace(low, high, count)
    if high - low <= count * np.finfo(float).eps * abs(high):
        return nodes, np.zeros(len(values), dtype=np.int64)
    steps = (values - low) / (high - low) * (count - 1)
    place = np.floor(steps + rng.random(len(values))).astype(np.int64)
    return nodes, np.minimum(place, count - 1)


def _distributions(kinds: Kinds, total: int, rates: Floats, strength: Floats) -> Floats:
    """Probabilities of at most 0, 1, ... of all passes; a row for each rate."""
    size = 1 << total.bit_length()
    transformed = np.ones((len(rates), size // 2 + 1), dtype=np.complex128)
    for kind, prompts in kinds.items():
        shares = _shares(kind[0], *_shapes(kind, rates, strength))
        transformed *= np.fft.rfft(shares, size, axis=1) ** prompts
    shares = np.fft.irfft(transformed, size, axis=1)[:, : total + 1]
    below = np.cumsum(np.maximum(shares, 0), axis=1)
    below /= below[:, -1:]
    return np.asarray(below)


def _shapes(
    kind: tuple[int, int, int], rates: Floats, strength: Floats
) -> tuple[Floats, Floats]:
    _, passed, failed = kind
    return rates * strength + passed, (1 - rates) * strength + failed


def prompt_rates(
    prompts: int, a: Floats, b: Floats, rng: np.random.Generator
) -> Floats:
    """Draw rates of prompts that are Beta(a, b); (draws, prompts)."""
    a, b = np.maximum(a, SMALLEST_SHAPE), np.maximum(b, SMALLEST_SHAPE)
    return rng.beta(a[:, None], b[:, None], (len(a), prompts))


def prompts_by_passes(
    outputs: int,
    prompts: int | Counts,
    a: Floats,
    b: Floats,
    rng: np.random.Generator,
) -> Counts:
    """Draw how many prompts whose rates are Beta(a, b) have 0, 1, ... passes.

    ``prompts`` is one number, or one for each draw; the result is (draws, outputs + 1).
    """
    return np.asarray(rng.multinomial(prompts, _shares(outputs, a, b)))


def _shares(outputs: int, a: Floats, b: Floats) -> Floats:
    """Beta-binomial probabilities of 0, 1, ... passes; a row for each a and b."""
    a, b = np.maximum(a, SMALLEST_SHAPE), np.maximum(b, SMALLEST_SHAPE)
    count = np.arange(outputs)
    odds = np.log((outputs - count) / (count + 1)) + np.log(
        (a[:, None] + count) / (b[:, None] + outputs - 1 - count)
    )
    logs = np.concatenate([np.zeros((len(a), 1)), odds.cumsum(axis=1)], axis=1)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    result: Floats = shares / shares.sum(axis=1, keepdims=True)
    return result
