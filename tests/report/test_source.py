# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Bytes of a report: every form it comes in, and every way it can be broken."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa import GarakTbsaError
from garak_tbsa.errors import ReportError
from garak_tbsa.report import opening as module
from garak_tbsa.report.opening import Source, open_source

LINES = b"one\n\n  \ntwo\r\nthree"
NUMBERED = [(1, b"one\n"), (4, b"two\r\n"), (5, b"three")]


def written(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


def lines_of(name: str) -> list[tuple[int, bytes]]:
    with open_source(name) as source:
        return list(source.lines())


def in_memory(content: bytes) -> Source:
    return Source("memory", io.BufferedReader(io.BytesIO(content)))


def gzipped(content: bytes) -> bytes:
    """The same bytes at any time: they name tests."""
    return gzip.compress(content, mtime=0)


def zstd_frames(*parts: bytes) -> bytes:
    return b"".join(zstandard.ZstdCompressor().compress(part) for part in parts)


@pytest.mark.parametrize(
    "content",
    [
        LINES,
        b"\xef\xbb\xbf" + LINES,
        gzipped(LINES[:7]) + gzipped(LINES[7:]),
        zstd_frames(LINES[:7], LINES[7:]),
        gzipped(b"\xef\xbb\xbf" + LINES),
    ],
    ids=["plain", "mark", "gzip members", "zstd frames", "packed mark"],
)
def test_every_form_gives_the_same_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    """As a file and on standard input, a pipe or a file that was begun."""
    path = written(tmp_path / "a", content)
    assert lines_of(path) == NUMBERED
    reading, writing = os.pipe()
    # a pipe holds more than this
    os.write(writing, content)
    os.close(writing)
    with open(reading, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert lines_of("-") == NUMBERED
        with pytest.raises(GarakTbsaError, match="was read before; give it once"):
            open_source("-")
    for is_begun in (False, True):
        with open(path, "rb") as file:
            if is_begun:
                file.peek(1)
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
            assert lines_of("-") == NUMBERED


def test_large_compressed_blocks_are_handed_on_in_pieces(tmp_path: Path) -> None:
    content = b"".join(b"%0100d\n" % number for number in range(20_000))
    name = written(tmp_path / "large.zst", zstd_frames(content))
    with open_source(name) as source:
        assert b"".join(line for _, line in source.lines()) == content


@pytest.mark.parametrize(
    ("missing", "name"), [("fsspec", "s3://x/y"), ("pyarrow", "packed")]
)
def test_a_missing_library_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, name: str
) -> None:
    written(tmp_path / "packed", zstd_frames(LINES))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(GarakTbsaError, match=f"cannot be .*{missing}"):
        lines_of(name)


@pytest.mark.parametrize("pack", [gzipped, zstd_frames])
@pytest.mark.parametrize("is_cut", [True, False])
def test_a_damaged_compressed_file_is_told(
    tmp_path: Path, pack: type[bytes], is_cut: bool
) -> None:
    content = b"".join(os.urandom(40).hex().encode() + b"\n" for _ in range(3000))
    packed = pack(content)
    middle = len(packed) // 2
    rest = b"" if is_cut else b"\xff" * 64 + packed[middle + 64 :]
    with pytest.raises(ReportError) as caught:
        lines_of(written(tmp_path / "damaged", packed[:middle] + rest))
    problem = "the compressed file is damaged or ends before its end"
    assert caught.value.problem == problem
    assert caught.value.line is not None


@pytest.mark.parametrize(
    ("content", "last", "before"),
    [
        (b"\n \n", b"", b""),
        (b"\xef\xbb\xbfonly\n", b"only", b""),
        (b"a\r\nb\r\n\r\n", b"b", b"a\r\n"),
        (b"x" * 10_000 + b"\nlast", b"last", b"x" * 4095 + b"\n"),
    ],
)
def test_the_last_line_is_found(content: bytes, last: bytes, before: bytes) -> None:
    assert in_memory(content).last_line() == (last, before)


@given(
    lines=st.lists(
        st.binary(max_size=300).filter(lambda b: b"\n" not in b), max_size=9
    ),
    blank=st.sampled_from([b"", b"\n", b"\n\n \r\n"]),
    block=st.sampled_from([1, 2, 7, 64]),
)
def test_looking_back_finds_what_reading_on_finds(
    lines: list[bytes], blank: bytes, block: int
) -> None:
    """Read back from the end in growing blocks to the last non-blank line."""
    content = b"\n".join(lines) + blank or b"\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FIRST_BLOCK", block)
        patch.setattr(module, "BEFORE_LAST_LINE", block)
        last, _ = in_memory(content).last_line()
    forward = [line for line in content.split(b"\n") if line.strip()]
    expected = forward[-1].rstrip() if forward else b""
    assert last == expected.removeprefix(b"\xef\xbb\xbf")
