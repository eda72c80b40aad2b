# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A command with its input files, run in this process, and what it did."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.behaviour.product import tbsa

FOLDER = Path(__file__).parent / "cases"


@dataclass(frozen=True, kw_only=True)
class Case:
    """Arguments of ``garak-tbsa``, and the files that are there when it starts.

    Outputs begin with ``out``.
    """

    argv: tuple[str, ...]
    files: Mapping[str, bytes]

    def __repr__(self) -> str:
        """As a file of ``tests/fuzz/cases`` has it: each byte is a character."""
        files = {name: data.decode("latin-1") for name, data in self.files.items()}
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
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        patch.chdir(folder)
        for file, content in case.files.items():
            (folder / file).write_bytes(content)
        shown = tbsa(*case.argv)
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
    return Outcome(
        code=shown.code,
        out=shown.out,
        err=shown.err,
        written={file: found[file] for file in found if file not in case.files},
        changed=tuple(f for f, text in case.files.items() if found.get(f) != text),
    )


def kept_cases() -> dict[str, Case]:
    """Return every case that once failed, by its name."""
    found = {}
    for path in sorted(FOLDER.glob("*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        files = {name: text.encode("latin-1") for name, text in raw["files"].items()}
        found[path.stem] = Case(argv=tuple(raw["argv"]), files=files)
    return found
