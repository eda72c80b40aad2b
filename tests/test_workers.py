# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The user's own Dask and Ray, as real processes; workers that die; who refuses."""

from __future__ import annotations

import contextlib
import json
import operator
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import garak_tbsa
from garak_tbsa import workers
from garak_tbsa.errors import UsageError, WorkersError
from garak_tbsa.workers import HERE, Workers, run_tasks
from tests.behaviour.product import Shown, python
from tests.report_rows import pairs_named, report_rows, write_report
from tests.unmeasured import unmeasured

ROOT = os.path.dirname(os.path.dirname(garak_tbsa.__file__))

DETECTORS = '''
import os, pathlib, signal, time

HERE = pathlib.Path(__file__).parent

class Calm:
    def detect(self, attempt):
        return [float("[DAN]" in attempt.outputs[0].text)]

class Deadly:
    """Ends its worker as a kernel without memory does."""

    def detect(self, attempt):
        for _ in range(200 * (HERE / "wait").exists()):  # for the other detector
            if (HERE / "finished.json").exists():
                break
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGKILL)
'''
CALM, DEADLY = "cluster_detectors:Calm", "cluster_detectors:Deadly"


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder with detectors and their rows; short, for Ray's sockets."""
    with tempfile.TemporaryDirectory(prefix="gt-", dir="/tmp") as name:
        folder = Path(name)
        (folder / "cluster_detectors.py").write_text(DETECTORS)
        rows = [
            json.dumps(
                {
                    "output": f"answer {number} {'[DAN]' if number % 3 else ''}",
                    "label": ("hit", "pass")[number % 2],
                    "detector": detector,
                }
            )
            for detector in (CALM, DEADLY)
            for number in range(300)
        ]
        (folder / "rows.jsonl").write_text("\n".join(rows))
        yield folder


def variables(place: Path) -> dict[str, str]:
    return {
        "PYTHONPATH": os.pathsep.join([ROOT, str(place)]),
        "SOURCE_DATE_EPOCH": "0",
        # another cluster on this machine is none of these tests' business
        "RAY_TMPDIR": str(place),
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
    }


def tbsa(place: Path, *arguments: object, **more: str) -> Shown:
    """Run ``garak-tbsa`` in a process of its own, as its workers run."""
    settings = variables(place) | more
    return python("-m", "garak_tbsa", *arguments, folder=place, settings=settings)


def evaluate(place: Path, *arguments: str, **more: str) -> Shown:
    """Of the detector that harms no worker, unless another is named."""
    command = ["detectors", "evaluate", "--data", "rows.jsonl", "--detectors", CALM]
    return tbsa(place, *command, "--output", "s.json", *arguments, **more)


@contextlib.contextmanager
def running(place: Path, *commands: Sequence[str]) -> Iterator[None]:
    """The parts of a cluster, whose many processes leave no coverage."""
    parts = [
        subprocess.Popen(
            command,
            cwd=place,
            env=unmeasured(**variables(place)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for command in commands
    ]
    try:
        yield
    finally:
        for part in reversed(parts):
            part.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                part.wait(5)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(part.pid, signal.SIGKILL)
            part.wait()


def content_of(path: Path) -> str:
    """What a process writes into a file that it has made before."""
    for _ in range(600):
        if path.exists() and path.stat().st_size:
            return path.read_text()
        time.sleep(0.1)
    raise TimeoutError(path)


@pytest.fixture(scope="module")
def dask_address(place: Path) -> Iterator[str]:
    """A scheduler and a worker of two threads, started as a user does."""
    file = place / "scheduler.json"
    dask, quiet = [sys.executable, "-m", "dask"], ["--no-dashboard"]
    quiet += ["--scheduler-file", str(file)]
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", *quiet]
    with running(place, scheduler, [*dask, "worker", "--nthreads", "2", *quiet]):
        yield json.loads(content_of(file))["address"]


@pytest.fixture(scope="module")
def ray_address(place: Path) -> Iterator[str]:
    """A head node, as ``ray start --head`` makes it."""
    pytest.importorskip("ray")
    ray = [os.path.join(os.path.dirname(sys.executable), "ray"), "start", "--head"]
    ray += ["--port=0", "--num-cpus=2", "--include-dashboard=false", "--block"]
    ray += ["--include-log-monitor=false"]
    with running(place, ray):
        yield content_of(place / "ray" / "ray_current_cluster")


@pytest.fixture(scope="module")
def expected(place: Path) -> bytes:
    done = evaluate(place)
    assert (done.code, done.err) == (0, "")
    return (place / "s.json").read_bytes()


ADVICE = "check that its workers run with enough memory, or use fewer --jobs"


REFUSED = "ConnectionRefusedError: [Errno 111] Connection refused"
TIMED_OUT = "OSError: Timed out trying to connect to tcp://127.0.0.1:1 after 10 s"


@pytest.mark.parametrize(
    ("backend", "address", "said"),
    [
        ("dask", "tcp://127.0.0.1:1", TIMED_OUT),
        ("dask", "127.0.0.1:1", TIMED_OUT),
        ("ray", "127.0.0.1:1", REFUSED),
        ("ray", "ray://127.0.0.1:1", REFUSED),
    ],
)
def test_a_cluster_that_nobody_serves_is_told_in_seconds(
    backend: str, address: str, said: str
) -> None:
    began = time.monotonic()
    with pytest.raises(WorkersError) as caught:
        list(run_tasks(abs, [(1,)], Workers(backend=backend, cluster=address)))
    assert time.monotonic() - began < 60
    assert str(caught.value) == f"--backend {backend}: {said}; {ADVICE}"


def fails(number: int) -> int:
    raise RuntimeError(f"cannot do\n{number}")


def test_work_that_fails_for_another_reason_says_it() -> None:
    with pytest.raises(WorkersError) as caught:
        list(run_tasks(fails, [(1,)], Workers(backend="loky", jobs=1)))
    assert str(caught.value) == f"--backend loky: RuntimeError: cannot do; {ADVICE}"


@pytest.mark.parametrize("backend", [None, "loky", "dask"])
@pytest.mark.filterwarnings("default")  # Dask's own
def test_results_come_in_the_tasks_order(backend: str | None) -> None:
    tasks = ((number, 10) for number in range(20))
    results = run_tasks(operator.mul, tasks, Workers(backend=backend, jobs=2))
    assert list(results) == [number * 10 for number in range(20)]


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
    ("backend", "package"),
    [("ray", "ray"), ("dask", "distributed"), ("loky", "joblib")],
)
def test_a_backend_that_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, backend: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError) as caught:
        list(run_tasks(operator.mul, [(1, 1)], Workers(backend=backend)))
    assert str(caught.value) == (
        f"--backend {backend}: {package} is not installed;"
        f" run `pip install {package}`, or leave the option out"
    )


# last: an idle cluster takes time of the tests beside it


@pytest.mark.surroundings
def test_a_dask_cluster_of_the_user(
    place: Path, dask_address: str, expected: bytes
) -> None:
    """As Dask's own variable names it; the tests below give ``--cluster``."""
    more = {"DASK_SCHEDULER_ADDRESS": dask_address}
    done = evaluate(place, "--backend", "dask", "--jobs", "3", **more)
    assert (done.code, done.err) == (0, "")
    assert (place / "s.json").read_bytes() == expected


@pytest.mark.surroundings
@pytest.mark.usefixtures("ray_address")
def test_a_ray_cluster_of_the_user(place: Path, expected: bytes) -> None:
    """As ``ray start`` left it on this machine."""
    done = evaluate(place, "--backend", "ray", "--jobs", "8")
    assert done.code == 0, done.err
    assert (place / "s.json").read_bytes() == expected


@pytest.mark.surroundings
def test_a_history_on_a_cluster_of_the_user(
    place: Path, dask_address: str, ray_address: str
) -> None:
    """The same bytes whatever the backend, also where Ray's variable names it."""
    folder, output = place / "history", place / "history.jsonl"
    folder.mkdir()
    for day in range(1, 4):
        rows = report_rows(pairs_named((1, 90 - 9 * day, 100), (2, 80, 100)))
        rows[-1]["meta"]["start_time"] = f"2026-05-{day:02d}T00:00:00"
        write_report(folder / f"{day}.report.jsonl", rows)
    written = []
    for options in (
        [],
        ["--backend", "dask", "--cluster", dask_address],
        ["--backend", "ray"],
    ):
        command = ["history", folder, "--jsonl", output, *options]
        done = tbsa(place, *command, RAY_ADDRESS=ray_address)
        assert (done.code, done.err) == (0, "")
        written.append((done.out, output.read_bytes()))
    assert written[0] == written[1] == written[2]


@pytest.mark.surroundings
@pytest.mark.surroundings
def test_what_is_finished_before_a_worker_dies_stays(place: Path) -> None:
    (place / "wait").touch()
    both = ["--detectors", f"{CALM},{DEADLY}", "--output", "finished.json"]
    done = evaluate(place, *both, "--backend", "loky", "--jobs", "2")
    (place / "wait").unlink()
    assert done.code == 1
    summary = json.loads((place / "finished.json").read_text())
    assert list(summary["results"]) == [CALM]


@pytest.mark.surroundings
@pytest.mark.parametrize(
    ("backend", "said"),
    [
        ("loky", "TerminatedWorkerError: A worker process managed by the executor was"),
        ("ray", "ActorDiedError: The actor died unexpectedly before finishing this"),
    ],
)
def test_a_worker_that_dies_is_one_line(
    place: Path, request: pytest.FixtureRequest, backend: str, said: str
) -> None:
    address = []
    if backend == "ray":
        address = ["--cluster", request.getfixturevalue("ray_address")]
    options = ["--backend", backend, "--jobs", "2", *address]
    done = evaluate(place, "--detectors", DEADLY, *options)
    assert done.code == 1
    line = done.err.splitlines()[-1]
    assert line.startswith(f"garak-tbsa: --backend {backend}: {said}")
    assert line.endswith(f"; {ADVICE}")
    assert "Traceback" not in done.err


@pytest.mark.surroundings
def test_a_worker_of_dask_that_dies_is_waited_for_no_longer_than_it_may_take(
    dask_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dask tries it on other workers, and then tells joblib nothing."""
    monkeypatch.setattr(workers, "DASK_SECONDS", 5)
    on_dask = Workers(backend="dask", cluster=dask_address)
    with pytest.raises(WorkersError) as caught:
        list(run_tasks(signal.raise_signal, [(signal.SIGKILL,)], on_dask))
    assert str(caught.value) == f"--backend dask: TimeoutError; {ADVICE}"
