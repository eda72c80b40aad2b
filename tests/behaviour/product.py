# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The product as users start it: by its entry points here, or in a process."""

from __future__ import annotations

import importlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

REPOSITORY = Path(__file__).parents[2]
GOLD = REPOSITORY / "tests" / "gold"
PROGRAM = "garak-tbsa"


class Shown(NamedTuple):
    """What a command showed: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Lines of stdout."""
        return self.out.splitlines()

    @property
    def error(self) -> str:
        """The one line on stderr of a command that could not do what it should."""
        assert self.out == "", self.out
        (line,) = self.err.splitlines()
        return line


def tbsa(
    *arguments: object,
    stdin: bytes = b"",
    together: bool = False,
    encoding: str = "utf-8",
) -> Shown:
    """Run ``garak-tbsa`` in this process, by the entry point that pip makes it from.

    Parameters
    ----------
    together : bool
        Whether stderr is shown with stdout, in the order in which they are written.
    encoding : str
        Of both; what it does not have raises UnicodeEncodeError.
    """
    return shown_by(program(), arguments, stdin, together=together, encoding=encoding)


@cache
def program() -> Callable[[list[str]], int | None]:
    """Return what pip makes the program from."""
    (entry,) = entry_points(group="console_scripts", name=PROGRAM)
    main: Callable[[list[str]], int | None] = entry.load()
    return main


def analyze(*arguments: object, stdin: bytes = b"") -> Shown:
    """Run ``python -m garak.analyze.tbsa`` in this process."""
    return shown_by(
        importlib.import_module("garak.analyze.tbsa").main, arguments, stdin
    )


def python(
    *arguments: object, folder: Path, settings: dict[str, str] | None = None
) -> Shown:
    """Run a Python of its own in a folder; ``settings`` are environment variables."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"} | (settings or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return Shown(code=done.returncode, out=done.stdout, err=done.stderr)


def document(folder: Path, *arguments: object, code: int = 0) -> Any:
    """Run a command of ``garak-tbsa`` that writes JSON with ``-j``, and return that."""
    path = folder / "document.json"
    shown = tbsa(*arguments, "-j", path)
    assert shown.code == code, shown
    return json_of(path)


def json_of(path: Path) -> Any:
    """Return what is in a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def rows_of(path: Path) -> list[Any]:
    """Return the rows of a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def shown_by(
    main: Callable[[list[str]], int | None],
    arguments: tuple[object, ...],
    stdin: bytes = b"",
    *,
    together: bool = False,
    encoding: str = "utf-8",
) -> Shown:
    """Run a program's ``main`` in this process."""
    out, other = (io.TextIOWrapper(io.BytesIO(), encoding) for _ in range(2))
    err = out if together else other
    given = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    with patch.object(sys, "stdin", given), redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([str(argument) for argument in arguments]) or 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return Shown(code=code, out=_text(out), err=_text(other))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode(stream.encoding)
