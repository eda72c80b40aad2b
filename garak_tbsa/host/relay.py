# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Start the process that scores a scan, pass on what it says, end it in time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from garak_tbsa.files import remove_parts
from garak_tbsa.host import scoring_process
from garak_tbsa.host.settings import AfterScanSettings, output_paths
from garak_tbsa.host.telling import show

PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:];"
    " from garak_tbsa.host.scoring_process import main; main()"
)
POLL = 0.5
"""Seconds after which an interrupt is seen where waiting cannot be interrupted."""
LAST_WORDS = 2.0
"""Seconds that an ended process has to be gone."""


@dataclass(kw_only=True, slots=True)
class Ending:
    """What came of scoring a scan.

    Attributes
    ----------
    score : sequence of str
        Lines of the score that were not printed, since more was to come.
    shown : bool
        Whether the score was printed.
    passed : bool or None
        The gate's verdict; None where none was given.
    problem : str or None
        What kept it from being complete, in one line.
    not_written : list of (str, str)
        Path and problem of each output that could not be written.
    log : str or None
        Traceback for garak's log.
    stage : str
        What was being done last, in words that continue "while".
    """

    score: Sequence[str] = ()
    shown: bool = False
    passed: bool | None = None
    problem: str | None = None
    not_written: list[tuple[str, str]] = field(default_factory=list)
    log: str | None = None
    stage: str = "starting"

    @property
    def missing_outputs(self) -> str:
        """What could not be written, in one line; empty where all was."""
        if not self.not_written:
            return ""
        (_, problem), *others = self.not_written
        names = ", ".join(os.path.basename(path) for path, _ in others)
        return f"{problem}; also not written: {names}" if names else problem

    def show(self, lines: Sequence[str]) -> None:
        """Print lines in place of what was known before."""
        if lines:
            self.shown, self.score = True, ()
            show(lines)

    def take(self, kind: str, value: Any) -> None:
        """Take one message of the process."""
        if kind == "score":
            self.score = value
        elif kind == "show":
            self.show(value)
        elif kind == "annotate":
            show(value, are_commands=True)
        elif kind == "not_written":
            self.not_written.append((value[0], value[1]))
        elif kind in ("stage", "passed", "problem", "log"):
            setattr(self, kind, value)


def score_in_process(
    report: str, raw: object, settings: AfterScanSettings, ending: Ending
) -> None:
    """Score a report in a process of its own.

    Parameters
    ----------
    report : str
        Its path.
    raw : object
        The settings as garak has them.
    settings : AfterScanSettings
        The same, checked.
    ending : Ending
        Filled in as it goes, so that it holds also where this is interrupted.
    """
    until = time.monotonic() + settings.time_limit
    request = json.dumps({"report": report, "settings": raw}).encode("ascii")
    try:
        process = _start()
    except OSError as error:
        ending.problem = f"{sys.executable or 'Python'} cannot be started ({error})"
        return
    messages: SimpleQueue[tuple[str, Any] | None] = SimpleQueue()
    # a daemon, as it may wait for ever for a process that cannot be killed
    transfer = threading.Thread(
        target=_transfer, args=(process, request, messages), daemon=True
    )
    transfer.start()
    ended = False
    try:
        for kind, value in _until(until, messages):
            ended = kind == scoring_process.END
            if ended:
                break
            ending.take(kind, value)
        else:
            why = _why_silent(until, process, settings)
            ending.problem = ending.problem or f"{why} while {ending.stage}"
    except KeyboardInterrupt:
        ending.problem = f"interrupted while {ending.stage}"
        raise
    finally:
        gone = _stop(process, wait=ended)
        transfer.join(LAST_WORDS)
        if gone and not ended:
            for path in output_paths(report, settings).values():
                remove_parts(path, process.pid)


def _start() -> subprocess.Popen[bytes]:
    if not sys.executable or getattr(sys, "frozen", False):
        raise OSError("this program has no Python interpreter of its own")
    paths = [entry for entry in sys.path if isinstance(entry, str)]
    # Ctrl-C is for garak; the process is ended by us then
    group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", None)
    apart = {"start_new_session": True} if group is None else {"creationflags": group}
    return subprocess.Popen(  # noqa: S603 (our own program)
        [sys.executable, "-c", PROGRAM, *paths],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # unbuffered: a lock held by a waiting thread would stop the interpreter's end
        bufsize=0,
        **apart,
    )


def _transfer(
    process: subprocess.Popen[bytes],
    request: bytes,
    messages: SimpleQueue[tuple[str, Any] | None],
) -> None:
    """Write the request, then queue each message; None when there are no more."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with process.stdin, process.stdout:
            process.stdin.write(request)
            process.stdin.close()
            rest = b""
            while chunk := process.stdout.read(1 << 16):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    kind, value = json.loads(line)
                    messages.put((kind, value))
    except (OSError, ValueError):
        # a process that died early; the one who waits is told by the None
        pass
    finally:
        messages.put(None)


def _until(
    until: float, messages: SimpleQueue[tuple[str, Any] | None]
) -> Iterator[tuple[str, Any]]:
    """Yield messages until there are no more, or no more time."""
    while (left := until - time.monotonic()) > 0:
        try:
            message = messages.get(timeout=min(left, POLL))
        except Empty:
            continue
        if message is None:
            return
        yield message


def _why_silent(
    until: float, process: subprocess.Popen[bytes], settings: AfterScanSettings
) -> str:
    if time.monotonic() >= until:
        return (
            f"stopped after {settings.time_limit:g} s"
            " (the setting reporting.tbsa.time_limit)"
        )
    try:
        code = process.wait(LAST_WORDS)
    except subprocess.TimeoutExpired:
        return "the scoring process closed its output"
    how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
    return f"the scoring process {how}"


def _stop(process: subprocess.Popen[bytes], *, wait: bool) -> bool:
    """End a process; return whether it is gone."""
    try:
        if wait:
            process.wait(LAST_WORDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        process.kill()
    try:
        process.wait(LAST_WORDS)
    except subprocess.TimeoutExpired:
        # it waits in the kernel, for a network file system perhaps, and dies later
        return False
    return True
