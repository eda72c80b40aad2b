# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is attacked: changed reports, rows, summaries, settings and label files."""

from __future__ import annotations

import csv
import io
import json
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow
from hypothesis import strategies as st
from pyarrow import parquet

from tests.fuzz.case import Case
from tests.fuzz.drawing import HOSTILE, change, damaged, to_line
from tests.gold import gold_reports
from tests.report_rows import alike_rows, to_bytes

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data" / "detectors-eval"
REPORT, OTHER = "scan.report.jsonl", "other.report.jsonl"
JUDGED = "mitigation.MitigationBypass"
DETECTORS = ("dan.DAN", "productkey.Win5x5", "fileformats.FileIsPickled")

SCORE = ("score", REPORT, "-j", "out.json", "-q")
FORMS = (
    *("--html", "out.html", "--markdown", "out.md", "--junit", "out.xml"),
    *("--sarif", "out.sarif"),
)
COMPARE = ("compare", REPORT, OTHER, "-j", "out-compare.json")
COMMANDS: tuple[tuple[str, ...], ...] = (
    *(SCORE,) * 12,
    (*SCORE, *FORMS),
    (*SCORE, "--fail-under", "3.5"),
    (*SCORE, "--require-tier1-grade", "3", "--min-coverage", "0.5"),
    (*SCORE, "--strict"),
    ("score", REPORT, "--calibration", "installed", "--explain-checksum"),
    ("score", REPORT, "--repeat", "fresh-prompts", "--fail-under", "3", "--sure", "1"),
    ("score", REPORT, "--baseline", OTHER, "-j", "out.json", "-q"),
    ("explain", REPORT, "--all", "-j", "out-explain.json", "--hits", "3"),
    ("show", "--output", "0", "--", REPORT, "line 3"),
    COMPARE,
    (*COMPARE, "--common", "--html", "out.html", "--markdown", "out.md"),
    (*COMPARE, "--force", "--fail-on", "worse", "--junit", "out.xml"),
    ("history", ".", "--jobs", "1", "--jsonl", "out.jsonl", "--html", "out.html"),
    ("label", REPORT, "--sheet", "out-sheet.csv", "-n", "5"),
)


@lru_cache(maxsize=1)
def _reports() -> tuple[bytes, ...]:
    """Real reports, whose attempts are thinned, and one whose attempts give counts."""
    real = (Path(path).read_bytes() for path in gold_reports())
    return (*real, to_bytes(alike_rows()))


def _rows(content: bytes) -> list[Any]:
    """Return the rows; the gold report of an interrupted scan ends within one."""
    return [json.loads(row) for row in content.splitlines() if row.endswith(b"}")]


@st.composite
def report(draw: st.DrawFn) -> bytes:
    """Draw a report with a few changes, from none to many."""
    rows = _rows(draw(st.sampled_from(_reports())))
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from([str(row.get("entry_type")) for row in rows]))
        alike = [row for row in rows if str(row.get("entry_type")) == kind]
        if draw(st.integers(0, 2)):
            change(draw, draw(st.sampled_from(alike)))
            continue
        others = [row for row in rows if row not in alike]
        stray = {"entry_type": draw(HOSTILE)}
        choices: list[list[Any]] = [
            *(others or alike, alike, rows[::-1], rows[1:] or rows),
            *([*rows, deepcopy(alike[0])], [*rows, stray]),
            rows + _rows(_reports()[-1]),
        ]
        rows = draw(st.sampled_from(choices))
    return draw(damaged(b"\n".join(map(to_line, rows)) + b"\n"))


@st.composite
def reports(draw: st.DrawFn) -> Case:
    """Draw a report, and one of the commands that read it."""
    argv = draw(st.sampled_from(COMMANDS))
    files = {REPORT: draw(report())}
    if OTHER in argv or "history" in argv:
        files[OTHER] = draw(report())
    return Case(argv=argv, files=files)


def _evaluate(path: str, detector: str, *more: str) -> tuple[str, ...]:
    data = ("detectors", "evaluate", "--data", path, *more, "--detectors", detector)
    return (*data, "--output", "out.json", "-q")


@st.composite
def labelled_rows(draw: st.DrawFn) -> Case:
    """Draw a file of labelled rows in any format, and its evaluation."""
    detector = draw(st.sampled_from(DETECTORS))
    rows = _rows((DATA / "labelled" / f"{detector}.jsonl").read_bytes())[::9]
    for _ in range(draw(st.integers(0, 3))):
        row = draw(st.sampled_from(rows))
        if draw(st.booleans()):
            change(draw, row)
        else:
            label = draw(st.sampled_from(("Hit", " pass ", 1, True, "yes", None, "")))
            row.update(draw(st.sampled_from(({"label": label}, {"file": "../x"}))))
    ending = draw(st.sampled_from((".jsonl", ".jsonl", ".csv", ".parquet")))
    name = f"{detector}{ending}"
    more = draw(
        st.sampled_from(
            (
                *((), (), (), ("--columns", "output=prompt,prompt=output")),
                *(("--label-values", "hit=1,pass=0"), ("--save-datasets", "out-rows")),
            )
        )
    )
    content = draw(damaged(_WRITERS[ending](rows)))
    return Case(argv=_evaluate(name, detector, *more), files={name: content})


def _json_lines(rows: list[Any]) -> bytes:
    return b"".join(to_line(row) + b"\n" for row in rows)


def _cells(rows: list[Any]) -> list[list[str]]:
    """The names of all columns, and the cells of each row; what is no text as JSON."""
    names = list(dict.fromkeys(key for row in rows for key in row))
    cells = [[row.get(name) for name in names] for row in rows]
    return [
        [each if isinstance(each, str) else json.dumps(each) for each in line]
        for line in (names, *cells)
    ]


def _separated(rows: list[Any]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(_cells(rows))
    return text.getvalue().encode("utf-8", "surrogatepass")


def _parquet(rows: list[Any]) -> bytes:
    names, *cells = (
        [each.encode("utf-8", "replace").decode() for each in line]
        for line in _cells(rows)
    )
    columns = dict(zip(names, zip(*cells, strict=True), strict=True)) if cells else {}
    sink = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


_WRITERS = {
    ".jsonl": _json_lines,
    ".csv": _separated,
    ".parquet": _parquet,
}


@st.composite
def summaries(draw: st.DrawFn) -> Case:
    """Draw two summaries, and a command that reads them."""
    shipped = json.loads((DATA / "detector_metrics_summary.json").read_bytes())
    names = sorted(shipped["results"])[:: draw(st.integers(9, 20))]
    shipped["results"] = {name: shipped["results"][name] for name in names}
    changed = deepcopy(shipped)
    for _ in range(draw(st.integers(0, 3))):
        change(draw, changed)
    files = {
        "summary.json": draw(damaged(to_line(changed))),
        "other.json": to_line(shipped),
    }
    rank = ("detectors", "rank", "summary.json", "-j", "out-rank.json")
    diff = ("detectors", "diff", "other.json", "summary.json")
    return Case(argv=draw(st.sampled_from((rank, rank, diff))), files=files)


@st.composite
def label_files(draw: st.DrawFn) -> Case:
    """Draw a report, labels of its outputs, and a command that reads both."""
    content = draw(st.sampled_from(_reports()))
    places: list[Any] = [
        {"attempt": row["uuid"], "output_index": 0, "label": "hit", "detector": JUDGED}
        for row in _rows(content)
        if row.get("status") == 2 and "uuid" in row
    ][:6]
    for _ in range(draw(st.integers(0, 3)) if places else 0):
        row = draw(st.sampled_from(places))
        odd = ("-1", "1.0", "٣", "9" * 5000, "1e3", " 0 ", "HIT", "skip", draw(HOSTILE))
        row[draw(st.sampled_from(sorted(row)))] = draw(st.sampled_from(odd))
    ending = draw(st.sampled_from((".csv", ".jsonl")))
    name = f"labels{ending}"
    forms = ("-j", "out.json", "--html", "out.html", "--markdown", "out.md")
    commands = (
        _evaluate(REPORT, JUDGED, "--labels", name),
        ("audit", REPORT, "--labels", name, *forms),
    )
    files = {REPORT: content, name: draw(damaged(_WRITERS[ending](places)))}
    return Case(argv=draw(st.sampled_from(commands)), files=files)


USUAL = {
    **dict.fromkeys(("enabled", "json", "html", "markdown", "junit"), True),
    "fail_under": 3.5,
    "require_tier1_grade": 3,
    "min_coverage": 0.5,
    "alpha": 0.05,
    "time_limit": 60,
    "baseline": None,
}
MISSPELT = ("fail-under", "fail_udner", "Json", "jsn", "gate", "enabeld", "baseline ")
SETTINGS = st.one_of(
    HOSTILE,
    st.lists(st.sampled_from([*USUAL.items()]), max_size=5).map(dict),
    st.dictionaries(st.sampled_from((*USUAL, *MISSPELT)), HOSTILE, max_size=4),
)
"""What YAML may give under ``reporting.tbsa``."""
