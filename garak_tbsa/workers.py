# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of one function in this process, in others, on Ray or on Dask, in order.

What is asked for changes the speed only. A cluster that exists gets no argument meant
for a local one; both engines refuse that.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import logging
import math
import os
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from garak_tbsa.errors import GarakTbsaError, UsageError, WorkersError

IN_PROCESS = "in-process"
LOKY = "loky"
BACKENDS = (IN_PROCESS, LOKY, "ray", "dask")

_PACKAGES = {"loky": "joblib", "ray": "ray", "dask": "dask[distributed]"}
_CONNECT_SECONDS = 10
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

AtEnd = Callable[[], None] | None

Engine = tuple[dict[str, Any], str | int]
"""What ``joblib.parallel_config`` takes; how many tasks are under way or wait."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Workers:
    """Where work runs.

    Attributes
    ----------
    backend : str
        One of :data:`BACKENDS`.
    jobs : int or None
        How many workers, one a processor where None; of no meaning in-process, and
        never more than a Ray cluster has processors.
    cluster : str or None
        The address of a Ray (``host:port``, ``ray://host:port``) or Dask
        (``tcp://host:8786``) cluster; where None, the one that the engine's own
        variable or ``ray start --head`` names, or a local one.

    Raises
    ------
    UsageError
        An address is given for a backend that has no clusters.
    """

    backend: str = IN_PROCESS
    jobs: int | None = None
    cluster: str | None = None

    def __post_init__(self) -> None:
        if self.cluster is not None and self.backend in (IN_PROCESS, LOKY):
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
    at_end: AtEnd = None,
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
    joblib = _imported(LOKY, "joblib")
    # said when a command is interrupted, where it is of no use
    warnings.filterwarnings("ignore", r"\d+ tasks ", UserWarning, r"joblib\.parallel")
    calls = (joblib.delayed(_in_worker)(function, task) for task in tasks)
    engine = {LOKY: _processes, "ray": _ray, "dask": _dask}[workers.backend]
    try:
        with (
            engine(workers, at_end) as (configuration, tasks_ahead),
            joblib.parallel_config(**configuration),
        ):
            yield from joblib.Parallel(return_as="generator", pre_dispatch=tasks_ahead)(
                calls
            )
    except GarakTbsaError:
        raise
    except Exception as error:
        # a function's own failures are results, so this is the workers' trouble
        kinds = {kind.__name__ for kind in type(error).__mro__}
        trouble = (
            f"the workers failed ({type(error).__name__}:"
            f" {' '.join(str(error).split())[:200]}); {again}, once they run"
        )
        if kinds.intersection(_DEAD_WORKER):
            trouble = (
                f"a worker died, perhaps for lack of memory; {again}, with fewer"
                " --jobs if memory is short"
            )
        raise WorkersError(f"--backend {workers.backend}: {trouble}") from error


def _imported(backend: str, module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        package = _PACKAGES[backend]
        raise UsageError(
            f"--backend {backend}: {package} is not installed;"
            f" run `pip install '{package}'`, or leave the option out"
        ) from None


def _in_worker(function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    executor: Any = sys.modules.get("joblib.externals.loky.process_executor")
    if hasattr(executor, "_MAX_MEMORY_LEAK_SIZE"):
        # loky takes a loaded model for a leak and ends the worker to be rid of it
        executor._MAX_MEMORY_LEAK_SIZE = math.inf
    with _one_at_a_time:
        return function(*task)


_one_at_a_time = threading.Lock()
"""A Dask worker may have several threads; garak and stdout are a process's."""


@contextlib.contextmanager
def _processes(workers: Workers, _: AtEnd) -> Iterator[Engine]:
    """Processes of this machine; they end with this one."""
    configuration = {
        "backend": LOKY,
        "n_jobs": workers.jobs or os.cpu_count() or 1,
        "initializer": _end_with,
        "initargs": (os.getpid(),),
    }
    yield configuration, "2*n_jobs"


def _end_with(parent: int) -> None:
    """Let no worker, with its model, outlive a killed command: loky's would."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_EVERY)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def _ray(workers: Workers, _: AtEnd) -> Iterator[Engine]:
    """The user's Ray or a local one, whose workers end with the work."""
    ray = _imported("ray", "ray")
    logging.getLogger("ray").setLevel(logging.ERROR)
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    with contextlib.ExitStack() as stack:
        if not ray.is_initialized():
            address = workers.cluster or os.environ.get("RAY_ADDRESS") or None
            with _refusals("ray", address):
                if address is not None:
                    ray.init(address=address, **quiet)
                else:
                    try:
                        ray.init(num_cpus=workers.jobs or os.cpu_count() or 1, **quiet)
                    except ValueError:
                        # it has found what `ray start --head` left; only refusing
                        # num_cpus says so
                        ray.init(**quiet)
            stack.callback(ray.shutdown)
        processors = int(ray.cluster_resources().get("CPU", 1))
        backend = _imported("ray", "ray.util.joblib.ray_backend").RayBackend()
        # it refuses to stream, though its pool does: tried with Ray 2.60, where a
        # worker that dies is an ActorDiedError within seconds
        backend.supports_return_generator = True
        n_jobs = min(workers.jobs or processors, processors)
        yield {"backend": backend, "n_jobs": n_jobs}, "2*n_jobs"


@contextlib.contextmanager
def _dask(workers: Workers, at_end: AtEnd) -> Iterator[Engine]:
    """The user's Dask, the client that this process has, or a local cluster."""
    distributed = _imported("dask", "distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").addFilter(_matters)
    warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
    settings = _imported("dask", "dask.config")
    address = workers.cluster or settings.get("scheduler-address", None)
    client = None
    if address is None:
        with contextlib.suppress(ValueError):  # there is none
            client = distributed.get_client()
    with contextlib.ExitStack() as stack:
        is_local = client is None and address is None
        if client is None:
            how = {"address": address, "timeout": _CONNECT_SECONDS}
            if is_local:
                how = {
                    "n_workers": workers.jobs or os.cpu_count() or 1,
                    "threads_per_worker": 1,
                    "dashboard_address": None,
                    # its HTTP server starts all the same, on port 8787 for everybody
                    "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"},
                    "silence_logs": logging.CRITICAL,
                }
            with _refusals("dask", address):
                client = stack.enter_context(distributed.Client(**how))
        with _refusals("dask", client.scheduler.address):
            client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        if at_end is not None and not is_local:
            stack.callback(_in_each_worker, client, at_end)
        processors = sum(client.ncores().values())
        tasks_ahead = 2 * processors
        if workers.jobs is not None and workers.jobs < processors:
            tasks_ahead = workers.jobs
        yield {"backend": _dask_backend(client)}, tasks_ahead


def _dask_backend(client: Any) -> Any:
    """A backend of joblib that is told of tasks whose worker died.

    Tried with joblib 1.6 and distributed 2026.8: the task's future gets its
    KilledWorker, but joblib's callback is never called for it, so that the results are
    waited for for ever, with ``allowed-failures`` of 0 and without retries as well.
    """
    backend = _imported("dask", "joblib._dask").DaskDistributedBackend(client=client)
    send = backend.submit

    def submit(task: Any, callback: Callable[[Any], None]) -> Any:
        def tell(done: Any) -> None:
            if done.exception() is not None:
                callback(done.exception())

        future = send(task, callback)
        future.add_done_callback(tell)
        return future

    backend.submit = submit
    return backend


def _in_each_worker(client: Any, function: Callable[[], None]) -> None:
    with contextlib.suppress(Exception):  # the cluster may be gone
        client.run(function, on_error="ignore")


def _matters(record: logging.LogRecord) -> bool:
    """Whether asyncio tells of more than a connection that Dask has given up."""
    error = record.exc_info[1] if record.exc_info else None
    return not (
        type(error).__name__ == "TimeoutError"  # of several modules, by version
        and record.getMessage().startswith("Future exception was never retrieved")
    )


@contextlib.contextmanager
def _refusals(backend: str, address: str | None) -> Iterator[None]:
    """Make one line of what the engine says; where nobody listens, within seconds."""
    host, _, port = (address or "").rpartition("://")[2].rpartition(":")
    try:
        if host and port.isdecimal():
            # the engines try for minutes
            place = (host.strip("[]"), int(port))
            socket.create_connection(place, _CONNECT_SECONDS).close()
        yield
    except Exception as error:  # each engine has kinds of its own
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise WorkersError(
            f"--backend {backend}: the cluster{f' at {address}' if address else ''}"
            f" cannot be used ({reason}); check its address, and that it runs the same"
            f" Python, {backend} and garak-tbsa"
        ) from error
