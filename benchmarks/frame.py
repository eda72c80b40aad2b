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


def in_turn(simulate: Callable[[Generator, int], Any], runs: int, seed: int) -> Floats:
    """Return what runs find that draw from one generator, one after the other."""
    rng = np.random.default_rng(seed)
    found: Floats = np.array([simulate(rng, run) for run in range(runs)], dtype=float)
    return found


def side_by_side(simulate: Callable[..., Any], runs: int, *fixed: Any) -> Floats:
    """Return what runs find that draw from a generator each, by their number."""
    each = (delayed(simulate)(*fixed, run) for run in range(runs))
    return np.array(Parallel(n_jobs=2)(each), dtype=float)
