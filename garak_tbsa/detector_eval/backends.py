# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where scoring runs: in this process, in others, on Ray or on Dask.

All of it goes through joblib; what is asked for changes the speed only.
"""

from __future__ import annotations

import itertools
import math
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from garak_tbsa.detector_eval.clusters import CLUSTERS, import_for
from garak_tbsa.errors import GarakTbsaError, UsageError, WorkersError

IN_PROCESS = "in-process"
BACKENDS = (IN_PROCESS, *CLUSTERS)

_WITH_ADDRESS = ("ray", "dask")
_AHEAD = 2
"""Tasks read ahead for each worker; bounds how many rows are in memory."""

_LOOK_EVERY = 0.5
"""Seconds between a worker's looks at whether its parent lives."""

_DEAD_WORKER = (
    "TerminatedWorkerError",
    "BrokenProcessPool",
    "KilledWorker",
    "RayActorError",
    "ActorDiedError",
    "WorkerCrashedError",
    "OutOfMemoryError",
    "NodeDiedError",
)
"""What loky, Dask and Ray call it; importing them to ask would take seconds."""


@dataclass(frozen=True, kw_only=True)
class Workers:
    """Where detectors run.

    Attributes
    ----------
    backend : str
        One of :data:`BACKENDS`.
    jobs : int or None
        How many workers, one a processor where None; of no meaning in-process.
    cluster : str or None
        The address of a Ray or Dask cluster; where None, the one that the engine's
        own variable names, or a local one.

    Raises
    ------
    UsageError
        An address is given for a backend that has no clusters.
    """

    backend: str = IN_PROCESS
    jobs: int | None = None
    cluster: str | None = None

    def __post_init__(self) -> None:
        if self.cluster is not None and self.backend not in _WITH_ADDRESS:
            raise UsageError(
                f"--cluster {self.cluster}: an address of Ray or Dask; say which with"
                " --backend ray or --backend dask"
            )


HERE = Workers()


def run_tasks(
    function: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
    workers: Workers,
) -> Iterator[Any]:
    """Yield ``function(*task)`` for each task, in the tasks' order, streaming.

    Raises
    ------
    UsageError
        The backend's package is not installed.
    WorkersError
        A worker died, or the cluster cannot be used.
    """
    backend = workers.backend
    if backend == IN_PROCESS:
        yield from itertools.starmap(function, tasks)
        return
    joblib = import_for(backend, "joblib")
    # said when an evaluation is interrupted, where it is of no use
    warnings.filterwarnings("ignore", r"\d+ tasks ", UserWarning, r"joblib\.parallel")
    calls = (joblib.delayed(_in_worker)(function, task) for task in tasks)
    with CLUSTERS[backend](workers.cluster, workers.jobs) as jobs:
        try:
            yield from _results(joblib, calls, backend, jobs)
        except GarakTbsaError:
            raise
        except Exception as error:
            # what a detector raises is a result, so this is the workers' trouble
            raise _trouble(backend, error) from error


def _results(
    joblib: Any, calls: Iterator[Any], backend: str, jobs: int
) -> Iterator[Any]:
    with joblib.parallel_config(backend=backend, n_jobs=jobs, **_starting(backend)):
        if _streams(joblib):
            ahead = f"{_AHEAD}*n_jobs"
            yield from joblib.Parallel(return_as="generator", pre_dispatch=ahead)(calls)
            return
        with joblib.Parallel() as parallel:
            while wave := list(itertools.islice(calls, _AHEAD * jobs)):
                yield from parallel(wave)


def _trouble(backend: str, error: Exception) -> WorkersError:
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if kinds.intersection(_DEAD_WORKER):
        return WorkersError(
            f"--backend {backend}: a worker died, out of memory? the same command goes"
            " on where it stopped, with fewer --jobs if memory is short"
        )
    said = " ".join(str(error).split())[:200]
    return WorkersError(
        f"--backend {backend}: the workers failed ({type(error).__name__}: {said});"
        " the same command goes on where it stopped, once they run again"
    )


def _in_worker(function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    executor: Any = sys.modules.get("joblib.externals.loky.process_executor")
    if hasattr(executor, "_MAX_MEMORY_LEAK_SIZE"):
        # loky takes a loaded model for a leak and ends the worker to be rid of it
        executor._MAX_MEMORY_LEAK_SIZE = math.inf
    with _one_at_a_time:
        return function(*task)


_one_at_a_time = threading.Lock()
"""A Dask worker may have several threads; garak, stdout and random are a process's."""


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


def _streams(joblib: Any) -> bool:
    """Whether the backend hands out results as they come; Ray's does not."""
    made, _ = joblib.parallel.get_active_backend()
    return bool(getattr(made, "supports_return_generator", False))
