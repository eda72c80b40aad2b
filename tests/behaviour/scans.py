# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Small scans in files, and what a document of the product says of its pairs."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.behaviour.product import document, tbsa
from tests.report_rows import RUN, PairFacts, pairs_named, report_rows, write_report

SMALL = [(1, 9, 10), (2, 5, 10), (2, 4, 10)]
"""Tier, passed and total of three pairs: grades 4, 3 and 3, which score 3.7."""


def scan(
    folder: Path,
    pairs: Iterable[PairFacts] | None = None,
    name: str = "scan",
    **settings: Any,
) -> Path:
    """Write a report of these pairs, the three of ``SMALL`` where none are given."""
    given = pairs_named(*SMALL) if pairs is None else pairs
    path = folder / f"{name}.report.jsonl"
    run = RUN if name == "scan" else f"{RUN} {name}"
    write_report(path, report_rows(given, run=run, **settings))
    return path


def changed(
    folder: Path, change: Callable[[list[dict[str, Any]]], object], **settings: Any
) -> Path:
    """Write the report of ``SMALL`` after a change of its rows."""
    rows = copy.deepcopy(report_rows(pairs_named(*SMALL), **settings))
    change(rows)
    path = folder / "changed.report.jsonl"
    write_report(path, rows)
    return path


def scored(folder: Path, *arguments: object, code: int = 0) -> Any:
    """Return the JSON of ``score`` without a range."""
    return document(folder, "score", "--no-interval", *arguments, code=code)


def grades(result: Mapping[str, Any]) -> dict[str, tuple[int, int | None, int]]:
    """Return pass-rate grade, Z grade and grade of each pair that counts."""
    return {
        f"{pair['probe']}+{pair['detector']}": (
            pair["pass_rate_grade"],
            pair["z_grade"],
            pair["grade"],
        )
        for pair in result["pairs"]
    }


def left_out(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the reason of each pair that does not count."""
    return {
        f"{pair['probe']}+{pair['detector']}": pair["reason"]
        for pair in result["left_out"]
    }


def demo(folder: Path) -> tuple[Path, Path]:
    """Copy the demo into a folder and return its two reports."""
    shown = tbsa("demo", folder)
    assert shown.code == 0, shown
    return folder / "before.report.jsonl", folder / "after.report.jsonl"


def of_another_run(report: Path, place: Path) -> Path:
    """Copy a report as that of another run of the same scan."""
    text = report.read_text("utf-8")
    (run,) = set(re.findall(r'"run": "([^"]+)"', text))
    place.write_text(text.replace(run, "another run"), "utf-8")
    return place
