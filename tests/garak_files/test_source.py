# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Bytes of a report: every form it comes in, and every way it can be broken."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files import source as module
from garak_tbsa.garak_files.source import Source, open_source

LINES = b"one\n\n  \ntwo\r\nthree"
NUMBERED = [(1, b"one\n"), (4, b"two\r\n"), (5, b"three")]


def written(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


def lines_of(name: str) -> list[tuple[int, bytes]]:
    with open_source(name) as source:
        return list(source.lines())


def in_memory(content: bytes) -> Source:
    return Source("memory", io.BytesIO(content), seekable=True)


def gzipped(content: bytes) -> bytes:
    """The same bytes at any time: they name tests."""
    return gzip.compress(content, mtime=0)


def zstd_frames(*parts: bytes) -> bytes:
    return b"".join(zstandard.ZstdCompressor().compress(part) for part in parts)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.jsonl", LINES),
        ("with-mark.jsonl", b"\xef\xbb\xbf" + LINES),
        ("packed.jsonl.gz", gzipped(LINES)),
        ("two-members.gz", gzipped(LINES[:7]) + gzipped(LINES[7:])),
        ("packed.jsonl.zst", zstd_frames(LINES)),
        ("two-frames.zst", zstd_frames(LINES[:7], LINES[7:])),
        ("packed-without-ending", gzipped(b"\xef\xbb\xbf" + LINES)),
    ],
)
def test_every_form_gives_the_same_lines(
    tmp_path: Path, name: str, content: bytes
) -> None:
    assert lines_of(written(tmp_path / name, content)) == NUMBERED


def test_large_compressed_blocks_are_handed_on_in_pieces(tmp_path: Path) -> None:
    content = b"".join(b"%d\n" % number for number in range(300_000))
    name = written(tmp_path / "large.zst", zstd_frames(content))
    assert b"".join(line for _, line in lines_of(name)) == content


@pytest.mark.parametrize("packed", [LINES, gzipped(LINES), zstd_frames(LINES)])
def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, packed: bytes) -> None:
    reading, writing = os.pipe()

    def write() -> None:
        os.write(writing, packed)
        os.close(writing)

    threading.Thread(target=write).start()
    with open(reading, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert lines_of("-") == NUMBERED
        with pytest.raises(
            ReportError, match="closed or was read before; give it once"
        ):
            open_source("-")


@pytest.mark.parametrize("is_buffered", [False, True])
def test_standard_input_from_a_file_is_read_from_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_buffered: bool
) -> None:
    with open(written(tmp_path / "a.jsonl", LINES), "rb") as file:
        if is_buffered:
            file.peek(1)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        assert lines_of("-") == NUMBERED


def test_what_a_file_is_packed_with_is_told_by_four_bytes(tmp_path: Path) -> None:
    """A megabyte, which the buffer holds, takes as long to read as a digest."""
    path = written(tmp_path / "a.jsonl", LINES * 1000)
    with open_source(path) as source:
        assert os.lseek(source._handle.fileno(), 0, os.SEEK_CUR) <= 4
        assert next(iter(source.lines())) == NUMBERED[0]


def test_no_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ReportError, match="-: standard input is closed"):
        open_source("-")


@pytest.mark.parametrize(
    ("missing", "name", "message"),
    [
        (
            "fsspec",
            "s3://x/y",
            "paths with a scheme need fsspec, which is not installed",
        ),
        ("zstandard", "packed", "is compressed with Zstandard, and zstandard is not"),
    ],
)
def test_a_missing_library_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    missing: str,
    name: str,
    message: str,
) -> None:
    written(tmp_path / "packed", zstd_frames(LINES))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ReportError, match=message):
        open_source(name)


def test_a_file_that_opens_but_does_not_read_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_open_file", lambda _: Failing())
    with pytest.raises(ReportError, match=r"cannot be read \(Input/output error\)"):
        open_source("broken")


class Failing(io.RawIOBase):
    """A file on a disk that fails."""

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, *_: int) -> int:
        return 4

    def read(self, *_: int) -> bytes:
        raise OSError(5, "Input/output error")

    def readline(self, *_: int | None) -> bytes:
        raise KeyError("a backend's own error")


def test_failing_reads_are_told_with_the_line() -> None:
    source = Source("broken", Failing(), seekable=True)  # type: ignore[arg-type]
    with pytest.raises(ReportError) as caught:
        source.last_line()
    assert str(caught.value) == (
        "broken: cannot be read further (Input/output error);"
        " compress or copy the report again"
    )
    with pytest.raises(ReportError, match="broken, line 1: cannot be read further"):
        list(source.lines())


@pytest.mark.parametrize("ending", ["gz", "zst"])
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_compressed_file_is_told(
    tmp_path: Path, ending: str, damage: str
) -> None:
    content = b"".join(os.urandom(40).hex().encode() + b"\n" for _ in range(3000))
    packed = gzipped(content) if ending == "gz" else zstd_frames(content)
    middle = len(packed) // 2
    if damage == "cut":
        packed = packed[:middle]
    else:
        packed = packed[:middle] + b"\xff" * 64 + packed[middle + 64 :]
    name = written(tmp_path / f"damaged.{ending}", packed)
    with pytest.raises(ReportError) as caught:
        lines_of(name)
    assert "the compressed file is damaged or ends before its end; compress" in str(
        caught.value
    )
    assert caught.value.line is not None


@pytest.mark.parametrize(
    ("content", "last", "before"),
    [
        (b"", b"", b""),
        (b"\n \n", b"", b""),
        (b"only", b"only", b""),
        (b"\xef\xbb\xbfonly\n", b"only", b""),
        (b"a\nb", b"b", b"a\n"),
        (b"a\r\nb\r\n\r\n", b"b", b"a\r\n"),
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
    content = b"\n".join(lines) + blank
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FIRST_BLOCK", block)
        patch.setattr(module, "LARGEST_BLOCK", 4 * block)
        last, _ = in_memory(content).last_line()
    forward = [line for line in content.split(b"\n") if line.strip()]
    expected = forward[-1].rstrip() if forward else b""
    assert last == expected.removeprefix(b"\xef\xbb\xbf")


def test_what_stands_before_is_bounded() -> None:
    last, before = in_memory(b"x" * 10_000 + b"\nlast").last_line()
    assert last == b"last"
    assert before == b"x" * 4095 + b"\n"


def test_the_first_line_is_given_up_to_a_limit() -> None:
    assert in_memory(b"\xef\xbb\xbf{}\nb").first_line() == b"{}\n"
    assert in_memory(b"{}").first_line() == b"{}"
    assert in_memory(b"x" * module.PIECE).first_line() == b""
    with pytest.raises(ReportError, match="cannot be read further"):
        Source("broken", Failing(), seekable=True).first_line()  # type: ignore[arg-type]


def test_the_whole_is_given_up_to_a_limit() -> None:
    assert in_memory(b"12345").whole(5) == b"12345"
    assert in_memory(b"123456").whole(5) is None
    assert Source("pipe", io.BytesIO(b"1"), seekable=False).whole(5) is None
