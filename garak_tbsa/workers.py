# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of one function in this process, in others, on Dask or on Ray, in order.

The engines are those that joblib has, and that Dask and Ray register with it. What is
asked for changes the speed only.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import socket
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from garak_tbsa.errors import UsageError, WorkersError, in_words

PACKAGES = {"loky": "joblib", "dask": "distributed", "ray": "ray"}
BACKENDS = tuple(PACKAGES)
SECONDS = 10  # in which a cluster must answer
# Dask tells joblib nothing of a call whose workers died: it is waited for this long,
# far longer than a call takes, which runs a detector on a few hundred rows
DASK_SECONDS = 4 * 3600


@dataclass(frozen=True, kw_only=True, slots=True)
class Workers:
    """Where work runs.

    Attributes
    ----------
    backend : str or None
        One of :data:`BACKENDS`; None for this process.
    jobs : int or None
        How many workers, one a processor where None; on a cluster never more than it
        has processors.
    cluster : str or None
        The address of a Dask (``tcp://host:8786``) or Ray (``host:port``,
        ``ray://host:port``) cluster; where None, the one that the engine finds by
        itself, else one that it starts on this machine.

    Raises
    ------
    UsageError
        An address is given for a backend that has no clusters.
    """

    backend: str | None = None
    jobs: int | None = None
    cluster: str | None = None

    def __post_init__(self) -> None:
        if self.cluster is not None and self.backend in (None, "loky"):
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
    at_end: Callable[[], None] = lambda: None,
) -> Iterator[Any]:
    """Yield ``function(*task)`` for each task, in the tasks' order.

    Results are streamed, but for those of Ray, which are yielded when all are there.

    Parameters
    ----------
    at_end : callable
        Called in each worker that goes on living, to let go of what it holds.

    Raises
    ------
    UsageError
        The backend's package is not installed.
    WorkersError
        A worker died, or the cluster cannot be used.
    """
    backend = workers.backend
    if backend is None:
        yield from (function(*task) for task in tasks)
        return
    package = PACKAGES[backend]
    if importlib.util.find_spec(package) is None:
        advice = f"run `pip install {package}`, or leave the option out"
        raise UsageError(f"--backend {backend}: {package} is not installed; {advice}")
    import joblib

    # joblib's of an interrupted command, and of a worker that holds a loaded model
    warnings.filterwarnings("ignore", category=UserWarning, module=r"joblib\.")
    calls = (joblib.delayed(function)(*task) for task in tasks)
    settings: dict[str, Any] = {"n_jobs": workers.jobs or -1, "return_as": "generator"}
    try:
        with ExitStack() as stack:
            if backend == "dask":
                settings |= _dask(workers, at_end, stack)
            elif backend == "ray":
                settings |= _ray(workers, stack)
            stack.enter_context(joblib.parallel_config(backend))
            yield from joblib.Parallel(**settings)(calls)
    except Exception as error:  # what the function itself cannot do is a result
        said = in_words(error).partition("\n")[0].rstrip(".")
        advice = "check that its workers run with enough memory, or use fewer --jobs"
        raise WorkersError(f"--backend {backend}: {said}; {advice}") from error


def _dask(
    workers: Workers, at_end: Callable[[], None], stack: ExitStack
) -> dict[str, Any]:
    """Connect to the user's Dask, or start workers of this machine."""
    import dask
    import distributed

    address = workers.cluster or dask.config.get("scheduler-address", None)
    # by itself a dashboard is on port 8787 for everybody
    local = {} if address else {"dashboard_address": "127.0.0.1:0"}
    client = stack.enter_context(distributed.Client(address, timeout=SECONDS, **local))
    stack.callback(client.run, at_end)
    return {"timeout": DASK_SECONDS, "pre_dispatch": workers.jobs or "2*n_jobs"}


def _ray(workers: Workers, stack: ExitStack) -> dict[str, Any]:
    """Connect to the user's Ray, or start workers of this machine."""
    import ray
    from ray.util.joblib import register_ray

    address = workers.cluster or os.environ.get("RAY_ADDRESS", "")
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if port.isdecimal():  # Ray would try for minutes where nobody listens
        socket.create_connection((host.strip("[]"), int(port)), SECONDS).close()
    register_ray()
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    stack.enter_context(ray.init(address=address or None, **quiet))
    cpus = int(ray.cluster_resources()["CPU"])
    return {"n_jobs": min(workers.jobs or cpus, cpus), "return_as": "list"}
