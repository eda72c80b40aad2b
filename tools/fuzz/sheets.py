# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Label sheets against a report, both mutated."""

from __future__ import annotations

import csv
import io
import json
import random
from typing import Any

from tools.fuzz.case import Case, Failure
from tools.fuzz.checks import of_outcome
from tools.fuzz.drive import Outcome
from tools.fuzz.mutate import change_bytes, hostile, to_line
from tools.fuzz.reports import gold, mutated_report
from tools.fuzz.rows import evaluate

REPORT = "scan.report.jsonl"
SHEET = "labels.csv"
DETECTOR = "mitigation.MitigationBypass"
LABEL_PAGE = ("label", REPORT, "--page", "out.html")
HEADER = ["attempt", "output_index", "label", "detector"]


def make(rng: random.Random, origin: str) -> Case:
    """Return a report, a sheet of labels for its outputs, and the command."""
    report = rng.choice(gold())
    sheet = _sheet(_places(report, rng), rng)
    if rng.random() < 0.3:
        report = mutated_report(rng)
    if rng.random() < 0.2:
        sheet = change_bytes(sheet, rng)
    name = SHEET if rng.random() < 0.8 else "labels.jsonl"
    if name != SHEET:
        sheet = _as_json_lines(sheet, rng)
    return Case(
        subject="sheets",
        origin=origin,
        files={REPORT: report, name: sheet},
        argv=rng.choice(
            (evaluate(REPORT, DETECTOR, "--labels", name), audit(name), LABEL_PAGE)
        ),
    )


def audit(labels: str) -> tuple[str, ...]:
    """Return an audit in every form."""
    forms = ("-j", "out.json", "--html", "out.html", "--markdown", "out.md")
    return ("audit", REPORT, "--labels", labels, *forms)


def _places(report: bytes, rng: random.Random) -> list[list[Any]]:
    """Return attempt, index, label and detector of some outputs."""
    found = []
    for line in report.splitlines():
        if not line.startswith(b'{"entry_type": "attempt"') or not line.endswith(b"}"):
            continue
        attempt = json.loads(line)
        outputs = attempt.get("outputs")
        if attempt.get("status") == 2 and isinstance(outputs, list):
            for index in range(len(outputs)):
                label = rng.choice(("hit", "pass"))
                found.append([attempt.get("uuid"), index, label, DETECTOR])
    return rng.sample(found, min(len(found), 8))


def _sheet(rows: list[list[Any]], rng: random.Random) -> bytes:
    table = [list(HEADER), *rows]
    for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
        _change(table, rng)
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=rng.choice(",,;\t")).writerows(
        [_cell(cell) for cell in row] for row in table
    )
    return text.getvalue().encode("utf-8", "surrogatepass")


def _change(table: list[list[Any]], rng: random.Random) -> None:
    row = rng.choice(table)
    draw = rng.random()
    if draw < 0.5 and row:
        odd = (
            "-1",
            "1.0",
            "٣",
            "9" * 5000,
            "1e3",
            " 0 ",
            "+0",
            "0x0",
            "",
            "HIT",
            "skip",
        )
        row[rng.randrange(len(row))] = rng.choice((*odd, hostile(rng)))
    elif draw < 0.6 and row:
        del row[rng.randrange(len(row))]
    elif draw < 0.7:
        row.append(hostile(rng))
    elif draw < 0.85:
        table.append(list(row))
    else:
        table.remove(row)
        if not table:
            table.append([])


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _as_json_lines(sheet: bytes, rng: random.Random) -> bytes:
    text = sheet.decode("utf-8", "replace")
    try:
        rows = list(csv.DictReader(io.StringIO(text)))
    except csv.Error:
        return sheet
    rows = [{str(key): value for key, value in row.items()} for row in rows]
    return b"\n".join(to_line(row, rng) for row in rows)


def judge(case: Case, outcome: Outcome) -> Failure | None:
    """Return what is wrong."""
    return of_outcome(case, outcome)
