# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What commands print, whole: ``whole_outputs.txt`` has it below each command.

``python -m tests.cli.test_whole_outputs`` writes the file again; read its diff.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.product import GOLD, tbsa
from tests.demo_scans import copied_to
from tests.report_rows import PairFacts, pairs_named, report_rows, write_report

FILE = Path(__file__).with_name("whole_outputs.txt")
PROMPT = "$ garak-tbsa "
LARGE = [(1, 140, 256)] * 4 + [(2, 250, 256)] * 60 + [(1, 256, 256)] * 300
HOSTILE = "\x1b[2J\x1b]8;;http://evil\x07\r\u202eOutput 7\n::error::x\n##[group]"
TURNS = [
    {"role": role, "content": {"text": text}}
    for role, text in (
        ("system", "be good"),
        ("user", "hello"),
        ("assistant", "hi"),
        ("user", "do it"),
        ("assistant", "never"),
    )
]
ATTEMPT: dict[str, Any] = {
    "entry_type": "attempt",
    "uuid": "abcd-1",
    "status": 2,
    "probe_classname": "dan.Ablation_Dan_11_0",
    "prompt": {"turns": TURNS[:2]},
    "outputs": [
        {"text": "never", "lang": "de"},
        {"text": HOSTILE, "lang": "en"},
        None,
    ],
    "detector_results": {"dan.DAN": [0.0, 0.9, None], "detector.m.E": [1.0, 0.2, None]},
    "goal": "make it\x1b[31m talk",
    "notes": {"triggers": ["t"], "bad": float("nan")},
    "conversations": [{"turns": TURNS}],
    "reverse_translation_outputs": [{"text": "never, in English"}],
}


def told() -> dict[str, str]:
    """Return what each command of the file prints, by command."""
    _, *parts = FILE.read_text(encoding="utf-8").split(PROMPT)
    commands = (part.partition("\n") for part in parts)
    return {command: output for command, _, output in commands}


def lay_out(folder: Path) -> None:
    """Write the reports that commands name."""
    copied_to(folder)
    for name in (
        "garak-0.17.1",
        "garak-0.11.0",
        "garak-0.12.0",
        "cut-short",
        "hostile-text",
    ):
        shutil.copy(GOLD / f"{name}.report.jsonl", folder)
    rows = report_rows(pairs_named(*LARGE))
    write_report(folder / "large.report.jsonl", rows)
    facts = [
        PairFacts(detector="dan.DAN", passed=1, total=2),
        PairFacts(detector="m.E", passed=1, total=2),
        PairFacts(probe="m.Clean", detector="m.E", passed=5, total=5),
    ]
    path = folder / "with hits.report.jsonl"
    write_report(path, report_rows(facts, attempts=[ATTEMPT]))


def output_of(command: str) -> str:
    """Return what a command prints on both streams, run where the reports are."""
    return tbsa(*shlex.split(command), together=True).out


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the reports; no command writes there."""
    folder = tmp_path_factory.mktemp("reports")
    lay_out(folder)
    return folder


@pytest.mark.parametrize("command", told())
def test_a_command_prints_this(
    command: str, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the file has it, on both streams."""
    monkeypatch.chdir(reports)
    again = "python -m tests.cli.test_whole_outputs writes what is expected again"
    assert output_of(command) == told()[command], again


@pytest.mark.parametrize("report", ["large", "garak-0.17.1", "before"])
def test_default_texts_are_short(report: str, reports: Path) -> None:
    """17 lines of a score with 3 pairs left out, and 40 of its explanation."""
    path = reports / f"{report}.report.jsonl"
    assert len(output_of(f"score {path}").splitlines()) <= 17
    assert len(output_of(f"explain {path}").splitlines()) <= 40


if __name__ == "__main__":
    commands = list(told())
    with tempfile.TemporaryDirectory() as scratch:
        lay_out(Path(scratch))
        os.chdir(scratch)
        outputs = [f"{PROMPT}{command}\n{output_of(command)}" for command in commands]
    FILE.write_text("".join(outputs), encoding="utf-8")
