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

from tests.factories import alike_rows, to_bytes
from tests.fuzz.case import Case
from tests.fuzz.drawing import HOSTILE, change, damaged, to_line
from tests.gold import gold_reports

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data" / "detectors-eval"
REPORT, OTHER = "scan.report.jsonl", "other.report.jsonl"
JUDGED = "mitigation.MitigationBypass"
DETECTORS = ("dan.DAN", "productkey.Win5x5", "fileformats.FileIsPickled")

SCORE = ("score", REPORT, "-j", "out.json", "-q")
FORMS = (
    *("--html", "out.html", "--markdown", "out.md", "--junit", "out.xml"),
    *("--sarif", "out.sarif", "--badge", "out.badge.json"),
)
COMPARE = ("compare", REPORT, OTHER, "--replicates", "50", "-j", "out-compare.json")
COMMANDS: tuple[tuple[str, ...], ...] = (
    *(SCORE,) * 12,
    (*SCORE, *FORMS),
    (*SCORE, "--fail-under", "3.5"),
    (*SCORE, "--require-tier1-grade", "3", "--min-coverage", "0.5"),
    (*SCORE, "--strict"),
    ("score", REPORT, "--formula", "garak"),
    ("score", REPORT, "--calibration", "installed", "--explain-checksum"),
    ("score", REPORT, "--repeat", "fresh-prompts", "--fail-under", "3", "--sure", "1"),
    ("score", REPORT, "--baseline", OTHER, "-j", "out.json", "-q"),
    ("explain", REPORT, "--all", "-j", "out-explain.json", "--hits", "3"),
    ("show", "--output", "0", "--", REPORT, "line 3"),
    COMPARE,
    (*COMPARE, "--common", "--html", "out.html", "--markdown", "out.md"),
    (*COMPARE, "--force", "--fail-on", "worse", "--junit", "out.xml"),
    ("history", ".", "--jobs", "1", "--jsonl", "out.jsonl", "--html", "out.html"),
    ("detectors", "sample", REPORT, "--output", "out-sheet.csv", "-n", "5"),
    ("plan", REPORT, "--pair", "probe.P00+D", "--drop", "0.3", "-j", "out-plan.json"),
)


@lru_cache(maxsize=1)
def _reports() -> tuple[bytes, ...]:
    """Real reports, whose attempts are thinned, and one whose attempts give counts."""
    real = (Path(path).read_bytes() for path in gold_reports())
    return (*real, to_bytes(alike_rows()))


def _rows(content: bytes) -> list[Any]:
    """Return the rows; the gold report of an interrupted scan ends within one."""
    lines = content.splitlines()
    return [json.loads(line) for line in lines if line.endswith(b"}")]


@st.composite
def report(draw: st.DrawFn) -> bytes:
    """Draw a report with a few changes, from none to many."""
    rows = _rows(draw(st.sampled_from(_reports())))
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from([str(row.get("entry_type")) for row in rows]))
        alike = [row for row in rows if str(row.get("entry_type")) == kind]
        how = draw(st.sampled_from(("change", "change", *("numbers",) * 3, "rows")))
        if how == "change":
            change(draw, draw(st.sampled_from(alike)))
        elif how == "numbers":
            _other_numbers(draw, rows)
        else:
            others = [row for row in rows if row not in alike]
            stray = {"entry_type": draw(HOSTILE)}
            choices: list[list[Any]] = [
                *(others or alike, alike, rows[::-1], rows[1:] or rows),
                *([*rows, deepcopy(alike[0])], [*rows, stray]),
                rows + _rows(_reports()[-1]),
            ]
            rows = draw(st.sampled_from(choices))
    return draw(damaged(b"\n".join(map(to_line, rows)) + b"\n"))


def _other_numbers(draw: st.DrawFn, rows: list[Any]) -> None:
    """Give a pair or a row other numbers, of the kind that garak writes."""
    total = draw(st.sampled_from((0, 1, 3, 20, 100, 400_000_000)))
    passed = draw(st.integers(0, total))
    found = [row for row in rows if row.get("entry_type") == "eval"]
    choices: list[dict[str, Any]] = [
        {"passed": passed, "total": total, "total_evaluated": total}
    ]
    probes = _probes(rows)
    if draw(st.booleans()) and probes:
        probe = draw(st.sampled_from(probes))
        found = [each for each in probe.values() if isinstance(each, dict)]
        choices += [
            {"probe_tier": draw(st.sampled_from((1, 2, 3, 9, None, 4)))},
            {"absolute_score": draw(st.sampled_from((0, 1, 0.05, 0.4, 0.8, 0.99)))},
            {"absolute_defcon": draw(st.integers(1, 5))},
            {"relative_score": draw(st.sampled_from((-1, -0.125, 0.125, 1, "n/a")))},
            {"relative_defcon": draw(st.sampled_from((None, 1, 2, 3, 4, 5)))},
        ]
    if found:
        draw(st.sampled_from(found)).update(draw(st.sampled_from(choices)))


def _probes(rows: list[Any]) -> list[dict[str, Any]]:
    return [
        probe
        for row in rows
        if row.get("entry_type") == "digest" and isinstance(row.get("eval"), dict)
        for group in row["eval"].values()
        if isinstance(group, dict)
        for name, probe in group.items()
        if name != "_summary" and isinstance(probe, dict)
    ]


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
    return (*data, "--replicates", "20", "--output", "out.json", "-q")


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
    ending = draw(st.sampled_from((".jsonl", ".jsonl", ".csv", ".tsv", ".parquet")))
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


def _separated(rows: list[Any], delimiter: str = ",") -> bytes:
    names = list(dict.fromkeys(str(key) for row in rows for key in row))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(names)
    writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
    return text.getvalue().encode("utf-8", "surrogatepass")


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _parquet(rows: list[Any]) -> bytes:
    """Write the rows as text, what is no text as its JSON."""
    names = list(dict.fromkeys(str(key) for row in rows for key in row))
    columns = {
        name.encode("utf-8", "replace").decode(): [
            _cell(row.get(name)).encode("utf-8", "replace").decode() for row in rows
        ]
        for name in names
    }
    sink = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


_WRITERS = {
    ".jsonl": _json_lines,
    ".csv": _separated,
    ".tsv": lambda rows: _separated(rows, "\t"),
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
        ("label", REPORT, "--page", "out.html"),
    )
    files = {REPORT: content, name: draw(damaged(_WRITERS[ending](places)))}
    return Case(argv=draw(st.sampled_from(commands)), files=files)


USUAL = {
    **dict.fromkeys(("enabled", "json", "html", "markdown", "junit"), True),
    "fail_under": 3.5,
    "require_tier1_grade": 3,
    "min_coverage": 0.5,
    "alpha": 0.05,
    "formula": "documented",
    "time_limit": 60,
    "baseline": None,
}
MISSPELT = ("fail-under", "fail_udner", "Json", "jsn", "gate", "enabeld", "baseline ")


@st.composite
def settings(draw: st.DrawFn) -> Any:
    """Draw settings under ``reporting.tbsa`` as YAML may give them."""
    names = draw(st.lists(st.sampled_from(sorted(USUAL)), max_size=5))
    found: Any = {name: USUAL[name] for name in names}
    for _ in range(draw(st.integers(0, 2))):
        change(draw, found)
    if draw(st.integers(0, 4)) == 0:
        found[draw(st.sampled_from(MISSPELT))] = draw(HOSTILE)
    return draw(HOSTILE) if draw(st.integers(0, 9)) == 0 else found
