# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Passes of prompts whose rates are beta-distributed: beta-binomial counts.

Counts of several prompts are added up. Where they have few outputs together, how the
sum is distributed is worked out (by Fourier transform) for some rates, and each draw
takes one of the two that are next to its own, the nearer one more often. Where they
have many, how many prompts have which count is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from garak_tbsa.statistics.observed import Counts
from garak_tbsa.statistics.special import Floats

SMALLEST_SHAPE = 1e-9
"""Of a beta distribution; numpy draws from none of 0."""

FEW_OUTPUTS = 1024
RATE_NODES, STRENGTH_NODES = 96, 16


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownPrompts:
    """Prompts that are alike in what is known of them.

    Attributes
    ----------
    outputs, prompts : int
        Outputs of each, and how many prompts there are.
    passed, failed : int
        Outputs of each that are known to have passed and failed; none of a fresh one.
    """

    outputs: int
    prompts: int
    passed: int = 0
    failed: int = 0


def passes_of_prompts(
    kinds: Sequence[KnownPrompts],
    rates: Floats,
    strength: Floats,
    rng: np.random.Generator,
) -> Counts:
    """Draw passes of prompts, all added up, one sum for each draw.

    Parameters
    ----------
    kinds : sequence of KnownPrompts
    rates : array of float
        Of the pair, within 0-1, in each draw.
    strength : array of float
        Of the beta distribution of the prompts' rates: its two shapes added up.
    rng : numpy.random.Generator
    """
    if sum(kind.outputs * kind.prompts for kind in kinds) > FEW_OUTPUTS:
        counts = np.zeros(len(rates), dtype=np.int64)
        for kind in kinds:
            shapes = _shapes(kind, rates, strength)
            drawn = prompts_by_passes(kind.outputs, kind.prompts, *shapes, rng)
            counts += drawn @ np.arange(kind.outputs + 1)
        return counts
    logits, at_rate = _nodes(np.log(rates / (1 - rates)), RATE_NODES, rng)
    logs, at_strength = _nodes(np.log(strength), STRENGTH_NODES, rng)
    used, place = np.unique(at_rate * STRENGTH_NODES + at_strength, return_inverse=True)
    below = _distributions(
        kinds,
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
    if high - low < count * np.finfo(float).eps * abs(high):
        return nodes, np.zeros(len(values), dtype=np.int64)
    steps = (values - low) / (high - low) * (count - 1)
    place = np.floor(steps + rng.random(len(values))).astype(np.int64)
    return nodes, np.minimum(place, count - 1)


def _distributions(
    kinds: Sequence[KnownPrompts], rates: Floats, strength: Floats
) -> Floats:
    """Probabilities of at most 0, 1, ... passes; a row for each rate."""
    total = sum(kind.outputs * kind.prompts for kind in kinds)
    size = 1 << total.bit_length()
    transformed = np.ones((len(rates), size // 2 + 1), dtype=np.complex128)
    for kind in kinds:
        shares = _shares(kind.outputs, *_shapes(kind, rates, strength))
        transformed *= np.fft.rfft(shares, size, axis=1) ** kind.prompts
    shares = np.fft.irfft(transformed, size, axis=1)[:, : total + 1]
    below = np.cumsum(np.maximum(shares, 0), axis=1)
    below /= below[:, -1:]
    return np.asarray(below)


def _shapes(
    kind: KnownPrompts, rates: Floats, strength: Floats
) -> tuple[Floats, Floats]:
    return rates * strength + kind.passed, (1 - rates) * strength + kind.failed


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
