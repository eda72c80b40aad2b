# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Ray and Dask: the user's cluster where there is one, else a local one.

A cluster that exists gets no argument meant for a local one; both engines refuse that.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import socket
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from garak_tbsa.errors import UsageError, WorkersError

_EXTRAS = {"ray": "ray", "dask": "dask[distributed]"}
_CONNECT_SECONDS = 10


def import_for(backend: str, module: str) -> Any:
    """Import what a backend needs.

    Raises
    ------
    UsageError
        It is not installed; the message says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = _EXTRAS.get(backend, "joblib")
        raise UsageError(
            f"--backend {backend}: {package} is not installed;"
            f" run `pip install '{package}'`, or leave the option out"
        ) from None


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Workers that are ready, as joblib takes them.

    Attributes
    ----------
    configuration : mapping
        For ``joblib.parallel_config``.
    tasks_ahead : str or int
        How many tasks are under way or wait for a worker; bounds what is in memory.
    """

    configuration: Mapping[str, Any]
    tasks_ahead: str | int = "2*n_jobs"


@contextlib.contextmanager
def ray_cluster(
    address: str | None, jobs: int | None, at_end: Callable[[], None] | None
) -> Iterator[Engine]:
    """Connect to Ray, whose workers end with the work.

    Parameters
    ----------
    address : str or None
        ``host:port`` or ``ray://host:port``. Without it, where RAY_ADDRESS says, what
        ``ray start --head`` started on this machine, else a cluster of this process.
    jobs : int or None
        Workers; one a processor of the cluster where None, and never more.
    at_end : callable or None

    Raises
    ------
    WorkersError
        The cluster cannot be reached, or refuses.
    """
    ray = import_for("ray", "ray")
    logging.getLogger("ray").setLevel(logging.ERROR)
    with contextlib.ExitStack() as stack:
        if not ray.is_initialized():
            where = address or os.environ.get("RAY_ADDRESS") or None
            _check_reachable("ray", where)
            with _refusals("ray", where):
                _start_ray(ray, where, jobs or os.cpu_count() or 1)
            stack.callback(ray.shutdown)
        processors = int(ray.cluster_resources().get("CPU", 1))
        backend = import_for("ray", "ray.util.joblib.ray_backend").RayBackend()
        # it refuses to stream, though its pool does: tried with Ray 2.60, where a
        # worker that dies is an ActorDiedError within seconds
        backend.supports_return_generator = True
        workers = min(jobs or processors, processors)
        yield Engine(configuration={"backend": backend, "n_jobs": workers})


def _start_ray(ray: Any, address: str | None, jobs: int) -> None:
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address is not None:
        ray.init(address=address, **quiet)
        return
    try:
        ray.init(num_cpus=jobs, **quiet)
    except ValueError:
        # Ray has found what `ray start --head` left; only refusing num_cpus says so
        ray.init(**quiet)


@contextlib.contextmanager
def dask_cluster(
    address: str | None, jobs: int | None, at_end: Callable[[], None] | None
) -> Iterator[Engine]:
    """Connect to Dask.

    Parameters
    ----------
    address : str or None
        Of a scheduler: ``tcp://host:8786``. Without it, the client that this process
        has, where DASK_SCHEDULER_ADDRESS or Dask's configuration says, else a cluster
        of this process.
    jobs : int or None
        Workers of a cluster of this process; one a processor where None.
    at_end : callable or None
        Called in workers that this process did not start.

    Raises
    ------
    WorkersError
        The cluster cannot be reached, or refuses.
    """
    distributed = import_for("dask", "distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").addFilter(_matters)
    warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
    where = address or import_for("dask", "dask.config").get("scheduler-address", None)
    with contextlib.ExitStack() as stack:
        client = None if where is not None else _current_client(distributed)
        is_local = client is None and where is None
        if client is None:
            _check_reachable("dask", where)
            with _refusals("dask", where):
                client = stack.enter_context(_dask_client(distributed, where, jobs))
        with _refusals("dask", client.scheduler.address):
            client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        if at_end is not None and not is_local:
            stack.callback(_in_each_worker, client, at_end)
        processors = sum(client.ncores().values())
        few = jobs is not None and jobs < processors
        yield Engine(
            configuration={"backend": _dask_backend(client)},
            tasks_ahead=jobs if jobs is not None and few else 2 * processors,
        )


def _dask_client(distributed: Any, address: str | None, jobs: int | None) -> Any:
    if address is not None:
        return distributed.Client(address, timeout=_CONNECT_SECONDS)
    return distributed.Client(
        n_workers=jobs or os.cpu_count() or 1,
        threads_per_worker=1,
        dashboard_address=None,
        # its HTTP server starts all the same, on port 8787 for everybody
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        silence_logs=logging.CRITICAL,
    )


def _dask_backend(client: Any) -> Any:
    """A backend of joblib that is told of tasks whose worker died.

    Tried with joblib 1.6 and distributed 2026.8: the task's future gets its
    KilledWorker, but joblib's callback is never called for it, so that the results are
    waited for for ever, with ``allowed-failures`` of 0 and without retries as well.
    """
    backend = import_for("dask", "joblib._dask").DaskDistributedBackend(client=client)
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


def _current_client(distributed: Any) -> Any:
    try:
        return distributed.get_client()
    except ValueError:
        return None


CLUSTERS = {"ray": ray_cluster, "dask": dask_cluster}


@contextlib.contextmanager
def _refusals(backend: str, address: str | None) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # each engine has kinds of its own
        raise _refused(backend, address, error) from error


def _refused(backend: str, address: str | None, error: Exception) -> WorkersError:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = " ".join(lines)[:200] or type(error).__name__
    return WorkersError(
        f"--backend {backend}: the cluster{f' at {address}' if address else ''} cannot"
        f" be used ({reason}); check its address, and that it runs the same Python,"
        f" {backend} and garak-tbsa"
    )


def _check_reachable(backend: str, address: str | None) -> None:
    """Fail in seconds where nobody listens; the engines try for minutes."""
    host, _, port = (address or "").rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection(
            (host.strip("[]"), int(port)), _CONNECT_SECONDS
        ).close()
    except (OSError, OverflowError) as error:
        raise _refused(backend, address, error) from None
