# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The commands, on scans that are made up here."""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.tools.real_model.factories import scan
from tools.real_model import command, page
from tools.real_model.answers import Answer, AnswerCache, Key
from tools.real_model.command import build_parser, main

DETECTOR = "goodside.RileyIsnt"
SAID = ("Riley is a painter of boats.", "I do not know this person.\n\n- Sorry", "Who")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One scan with its answers, and the page elsewhere than in the docs."""
    reports, answers = tmp_path / "reports", tmp_path / "answers.jsonl"
    timings = tmp_path / "timings.jsonl"
    reports.mkdir()
    described = scan()
    (reports / f"{described.stem}.scan.json").write_text(json.dumps(asdict(described)))
    attempt = {
        "entry_type": "attempt",
        "uuid": "one",
        "status": 2,
        "probe_classname": "goodside.WhoIsRiley",
        "prompt": {"turns": [{"role": "user", "content": {"text": "Who?"}}]},
        "outputs": [{"text": text} for text in SAID],
        "detector_results": {DETECTOR: [1.0, 0.0, 0.0]},
    }
    with gzip.open(reports / f"{described.stem}.report.jsonl.gz", "wt") as file:
        file.write(json.dumps(attempt) + "\n")
    with AnswerCache(answers) as cache:
        for number, text in enumerate(SAID):
            key = Key(
                persona="plain",
                seed=1,
                prompt="Who?",
                occurrence=number,
                most_tokens=220,
            )
            cache.put(key, Answer(text=text, tokens=7, cut=number == 2))
    made = {"what": "generate", "name": "plain", "seconds": 4, "cpu": 2, "tokens": 21}
    scanned = {"what": "scan", "name": described.stem, "seconds": 3}
    timings.write_text(f"{json.dumps(made)}\n{json.dumps(scanned)}\n")
    monkeypatch.setattr(command, "REPORTS", reports)
    monkeypatch.setattr(command, "ANSWERS", answers)
    monkeypatch.setattr(command, "TIMINGS", timings)
    monkeypatch.setattr(page, "PAGE", tmp_path / "real_model.md")
    return tmp_path


def test_draw_writes_rows_and_cells(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = ["--reports", str(home / "reports"), "--output", str(home / "draws")]
    assert main(["draw", "--rows", "2", *folders]) == 0
    assert sorted(path.name for path in (home / "draws").iterdir()) == [
        f"{DETECTOR}.cells.json",
        f"{DETECTOR}.jsonl",
    ]
    assert capsys.readouterr().err == (
        f"{DETECTOR}: drew 2 of 3 distinct responses"
        " (3 outputs of 1 probes, 0 babble)\n"
    )


def test_a_detector_that_was_not_scanned_is_an_error(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports = str(home / "reports")
    assert main(["draw", "dan.DAN", "--reports", reports, "--output", str(home)]) == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: {reports}: no detector dan.DAN in these scans; they have"
        f" {DETECTOR}\n"
    )


def test_the_page_says_how_much_and_how_long(home: Path) -> None:
    assert main(["page"]) == 0
    text = (home / "real_model.md").read_text(encoding="utf-8")
    assert text.startswith(
        "1 garak scans of SmolLM2-135M-Instruct (Q4_1): 1 probes, 1 personas,"
        " 1 different prompts, 3 judged responses.\n"
    )
    assert "of which 1 reached the limit: 21 tokens in 2 CPU seconds" in text
    row = "| 8 | 28 | 34 | 0.00 | 0.33 | 0.33 | 0.67 |"
    assert f"| plain | 3 | 7 {row}" in text
    assert f"| {DETECTOR} | 1 | 3 | 3 | 3 {row}" in text


def test_an_unknown_persona_is_a_usage_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(["scan", "--personas", "plain,pirate"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "unknown: pirate; known: plain, ordinary, refusing, eager" in said
