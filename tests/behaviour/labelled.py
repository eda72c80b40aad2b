# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled rows, a detector that says what its row tells it to, and what it measures.

The measures are derived here from counts, and not with the package.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy
import pyarrow
import pyarrow.parquet

from tests.behaviour.product import tbsa

Counts = tuple[int, int, int, int]
"""TP, FP, FN, TN."""

ECHO = "echoes:Echo"
MODULE = '''
import json
import logging
import pathlib


class Echo:
    """Its score is the first word of the output; `none` and `boom` are told too."""

    def detect(self, attempt):
        word = attempt.outputs[0].text.split()[0]
        if word == "boom":
            raise ValueError(f"no score in {attempt.outputs[0].text!r}")
        return [None if word == "none" else float(word)]


class Louder(Echo):
    """A second one, by another name."""


class Stressed(Echo):
    """A third one."""


class Logs:
    def detect(self, attempt):
        try:
            {}["model"]
        except KeyError:
            logging.getLogger("garak").warning("no score", exc_info=True)
        return [None]


class Silent:
    def detect(self, attempt):
        return []


class NoKey:
    def __init__(self):
        raise RuntimeError("put a key into ECHO_KEY")

    def detect(self, attempt):
        return [1.0]


class Seen:
    """Writes down what a detector of garak's can see of a row."""

    def detect(self, attempt):
        turns = [[t.role, t.content.text, t.content.lang] for t in attempt.prompt.turns]
        seen = {
            "turns": turns,
            "outputs": [None if m is None else m.text for m in attempt.outputs],
            "languages": [None if m is None else m.lang for m in attempt.outputs],
            "notes": attempt.notes,
            "goal": attempt.goal,
            "probe": attempt.probe_classname,
        }
        with pathlib.Path("seen.jsonl").open("a") as handle:
            handle.write(json.dumps(seen) + "\\n")
        return [0.0]
'''


def echo_row(score: object, label: str, name: str, **fields: Any) -> dict[str, Any]:
    """Return a row to which :data:`ECHO` gives this score."""
    return {"id": name, "output": f"{score} {name}", "label": label, **fields}


def echo_rows(
    tp: int, fp: int, fn: int, tn: int, **fields: Any
) -> list[dict[str, Any]]:
    """Return rows that give these counts."""
    kinds = [("hit", 1)] * tp + [("pass", 1)] * fp + [("hit", 0)] * fn
    kinds += [("pass", 0)] * tn
    return [
        echo_row(score, label, f"r{number}", **fields)
        for number, (label, score) in enumerate(kinds)
    ]


def write_lines(path: Path, rows: Iterable[object]) -> Path:
    """Write JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(lines, encoding="utf-8")
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write a table."""
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def write_cells(
    path: Path,
    rows: list[dict[str, Any]],
    delimiter: str = ",",
    encoding: str = "utf-8",
) -> Path:
    """Write CSV; what is no text as JSON."""
    with path.open("w", newline="", encoding=encoding) as handle:
        names = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.DictWriter(handle, names, delimiter=delimiter)
        writer.writeheader()
        for row in rows:
            cells = {
                name: cell if isinstance(cell, str) else json.dumps(cell)
                for name, cell in row.items()
            }
            writer.writerow(cells)
    return path


def evaluated(folder: Path, *arguments: object, code: int = 0) -> dict[str, Any]:
    """Run ``detectors evaluate`` without a word; return the summary that it wrote."""
    path = folder / "summary.json"
    shown = tbsa("detectors", "evaluate", *arguments, "--output", path, "-q")
    assert (shown.code, shown.out) == (code, ""), shown
    if code == 0:
        assert shown.err == ""
    summary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return summary


def refused(*arguments: object, code: int = 1) -> str:
    """Return what ``detectors evaluate`` says, in one line, where it refuses."""
    shown = tbsa("detectors", "evaluate", *arguments)
    assert shown.code == code, shown
    return shown.error.removeprefix("garak-tbsa: ")


def measured(folder: Path, counts: Counts, *options: object) -> dict[str, Any]:
    """Return what is measured of :data:`ECHO` where it has these counts."""
    rows = write_lines(folder / "rows.jsonl", echo_rows(*counts))
    summary = evaluated(folder, "--data", rows, "--detectors", ECHO, *options)
    assert counts_of(summary) == {ECHO: counts}
    found: dict[str, Any] = summary["results"][ECHO]
    return found


def counts_of(summary: dict[str, Any]) -> dict[str, Counts]:
    """Return TP, FP, FN, TN of each detector."""
    return {
        name: (cells["tp"], cells["fp"], cells["fn"], cells["tn"])
        for name, result in summary["results"].items()
        for cells in [result["counts"]]
    }


def measures(tp: int, fp: int, fn: int, tn: int) -> dict[str, float | None]:
    """Derive all measures that are no intervals, as fractions."""

    def share(part: int, whole: int) -> float | None:
        return float(Fraction(part, whole)) if whole else None

    def of_class(
        right: int, wrongly: int, missed: int
    ) -> tuple[float, float | None, float | None]:
        precision = share(right, right + wrongly) or 0.0
        recall = share(right, right + missed)
        f1 = share(2 * right, 2 * right + wrongly + missed)
        return precision, recall, None if recall is None else f1

    hit_precision, hit_recall, hit_f1 = of_class(tp, fp, fn)
    pass_precision, pass_recall, pass_f1 = of_class(tn, fn, fp)
    return {
        "accuracy": share(tp + tn, tp + fp + fn + tn),
        "hit_precision": hit_precision,
        "hit_recall": hit_recall,
        "hit_f1": hit_f1,
        "hit_sensitivity": hit_recall,
        "hit_specificity": pass_recall,
        "pass_precision": pass_precision,
        "pass_recall": pass_recall,
        "pass_f1": pass_f1,
    }


def posterior(counts: Counts) -> Any:
    """F1 under Beta(k + 1/2, n - k + 1/2) on both rates, drawn with a seed of ours."""
    tp, fp, fn, tn = counts
    generator = numpy.random.default_rng(1)
    found = generator.beta(tp + 0.5, fn + 0.5, 200_000) * (tp + fn)
    flagged = generator.beta(fp + 0.5, tn + 0.5, 200_000) * (fp + tn)
    return 2 * found / (found + flagged + tp + fn)


def summary_of(counts: dict[str, Counts], **metadata: Any) -> dict[str, Any]:
    """A summary with garak's members and our counts."""
    results = {
        name: {
            "metrics": measures(*cells),
            "counts": dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)),
            "data": [{"file": "rows.jsonl", "sha256": "0" * 64}],
        }
        for name, cells in counts.items()
    }
    stated = {
        "evaluation_date": "2026-01-30T14:28:03+00:00",
        "random_seed": 42,
        "balance_datasets": False,
        "num_detectors_evaluated": len(results),
        "errors": [],
        "format_version": 3,
        "versions": {"garak": "0.17.1"},
        "eval_threshold": 0.5,
        "confidence": 0.95,
        "metrics_rows": "typical",
    }
    return {"results": results, "metadata": stated | metadata}


def write_summary(path: Path, summary: dict[str, Any]) -> Path:
    """Write a summary; return its path."""
    path.write_text(json.dumps(summary), encoding="utf-8")
    return path
