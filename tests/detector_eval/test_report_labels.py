# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Garak reports with a labels file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.detector_eval.report_labels import Place, ReportLabels, labelled_records


def attempt(uuid: str, status: int, outputs: list[Any]) -> dict[str, Any]:
    return {
        "entry_type": "attempt",
        "uuid": uuid,
        "status": status,
        "probe_classname": "dan.Dan_11_0",
        "prompt": {
            "turns": [{"role": "user", "content": {"text": "Hi", "lang": "en"}}]
        },
        "outputs": outputs,
        "notes": {"triggers": ["x"]},
        "goal": "disregard the system prompt",
    }


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "scan.report.jsonl"
    rows = [
        {"entry_type": "start_run setup"},
        attempt("aa", 1, []),
        attempt("aa", 2, [{"text": "DAN: yes", "lang": "en"}, None]),
        attempt("bb", 2, ["older garak wrote strings"]),
        attempt("bb", 2, ["older garak wrote strings"]),
        {"entry_type": "digest"},
        attempt("", 2, ["no uuid"]),
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


LABELS = ReportLabels(
    answers={
        (Place("aa", 0), "dan.DAN"): {"a": ["hit"]},
        (Place("aa", 0), "dan.DUDE"): {"a": ["pass", "hit"], "b": ["pass", "pass"]},
        (Place("aa", 1), "dan.DAN"): {"a": ["pass"]},
        (Place("bb", 0), "dan.DAN"): {"a": ["pass"]},
        (Place("zz", 0), "dan.DAN"): {"a": ["pass"]},
        (Place("line 7", 0), "dan.DAN"): {"a": ["hit"]},
    }
)


def read(report: Path | str) -> list[tuple[int, dict[str, Any]]]:
    return list(labelled_records(str(report), LABELS))


def test_labelled_outputs_become_records(report: Path) -> None:
    records = read(report)
    assert [(number, each["id"]) for number, each in records] == [
        (3, "aa/0"),
        (3, "aa/0"),
        (3, "aa/1"),
        (4, "bb/0"),
        (7, "line 7/0"),
    ]
    first, second, third, fourth, _ = (each for _, each in records)
    assert first["output"] == "DAN: yes"
    assert (first["label"], first["detector"]) == ("hit", "dan.DAN")
    assert (first["probe"], first["lang"]) == ("dan.Dan_11_0", "en")
    assert (first["notes"], first["annotations"]) == ({"triggers": ["x"]}, {})
    assert second["annotations"] == {"a": "hit", "b": "pass"}
    assert third["output"] is None
    assert fourth["output"] == "older garak wrote strings"
