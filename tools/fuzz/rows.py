# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled rows in every format, mutated, through ``detectors evaluate``."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from tools.fuzz.case import Case, Failure
from tools.fuzz.checks import of_outcome, strict_json
from tools.fuzz.drive import Outcome
from tools.fuzz.mutate import (
    BEYOND_FLOATS,
    DEEP_LIST,
    DEEP_OBJECT,
    HUGE_INTEGER,
    change_bytes,
    change_somewhere,
    hostile,
    to_line,
)

LABELLED = Path(__file__).parents[2] / "data" / "detectors-eval" / "labelled"
DETECTORS = (
    "dan.DAN",
    "goodside.PlainJSON",
    "productkey.Win5x5",
    "fileformats.FileIsPickled",
)
SUMMARY = "out.json"
LABELS = ("hit", "pass", "Hit", " pass ", "HIT", 1, 0, True, "yes", None, "")
RAW_WORDS = (BEYOND_FLOATS, DEEP_LIST, DEEP_OBJECT, HUGE_INTEGER)
Rows = list[dict[str, Any]]


@lru_cache(maxsize=8)
def _labelled(detector: str) -> tuple[str, ...]:
    text = (LABELLED / f"{detector}.jsonl").read_text(encoding="utf-8")
    return tuple(text.splitlines())


def make(rng: random.Random, origin: str) -> Case:
    """Return a mutated file of labelled rows and the command that evaluates it."""
    detector = rng.choice(DETECTORS)
    rows: Rows = [json.loads(line) for line in rng.sample(_labelled(detector), 12)]
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        rng.choice(CHANGES)(rows, rng)
    ending, writer = rng.choice(WRITERS)
    content = writer(rows, rng)
    for _ in range(rng.choice((0, 0, 0, 0, 1, 2))):
        content = change_bytes(content, rng)
    name = f"{detector}{ending}"
    argv = evaluate(name, detector)
    if rng.random() < 0.1:
        argv += ("--columns", rng.choice(("output=prompt,prompt=output", "label=x")))
    if rng.random() < 0.1:
        argv += ("--label-values", rng.choice(("hit=1,pass=0", "hit=True", "hit=yes")))
    if rng.random() < 0.1:
        argv += ("--save-datasets", "out-rows")
    return Case(subject="rows", origin=origin, files={name: content}, argv=argv)


def evaluate(path: str, detector: str, *more: str) -> tuple[str, ...]:
    """Return the arguments of a quick evaluation."""
    data = ("detectors", "evaluate", "--data", path, *more, "--detectors", detector)
    return (*data, "--replicates", "20", "--output", SUMMARY, "-q")


# changes


def _anywhere(rows: Rows, rng: random.Random) -> None:
    change_somewhere(rng.choice(rows), rng)


def _field(rows: Rows, rng: random.Random) -> None:
    keys = ("output", "label", "id", "prompt", "notes", "annotations", "file", "lang")
    rng.choice(rows)[rng.choice((*keys, "detector", "why", "goal"))] = hostile(rng)


def _label(rows: Rows, rng: random.Random) -> None:
    rng.choice(rows)["label"] = rng.choice(LABELS)


def _raters(rows: Rows, rng: random.Random) -> None:
    raters = {name: rng.choice(LABELS[:5]) for name in "abc"[: rng.randint(1, 3)]}
    rng.choice(rows)["annotations"] = raters


def _file(rows: Rows, rng: random.Random) -> None:
    files = ("/etc/passwd", "../x", ".", "\0", {"name": "a/b", "base64": "AA=="})
    more = ({"name": "x.pkl", "base64": "no!"}, {"name": "x.pkl", "base64": "gASVAA=="})
    rng.choice(rows)["file"] = rng.choice((*files, *more))


def _repeat(rows: Rows, rng: random.Random) -> None:
    row = dict(rng.choice(rows))
    if rng.random() < 0.5:
        row["label"] = "pass" if row.get("label") == "hit" else "hit"
    rows.append(row)


def _one_class(rows: Rows, rng: random.Random) -> None:
    label = rng.choice(("hit", "pass"))
    rows[:] = [row for row in rows if row.get("label") == label] or rows[:1]


CHANGES = (
    *(_anywhere,) * 2,
    *(_field,) * 2,
    _label,
    _raters,
    _file,
    _repeat,
    _one_class,
)


# formats


def _json_lines(rows: Rows, rng: random.Random) -> bytes:
    return b"\n".join(to_line(row, rng) for row in rows) + b"\n"


def _separated(delimiter: str) -> Callable[[Rows, random.Random], bytes]:
    def write(rows: Rows, rng: random.Random) -> bytes:
        names = list(dict.fromkeys(str(key) for row in rows for key in row))
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=delimiter)
        writer.writerow(names)
        writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
        return text.getvalue().encode("utf-8", "surrogatepass")

    return write


def _cell(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value)


def _parquet(rows: Rows, rng: random.Random) -> bytes:
    """Write what Parquet can hold of the rows, now and then in unusual types."""
    import pyarrow
    from pyarrow import parquet

    names = list(dict.fromkeys(str(key) for row in rows for key in row))
    columns = {name: _column(rows, name, rng) for name in names}
    for data in (columns, {name: _as_text(rows, name) for name in names}):
        sink = io.BytesIO()
        try:
            parquet.write_table(pyarrow.table(data), sink)
            return sink.getvalue()
        except (pyarrow.ArrowException, ValueError):
            continue
    return b"PAR1"


def _column(rows: Rows, name: str, rng: random.Random) -> Any:
    import pyarrow

    values = [row.get(name) for row in rows]
    if rng.random() < 0.05:
        return _unusual_column(len(values), rng)
    try:
        return pyarrow.array(values)
    except (pyarrow.ArrowException, ValueError, TypeError, OverflowError):
        return _as_text(rows, name)


def _as_text(rows: Rows, name: str) -> Any:
    import pyarrow

    cells = [_cell(row.get(name)) for row in rows]
    return pyarrow.array([cell.encode("utf-8", "replace").decode() for cell in cells])


def _unusual_column(count: int, rng: random.Random) -> Any:
    import pyarrow

    whole = [rng.choice((-(2**62), 2**62, 0, None)) for _ in range(count)]
    return rng.choice(
        (
            pyarrow.array(whole, pyarrow.int64()).cast(pyarrow.timestamp("us")),
            pyarrow.array(whole, pyarrow.int64()).cast(pyarrow.duration("s")),
            pyarrow.array([b"\xff\x00"] * count, pyarrow.binary()),
            pyarrow.array([[1, None]] * count),
            pyarrow.array([{"a": float("nan")}] * count),
            pyarrow.array(["x"] * count).dictionary_encode(),
            pyarrow.nulls(count),
        )
    )


WRITERS: tuple[tuple[str, Callable[[Rows, random.Random], bytes]], ...] = (
    (".jsonl", _json_lines),
    (".jsonl", _json_lines),
    (".csv", _separated(",")),
    (".csv", _separated(";")),
    (".tsv", _separated("\t")),
    (".parquet", _parquet),
)


# the verdict


def judge(case: Case, outcome: Outcome) -> Failure | None:
    """Return what is wrong; counts must be those of the file's labels."""
    failure = of_outcome(case, outcome)
    if failure is not None or SUMMARY not in outcome.written:
        return failure
    summary = strict_json(outcome.written[SUMMARY].decode("utf-8"))
    name = next(iter(case.files))
    told = _plain_labels(case.files[name]) if name.endswith(".jsonl") else None
    for entry in summary["results"].values():
        counted = entry["rows"]["labelled"]
        if told is not None and counted > told:
            text = f"{counted} rows counted, the file has {told}"
            return Failure(kind="wrong counts", at="evaluate", text=text)
        if sum(entry["counts"].values()) != entry["rows"]["scored"]:
            return Failure(kind="wrong sum", at="evaluate", text=str(entry)[:500])
    return None


def _plain_labels(content: bytes) -> int | None:
    """How many rows have a label of the usual form; None where one has not."""
    count = 0
    for line in content.splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(row, dict) or row.get("label") not in ("hit", "pass"):
            return None
        count += 1
    return count
