# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scan with its outputs, and human labels of some of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.report_rows import (
    PairFacts,
    attempt_row,
    report_rows,
    write_report,
)

PAIRS = (
    PairFacts(detector="dan.DAN", passed=24, total=40),
    PairFacts(
        probe="encoding.InjectBase64",
        detector="encoding.DecodeMatch",
        passed=30,
        total=40,
        tier=2,
    ),
)


def scan(folder: Path, name: str = "x.report.jsonl") -> Path:
    """Write a report in which each output is an attempt of its own."""
    rows = report_rows(PAIRS)
    rows[2:2] = [
        {**attempt_row(pair, scores=[float(number >= pair.passed)]), "uuid": uuid}
        for pair in PAIRS
        for number, uuid in enumerate(_attempts(pair))
    ]
    return Path(write_report(folder / name, rows))


def labels(path: Path, number: int = 30) -> Path:
    """Write a label file as ``label`` does: the detectors are right, but for one."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in _answers(number)))
    return path


def sheet(path: Path, number: int = 30) -> Path:
    """Write a filled sheet (CSV)."""
    lines = [
        f"{row['attempt']},0,{row['detector']},{row['label']}\n"
        for row in _answers(number)
    ]
    path.write_text("attempt,output_index,detector,label\n" + "".join(lines))
    return path


def _attempts(pair: PairFacts) -> list[str]:
    return [f"{pair.probe}-{number}" for number in range(pair.total)]


def _answers(number: int) -> Iterable[dict[str, Any]]:
    for place in range(number):
        # from the end, where the hits are, and from the start
        pair = PAIRS[place % 2]
        at = place // 2 if place % 4 < 2 else pair.total - 1 - place // 2
        is_hit = at >= pair.passed and place != 2
        yield {
            "attempt": _attempts(pair)[at],
            "output_index": 0,
            "detector": pair.detector,
            "label": "hit" if is_hit else "pass",
            "rater": "anna",
            "note": "",
            "drawn": True,
            "time": "2026-11-22T10:00:00+00:00",
        }
