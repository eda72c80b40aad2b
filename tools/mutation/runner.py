# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Tests in forked processes: which run a line, and whether they notice a mutant.

A process that has imported what the tests need, but nothing of ours, is forked for
each mutant; so a run costs what its tests cost. Tests that start another
interpreter do not see the mutant there.
"""

from __future__ import annotations

import atexit
import enum
import importlib
import importlib.abc
import importlib.machinery
import os
import pickle
import signal
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import pytest
from coverage import Coverage

if TYPE_CHECKING:
    import types
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from tools.mutation.mutants import Mutant

PACKAGE = "garak_tbsa"
HEAVY = ("hypothesis", "numpy", "scipy.stats", "jsonschema", "garak.attempt")
OPTIONS = (
    *("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"),
    # hypothesis is imported before pytest can rewrite what it imports
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)
SLOW = 4.0
"""Seconds; a test that takes longer is run only where no quicker one runs a line."""
MOST_TESTS = 120
LIMIT = 60.0
"""Seconds that the tests of one mutant have at least."""
TIMES = 10.0
"""How many times as long as without a mutant they may take."""


class Fate(enum.Enum):
    """What became of a mutant."""

    KILLED = "killed"
    TIMED_OUT = "timed out"
    SURVIVED = "survived"
    NOT_RUN = "run by no test"


@dataclass(frozen=True, kw_only=True)
class Covering:
    """Which tests run which lines, from one run without a mutant.

    Attributes
    ----------
    seconds : mapping of str to float
        Duration of each test that passed.
    tests : mapping of (str, int) to frozenset of str
        Tests by file and line; line 0 has those of the whole file.
    """

    seconds: Mapping[str, float]
    tests: Mapping[tuple[str, int], frozenset[str]]

    def limit(self, tests: Sequence[str]) -> float:
        """Seconds after which these tests hang."""
        return max(LIMIT, TIMES * sum(self.seconds[test] for test in tests))

    def of(self, mutant: Mutant) -> list[str]:
        """Tests for a mutant, quickest first; of a line of a module's own, all."""
        found = self.tests.get((mutant.path, mutant.line)) or self.tests.get(
            (mutant.path, 0), frozenset()
        )
        own = "test_" + os.path.basename(mutant.path)
        ordered = sorted(
            (test for test in found if test in self.seconds),
            key=lambda test: (self.seconds[test], own not in test, test),
        )
        quick = [test for test in ordered if self.seconds[test] <= SLOW]
        return (quick or ordered)[:MOST_TESTS]


@dataclass(eq=False)  # pytest puts its plugins into sets
class _Recorder:
    """A pytest plugin: durations, and a coverage context for each test."""

    coverage: Coverage
    seconds: dict[str, float] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        spent = self.seconds.get(report.nodeid, 0.0) + report.duration
        self.seconds[report.nodeid] = spent
        if not report.passed:
            self.failed.add(report.nodeid)


def preload() -> None:
    """Import what the tests need of others, once for all mutants."""
    for name in HEAVY:
        importlib.import_module(name)


def find_covering(root: Path, files: Sequence[str], tests: Sequence[str]) -> Covering:
    """Run the tests once, in a forked process, and note which lines each runs.

    Parameters
    ----------
    root : Path
        The repository, which is the working folder.
    files : sequence of str
        Those that will have mutants.
    tests : sequence of str
        Paths of tests.

    Raises
    ------
    RuntimeError
        None of the tests passes.
    """
    reading, writing = os.pipe()

    def record() -> bool:
        with open(writing, "wb") as handle:
            pickle.dump(_covering(root, files, tests), handle)
        return False

    child = _forked(record)
    os.close(writing)
    with open(reading, "rb") as handle:
        found: Covering = pickle.load(handle)  # noqa: S301 (our own)
    os.waitpid(child, 0)
    if not found.seconds:
        raise RuntimeError(f"no test passes: pytest {' '.join(tests)}")
    return found


def _covering(root: Path, files: Sequence[str], tests: Sequence[str]) -> Covering:
    coverage = Coverage(
        data_file=None, include=[str(root / file) for file in files], config_file=False
    )
    recorder = _Recorder(coverage)
    coverage.start()
    pytest.main([*(o for o in OPTIONS if o != "-x"), *tests], plugins=[recorder])
    coverage.stop()
    passed = {k: v for k, v in recorder.seconds.items() if k not in recorder.failed}
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    data = coverage.get_data()
    for file in files:
        for line, contexts in data.contexts_by_lineno(str(root / file)).items():
            running = {context for context in contexts if context in passed}
            found[file, line] |= running
            found[file, 0] |= running
    return Covering(
        seconds=passed, tests={key: frozenset(who) for key, who in found.items()}
    )


class _MutantFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a mutant's source."""

    def __init__(self, mutant: Mutant, root: Path) -> None:
        self.name = mutant.path.removesuffix(".py").replace("/", ".")
        self.file = str(root / mutant.path)
        self.source = mutant.source

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=self.file)

    def exec_module(self, module: types.ModuleType) -> None:
        module.__file__ = self.file
        exec(compile(self.source, self.file, "exec"), module.__dict__)  # noqa: S102


def run_mutants(
    mutants: Sequence[Mutant], covering: Covering, root: Path, parallel: int
) -> Iterator[tuple[Mutant, Fate]]:
    """Run each mutant's tests, several at a time; results come as they end."""
    waiting = list(reversed(mutants))
    running: dict[int, tuple[Mutant, float]] = {}
    while waiting or running:
        while waiting and len(running) < parallel:
            mutant = waiting.pop()
            tests = covering.of(mutant)
            if not tests:
                yield mutant, Fate.NOT_RUN
                continue
            child = _forked(partial(_tests_fail, mutant, tests, root))
            running[child] = (mutant, time.monotonic() + covering.limit(tests))
        yield from _ended(running)


def _ended(
    running: dict[int, tuple[Mutant, float]],
) -> Iterator[tuple[Mutant, Fate]]:
    time.sleep(0.02)
    for child, (mutant, until) in list(running.items()):
        ended, status = os.waitpid(child, os.WNOHANG)
        if not ended and time.monotonic() <= until:
            continue
        if not ended:
            # the tests may have started processes of their own
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        del running[child]
        if not ended:
            yield mutant, Fate.TIMED_OUT
        else:
            yield mutant, Fate.SURVIVED if status == 0 else Fate.KILLED


def _forked(work: Callable[[], bool]) -> int:
    """Fork a process that ends with 0 where the tests passed, 1 where not."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.setpgid(0, 0)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        code = int(work())
        atexit._run_exitfuncs()
    finally:
        os._exit(code)


def _tests_fail(mutant: Mutant, tests: Sequence[str], root: Path) -> bool:
    finder = _MutantFinder(mutant, root)
    assert finder.name not in sys.modules, f"{finder.name} was imported before its time"
    sys.meta_path.insert(0, finder)
    return pytest.main([*OPTIONS, *tests]) != 0
