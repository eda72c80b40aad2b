# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A command with its input files, run in this process, and what it did."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garak_tbsa.cli.main import main

FOLDER = Path(__file__).parent / "cases"


@dataclass(frozen=True, kw_only=True)
class Case:
    """Arguments of ``garak-tbsa``, and the files that are there when it starts.

    Outputs begin with ``out``.
    """

    argv: tuple[str, ...]
    files: Mapping[str, bytes]

    def __repr__(self) -> str:
        """As a file of ``tests/fuzz/cases`` has it."""
        files = {name: _as_json(content) for name, content in self.files.items()}
        return json.dumps({"argv": self.argv, "files": files})


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a command did: exit code, texts, new files, and inputs that changed."""

    code: int
    out: str
    err: str
    written: Mapping[str, bytes]
    changed: tuple[str, ...] = ()


def run(case: Case) -> Outcome:
    """Run a case in a folder of its own; an exception of the product comes out."""
    streams = [
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in "oe"
    ]
    with tempfile.TemporaryDirectory() as name, _inside(name):
        folder = Path(name)
        for file, content in case.files.items():
            (folder / file).write_bytes(content)
        before = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = streams
        try:
            code = main(list(case.argv))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        finally:
            sys.stdout, sys.stderr = before
        out, err = map(_text, streams)
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
    return Outcome(
        code=code,
        out=out,
        err=err,
        written={file: found[file] for file in found if file not in case.files},
        changed=tuple(f for f, text in case.files.items() if found.get(f) != text),
    )


def kept_cases() -> dict[str, Case]:
    """Return every case that once failed, by its name."""
    found = {}
    for path in sorted(FOLDER.glob("*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        files = {name: _as_bytes(content) for name, content in raw["files"].items()}
        found[path.stem] = Case(argv=tuple(raw["argv"]), files=files)
    return found


def _as_json(data: bytes) -> Any:
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _as_bytes(data: Any) -> bytes:
    if isinstance(data, str):
        return data.encode("ascii")
    return base64.b64decode(data["base64"])


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()
