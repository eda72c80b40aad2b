# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where scoring runs: in this process, in others, on Ray or on Dask.

All of it goes through joblib; what is asked for changes the speed only.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import logging
import math
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from garak_tbsa.errors import UsageError

IN_PROCESS = "in-process"
BACKENDS = (IN_PROCESS, "loky", "ray", "dask")

_EXTRAS = {"ray": "ray", "dask": "dask[distributed]"}
_AHEAD = 2
"""Tasks read ahead for each worker; bounds how many rows are in memory."""

_LOOK_EVERY = 0.5
"""Seconds between a worker's looks at whether its parent lives."""


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
    # said when an evaluation is interrupted, where it is of no use
    warnings.filterwarnings("ignore", r"\d+ tasks ", UserWarning, r"joblib\.parallel")
    calls = (joblib.delayed(_in_worker)(function, task) for task in tasks)
    with (
        _CLUSTERS[backend](jobs),
        joblib.parallel_config(backend=backend, n_jobs=jobs, **_starting(backend)),
    ):
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


def _starting(backend: str) -> dict[str, Any]:
    """What a worker does first; Ray and Dask look after theirs themselves."""
    if backend == "loky":
        return {"initializer": _end_with, "initargs": (os.getpid(),)}
    return {}


def _end_with(parent: int) -> None:
    """Let no worker, with its model, outlive a killed evaluation: loky's would."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_EVERY)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _streams(joblib: Any, backend: str) -> bool:
    """Whether the backend hands out results as they come; Ray's does not."""
    made, _ = joblib.parallel.get_active_backend()
    return bool(getattr(made, "supports_return_generator", False))


@contextlib.contextmanager
def _ray(jobs: int) -> Iterator[None]:
    """The user's Ray (RAY_ADDRESS, or one already started), else a local one."""
    ray = _import("ray", "ray")
    _import("ray.util.joblib", "ray").register_ray()
    logging.getLogger("ray").setLevel(logging.ERROR)
    if ray.is_initialized():
        yield
        return
    where = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": jobs}
    ray.init(logging_level=logging.ERROR, log_to_driver=False, **where)
    try:
        yield
    finally:
        ray.shutdown()


@contextlib.contextmanager
def _dask(jobs: int) -> Iterator[None]:
    """The user's Dask client, else a local cluster of processes."""
    distributed = _import("distributed", "dask")
    try:
        distributed.get_client()
    except ValueError:
        with distributed.Client(
            n_workers=jobs, threads_per_worker=1, dashboard_address=None
        ):
            yield
    else:
        yield


_CLUSTERS: dict[str, Callable[[int], contextlib.AbstractContextManager[None]]] = {
    "loky": lambda jobs: contextlib.nullcontext(),
    "ray": _ray,
    "dask": _dask,
}


def _import(module: str, backend: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        package = _EXTRAS.get(backend, "joblib")
        raise UsageError(
            f"--backend {backend}: {package} is not installed;"
            f" run `pip install '{package}'`, or leave the option out"
        ) from None
