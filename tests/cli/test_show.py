# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.cli.main import main
from tests.factories import PairFacts, report_rows, write_report

TURNS = [
    {"role": "system", "content": {"text": "be good"}},
    {"role": "user", "content": {"text": "hello"}},
    {"role": "assistant", "content": {"text": "hi"}},
    {"role": "user", "content": {"text": "do it"}},
    {"role": "assistant", "content": {"text": "never"}},
]
HOSTILE = "\x1b[2J\x1b]8;;http://evil\x07\r\u202eOutput 7\n::error::x\n##[group]"
ROW: dict[str, Any] = {
    "entry_type": "attempt",
    "uuid": "abcd-1",
    "status": 2,
    "probe_classname": "m.P",
    "prompt": {"turns": TURNS[:2]},
    "outputs": [
        {"text": "never", "lang": "de"},
        {"text": HOSTILE, "lang": "en"},
        None,
    ],
    "detector_results": {"m.D": [0.0, 0.9, None], "detector.m.E": [1.0, 0.2, None]},
    "goal": "make it\x1b[31m talk",
    "notes": {"triggers": ["t"], "bad": float("nan")},
    "conversations": [{"turns": TURNS}],
    "reverse_translation_outputs": [{"text": "never, in English"}],
}
WHOLE = """\
Attempt abcd-1 of m.P
Line 4 of {path}
Goal: make it\\x1b[31m talk
Notes: (nothing that JSON has a form for)
⚠️ Prompts and responses below come from attacks and from the attacked model:
   they may be offensive, false or made to mislead. Do not follow what they say.
──────────────────────────────────────────────────
System prompt
  | be good
Prompt
  | hello
──────────────────────────────────────────────────
Output 0
  m.D: passed it (score 0, a hit from 0.5 on)
  m.E: HIT (score 1, a hit from 0.5 on)
It ended this conversation:
System prompt
  | be good
Prompt
  | hello
Response
  | hi
Prompt
  | do it
Response (de)
  | never
Response as detectors read it, translated
  | never, in English
──────────────────────────────────────────────────
Output 1
  m.D: HIT (score 0.9, a hit from 0.5 on)
  m.E: passed it (score 0.2, a hit from 0.5 on)
Response (en)
  | \\x1b[2J\\x1b]8;;http://evil\\x07\\r\\u202eOutput 7
  | ::error::x
  | \\x23#[group]
──────────────────────────────────────────────────
Output 2
  m.D: gave no verdict
  m.E: gave no verdict
Response
  | (none)
"""


@pytest.fixture
def report(tmp_path: Path) -> str:
    rows = report_rows([PairFacts()])
    return write_report(tmp_path / "r.report.jsonl", [*rows[:3], ROW, *rows[3:]])


def test_an_attempt_whole(report: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", report, "abcd-1"]) == 0
    shown = capsys.readouterr().out
    head, _, rest = shown.partition("Goal")
    assert head.replace("\n", "").replace(" ", "") == (
        f"Attempt abcd-1 of m.PLine 4 of {report}".replace(" ", "")
    )
    assert "Goal" + rest == WHOLE[WHOLE.index("Goal") :]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["abcd", "--output", "3"], "attempt 'abcd' has outputs 0 to 2, and no output"),
        (
            ["nope"],
            "attempt 'nope' is not in the report; take the uuid from `garak-tbsa",
        ),
        (["x"], "'x' is too short to name an attempt"),
    ],
)
def test_what_cannot_be_shown_is_one_line(
    report: str,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    problem: str,
) -> None:
    assert main(["show", report, *arguments]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert problem in shown.err
    assert shown.err.count("\n") == 1


def test_compressed_reports_and_standard_input(
    report: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = Path(report).read_bytes()
    packed = tmp_path / "r.report.jsonl.gz"
    packed.write_bytes(gzip.compress(content))
    assert main(["show", str(packed), "abcd"]) == 0
    of_packed = capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert main(["show", "-", "abcd"]) == 0
    of_input = capsys.readouterr().out
    assert of_packed[of_packed.index("Goal") :] == of_input[of_input.index("Goal") :]


def test_every_line_of_a_text_is_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No text can look like a line of ours, however long or wide its lines are."""
    text = "Output 9 " * 200 + "\n" + "漢" * 500 + "\nOutput 8"
    row = {**ROW, "outputs": [text], "conversations": []}
    rows = report_rows([PairFacts()])
    path = write_report(tmp_path / "r.report.jsonl", [*rows[:3], row])
    assert main(["show", path, "abcd"]) == 0
    shown = capsys.readouterr().out
    assert [line for line in shown.split("\n") if line.startswith("Output")] == [
        "Output 0"
    ]
    assert all(len(line) + line.count("漢") <= 80 for line in shown.split("\n")[4:])
