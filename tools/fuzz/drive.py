# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Run a case here or through the real command, bounded in time and memory."""

from __future__ import annotations

import io
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from tools.fuzz.case import Case

SECONDS = 30
MEBIBYTE = 1 << 20
MEMORY = 512 * MEBIBYTE
"""What a command may hold, in bytes."""

ADDRESSES = 2048 * MEBIBYTE
"""What a case in this process may add to its address space, of which allocators
reserve more than they use."""

LARGE_LIBRARIES = ("numpy", "pyarrow.parquet")
"""Loaded before the first limit; Arrow crashes where it cannot reserve its arenas."""

SHARED_MEMORY = "/dev/shm"  # noqa: S108 (a folder of our own is made below it)
PACKAGE = f"{os.sep}garak_tbsa{os.sep}"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a command did.

    Attributes
    ----------
    code : int or None
        Exit code; None where it did not end by itself.
    out, err : str
    written : mapping of str to bytes
        Files that were not there before.
    changed : tuple of str
        Inputs that are not what they were.
    crash : str or None
        The exception that came out, with the innermost place in the product.
    place : str
        ``module:function`` of that place.
    """

    code: int | None
    out: str
    err: str
    written: dict[str, bytes] = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    crash: str | None = None
    place: str = ""


class TooLongError(BaseException):
    """The time of one case is over; no handler of the product takes it."""


class Workbench:
    """A folder in which cases run, and the limits on them.

    Parameters
    ----------
    seconds : int
        For one case.
    """

    def __init__(self, seconds: int = SECONDS) -> None:
        base = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
        self.folder = Path(tempfile.mkdtemp(prefix="garak-tbsa-fuzz-", dir=base))
        self.seconds = seconds
        for name in LARGE_LIBRARIES:
            import_module(name)

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, case: Case) -> Outcome:
        """Run the command in this process."""
        from garak_tbsa.cli.main import main

        return self.call(case, lambda: main(list(case.argv)))

    def call(self, case: Case, function: Callable[[], int | None]) -> Outcome:
        """Call a function in a folder that holds the case's files alone."""
        folder = self._laid_out(case)
        out, err = _captured(), _captured()
        code: int | None = None
        crash, place = None, ""
        with _inside(folder), _streams(out, err), _limited(self.seconds):
            try:
                code = function()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
            except TooLongError as error:
                crash, place = f"over {self.seconds} s", _place(error)
            except BaseException as error:
                crash = f"{type(error).__name__}: {str(error)[:300]}"
                place = _place(error)
        return Outcome(
            code=code,
            out=_text(out),
            err=_text(err),
            written=_written(folder, case),
            changed=_changed(folder, case),
            crash=crash,
            place=place,
        )

    def spawn(self, case: Case) -> Outcome:
        """Run the command as a user does, and measure its memory."""
        folder = self._laid_out(case)
        root = str(Path(__file__).parents[2])
        variables = {**os.environ, "PYTHONPATH": root, "PYTHONIOENCODING": "utf-8"}
        variables.pop("GARAK_TBSA_DEBUG", None)
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            subprocess.Popen(
                [sys.executable, "-m", "garak_tbsa", *case.argv],
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            ) as process,
        ):
            peak, code = self._waited(process.pid)
            process.returncode = -1 if code is None else code
            texts = [_all(stream) for stream in (out, err)]
        crash = None
        if code is None:
            crash = f"over {self.seconds} s"
        elif code < 0:
            crash = f"ended by signal {-code}"
        elif peak > MEMORY:
            crash = f"took {peak // MEBIBYTE} MiB"
        return Outcome(
            code=code,
            out=texts[0],
            err=texts[1],
            written=_written(folder, case),
            changed=_changed(folder, case),
            crash=crash,
        )

    def _waited(self, pid: int) -> tuple[int, int | None]:
        """Wait for a process; return its peak memory and code, None if it took long."""
        deadline = time.monotonic() + self.seconds
        while time.monotonic() < deadline:
            ended, status, usage = os.wait4(pid, os.WNOHANG)
            if ended:
                return usage.ru_maxrss * 1024, os.waitstatus_to_exitcode(status)
            time.sleep(0.005)
        os.kill(pid, signal.SIGKILL)
        usage = os.wait4(pid, 0)[2]
        return usage.ru_maxrss * 1024, None

    def _laid_out(self, case: Case) -> Path:
        folder = self.folder / "case"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, content in case.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder


def _captured() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def _all(stream: Any) -> str:
    stream.seek(0)
    return bytes(stream.read()).decode("utf-8", "backslashreplace")


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _streams(out: io.TextIOWrapper, err: io.TextIOWrapper) -> Iterator[None]:
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


@contextmanager
def _limited(seconds: int) -> Iterator[None]:
    """End what runs within after some seconds, and refuse it more memory."""

    def over(*_: object) -> None:
        raise TooLongError

    limits = resource.getrlimit(resource.RLIMIT_AS)
    allowed = _address_space() + ADDRESSES
    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _address_space() -> int:
    """Bytes of address space that this process has now (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if PACKAGE in frame.filename]
    if not ours:
        return ""
    return f"{Path(ours[-1].filename).stem}:{ours[-1].name}"


def _written(folder: Path, case: Case) -> dict[str, bytes]:
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in case.files:
            found[name] = path.read_bytes()
    return found


def _changed(folder: Path, case: Case) -> tuple[str, ...]:
    return tuple(
        name
        for name, content in case.files.items()
        if not (folder / name).is_file() or (folder / name).read_bytes() != content
    )
