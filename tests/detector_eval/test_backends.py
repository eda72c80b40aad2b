# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where scoring runs changes the speed only."""

import operator
import sys

import pytest

from garak_tbsa.detector_eval.backends import BACKENDS, run_tasks
from garak_tbsa.errors import UsageError


@pytest.mark.parametrize("backend", ["in-process", "loky", "dask"])
def test_results_come_in_the_tasks_order(backend):
    tasks = ((number, 10) for number in range(20))
    results = list(run_tasks(operator.mul, tasks, backend=backend, jobs=2))
    assert results == [number * 10 for number in range(20)]


def test_tasks_are_read_as_they_are_needed():
    read = []

    def tasks():
        for number in range(100):
            read.append(number)
            yield (number, 1)

    results = run_tasks(operator.mul, tasks(), backend="in-process", jobs=1)
    next(results)
    assert read == [0]


@pytest.mark.parametrize(
    ("backend", "module", "package"),
    [("ray", "ray", "ray"), ("dask", "distributed", "dask[distributed]")],
)
def test_a_backend_that_is_not_installed(monkeypatch, backend, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError) as caught:
        list(run_tasks(operator.mul, [(1, 1)], backend=backend, jobs=1))
    assert str(caught.value) == (
        f"--backend {backend}: {package} is not installed;"
        f" run `pip install '{package}'`, or leave the option out"
    )


def test_the_list_of_backends():
    assert BACKENDS == ("in-process", "loky", "ray", "dask")
