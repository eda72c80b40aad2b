# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A line for work of more than two seconds, on a terminal, and for nothing else."""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from garak_tbsa import progress
from garak_tbsa.cli.main import guarded, main
from garak_tbsa.progress import with_progress
from garak_tbsa.report.opening import open_source
from garak_tbsa.terminal import columns, write_error
from tests.gold import FOLDER
from tests.pseudo_terminal import PseudoTerminal

ROOT = Path(__file__).parent.parent.parent
REPORT = FOLDER / "garak-0.17.1.report.jsonl"
DEMO = ROOT / "garak_tbsa" / "demo" / "before.report.jsonl.gz"
SCAN = "scan.report.jsonl"
BAR = r"\d+ % [█▏▎▍▌▋▊▉ ]+ \d\d:\d\d"


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def screen_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal on which the line is drawn at once.

    In the test's own call: capture changes it.
    """
    shown = Terminal()
    monkeypatch.setattr(progress, "PATIENCE", 0)
    monkeypatch.setattr("garak_tbsa.report.opening.PROGRESS_EVERY", 1 << 10)
    monkeypatch.setattr(sys, "stderr", shown)
    return shown


def done(items: Iterable[object]) -> None:
    """Take items as a command does."""

    def command() -> int:
        for _ in items:
            pass
        return 0

    assert guarded(command) == 0


def left_on(screen: Terminal) -> str:
    """What is still to be seen of the last line."""
    line = ""
    for state in screen.getvalue().rpartition("\n")[2].split("\r"):
        line = state + line[len(state) :]
    return line.strip()


def test_long_work_has_a_bar_with_the_time_that_remains(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A line that is written takes it away first."""
    screen = screen_of(monkeypatch)

    def told() -> Iterator[None]:
        for item in with_progress("abc", 3, "reports", name=str.upper):
            yield
            write_error(f"{item}: bad")

    done(told())
    shown = screen.getvalue()
    assert re.search(r"\r  0 % [█ ]+ 00:00, about .* left: 0 of 3 reports A", shown)
    assert re.search(rf"\r {BAR}, about .* left: 2 of 3 reports C", shown)
    assert "\rgarak-tbsa: a: bad\n" in shown
    assert left_on(screen) == ""


def test_short_work_and_a_machine_that_only_scores_have_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And a terminal that is gone stops nothing."""
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", shown := Terminal())
        assert list(with_progress(range(3), 3, "reports")) == [0, 1, 2]
        assert shown.getvalue() == ""
    screen = screen_of(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "tqdm", None)
        done(with_progress(range(3), 3, "reports"))
        assert screen.getvalue() == ""

    def gone(_: str) -> int:
        raise OSError

    monkeypatch.setattr(screen, "write", gone)
    done(with_progress("ab", 2, "reports"))


def test_work_that_ends_early_leaves_no_bar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = screen_of(monkeypatch)

    def raising(error: BaseException) -> int:
        for _ in with_progress("ab", 2, "reports"):
            raise error
        return 0

    assert guarded(lambda: raising(KeyboardInterrupt())) == 130
    assert "garak-tbsa: interrupted\n" in screen.getvalue()
    assert left_on(screen) == ""
    with pytest.raises(KeyError):
        raising(KeyError())
    assert left_on(screen) == ""


def test_a_command_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(SCAN).write_bytes(gzip.decompress(DEMO.read_bytes()))
    screen = screen_of(monkeypatch)
    for command, work in (
        (["show", SCAN, "line 4"], f"reading {SCAN}"),
        (["compare", str(REPORT), str(REPORT)], "testing the difference"),
    ):
        assert main(command) == 0
        assert re.search(rf"\r +{BAR}, about .* left: {work}", screen.getvalue())
        assert left_on(screen) == ""


def test_a_compressed_report_is_as_far_as_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "scan.report.jsonl.gz"
    # hardly compressed, so that not all of it is read at once
    digests = (sha256(b"%d" % number).hexdigest() for number in range(9_000))
    rows = [json.dumps({"entry_type": "init", "n": digest}) for digest in digests]
    path.write_bytes(gzip.compress("\n".join(rows).encode()))
    told: list[tuple[str, float, float | None]] = []
    monkeypatch.setattr("garak_tbsa.report.opening.PROGRESS_EVERY", 1 << 12)
    monkeypatch.setattr("garak_tbsa.report.opening.BUFFER", 1 << 12)
    monkeypatch.setattr(progress, "tell", lambda *said: told.append(said))
    with open_source(str(path)) as opened:
        assert sum(1 for _ in opened.lines()) == len(rows)
    shares = [done / total for _, done, total in told if total is not None]
    assert len(shares) == len(told) > 10
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5
    assert shares[-1] == 1
    monkeypatch.undo()


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("name", ["x" * 300, "報" * 300, "a\nb\x1b[2J"])
def test_the_line_fits_the_terminal_and_is_one(
    name: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    screen = screen_of(monkeypatch)

    def command() -> int:
        progress.tell(name, 5, 10)
        return 0

    assert guarded(command) == 0
    states = screen.getvalue().split("\r")
    assert any(" 50 % " in state for state in states)
    assert all(columns(state) < width for state in states)
    assert "\n" not in screen.getvalue()
    assert "\x1b" not in screen.getvalue()


WRAPPED = """
import sys
from garak_tbsa import progress
from garak_tbsa.report import opening as source
from garak_tbsa.cli.main import guarded, main
progress.PATIENCE, source.PROGRESS_EVERY = 0, 1024
def tell():
    progress.tell("all", 1, 2)
    return 0
sys.exit(main(sys.argv[1:]) if sys.argv[1:] else guarded(tell))
"""


def test_a_file_on_standard_output_is_not_torn_by_the_bar(tmp_path: Path) -> None:
    """``-j -`` with both streams a terminal: what is written is the file, and whole."""
    wrapped = tmp_path / "slow.py"
    wrapped.write_text(WRAPPED)
    with PseudoTerminal(
        *("score", str(REPORT), "-j", "-", "-q", "--repeat", "same-prompts"),
        program=[sys.executable, str(wrapped)],
    ) as shown:
        assert shown.end() == 0
    text = shown.raw.decode().replace("\r\n", "\n")
    start = text.index("{\n")
    assert json.loads(text[start : text.rindex("}") + 1])["tbsa"] == 4.1
    assert "left: reading " in text


def test_nothing_of_it_is_written_to_a_file(tmp_path: Path) -> None:
    log = tmp_path / "stderr"
    with log.open("wb") as stderr:
        subprocess.run(
            [sys.executable, "-c", WRAPPED], stderr=stderr, check=True, timeout=60
        )
    assert log.read_bytes() == b""
