# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A command in a real pseudo-terminal, and what it sends there."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence

# pytest-xdist sets COLUMNS, which goes before a terminal's own size
SIZES = ("COLUMNS", "LINES")


class PseudoTerminal:
    """``garak-tbsa``, or another program, in a terminal of its own.

    Attributes
    ----------
    raw : bytes
        All that the terminal was sent, once the command has ended.
    """

    def __init__(
        self,
        *arguments: str,
        rows: int = 24,
        columns: int = 80,
        program: Sequence[str] = (sys.executable, "-m", "garak_tbsa"),
    ) -> None:
        self.raw = b""
        self._master, slave = pty.openpty()
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        kept = {name: each for name, each in os.environ.items() if name not in SIZES}
        self.process = subprocess.Popen(
            [*program, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env=kept | {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"},
        )
        os.close(slave)

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def end(self) -> int:
        """Read until the command is done, and return its exit code."""
        while True:
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:  # the other end is closed
                return self.process.wait()
            self.raw += data
