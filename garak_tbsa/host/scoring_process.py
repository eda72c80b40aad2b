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

from garak_tbsa.errors import GarakTbsaError, in_words

FAILED, LOG, END = "problem", "log", "end"
"""What is told besides the kinds of :mod:`.after_scan`."""

GRACE = 10.0
"""Seconds that a process lives on where nobody is left to end it."""


class Messages:
    """Tells the process that started this one; a ``Tell`` of :mod:`.after_scan`."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.stage: object = "starting"

    def __call__(self, kind: str, value: object) -> None:
        """Send one message, whole."""
        if kind == "stage":
            self.stage = value
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
        tell(LOG, traceback.format_exc())
        expected = isinstance(error, GarakTbsaError)
        where = "" if expected else f" while {tell.stage}"
        tell(FAILED, in_words(error) + where)
    tell(END, None)


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
