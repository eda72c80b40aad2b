# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.labelled_data blind|annotate|decide``: sheets out, labels in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from garak_tbsa.errors import EXIT_DONE, DatasetError
from garak_tbsa.files import write_whole
from garak_tbsa.terminal import write_lines
from tools.labelled_data.blind import (
    AUTHOR,
    SECOND,
    annotated,
    decided,
    differ,
    read_ratings,
    sheet_of,
    write_sheet,
)
from tools.labelled_data.families import LABELLED
from tools.labelled_data.tables import RawRows, read_rows

_ANNOTATIONS = re.compile(r', "annotations": \{[^{}]*\}\}\Z')
_LABEL = re.compile(r'(?<!\\)"label": "(?:hit|pass)"')


def _unrated(row: Mapping[str, Any]) -> bool:
    return "annotations" not in row


_ONLY: Mapping[str | None, Callable[[Mapping[str, Any]], bool]] = {
    None: lambda _: True,
    "disputed": differ,
    "unrated": _unrated,
}


def write_sheets(
    detectors: Sequence[str], folder: Path, seed: int, only: str | None = None
) -> int:
    """Write a sheet for each detector's rows, or only the disputed or unrated ones."""
    for detector, rows in _chosen(detectors).items():
        wanted = [row for row in rows if _ONLY[only](row)]
        if wanted:
            write_sheet(sheet_of(detector, wanted, seed), folder)
            write_lines([f"{detector}: {len(wanted)} rows to rate"])
    return EXIT_DONE


def annotate(detectors: Sequence[str], folder: Path) -> int:
    """Put a second rater's labels into the rows."""
    for detector, rows in _rated(detectors, folder):
        ratings = read_ratings(folder, detector)
        done = annotated(rows, ratings)
        _write(detector, done.rows)
        write_lines(
            [
                f"{detector}: {len(done.rows) - len(done.unrated)} rows with two"
                f" labels, {len(done.differing)} differ, {len(done.unrated)} not rated"
            ]
        )
    return EXIT_DONE


def decide(detectors: Sequence[str], folder: Path) -> int:
    """Give disputed rows a third rater's label."""
    for detector, rows in _rated(detectors, folder):
        done = decided(rows, read_ratings(folder, detector))
        _write(detector, done)
        sides = [
            row["annotations"][AUTHOR] == row["label"] for row in done if differ(row)
        ]
        write_lines(
            [
                f"{detector}: {len(sides)} disputed, {sum(sides)} as the {AUTHOR},"
                f" {len(sides) - sum(sides)} as the {SECOND} said"
            ]
        )
    return EXIT_DONE


def _rated(
    detectors: Sequence[str], folder: Path
) -> list[tuple[str, Sequence[Mapping[str, Any]]]]:
    return [
        (detector, rows)
        for detector, rows in _chosen(detectors).items()
        if (folder / f"{detector}.labels.tsv").is_file()
    ]


def _chosen(detectors: Sequence[str]) -> RawRows:
    rows = read_rows()
    return {name: rows[name] for name in detectors} if detectors else rows


def _write(detector: str, rows: Sequence[Mapping[str, Any]]) -> None:
    path = LABELLED / f"{detector}.jsonl"
    lines = path.read_text("utf-8").splitlines()
    made = [rated_line(line, row) for line, row in zip(lines, rows, strict=True)]
    write_whole(str(path), "".join(f"{line}\n" for line in made))


def rated_line(line: str, row: Mapping[str, Any]) -> str:
    """Return a row's line with the row's label and annotations.

    All else stays as it is, JSON escapes too: some rows hold what virus scanners find.

    Raises
    ------
    DatasetError
        Something other than label and annotations differs.
    """
    bare = _ANNOTATIONS.sub("}", line.rstrip())
    labelled = _LABEL.sub(f'"label": "{row["label"]}"', bare, count=1)
    if "annotations" in row:
        noted = json.dumps(row["annotations"])
        labelled = f'{labelled[:-1]}, "annotations": {noted}}}'
    if json.loads(labelled) != row:
        raise DatasetError(
            f"{row['id']}: expected `label` as written by json.dumps and `annotations`"
            " at the end of the line; write the row so"
        )
    return labelled
