# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One random generator per detector and purpose, whatever the order or backend."""

from __future__ import annotations

import hashlib

import numpy
from numpy.random import Generator


def generator_for(seed: int, detector: str, purpose: str) -> Generator:
    """A generator that depends on the three arguments and on nothing else."""
    digest = hashlib.sha256(f"{purpose}\0{detector}".encode()).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 32, 4)]
    return numpy.random.default_rng(numpy.random.SeedSequence([seed, *words]))
