# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where scoring runs: in this process, in others, on Ray or on Dask.

All of it goes through joblib; what is asked for changes the speed only.
"""

from __future__ import annotations

import importlib
import itertools
import math
import sys
from typing import TYPE_CHECKING, Any

from garak_tbsa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

IN_PROCESS = "in-process"
BACKENDS = (IN_PROCESS, "loky", "ray", "dask")

_EXTRAS = {"ray": "ray", "dask": "dask[distributed]"}
_AHEAD = 2
"""Tasks read ahead for each worker; bounds how many rows are in memory."""


def run_tasks(
    function: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
    *,
    backend: str,
    jobs: int,
) -> Iterator[Any]:
    """Yield ``function(*task)`` for each task, in the tasks' order, streaming.

    Parameters
    ----------
    backend : str
        One of :data:`BACKENDS`.
    jobs : int
        Workers; of no meaning in-process.

    Raises
    ------
    UsageError
        The backend's package is not installed.
    """
    if backend == IN_PROCESS:
        yield from itertools.starmap(function, tasks)
        return
    joblib = _import("joblib", backend)
    _register(backend)
    calls = (joblib.delayed(_in_worker)(function, task) for task in tasks)
    with joblib.parallel_config(backend=backend, n_jobs=jobs):
        if _streams(joblib, backend):
            ahead = f"{_AHEAD}*n_jobs"
            yield from joblib.Parallel(return_as="generator", pre_dispatch=ahead)(calls)
            return
        with joblib.Parallel() as parallel:
            while wave := list(itertools.islice(calls, _AHEAD * jobs)):
                yield from parallel(wave)


def _in_worker(function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    executor: Any = sys.modules.get("joblib.externals.loky.process_executor")
    if hasattr(executor, "_MAX_MEMORY_LEAK_SIZE"):
        # loky takes a loaded model for a leak and ends the worker to be rid of it
        executor._MAX_MEMORY_LEAK_SIZE = math.inf
    return function(*task)


def _streams(joblib: Any, backend: str) -> bool:
    """Whether the backend hands out results as they come; Ray's does not."""
    made, _ = joblib.parallel.get_active_backend()
    return bool(getattr(made, "supports_return_generator", False))


def _register(backend: str) -> None:
    if backend == "ray":
        _import("ray.util.joblib", backend).register_ray()
    elif backend == "dask":
        distributed = _import("distributed", backend)
        try:
            distributed.get_client()
        except ValueError:
            # no cluster of the user's own: a local one, gone with the process
            distributed.Client(dashboard_address=None)


def _import(module: str, backend: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        package = _EXTRAS.get(backend, "joblib")
        raise UsageError(
            f"--backend {backend}: {package} is not installed;"
            f" run `pip install '{package}'`, or leave the option out"
        ) from None
