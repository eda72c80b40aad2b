# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where scoring runs changes the speed only."""

from __future__ import annotations

import contextlib
import operator
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

import garak_tbsa
from garak_tbsa.errors import UsageError
from garak_tbsa.workers.backends import BACKENDS, HERE, Workers, run_tasks


@pytest.mark.parametrize("backend", ["in-process", "loky", "dask"])
def test_results_come_in_the_tasks_order(backend: str) -> None:
    tasks = ((number, 10) for number in range(20))
    results = list(run_tasks(operator.mul, tasks, Workers(backend=backend, jobs=2)))
    assert results == [number * 10 for number in range(20)]


def test_a_second_dask_cluster_on_the_machine_warns_of_no_port() -> None:
    """Dask's HTTP server takes port 8787 unless told otherwise, and warns if taken."""
    with socket.socket() as taken:
        # where the port cannot be had, another process has taken it already
        with contextlib.suppress(OSError):
            taken.bind(("", 8787))
            taken.listen()
        workers = Workers(backend="dask", jobs=1)
        assert list(run_tasks(operator.mul, [(2, 3)], workers)) == [6]


def test_tasks_are_read_as_they_are_needed() -> None:
    read = []

    def tasks() -> Iterator[tuple[int, int]]:
        for number in range(100):
            read.append(number)
            yield (number, 1)

    results = run_tasks(operator.mul, tasks(), HERE)
    next(results)
    assert read == [0]


@pytest.mark.parametrize(
    ("backend", "module", "package"),
    [("ray", "ray", "ray"), ("dask", "distributed", "dask[distributed]")],
)
def test_a_backend_that_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, backend: str, module: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError) as caught:
        list(run_tasks(operator.mul, [(1, 1)], Workers(backend=backend)))
    assert str(caught.value) == (
        f"--backend {backend}: {package} is not installed;"
        f" run `pip install '{package}'`, or leave the option out"
    )


KILLED = """
import os, signal, time
from garak_tbsa.workers.backends import Workers, run_tasks

def work(number):
    print(os.getpid(), flush=True)
    if number:
        os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60 * number)

list(run_tasks(work, [(0,), (1,)], Workers(backend="loky", jobs=2)))
"""


def test_no_worker_outlives_a_killed_evaluation() -> None:
    root = os.path.dirname(os.path.dirname(garak_tbsa.__file__))
    process = subprocess.run(
        [sys.executable, "-c", KILLED],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": root},
        timeout=50,  # the pipe closes with the last worker, which would sleep on
    )
    assert process.returncode == -signal.SIGKILL
    assert process.stdout


def test_the_list_of_backends() -> None:
    assert BACKENDS == ("in-process", "loky", "ray", "dask")
