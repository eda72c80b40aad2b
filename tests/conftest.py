# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Isolation for the whole suite, set before anything imports garak.

garak writes below the XDG folders at import, and detectors would ask the
Hugging Face hub for models.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

_HOME = tempfile.mkdtemp(prefix="garak-tbsa-tests-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
for _name in ("data", "config", "cache"):
    os.environ[f"XDG_{_name.upper()}_HOME"] = os.path.join(_HOME, _name)
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
# each core has its tests: threads that share a small product wait for each other
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
# whatever the caller has set must not change what is tested
for _name in (
    "GARAK_TBSA",
    "GARAK_TBSA_DEBUG",
    "GARAK_TBSA_FORMULA",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "SOURCE_DATE_EPOCH",
):
    os.environ.pop(_name, None)
# a shell without job control has what runs in the background ignore Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

from tests.browser import Browser, browser  # noqa: E402
from tests.gold import gold_reports  # noqa: E402
from tests.programs import MAKE  # noqa: E402
from tests.unmeasured import MEASURING, without_coverage  # noqa: E402

settings.register_profile(
    "lean",
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
settings.load_profile("lean")


LONG = (
    # of make test
    "tests/cli/test_label.py",
    "tests/host/test_scans.py",
    "tests/fuzz/test_fuzz.py",
    "tests/behaviour/test_nothing_lost.py",
    "tests/host/test_hook.py",
    "tests/host/test_command.py",
    "tests/test_architecture.py",
    "tests/host/test_misplaced.py",
    "tests/labels/test_hit_rates.py",
    "tests/statistics/test_permutation.py",
    "tests/behaviour/test_secrets.py",
    "tests/garak_api/test_detector_loading.py",
    "tests/test_result.py",
    # of make test-surroundings
    "tests/test_workers.py",
    "tests/ci/test_action.py",
    "tests/docs/test_commands.py",
    "tests/cli/test_bounded.py",
    "tests/garak_api/test_detector_models.py",
    "tests/faults/test_faults.py",
    "tests/host/test_register.py",
    "tests/labels/test_label_page_in_browser.py",
    "tests/tools/test_distribution.py",
    "tests/outputs/test_page.py",
    "tests/behaviour/test_detector_evaluations.py",
    "tests/docs/test_judges_page.py",
)
"""Files that take longest. They begin, so that no process ends alone with one."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of long files first (``--no-loadscope-reorder`` keeps that).

    A test in a browser is one of the surroundings.
    """
    turn = {path: number for number, path in enumerate(LONG)}
    items.sort(key=lambda item: turn.get(item.nodeid.partition("::")[0], len(LONG)))
    for item in items:
        if isinstance(item, pytest.Function) and "chromium" in item.fixturenames:
            item.add_marker(pytest.mark.surroundings)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let ``make test`` say where to note what it skips."""
    parser.addoption(
        "--skipped-into",
        metavar="FILE",
        help="write the tests that were skipped for want of a program to this file",
    )


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Note which tests ``make test-skipped`` is to run."""
    if (path := config.getoption("--skipped-into")) is None:
        return
    skipped = [
        report.nodeid
        for report in terminalreporter.getreports("skipped")
        if MAKE in str(report.longrepr)
    ]
    Path(path).write_text("".join(f"{nodeid}\n" for nodeid in skipped))


MEASURED = (
    "tests/cli/test_label.py",
    "tests/host/test_command.py",
)
"""Files whose commands run what no test runs in its own process."""


UNMEASURED = (
    "tests/benchmarks/",
    "tests/ci/",
    "tests/tools/",
    "tests/behaviour/test_nothing_lost.py",
    "tests/fuzz/test_fuzz.py",
    "tests/statistics/test_permutation.py",
    "tests/test_architecture.py",
)
"""Tests that take long and run much that is not ours, or again what others run."""


@pytest.fixture(scope="module", autouse=True)
def coverage_of_file(request: pytest.FixtureRequest) -> Iterator[None]:
    """Measure what most tests run, and the commands of some, which doubles the time."""
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        if request.node.nodeid not in MEASURED:
            patch.delenv(MEASURING, raising=False)
        if request.node.nodeid.startswith(UNMEASURED):
            stack.enter_context(without_coverage())
        yield


@pytest.fixture(params=gold_reports(), ids=lambda path: path.name.split(".report")[0])
def gold_report(request: pytest.FixtureRequest) -> str:
    """The path of each gold report in turn."""
    return str(request.param)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests of a process."""
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="session")
def gold_folder() -> str:
    """The folder of the gold reports."""
    return os.path.join(os.path.dirname(__file__), "gold")
