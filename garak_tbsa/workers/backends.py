# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of one function in this process, in others, on Ray or on Dask, in order."""

from __future__ import annotations

import contextlib
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

from garak_tbsa.errors import GarakTbsaError, UsageError, WorkersError
from garak_tbsa.workers.clusters import CLUSTERS, Engine, import_for

IN_PROCESS = "in-process"
LOKY = "loky"
BACKENDS = (IN_PROCESS, LOKY, *CLUSTERS)

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
    """Where work runs.

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
        if self.cluster is not None and self.backend not in CLUSTERS:
            raise UsageError(
                f"--cluster {self.cluster}: an address of Ray or Dask; say which with"
                " --backend ray or --backend dask"
            )


HERE = Workers()


def run_tasks(
    function: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
    workers: Workers,
    *,
    at_end: Callable[[], None] | None = None,
    again: str = "run the same command again",
) -> Iterator[Any]:
    """Yield ``function(*task)`` for each task, in the tasks' order, streaming.

    Parameters
    ----------
    at_end : callable, optional
        Called in each worker that goes on living, to let go of what it holds.
    again : str
        What to do where the workers fail.

    Raises
    ------
    UsageError
        The backend's package is not installed.
    WorkersError
        A worker died, or the cluster cannot be used.
    """
    if workers.backend == IN_PROCESS:
        yield from itertools.starmap(function, tasks)
        return
    joblib = import_for(LOKY, "joblib")
    # said when a command is interrupted, where it is of no use
    warnings.filterwarnings("ignore", r"\d+ tasks ", UserWarning, r"joblib\.parallel")
    calls = (joblib.delayed(_in_worker)(function, task) for task in tasks)
    try:
        with (
            _ENGINES[workers.backend](workers.cluster, workers.jobs, at_end) as engine,
            joblib.parallel_config(**engine.configuration),
        ):
            yield from joblib.Parallel(
                return_as="generator", pre_dispatch=engine.tasks_ahead
            )(calls)
    except GarakTbsaError:
        raise
    except Exception as error:
        # a function's own failures are results, so this is the workers' trouble
        raise _trouble(workers.backend, error, again) from error


@contextlib.contextmanager
def _processes(
    _: str | None, jobs: int | None, at_end: Callable[[], None] | None
) -> Iterator[Engine]:
    """Processes of this machine; they end with this one."""
    yield Engine(
        configuration={
            "backend": LOKY,
            "n_jobs": jobs or os.cpu_count() or 1,
            "initializer": _end_with,
            "initargs": (os.getpid(),),
        }
    )


_ENGINES = {LOKY: _processes, **CLUSTERS}


def _trouble(backend: str, error: Exception, again: str) -> WorkersError:
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if kinds.intersection(_DEAD_WORKER):
        return WorkersError(
            f"--backend {backend}: a worker died, perhaps for lack of memory; {again},"
            " with fewer --jobs if memory is short"
        )
    said = " ".join(str(error).split())[:200]
    return WorkersError(
        f"--backend {backend}: the workers failed ({type(error).__name__}: {said});"
        f" {again}, once they run"
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


def _end_with(parent: int) -> None:
    """Let no worker, with its model, outlive a killed command: loky's would."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_EVERY)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
