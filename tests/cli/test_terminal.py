# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The one way to a terminal: nothing it would obey, nothing it cannot show."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.safe_text import printable
from garak_tbsa.terminal import (
    ASCII_FORMS,
    encodable,
    write_error,
    write_line,
    write_lines,
)
from tests.behaviour.product import GOLD, tbsa

REPORT = str(GOLD / "garak-0.17.1.report.jsonl")
REPORTS = sorted(GOLD.glob("*.report.jsonl"))


def is_harmless(char: str) -> bool:
    """Neither control (Cc) nor format (Cf) nor surrogate nor line separator."""
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn")


@given(text=st.text(st.characters(), max_size=30))
def test_nothing_that_a_terminal_obeys_is_printed(text: str) -> None:
    """Text from a report never reaches the terminal with control characters."""
    shown = printable(text)
    assert all(is_harmless(char) or char in "\n\ufe0f" for char in shown)
    if all(is_harmless(char) or char == "\n" for char in text):
        assert shown == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("⚠️ \x1b[2J", "⚠️ \\x1b[2J"),
        ("a\rb\tc\x07", r"a\rb\tc\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202etxt.exe", r"\u202etxt.exe"),
        ("\ud800", r"\ud800"),
        ("\u2028", r"\u2028"),
        ("⚠️ é 漢 \ufffd", "⚠️ é 漢 \ufffd"),
        # GitHub Actions takes lines that begin with :: for commands
        ("::error::x", r"\x3a:error::x"),
        ("a\n  ::set-env name=x::y", "a\n  \\x3a:set-env name=x::y"),
        ("a ::b", "a ::b"),
        ("x ##[add-mask]1 ##vso[task]", r"x \x23#[add-mask]1 \x23#vso[task]"),
    ],
)
def test_what_a_terminal_or_a_build_would_obey_is_made_visible(
    text: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_line(text)
    assert capsys.readouterr().out == f"{shown}\n"
    write_lines(["one", text.replace("\n", "\r"), "two\nthree"])
    first, second, third = capsys.readouterr().out.splitlines()
    assert (first, third) == ("one", "two\\nthree")
    assert not second.startswith("::")


def test_an_error_is_one_line_and_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However wide a terminal stdout is."""
    monkeypatch.setattr("garak_tbsa.terminal.terminal_width", lambda: 12)
    write_error("a\nb\x1b[0m\r\n c")
    assert capsys.readouterr().err == "garak-tbsa: a b\\x1b[0m c\n"
    write_error(f"start {'x' * 200_000} what to do")
    err = capsys.readouterr().err
    assert len(err) < 1100
    assert err.startswith("garak-tbsa: start x")
    assert err.endswith("x what to do\n")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "cp932", "latin-1"])
@given(text=st.text(max_size=20))
def test_any_text_fits_any_encoding(encoding: str, text: str) -> None:
    """A terminal that cannot encode the symbols gets ASCII, not an exception."""
    encodable(text, encoding).encode(encoding)


def test_our_own_symbols_have_readable_ascii_forms() -> None:
    assert encodable("🟦 TBSA ─ ⚠️ é", "ascii") == r"[5] TBSA - ! \xe9"
    assert encodable("🟦 é", "cp1252") == "[5] é"
    assert all(form.isascii() for form in ASCII_FORMS.values())
    for report in (REPORT, GOLD / "cut-short.report.jsonl"):
        for command in (
            ("score", "-v", "--explain-checksum", "--fail-under", "5", report),
            ("explain", "--all", report),
        ):
            shown = tbsa(*command, encoding="ascii").out
            assert "TBSA" in shown
            assert "\\u" not in shown.lower()
    assert "TBSA" in tbsa("score", *REPORTS, encoding="ascii").out


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16"])
def test_the_score_prints_in_any_encoding(encoding: str) -> None:
    shown = tbsa("score", REPORT, encoding=encoding)
    assert (shown.code, shown.err) == (0, "")
    assert "TBSA: 4.1" in shown.out


def test_a_hostile_path_is_shown_as_text(tmp_path: Path) -> None:
    name = tmp_path / "a\x1b[31m\nb.report.jsonl"
    name.write_bytes(Path(REPORT).read_bytes())
    shown = tbsa("score", "-v", name)
    assert shown.code == 0
    assert "\x1b" not in shown.out
    assert r"a\x1b[31m\nb.report.jsonl" in shown.out
    shown = tbsa("score", f"{name}.gone")
    assert shown.code == 1
    assert "\x1b" not in shown.error


@contextmanager
def full_disk() -> Iterator[IO[bytes]]:
    with open("/dev/full", "wb") as full:
        yield full


@contextmanager
def closed_pipe() -> Iterator[IO[bytes]]:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as pipe:
        yield pipe


LOST = (
    b"garak-tbsa: standard output: cannot be written (No space left on device);"
    b" the result is lost, make room or write elsewhere\n"
)


def score(*arguments: str, **streams: IO[bytes]) -> tuple[int, bytes, bytes]:
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    done = subprocess.run(
        [sys.executable, "-m", "garak_tbsa", "score", *arguments],
        check=False,
        **given,  # type: ignore[call-overload]
    )
    return done.returncode, done.stdout or b"", done.stderr or b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_stream_that_cannot_be_written_changes_no_exit_code_for_the_better() -> None:
    """``garak-tbsa ... | head`` must not let a failed gate pass."""
    with ExitStack() as stack:
        full, pipe = (stack.enter_context(each()) for each in (full_disk, closed_pipe))
        assert score("--fail-under", "5", REPORT, stdout=pipe) == (3, b"", b"")
        assert score(REPORT, stdout=full) == (1, b"", LOST)
        for unwritable in (full, pipe):
            # what there is to say of the good report is said
            code, out, _ = score(REPORT, "missing.report.jsonl", stderr=unwritable)
            assert (code, b"4.1" in out) == (1, True)


def test_streams_that_were_closed_are_done_without(tmp_path: Path) -> None:
    output = tmp_path / "out.json"
    for arguments, code in ((f"-j {output} {REPORT}", 0), ("missing", 1)):
        closing = f"exec {sys.executable} -m garak_tbsa score {arguments} >&- 2>&-"
        assert subprocess.run(["sh", "-c", closing], check=False).returncode == code
    assert output.exists()


class Unwritable(io.StringIO):
    """A stream of its own that fails."""

    encoding = "utf-8"

    def write(self, _: str) -> int:
        raise OSError(5, "Input/output error")


def test_a_failing_error_stream_is_borne(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", Unwritable())
    write_error("nobody reads this")
    write_line("nor this")
