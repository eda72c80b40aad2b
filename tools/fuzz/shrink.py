# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Make a failing case smaller while it fails in the same way."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tools.fuzz.case import Case
from tools.fuzz.mutate import places

SECONDS = 10.0
SHORT = 8


def shrunk(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Drop lines, then keys, as long as the case still fails.

    Parameters
    ----------
    case : Case
        One that fails.
    fails : callable
        Whether another case fails in the same way.
    """
    deadline = time.monotonic() + SECONDS
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(case):
            if time.monotonic() > deadline:
                return case
            if smaller.size < case.size and fails(smaller):
                case, changed = smaller, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """Yield cases with less in them, those with much less first."""
    for name, content in case.files.items():
        for less in (*_fewer_lines(content), *_fewer_keys(content)):
            yield replace(case, files={**case.files, name: less})


def _fewer_lines(content: bytes) -> Iterator[bytes]:
    lines = content.split(b"\n")
    size = len(lines) // 2
    while size:
        for start in range(0, len(lines), size):
            yield b"\n".join(lines[:start] + lines[start + size :])
        size //= 2


def _fewer_keys(content: bytes) -> Iterator[bytes]:
    lines = content.split(b"\n")
    for number, line in enumerate(lines):
        for shorter in _shorter_lines(line):
            yield b"\n".join([*lines[:number], shorter, *lines[number + 1 :]])


def _shorter_lines(line: bytes) -> Iterator[bytes]:
    """Yield a JSON line without one of its values, or with a shorter text."""
    for number in range(_count(line)):
        root, (parent, key) = _opened(line, number)
        del parent[key]
        yield json.dumps(root).encode()
    for number in range(_count(line)):
        root, (parent, key) = _opened(line, number)
        if isinstance(parent[key], str) and len(parent[key]) > SHORT:
            parent[key] = parent[key][: len(parent[key]) // 2]
            yield json.dumps(root).encode()


def _count(line: bytes) -> int:
    try:
        found: list[tuple[Any, Any]] = []
        places(json.loads(line), found)
    except (ValueError, RecursionError):
        return 0
    return len(found)


def _opened(line: bytes, number: int) -> tuple[Any, tuple[Any, Any]]:
    """Parse a line and return it with one of its places."""
    root = json.loads(line)
    found: list[tuple[Any, Any]] = []
    places(root, found)
    return root, found[number]
