# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Hypothesis draws hostile values, changed JSON and damaged files."""

from __future__ import annotations

import gzip
import json
from copy import deepcopy
from typing import Any

import zstandard
from hypothesis import strategies as st

MARK = "fuzz7"
"""In every hostile text, so that a document can be searched for it."""

RAW = {
    f"@{MARK}-digits": "9" * 5000,
    f"@{MARK}-beyond": "1e400",
    f"@{MARK}-list": "[" * 3000 + "]" * 3000,
    f"@{MARK}-object": '{"a":' * 3000 + "1" + "}" * 3000,
}
"""JSON that Python would not write, put in place of these words."""

TEXTS = (
    *("", " ", "n/a", "1", "0.5", "null", "dan.DAN", "a.b.c", ".", "é.Ü", *RAW),
    f"<{MARK} src=x onerror=alert(1)>",
    f"</script></style></title>--><{MARK}>",
    f"@{MARK} #17 [x](http://{MARK}.example) ![i](http://{MARK}.example/i.png)",
    f"www.{MARK}.example https://{MARK}.example {MARK}@example.org",
    f"\n::error::{MARK}",
    f"{{{{{MARK}}}}}{{%{MARK}%}}",
    f"| {MARK} | `x` | **b** | <!-- {MARK}",
    f"=cmd|'/c {MARK}'!A1",
    *("\x1b]0;title\x07\x1b[2J", "\u202egnp.exe", "\ud800", "a\udfffb", "\x00"),
    *("line\nbreak", "carriage\r\nreturn", "\u2028\u2029\x85\x0b\x0c", "\ufeff"),
    *("]]>", "%s %d %n {0} {name}", "../../etc/passwd", "e\u0301" * 50, "A" * 100_000),
)
ODD: tuple[Any, ...] = (
    *(None, True, False, -1, 2**31, 2**63, 10**400, -(10**400), 400_000_001),
    *(1e308, -1e308, 5e-324, -0.0, float("nan"), float("inf"), 0.1 + 0.2, 1.0000001),
    *([], {}, [[]], [None], {"a": None}, {"": ""}, [1, "2", {"3": 4}]),
)
HOSTILE: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(TEXTS),
    st.sampled_from(ODD).map(deepcopy),
    st.integers(-3, 400),
    st.floats(-4, 4),
    st.text(max_size=20),
)
LFS_POINTER = (
    b"version https://git-lfs.github.com/spec/v1\noid sha256:"
    + b"0" * 64
    + b"\nsize 12345\n"
)


def change(draw: st.DrawFn, root: Any) -> None:
    """Change one place below a JSON value, in it."""
    parent = root
    while (
        keys := list(parent) if isinstance(parent, dict) else list(range(len(parent)))
    ):
        key = draw(st.sampled_from(keys))
        below = parent[key]
        if isinstance(below, (dict, list)) and below and draw(st.integers(0, 3)):
            parent = below
            continue
        how = draw(st.sampled_from(("put", "put", "drop", "double", "wrap", "text")))
        if how == "put":
            parent[key] = draw(HOSTILE)
        elif how == "drop":
            del parent[key]
        elif how == "wrap":
            parent[key] = draw(st.sampled_from(([below], {"value": below})))
        elif how == "text":
            parent[key] = str(below)[:1000]
        elif isinstance(parent, dict):
            parent[str(draw(HOSTILE))] = deepcopy(below)
        else:
            parent.append(deepcopy(below))
        return


def to_line(row: Any) -> bytes:
    """Write a row as one line."""
    text = json.dumps(row)
    for word, raw in RAW.items():
        text = text.replace(f'"{word}"', raw)
    return text.encode("utf-8", "surrogatepass")


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """Change a file's bytes as a bad disk or a careless copy would, most often not."""
    for _ in range(draw(st.sampled_from((0, 0, 0, 0, 1, 1, 2)))):
        at = draw(st.integers(0, len(content)))
        piece = draw(st.binary(max_size=4))
        content = draw(
            st.sampled_from(
                (
                    content[:at],
                    content[at:],
                    content[:at] + piece + content[at:],
                    content[:at] + piece + content[at + len(piece) :],
                    content[:at] + content[at + 100 :],
                    gzip.compress(content, 1, mtime=0),
                    zstandard.compress(content[:at]) + zstandard.compress(content[at:]),
                    gzip.compress(content, 1, mtime=0)[:at],
                    *(b"", b"\n \n\t\n", LFS_POINTER, b"\xef\xbb\xbf" + content),
                    b"\xff\xfe"
                    + content.decode("utf-8", "replace").encode("utf-16-le"),
                    content.replace(b"\n", b"\r\n"),
                    content + content,
                    content + b"\0" * 99,
                    b"[" + content.replace(b"\n", b",") + b"]",
                )
            )
        )
    return content
