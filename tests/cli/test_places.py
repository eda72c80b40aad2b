# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``-`` is standard output: it holds the file alone, and people read stderr."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from garak_tbsa.cli.main import guarded, main
from garak_tbsa.cli.outputs import claim_outputs
from tests.gold import FOLDER

pytestmark = pytest.mark.usefixtures("unmeasured_commands")

REPORT = str(FOLDER / "garak-0.17.1.report.jsonl")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "garak_tbsa", *arguments],
        check=False,
        capture_output=True,
        encoding="utf-8",
        env=None,
    )


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("score", REPORT, "-j", "-"), "TBSA: "),
        (("score", REPORT, REPORT, "-j", "-"), "TBSA "),
        (("explain", REPORT, "-j", "-"), "Fix first"),
        (("compare", REPORT, REPORT, "-j", "-"), "checksum"),
        (("plan", REPORT, "--detect", "0.3", "-j", "-"), "Change to find"),
        (("status", "--json", "-"), "scans end"),
        (("status", "-j", "/dev/stdout"), "scans end"),
        (("detectors", "rank", "--json_output", "-"), "detectors evaluated"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_json_on_standard_output_is_alone_there(
    command: tuple[str, ...], said: str
) -> None:
    done = run(*command)
    assert isinstance(json.loads(done.stdout), dict), done.stderr
    assert said.casefold() in done.stderr.casefold()


@pytest.mark.parametrize("command", ["score", "compare"])
def test_markdown_on_standard_output_is_alone_there(command: str) -> None:
    reports = [REPORT] if command == "score" else [REPORT, REPORT]
    done = run(command, *reports, "--markdown", "-")
    assert done.returncode == 0
    assert done.stdout.startswith("#")
    assert "TBSA" in done.stderr


def test_history_on_standard_output_is_alone_there(tmp_path: Path) -> None:
    (tmp_path / "a.report.jsonl").write_bytes(Path(REPORT).read_bytes())
    done = run("history", str(tmp_path), "--jsonl", "-")
    assert done.returncode == 0
    assert all(json.loads(line) for line in done.stdout.splitlines())
    assert "a.report.jsonl" in done.stderr


def test_two_outputs_do_not_share_standard_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["score", REPORT, "-j", "-", "--markdown", "/dev/stdout"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == (
        "garak-tbsa: -j and --markdown: one output can go to standard output;"
        " give the others a file\n"
    )


def test_the_next_command_says_its_text_on_standard_output_again() -> None:
    def command() -> int:
        claim_outputs({"-j": "-", "--html": None}, [])
        assert sys.stdout is sys.stderr
        return 0

    before = sys.stdout
    assert guarded(command) == 0
    assert sys.stdout is before is not sys.stderr
