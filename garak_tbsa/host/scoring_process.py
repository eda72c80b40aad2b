# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The process that scores a scan, seen from inside; :mod:`.relay` is the other side.

A process, as nothing else can be ended whatever it hangs in: a pipe that nobody
writes to, a network file system, a computation in C that holds the interpreter.
The request comes in on standard input as one JSON object; each line that goes out
is a JSON list, one of the kinds below and its value.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import traceback
from collections.abc import Sequence

from garak_tbsa.errors import GarakTbsaError, in_words

SHOW, STAGE, JUDGED, NOT_WRITTEN = "show", "stage", "judged", "not_written"
FAILED, LOG, END, ANNOTATE = "failed", "log", "end", "annotate"
GRACE = 10.0
"""Seconds that a process lives on where nobody is left to end it."""


class Messages:
    """Tells the process that started this one; a ``Listener``."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.doing = "starting"

    def show(self, lines: Sequence[str]) -> None:
        """Lines for the user."""
        self.send(SHOW, list(lines))

    def stage(self, what: str) -> None:
        """What is done from now on."""
        self.doing = what
        self.send(STAGE, what)

    def judged(self, passed: bool) -> None:
        """The gate's verdict."""
        self.send(JUDGED, passed)

    def annotate(self, commands: Sequence[str]) -> None:
        """Lines that GitHub's runner obeys."""
        self.send(ANNOTATE, list(commands))

    def not_written(self, path: str, problem: str) -> None:
        """One output could not be written."""
        self.send(NOT_WRITTEN, [path, problem])

    def send(self, kind: str, value: object) -> None:
        """Send one message, whole."""
        rest = memoryview((json.dumps([kind, value]) + "\n").encode("ascii"))
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]


def main() -> None:
    """Score as the request on standard input says, and tell on standard output."""
    tell = Messages(_own_standard_output())
    try:
        _score(json.loads(sys.stdin.buffer.read()), tell)
    except BaseException as error:
        # SystemExit and the like too: whoever waits must hear of it
        tell.send(LOG, traceback.format_exc())
        expected = isinstance(error, GarakTbsaError)
        where = "" if expected else f" while {tell.doing}"
        tell.send(FAILED, in_words(error) + where)
    tell.send(END, None)


def _score(request: dict[str, object], tell: Messages) -> None:
    from garak_tbsa.host.after_scan import score_scan
    from garak_tbsa.host.settings import read_settings

    settings = read_settings(request["settings"])
    # held by this process alone if the one that started it is killed
    faulthandler.dump_traceback_later(
        settings.time_limit + GRACE, exit=True, file=os.open(os.devnull, os.O_WRONLY)
    )
    score_scan(str(request["report"]), settings, tell)


def _own_standard_output() -> int:
    """Return standard output, which nothing else can write to from now on."""
    descriptor = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return descriptor
