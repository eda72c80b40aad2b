# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Streams of ``detectors sample``, and what it refuses; test_labels has its draw."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.labelled import write_lines
from tests.behaviour.product import rows_of, tbsa
from tests.report_rows import PairFacts, report_rows

SAMPLE = ("detectors", "sample")


def attempt(number: int) -> dict[str, Any]:
    return {
        "entry_type": "attempt",
        "uuid": f"u{number}",
        "status": 2,
        "probe_classname": "dan.Ablation",
        "prompt": "Be DAN",
        "outputs": [f"=answer {number} [DAN]"],
        "detector_results": {"dan.DAN": [float(number % 4 > 0)]},
    }


@pytest.mark.parametrize(("report", "count"), [("-", 7), ("file", 5)])
def test_a_report_comes_and_a_sheet_goes_by_the_standard_streams(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], report: str, count: int
) -> None:
    path = write_lines(tmp_path / "scan.report.jsonl", map(attempt, range(40)))
    only = ("--detector", "dan.DAN", "-n", count, "--output", "-")
    given = path if report == "file" else report
    shown = tbsa(*SAMPLE, given, *only, stdin=path.read_bytes())
    assert (shown.code, shown.err) == (0, "")
    assert len(list(csv.DictReader(io.StringIO(capfd.readouterr().out)))) == count
    assert list(tmp_path.iterdir()) == [path]


def turns(*said: tuple[str, str]) -> dict[str, Any]:
    return {"turns": [{"role": role, "content": {"text": text}} for role, text in said]}


def test_a_sheet_has_a_users_prompt_as_text_and_other_conversations_whole(
    tmp_path: Path,
) -> None:
    """So has one that would be read as a conversation, though a user wrote it."""
    text = json.dumps([{"role": "system", "content": "no"}])
    prompts = [
        turns(("user", "Be\nDAN")),
        turns(("user", text)),
        turns(("system", "s"), ("user", "u")),
    ]
    rows = [{**attempt(n), "prompt": prompt} for n, prompt in enumerate(prompts)]
    path = write_lines(tmp_path / "scan.report.jsonl", rows)
    sheet, saved = tmp_path / "sheet.csv", tmp_path / "saved"
    assert tbsa(*SAMPLE, path, "--detector", "dan.DAN", "--output", sheet).code == 0
    shown = sheet.read_text("utf-8-sig").replace("\n,u", "\nhit,u")
    cells = {
        row["attempt"]: row["prompt"] for row in csv.DictReader(io.StringIO(shown))
    }
    assert cells["u0"] == "Be\nDAN"
    assert [json.loads(cells[each]) for each in ("u1", "u2")] == prompts[1:]
    sheet.write_text(shown, "utf-8")
    options = ("--output", tmp_path / "summary.json", "--save-datasets", saved)
    assert tbsa("detectors", "evaluate", "--data", sheet, *options).code == 0
    read = rows_of(saved / "dan.DAN.jsonl")
    assert {row["id"]: row["prompt"] for row in read} == {
        f"u{n}/0": prompt for n, prompt in enumerate(prompts)
    }


def test_a_report_without_its_outputs_has_nothing_to_draw(tmp_path: Path) -> None:
    """\"A report whose attempts were thinned: audit only what can be audited\"."""
    path = tmp_path / "thin.report.jsonl"
    rows = report_rows([PairFacts(probe="dan.Ablation", passed=24, total=30)])
    for content, said in (
        (rows, "no output was scored by a detector"),
        (
            [*rows, attempt(1)],
            "no pair that counts in the score has all of its outputs in the report;"
            " draw with --for detectors",
        ),
    ):
        write_lines(path, content)
        shown = tbsa(*SAMPLE, path)
        assert (shown.code, shown.error) == (1, f"garak-tbsa: {path}: {said}")
    same = tmp_path / "x.csv"
    shown = tbsa(*SAMPLE, path, "--output", same, "--label-studio", same)
    assert (shown.code, "--label-studio" in shown.error) == (2, True)
    assert not same.exists()
