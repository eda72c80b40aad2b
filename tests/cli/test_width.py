# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""In a terminal no command prints a line that is wider; a pipe gets whole lines."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from garak_tbsa.outputs.columns import table
from garak_tbsa.terminal import columns
from tests.gold import FOLDER
from tests.pseudo_terminal import PseudoTerminal

pytestmark = pytest.mark.usefixtures("unmeasured_commands")

REPORT = str(FOLDER / "garak-0.17.1.report.jsonl")
NAME = "web_injection.TaskXSS"
CASES = {
    "score": ("score", "-v", REPORT),
    "score of several": ("score", REPORT, str(FOLDER / "garak-0.14.1.report.jsonl")),
    "explain": ("explain", "--all", "--hits", "1", REPORT),
    "compare": (
        "compare",
        str(FOLDER / "garak-0.14.1.report.jsonl"),
        REPORT,
        "--force",
        "--replicates",
        "99",
    ),
    "plan": ("plan", REPORT, "--detect", "0.5"),
    "history": ("history", str(FOLDER), "--no-interval"),
    "status": ("status",),
    "rank": ("detectors", "rank"),
    "presets": ("detectors", "evaluate", "--preset", "list"),
    "help": ("help",),
    "options": ("score", "--help"),
}


def lines_in_a_terminal(width: int, *arguments: str) -> list[str]:
    with PseudoTerminal(*arguments, columns=width, rows=50) as terminal:
        terminal.end()
        # a bar of progress is written over itself
        text = terminal.raw.decode("utf-8").replace("\r\n", "\n")
        return re.split("[\r\n]", text)


@pytest.mark.parametrize("name", CASES)
def test_no_line_is_wider_than_the_terminal(name: str) -> None:
    for width in (60, 80, 120) if name == "score" else (60,):
        lines = lines_in_a_terminal(width, *CASES[name])
        assert len(lines) > 3, lines
        assert [line for line in lines if columns(line) > width] == []


def test_a_name_that_is_broken_can_be_found_again() -> None:
    shown = "\n".join(lines_in_a_terminal(60, "score", "-v", REPORT))
    assert NAME in shown
    assert "web_injection.MarkdownExfilContent" in shown


def test_a_pipe_gets_whole_lines() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "garak_tbsa", "score", "-v", REPORT],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    (row,) = (line for line in done.stdout.splitlines() if NAME in line)
    assert len(row) > 80


def test_names_of_a_narrow_table_fold_and_then_go_above() -> None:
    rows = [
        ("tier", "probe", "pass rate grade"),
        ("1", "web_injection.JinjaTemplatePythonInjection", "4"),
    ]
    assert table(rows, 36) == [
        "tier  probe                    pass",
        "                               rate",
        "                               grade",
        "   1  web_injection.Jinja          4",
        "      TemplatePythonInjection",
    ]
    assert table(rows, 30) == [
        "probe",
        "  tier  pass",
        "        rate",
        "        grade",
        "web_injection.JinjaTemplate",
        "  PythonInjection",
        "     1      4",
    ]


def test_reports_of_a_folder_are_named_from_there(tmp_path: Path) -> None:
    for name in ("a", "b"):
        path = tmp_path / "long" / name / "x.report.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(Path(REPORT).read_bytes())
    folder = str(tmp_path / "long")
    done = subprocess.run(
        [sys.executable, "-m", "garak_tbsa", "score", folder],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert folder not in done.stdout
    assert "  a/x.report.jsonl\n" in done.stdout
