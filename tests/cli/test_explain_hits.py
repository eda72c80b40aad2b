# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
import shlex
import sys
from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.tbsa.evidence import HOSTILE
from tests.factories import PairFacts, report_rows, write_report
from tests.plain_text import unwrapped

PROBE = "dan.Ablation_Dan_11_0"
HOSTILE_TEXT = "\x1b[2J\u202e<b>@team</b>\n::error::x\nNo pair has a hit."


def written(folder: Path, *, attempts: int = 6) -> str:
    pairs = [
        PairFacts(probe=PROBE, detector="dan.DAN", passed=0, total=attempts),
        PairFacts(probe=PROBE, detector="m.E", passed=attempts, total=attempts),
        PairFacts(probe="m.Clean", detector="m.E", passed=5, total=5),
    ]
    rows = report_rows(pairs)
    own = [
        {
            "entry_type": "attempt",
            "uuid": f"abcd-{number}",
            "status": 2,
            "probe_classname": PROBE,
            "prompt": f"prompt {number}",
            "outputs": [{"text": HOSTILE_TEXT, "lang": "en"}],
            "detector_results": {"dan.DAN": [1.0], "m.E": [0.0]},
        }
        for number in range(attempts)
    ]
    return write_report(folder / "my scan.report.jsonl", [*rows[:3], *own, *rows[3:]])


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["explain", *arguments]) == 0
    return capsys.readouterr().out


def test_hits_and_what_lies_behind_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = written(tmp_path)
    text = shown(capsys, report, "--hits", "2")
    flat = unwrapped(text)
    assert HOSTILE in flat
    assert "2 of 6 hits" in flat
    assert "Other detectors on these hits: m.E: 6 of 6 passed" in flat
    assert "The probe: Ablation experiments over the DAN 11.0 prompt." in flat
    assert "disguised hits" in flat
    assert "https://reference.garak.ai/en/latest/probes/dan.html#garak.probes" in text
    assert text.count("• Hit: attempt abcd-") == 2
    assert "m.Clean" not in text[text.index("Evidence") :]
    assert text.count("  | \\x1b[2J\\u202e<b>@team</b>") == 2
    assert "\x1b" not in text


def test_the_command_that_is_told_shows_the_hit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, written(tmp_path), "--hits", "1")
    (line,) = (line for line in text.split("\n") if "Whole: " in line)
    command = shlex.split(line.partition("Whole: ")[2])
    assert command[0] == "garak-tbsa"
    assert main(command[1:]) == 0
    assert "dan.DAN: HIT" in capsys.readouterr().out


def test_own_metrics_go_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.json"
    own.write_text(
        '{"results": {"dan.DAN": {"metrics": {"hit_sensitivity": 0.25,'
        ' "hit_specificity": 0.75}}}, "metadata": {}}'
    )
    text = unwrapped(
        shown(capsys, written(tmp_path), "--hits", "1", "--metrics", str(own))
    )
    assert (
        "by your own metrics (own.json), in typical responses it catches 25% of hits"
        " and wrongly flags 25% of passes; in responses made to mislead it"
    ) in text


def test_standard_input_gives_the_reason(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = Path(written(tmp_path)).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert "standard input can be read only once" in unwrapped(
        shown(capsys, "-", "--hits", "1")
    )
