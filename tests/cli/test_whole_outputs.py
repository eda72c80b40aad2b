# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What commands print, whole: ``whole_outputs.txt`` has it below each command.

``python -m tests.cli.test_whole_outputs`` writes the file again; read its diff.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import tempfile
from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from tests.demo_scans import copied_to
from tests.factories import pairs_named, report_rows, write_report
from tests.gold import FOLDER

FILE = Path(__file__).with_name("whole_outputs.txt")
PROMPT = "$ garak-tbsa "
LARGE = [(1, 140, 256)] * 4 + [(2, 250, 256)] * 60 + [(1, 256, 256)] * 300


def told() -> dict[str, str]:
    """Return what each command of the file prints, by command."""
    _, *parts = FILE.read_text(encoding="utf-8").split(PROMPT)
    commands = (part.partition("\n") for part in parts)
    return {command: output for command, _, output in commands}


def lay_out(folder: Path) -> None:
    """Write the reports that commands name."""
    copied_to(folder)
    for name in ("garak-0.17.1", "garak-0.12.0", "cut-short", "hostile-text"):
        shutil.copy(FOLDER / f"{name}.report.jsonl", folder)
    rows = report_rows(pairs_named(*LARGE))
    write_report(folder / "large.report.jsonl", rows)


def output_of(command: str) -> str:
    """Return what a command prints on both streams, run where the reports are."""
    shown = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        main(shlex.split(command))
    shown.flush()
    return shown.buffer.getvalue().decode("utf-8")


@pytest.mark.parametrize("command", told())
def test_a_command_prints_this(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert output_of(command) == told()[command]


@pytest.mark.parametrize("report", ["large", "garak-0.17.1", "before"])
def test_default_texts_are_short(
    report: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    path = f"{report}.report.jsonl"
    assert len(output_of(f"score {path}").splitlines()) <= 12
    assert len(output_of(f"explain {path}").splitlines()) <= 40


if __name__ == "__main__":
    commands = list(told())
    with tempfile.TemporaryDirectory() as scratch:
        lay_out(Path(scratch))
        os.chdir(scratch)
        outputs = [f"{PROMPT}{command}\n{output_of(command)}" for command in commands]
    FILE.write_text("".join(outputs), encoding="utf-8")
