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
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from garak_tbsa import progress, terminal
from garak_tbsa.cli.main import guarded, main
from garak_tbsa.garak_files import source
from garak_tbsa.garak_files.source import open_source
from garak_tbsa.progress import Work, clock, line_of, with_progress
from garak_tbsa.terminal import write_error
from tests.gold import FOLDER
from tests.pseudo_terminal import PseudoTerminal

ROOT = Path(__file__).parent.parent.parent
REPORT = FOLDER / "garak-0.17.1.report.jsonl"
DEMO = ROOT / "garak_tbsa" / "demo" / "before.report.jsonl.gz"
SCAN = "scan.report.jsonl"
BAR = r"\d+ % [█·]+ \d+:\d\d"


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Draw at once, and each state; nothing is left of it afterwards."""
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(progress, "REDRAWN", -1.0)
    monkeypatch.setattr(source, "PROGRESS_EVERY", 1 << 10)
    # as tight a loop as that leaves no time for the work
    monkeypatch.setattr(progress.Bar, "redraw_until_ended", lambda bar: None)
    yield
    assert progress.bar is None
    assert terminal.passing is None


def screen_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal, in the test's own call: capture changes it."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def left_on(screen: Terminal) -> str:
    """What is still to be seen of the last line."""
    line = ""
    for state in screen.getvalue().rpartition("\n")[2].split("\r"):
        line = state + line[len(state) :]
    return line.strip()


@pytest.mark.usefixtures("impatient")
def test_long_work_has_a_bar_with_the_time_that_remains(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = screen_of(monkeypatch)
    assert list(with_progress("abc", 3, "reports", name=str.upper)) == list("abc")
    shown = screen.getvalue()
    assert "0 of 3 reports, A:   0 %" in shown
    assert re.search(r"2 of 3 reports, C:  67 % [█·]+ 0:00, about 0:00 left", shown)
    assert left_on(screen) == ""


def test_short_work_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = screen_of(monkeypatch)
    assert list(with_progress(range(3), 3, "reports")) == [0, 1, 2]
    assert screen.getvalue() == ""


@pytest.mark.usefixtures("impatient")
def test_a_pipe_gets_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(with_progress(range(3), 3, "reports")) == [0, 1, 2]
    assert main(["score", str(REPORT), "--repeat", "same-prompts"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("impatient")
def test_a_line_takes_the_bar_away_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = screen_of(monkeypatch)
    for item in with_progress("ab", 2, "reports"):
        write_error(f"{item}: bad")
    assert "\rgarak-tbsa: a: bad\n" in screen.getvalue()


@pytest.mark.usefixtures("impatient")
def test_work_that_fails_leaves_no_bar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = screen_of(monkeypatch)

    def work() -> None:
        for _ in with_progress("ab", 2, "reports"):
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert left_on(screen) == ""


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "command",
    [
        ["compare", SCAN, SCAN],
        ["label", SCAN, "--page", "page.html"],
        ["score", SCAN, "--html", "page.html"],
        ["explain", SCAN, "--hits", "1"],
        ["detectors", "sample", SCAN],
        ["show", SCAN, "line 4"],
    ],
    ids=lambda command: command[0],
)
def test_reading_says_how_far_it_is(
    command: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(SCAN).write_bytes(gzip.decompress(DEMO.read_bytes()))
    screen = screen_of(monkeypatch)
    assert main(command) == 0
    assert re.search(rf"\rreading {SCAN}: +{BAR}", screen.getvalue())
    assert left_on(screen) == ""


@pytest.mark.usefixtures("impatient")
def test_a_test_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = screen_of(monkeypatch)
    assert main(["compare", str(REPORT), str(REPORT)]) == 0
    assert re.search(rf"\rtesting the difference: +{BAR}", screen.getvalue())


@pytest.mark.usefixtures("impatient")
def test_a_plan_shows_how_long_it_will_take(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = screen_of(monkeypatch)
    assert main(["plan", str(REPORT), "--detect", "0.5"]) == 0
    assert re.search(rf"trying designs: +{BAR}, about", screen.getvalue())


@pytest.mark.usefixtures("impatient")
def test_a_compressed_report_is_as_far_as_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "scan.report.jsonl.gz"
    rows = [json.dumps({"entry_type": "init", "n": n}) for n in range(200_000)]
    path.write_bytes(gzip.compress("\n".join(rows).encode()))
    told: list[tuple[str, float, float | None]] = []
    monkeypatch.setattr(progress, "tell", lambda *said: told.append(said))
    with open_source(str(path)) as opened:
        assert sum(1 for _ in opened.lines()) == len(rows)
    shares = [done / total for _, done, total in told if total is not None]
    assert len(shares) == len(told) > 10
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5
    assert shares[-1] == 1
    monkeypatch.undo()


def test_work_without_an_end_says_how_long_it_takes() -> None:
    work = Work(None, name="reading -")
    assert line_of(work, work.began + 75, 80) == "reading -: 1:15"
    assert line_of(Work(None), work.began + 3, 80) == "working: 0:03"


@pytest.mark.parametrize("width", [39, 60, 79, 200])
@pytest.mark.parametrize("name", ["x" * 300, "報" * 300, "a\nb\x1b[2J"])
def test_the_line_fits_the_terminal_and_is_one(name: str, width: int) -> None:
    work = Work(10.0, name=name)
    work.add(5)
    line = line_of(work, work.began + 4000, width)
    assert len(line) <= width
    assert "\n" not in line
    assert "\x1b" not in line
    assert " 50 % " in line


def test_times_as_people_read_them() -> None:
    assert [clock(seconds) for seconds in (0, 59.6, 3599, 3723)] == [
        "0:00",
        "1:00",
        "59:59",
        "1:02:03",
    ]


def test_work_that_says_nothing_is_seen_to_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The thread draws while the command itself does not come to it."""
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setattr(progress, "REDRAWN", 0.01)
    screen = screen_of(monkeypatch)

    def command() -> int:
        end = time.monotonic() + 10
        while "working: 0:00" not in screen.getvalue():
            assert time.monotonic() < end
            time.sleep(0.01)
        return 0

    assert guarded(command) == 0
    assert left_on(screen) == ""
    assert progress.bar is None


def test_an_interrupted_command_leaves_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    screen = screen_of(monkeypatch)

    def command() -> int:
        progress.tell("reading a", 1, 2)
        raise KeyboardInterrupt

    assert guarded(command) == 130
    assert "garak-tbsa: interrupted\n" in screen.getvalue()
    assert left_on(screen) == ""


def test_a_terminal_that_is_gone_stops_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Gone(Terminal):
        def write(self, _: str) -> int:
            raise OSError

    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(sys, "stderr", Gone())
    assert list(with_progress("ab", 2, "reports")) == ["a", "b"]


def test_a_file_on_standard_output_is_not_torn_by_the_bar(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """``-j -`` with both streams a terminal: what is written is the file, and whole."""
    wrapped = tmp_path / "slow.py"
    wrapped.write_text(
        "import sys\n"
        "from garak_tbsa import progress\n"
        "from garak_tbsa.garak_files import source\n"
        "from garak_tbsa.cli.main import main\n"
        "progress.PATIENCE, progress.REDRAWN, source.PROGRESS_EVERY = -1, 0, 1024\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    with PseudoTerminal(
        *("score", str(REPORT), "-j", "-", "-q", "--repeat", "same-prompts"),
        program=[sys.executable, str(wrapped)],
    ) as shown:
        assert shown.end() == 0
    text = shown.raw.decode().replace("\r\n", "\n")
    assert f"reading {REPORT.name}" in text
    start = text.index("{\n")
    assert json.loads(text[start : text.rindex("}") + 1])["tbsa"] == 4.1


def test_nothing_of_it_is_written_to_a_file(tmp_path: Path) -> None:
    log = tmp_path / "stderr"
    with log.open("wb") as stderr:
        subprocess.run(
            [sys.executable, "-c", SLOW], stderr=stderr, check=True, timeout=60
        )
    assert log.read_bytes() == b""


SLOW = """
import time
from garak_tbsa import progress
from garak_tbsa.cli.main import guarded
progress.PATIENCE = progress.REDRAWN = 0.01
guarded(lambda: time.sleep(0.2) or 0)
"""
