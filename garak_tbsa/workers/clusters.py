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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from garak_tbsa.errors import UsageError, WorkersError

_EXTRAS = {"ray": "ray", "dask": "dask[distributed]"}
_CONNECT_SECONDS = 10

AHEAD = 2
"""Tasks read ahead for each worker; bounds how many rows are in memory."""


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
class Cluster:
    """Workers that are ready.

    Attributes
    ----------
    submit : callable
        Starts a call of a function with arguments; returns what ``result`` takes.
    result : callable
        Waits for a call; raises what it raised, or how its worker died.
    give_up : callable
        Forgets calls whose results nobody will ask for.
    let_go : callable
        Calls a function in each worker that outlives this process.
    window : int
        How many calls to hand out before the first result is asked for.
    """

    submit: Callable[..., Any]
    result: Callable[[Any], Any]
    give_up: Callable[[Sequence[Any]], object]
    let_go: Callable[[Callable[[], None]], object]
    window: int


def _window(jobs: int | None, processors: int) -> int:
    """Enough to keep all busy, but no more at once than ``jobs`` where it is less."""
    if jobs is not None and jobs < processors:
        return jobs
    return AHEAD * max(1, processors)


@contextlib.contextmanager
def ray_cluster(address: str | None, jobs: int | None) -> Iterator[Cluster]:
    """Connect to Ray.

    Parameters
    ----------
    address : str or None
        ``host:port`` or ``ray://host:port``. Without it, where RAY_ADDRESS says, what
        ``ray start --head`` started on this machine, else a cluster of this process.
    jobs : int or None
        Workers; one a processor of the cluster where None, and never more.

    Raises
    ------
    WorkersError
        The cluster cannot be reached, or refuses.
    """
    ray = import_for("ray", "ray")
    logging.getLogger("ray").setLevel(logging.ERROR)
    if ray.is_initialized():
        yield _ray_workers(ray, jobs)
        return
    where = address or os.environ.get("RAY_ADDRESS") or None
    _check_reachable("ray", where)
    with _refusals("ray", where):
        _start_ray(ray, where, jobs or os.cpu_count() or 1)
    try:
        yield _ray_workers(ray, jobs)
    finally:
        ray.shutdown()


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


def _ray_workers(ray: Any, jobs: int | None) -> Cluster:
    processors = int(ray.cluster_resources().get("CPU", 1))

    def submit(function: Callable[..., Any], *arguments: Any) -> Any:
        return ray.remote(max_retries=1)(function).remote(*arguments)

    return Cluster(
        submit=submit,
        result=ray.get,
        give_up=lambda calls: list(map(ray.cancel, calls)),
        let_go=_ended_by_the_engine,
        window=_window(jobs, processors),
    )


def _ended_by_the_engine(_: Callable[[], None]) -> None:
    """Ray ends the workers of a process that is done, and Dask those it started."""


@contextlib.contextmanager
def dask_cluster(address: str | None, jobs: int | None) -> Iterator[Cluster]:
    """Connect to Dask.

    Parameters
    ----------
    address : str or None
        Of a scheduler: ``tcp://host:8786``. Without it, the client that this process
        has, where DASK_SCHEDULER_ADDRESS or Dask's configuration says, else a cluster
        of this process.
    jobs : int or None
        Workers of a cluster of this process; one a processor where None.

    Raises
    ------
    WorkersError
        The cluster cannot be reached, or refuses.
    """
    distributed = import_for("dask", "distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").addFilter(_matters)
    where = address or import_for("dask", "dask.config").get("scheduler-address", None)
    current = _current_client(distributed) if where is None else None
    if current is not None:
        yield _dask_workers(current, jobs, outlives=True)
        return
    _check_reachable("dask", where)
    with _refusals("dask", where):
        if where is not None:
            client = distributed.Client(where, timeout=_CONNECT_SECONDS)
        else:
            client = distributed.Client(
                n_workers=jobs or os.cpu_count() or 1,
                threads_per_worker=1,
                dashboard_address=None,
                # its HTTP server starts all the same, on port 8787 for everybody
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                silence_logs=logging.CRITICAL,
            )
    with client:
        yield _dask_workers(client, jobs, outlives=where is not None)


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


def _dask_workers(client: Any, jobs: int | None, *, outlives: bool) -> Cluster:
    with _refusals("dask", client.scheduler.address):
        client.wait_for_workers(1, timeout=_CONNECT_SECONDS)

    def let_go(function: Callable[[], None]) -> None:
        client.run(function, on_error="ignore")

    # not by joblib: its way through Dask never returns when a worker dies
    return Cluster(
        submit=partial(client.submit, pure=False),
        result=lambda call: call.result(),
        give_up=lambda calls: client.cancel(list(calls)),
        let_go=let_go if outlives else _ended_by_the_engine,
        window=_window(jobs, sum(client.ncores().values())),
    )


CLUSTERS: dict[
    str, Callable[[str | None, int | None], contextlib.AbstractContextManager[Cluster]]
] = {"ray": ray_cluster, "dask": dask_cluster}


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
