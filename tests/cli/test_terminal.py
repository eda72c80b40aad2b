# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The one way to a terminal: nothing it would obey, nothing it cannot show."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

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
from tests.gold import FOLDER, gold_reports

REPORT = str(FOLDER / "garak-0.17.1.report.jsonl")
HOSTILE = str(FOLDER / "hostile-text.report.jsonl")


def run(
    *arguments: str, encoding: str = "utf-8", **options: Any
) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    # options that are not known let mypy take the overload for text
    return subprocess.run(  # type: ignore[return-value]
        [sys.executable, "-m", "garak_tbsa", *arguments],
        env=environment,
        check=False,
        **({"capture_output": True} | options),
    )


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
        ("\x1b[2J", r"\x1b[2J"),
        ("a\rb\tc\x07", r"a\rb\tc\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202etxt.exe", r"\u202etxt.exe"),
        ("\ud800", r"\ud800"),
        ("\u2028", r"\u2028"),
        ("⚠️ é 漢 \ufffd", "⚠️ é 漢 \ufffd"),
    ],
)
def test_what_is_not_printable_is_made_visible(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_line_break_inside_a_line_is_made_visible(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_lines(["one\ntwo", "three"])
    assert capsys.readouterr().out == "one\\ntwo\nthree\n"


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    write_error("a\nb\x1b[0m\r\n c")
    assert capsys.readouterr().err == "garak-tbsa: a b\\x1b[0m c\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "cp932", "latin-1"])
@given(text=st.text(max_size=20))
def test_any_text_fits_any_encoding(encoding: str, text: str) -> None:
    """A terminal that cannot encode the symbols gets ASCII, not an exception."""
    encodable(text, encoding).encode(encoding)


def test_our_own_symbols_have_readable_ascii_forms() -> None:
    assert encodable("🟦 TBSA ─ ⚠️ é", "ascii") == r"[5] TBSA - ! \xe9"
    assert encodable("🟦 é", "cp1252") == "[5] é"
    assert all(form.isascii() for form in ASCII_FORMS.values())


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "-v", "--explain-checksum", "--fail-under", "5"),
        ("explain", "--all"),
    ],
)
def test_every_symbol_that_we_print_has_an_ascii_form(
    arguments: tuple[str, ...],
) -> None:
    for report in (REPORT, str(FOLDER / "cut-short.report.jsonl")):
        shown = run(*arguments, report, encoding="ascii").stdout.decode("ascii")
        assert "TBSA" in shown
        assert "\\u" not in shown
        assert "\\U" not in shown


def test_several_reports_print_in_ascii() -> None:
    shown = run("score", *map(str, gold_reports()), encoding="ascii").stdout
    assert "TBSA" in shown.decode("ascii")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16"])
def test_the_score_prints_in_any_encoding(encoding: str) -> None:
    ended = run("score", REPORT, encoding=encoding)
    assert ended.returncode == 0
    assert ended.stderr == b""
    assert "TBSA: 4.1" in ended.stdout.decode(encoding)


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "-v", "--explain-checksum"),
        ("score", REPORT, "-v"),
        ("explain", "--all"),
        ("score", "--formula", "garak"),
    ],
)
def test_hostile_names_never_reach_the_terminal_raw(arguments: tuple[str, ...]) -> None:
    """Escape sequences, newlines, overrides in a report's names are shown as text."""
    shown = run(*arguments, HOSTILE).stdout.decode("utf-8")
    assert "TBSA" in shown
    assert all(is_harmless(char) or char in "\n\ufe0f" for char in shown)
    # the target's name holds a line that looks like ours
    assert not any(line.startswith("TBSA: 5.0") for line in shown.splitlines())


def test_a_hostile_path_is_shown_as_text(tmp_path: Path) -> None:
    name = tmp_path / "a\x1b[31m\nb.report.jsonl"
    name.write_bytes(Path(REPORT).read_bytes())
    ended = run("score", "-v", str(name))
    assert ended.returncode == 0
    assert b"\x1b" not in ended.stdout
    assert rb"a\x1b[31m\nb.report.jsonl" in ended.stdout
    ended = run("score", str(name) + ".gone")
    assert ended.returncode == 1
    assert b"\x1b" not in ended.stderr
    assert ended.stderr.count(b"\n") == 1


def test_a_closed_pipe_keeps_the_exit_code() -> None:
    """``garak-tbsa ... | head`` must not let a failed gate pass."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as stdout:
        ended = run(
            "score",
            "--fail-under",
            "5",
            REPORT,
            capture_output=False,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )
    assert (ended.returncode, ended.stderr) == (3, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_told() -> None:
    with open("/dev/full", "wb") as full:
        ended = run(
            "score", REPORT, capture_output=False, stdout=full, stderr=subprocess.PIPE
        )
    assert ended.returncode == 1
    assert ended.stderr.decode() == (
        "garak-tbsa: standard output: cannot be written (No space left on device);"
        " the result is lost, make room or write elsewhere\n"
    )


def test_streams_that_were_closed_are_done_without(tmp_path: Path) -> None:
    output = tmp_path / "out.json"
    closing = f"exec {sys.executable} -m garak_tbsa score -j {output} {REPORT} >&- 2>&-"
    assert subprocess.run(["sh", "-c", closing], check=False).returncode == 0
    assert output.exists()
    closing = f"exec {sys.executable} -m garak_tbsa score missing >&- 2>&-"
    assert subprocess.run(["sh", "-c", closing], check=False).returncode == 1


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


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_stderr_keeps_stdout() -> None:
    """``score good bad >out 2>/dev/full`` writes the good one's score."""
    with open("/dev/full", "wb") as full:
        ended = run(
            "score",
            REPORT,
            "missing.report.jsonl",
            capture_output=False,
            stdout=subprocess.PIPE,
            stderr=full,
        )
    assert ended.returncode == 1
    assert b"4.1" in ended.stdout


def test_a_closed_stderr_keeps_stdout() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as stderr:
        ended = run(
            "score",
            REPORT,
            "missing.report.jsonl",
            capture_output=False,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
    assert (ended.returncode, b"4.1" in ended.stdout) == (1, True)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", r"\x3a:error::x"),
        ("a\n  ::set-env name=x::y", "a\n  \\x3a:set-env name=x::y"),
        ("a ::b", "a ::b"),
        ("x ##[add-mask]1 ##vso[task]", r"x \x23#[add-mask]1 \x23#vso[task]"),
    ],
)
def test_a_build_obeys_no_text(
    text: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """GitHub Actions takes lines that begin with ``::`` for commands."""
    write_line(text)
    assert capsys.readouterr().out == f"{shown}\n"
    write_lines([text.replace("\n", "\r")])
    assert not capsys.readouterr().out.startswith("::")


def test_an_error_line_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    write_error(f"start {'x' * 200_000} what to do")
    err = capsys.readouterr().err
    assert len(err) < 1100
    assert err.startswith("garak-tbsa: start x")
    assert err.endswith("x what to do\n")
