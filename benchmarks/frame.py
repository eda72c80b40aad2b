# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What every benchmark does alike: run a simulation often, and print a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Generator = np.random.Generator


def table(header: str, rows: Iterable[str]) -> str:
    """Return a Markdown table; cells are separated by `` | ``."""
    ruled = " | ".join("---" for _ in header.split(" | "))
    return "\n".join(f"| {line} |" for line in (header, ruled, *rows))


def percents(shares: Iterable[float], digits: int = 1) -> str:
    """Return a cell for each share."""
    return " | ".join(f"{share:.{digits}%}" for share in shares)


def simulations(
    simulate: Callable[[Generator, int], Any], runs: int, seed: int
) -> Floats:
    """Return what runs find, on two cores; each has its number and its generator."""
    each = (
        delayed(simulate)(np.random.default_rng((seed, run)), run)
        for run in range(runs)
    )
    return np.array(Parallel(n_jobs=2)(each), dtype=float)
