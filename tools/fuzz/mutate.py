# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile values, and changes to JSON rows and bytes."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import zstandard

MARK = "fuzz7"
"""In every hostile text, so that a page can be searched for it."""

HUGE_INTEGER = f"@raw-{MARK}-digits"
BEYOND_FLOATS = f"@raw-{MARK}-beyond"
DEEP_LIST = f"@raw-{MARK}-list"
DEEP_OBJECT = f"@raw-{MARK}-object"
RAW = {
    HUGE_INTEGER: "9" * 5000,
    BEYOND_FLOATS: "1e400",
    DEEP_LIST: "[" * 3000 + "]" * 3000,
    DEEP_OBJECT: '{"a":' * 3000 + "1" + "}" * 3000,
}
"""JSON that Python would not write, put in place of these words."""

TEXTS = (
    "",
    " ",
    "n/a",
    "1",
    "0.5",
    "null",
    f"<{MARK} src=x onerror=alert(1)>",
    f"</script></style></title>--><{MARK}>",
    f"@{MARK} #17 [x](http://{MARK}.example) ![i](http://{MARK}.example/i.png)",
    f"www.{MARK}.example https://{MARK}.example {MARK}@example.org",
    f"::error file={MARK}::x",
    f"\n::error::{MARK}",
    f"javascript:{MARK}",
    f"{{{{{MARK}}}}}{{%{MARK}%}}",
    f"| {MARK} | `x` | **b** | <!-- {MARK}",
    f"=cmd|'/c {MARK}'!A1",
    "\x1b]0;title\x07\x1b[2J",
    "\u202egnp.exe",
    "\ud800",
    "a\udfffb",
    "\x00",
    "line\nbreak",
    "carriage\r\nreturn",
    "\u2028\u2029\x85\x0b\x0c",
    "\ufeff",
    "]]>",
    "%s %d %n {0} {name}",
    "../../etc/passwd",
    "e\u0301" * 50,
)
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    -1,
    2**31,
    2**63,
    10**400,
    -(10**400),
    400_000_001,
    1e308,
    -1e308,
    5e-324,
    -0.0,
    float("nan"),
    float("inf"),
    float("-inf"),
    0.1 + 0.2,
    1.0000001,
    BEYOND_FLOATS,
    HUGE_INTEGER,
    [],
    {},
    [[]],
    [None],
    {"a": None},
    {"": ""},
    [1, "2", {"3": 4}],
)
NAMES_OF_CLASSES = ("dan.DAN", "probes.dan.DAN", "a.b.c", "x", ".", "dan/DAN+x", "é.Ü")
LFS_POINTER = (
    b"version https://git-lfs.github.com/spec/v1\noid sha256:"
    + b"0" * 64
    + b"\nsize 12345\n"
)

Json = Any
Parent = dict[str, Any] | list[Any]


def hostile(rng: random.Random) -> Json:
    """Return a value that a reader may not expect."""
    draw = rng.random()
    if draw < 0.45:
        # a change inside it must not reach the next case
        return deepcopy(rng.choice(ODD))
    if draw < 0.85:
        return rng.choice(TEXTS)
    if draw < 0.9:
        return rng.choice((DEEP_LIST, DEEP_OBJECT))
    if draw < 0.93:
        return "A" * rng.choice((600, 5_000, 1_000_000))
    return rng.choice((rng.randint(-3, 400), rng.random(), rng.uniform(-4, 4)))


def places(value: Json, found: list[tuple[Parent, Any]]) -> None:
    """Add each (parent, key) below a JSON value to ``found``."""
    keys: Any = ()
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = range(len(value))
    for key in keys:
        found.append((value, key))
        places(value[key], found)


def change_somewhere(root: Json, rng: random.Random) -> None:
    """Make one structural change at a random place below ``root``."""
    found: list[tuple[Parent, Any]] = []
    places(root, found)
    if found:
        parent, key = rng.choice(found)
        rng.choice(CHANGES)(parent, key, rng)


def _replace(parent: Any, key: Any, rng: random.Random) -> None:
    parent[key] = hostile(rng)


def _drop(parent: Any, key: Any, rng: random.Random) -> None:
    del parent[key]


def _rename(parent: Any, key: Any, rng: random.Random) -> None:
    if isinstance(parent, dict):
        new = rng.choice((*TEXTS, *NAMES_OF_CLASSES, str(key).upper(), f"{key} "))
        parent[new] = parent.pop(key)


def _retype(parent: Any, key: Any, rng: random.Random) -> None:
    value = parent[key]
    forms: tuple[Callable[[Any], Any], ...] = (
        lambda old: [old],
        lambda old: {"value": old},
        lambda old: str(old)[:100],
        lambda old: bool(old),
        lambda old: float(old) if isinstance(old, int) and abs(old) < 10**9 else old,
        lambda old: json.dumps(old)[:1000],
    )
    parent[key] = rng.choice(forms)(value)


def _swap(parent: Any, key: Any, rng: random.Random) -> None:
    other = rng.choice(list(parent) if isinstance(parent, dict) else range(len(parent)))
    parent[key], parent[other] = parent[other], parent[key]


def _duplicate(parent: Any, key: Any, rng: random.Random) -> None:
    if isinstance(parent, list):
        parent.append(deepcopy(parent[key]))
    else:
        parent[f"{key}{rng.choice(('2', '.', ' ', ''))}"] = deepcopy(parent[key])


CHANGES = (_replace, _replace, _replace, _drop, _rename, _retype, _swap, _duplicate)


def to_line(row: Json, rng: random.Random) -> bytes:
    """Write a row as one line, now and then as garak would not."""
    if isinstance(row, dict) and rng.random() < 0.05:
        keys = list(row)
        rng.shuffle(keys)
        row = {key: row[key] for key in keys}
    separators = (", ", ": ") if rng.random() < 0.9 else rng.choice(SEPARATORS)
    text = json.dumps(row, ensure_ascii=rng.random() < 0.9, separators=separators)
    for word, raw in RAW.items():
        text = text.replace(f'"{word}"', raw)
    if isinstance(row, dict) and row and rng.random() < 0.001:
        values: tuple[Any, ...] = (1, None, "x", [])
        key, value = rng.choice(list(row)), rng.choice(values)
        text = f"{{{json.dumps(key)}: {json.dumps(value)}, {text[1:]}"
    if rng.random() < 0.02:
        text = text.replace("a", "\\u0061", rng.randint(1, 20))
    return text.encode("utf-8", "surrogatepass")


SEPARATORS = ((",", ":"), (" , ", " : "), (",\t", ":\t"), (",\r", ": "))


def change_bytes(content: bytes, rng: random.Random) -> bytes:
    """Change a file's bytes as a bad disk or a careless copy would."""
    return rng.choice(BYTE_CHANGES)(content, rng)


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randint(0, len(content))]


def _cut_start(content: bytes, rng: random.Random) -> bytes:
    return content[rng.randint(0, len(content)) :]


def _flip(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.randint(1, 8)):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _insert(content: bytes, rng: random.Random) -> bytes:
    place = rng.randint(0, len(content))
    pieces = (b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\n", b"\r", b"{", b"}", b"\x1b[2J")
    return content[:place] + rng.choice(pieces) + content[place:]


def _drop_bytes(content: bytes, rng: random.Random) -> bytes:
    place = rng.randint(0, len(content))
    return content[:place] + content[place + rng.randint(1, 300) :]


def _gzip(content: bytes, rng: random.Random) -> bytes:
    return gzip.compress(content, 1, mtime=0)


def _zstd(content: bytes, rng: random.Random) -> bytes:
    packer = zstandard.ZstdCompressor(level=1)
    half = rng.randint(0, len(content))
    if rng.random() < 0.5:
        return packer.compress(content)
    return packer.compress(content[:half]) + packer.compress(content[half:])


def _damaged(content: bytes, rng: random.Random) -> bytes:
    packed = rng.choice((_gzip, _zstd))(content, rng)
    return rng.choice((_cut, _flip, _insert, _drop_bytes))(packed, rng)


BYTE_CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _cut,
    _cut,
    _cut_start,
    _flip,
    _flip,
    _insert,
    _drop_bytes,
    _gzip,
    _zstd,
    _damaged,
    _damaged,
    lambda content, rng: b"",
    lambda content, rng: b"\n \n\t\n",
    lambda content, rng: LFS_POINTER,
    lambda content, rng: b"\xef\xbb\xbf" + content,
    lambda content, rng: (
        b"\xff\xfe" + content.decode("utf-8", "replace").encode("utf-16-le")
    ),
    lambda content, rng: content.replace(b"\n", b"\r\n"),
    lambda content, rng: content.replace(b"\n", b"\n\n"),
    lambda content, rng: content.rstrip(b"\n"),
    lambda content, rng: content + content,
    lambda content, rng: content + b"\0" * rng.randint(1, 5000),
    lambda content, rng: b"<html><body>" + content,
    lambda content, rng: b"[" + content.replace(b"\n", b",") + b"]",
    lambda content, rng: _gzip(_gzip(content, rng), rng),
)
