# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A command in a real pseudo-terminal, whose screen a test reads."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

import pyte

PATIENCE = 20.0
QUIET = 0.05


class PseudoTerminal:
    """``garak-tbsa``, or another program, in a terminal of its own.

    Attributes
    ----------
    raw : bytes
        All that the terminal was sent.
    """

    def __init__(
        self,
        *arguments: str,
        rows: int = 24,
        columns: int = 80,
        environment: Mapping[str, str] | None = None,
        folder: str | os.PathLike[str] | None = None,
        program: Sequence[str] = (sys.executable, "-m", "garak_tbsa"),
    ) -> None:
        self.raw = b""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._master, slave = pty.openpty()
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        self.process = subprocess.Popen(
            [*program, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            cwd=folder,
            env={
                # pytest-xdist sets COLUMNS, which goes before a terminal's own size
                **{
                    k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")
                },
                "TERM": "xterm-256color",
                "PYTHONIOENCODING": "utf-8",
                **(environment or {}),
            },
        )
        os.close(slave)

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.hang_up()

    @property
    def text(self) -> str:
        """The screen as it is now, without blanks at the ends of lines."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def wait_for(self, text: str, *, quiet: bool = True) -> str:
        """Return the screen when it shows a text and, if ``quiet``, is wholly drawn."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            is_quiet = not self._read()
            if (is_quiet or not quiet) and text in self.text:
                return self.text
            if is_quiet and self.process.poll() is not None:
                break
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text}")

    def press(self, keys: str) -> None:
        """Send keys."""
        os.write(self._master, keys.encode())

    def answer(self, key: str, labelled: int) -> str:
        """Press a key, and wait until as many outputs are labelled."""
        self.press(key)
        return self.wait_for(f" {labelled} labelled")

    def end(self) -> int:
        """Wait until the command is done, and return its exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self._read()
        while self._read():
            pass
        return self.process.wait(timeout=1)

    def kill(self, number: int = signal.SIGKILL) -> int:
        """End the process by a signal."""
        self.process.send_signal(number)
        return self.end()

    def hang_up(self) -> None:
        """Close the terminal, as when a window is closed."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def resize(self, rows: int, columns: int) -> None:
        """Give the terminal another size."""
        self._screen.resize(rows, columns)
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)
        self.process.send_signal(signal.SIGWINCH)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], QUIET)
        if not ready:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # the other end is closed
            return False
        self.raw += data
        self._stream.feed(data)
        return bool(data)
