# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A second label for every row, given without sight of the first one.

A sheet has the rules, and the rows in random order under new numbers: prompt, response
and what the detector reads of an attempt, but no label, no ``why``, no slice, no id.
What a rater said comes back by a row's content, so that a row that has changed since is
rated again.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garak_tbsa.errors import DatasetError
from garak_tbsa.files import write_whole
from tools.labelled_data.families import families, family_of, general_rules

AUTHOR, SECOND = "author", "second"
"""The raters' names in ``annotations``."""

LABELS = ("hit", "pass")
SHOWN = ("prompt", "output", "notes", "goal", "file")
"""What a rater sees of a row."""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Rows to rate, by the numbers under which a rater sees them.

    Attributes
    ----------
    detector : str
    rules : tuple of str
        For all detectors, then for this one's family.
    rows : mapping of int to mapping
        From 1, in random order; only what is in :data:`SHOWN`.
    """

    detector: str
    rules: tuple[str, ...]
    rows: Mapping[int, Mapping[str, Any]]


def content_of(row: Mapping[str, Any]) -> str:
    """Return a hash of what a rater sees of a row."""
    seen = {name: row[name] for name in SHOWN if row.get(name) is not None}
    text = json.dumps(seen, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def sheet_of(detector: str, rows: Sequence[Mapping[str, Any]], seed: int) -> Sheet:
    """Return the sheet of a detector's rows.

    Raises
    ------
    DatasetError
        The detector is in no family, or in several.
    """
    shuffled = [
        {name: row[name] for name in SHOWN if row.get(name) is not None} for row in rows
    ]
    random.Random(f"{seed} {detector}").shuffle(shuffled)  # noqa: S311 (to be repeated)
    return Sheet(
        detector=detector,
        rules=(*general_rules(), *family_of(detector, families()).rules),
        rows=dict(enumerate(shuffled, start=1)),
    )


def write_sheet(sheet: Sheet, folder: Path) -> None:
    """Write DETECTOR.rules.txt and DETECTOR.sheet.jsonl."""
    rules = "".join(f"- {rule}\n" for rule in sheet.rules)
    write_whole(
        str(folder / f"{sheet.detector}.rules.txt"), f"{sheet.detector}\n\n{rules}"
    )
    lines = [
        json.dumps({"number": number, **row}, ensure_ascii=False) + "\n"
        for number, row in sheet.rows.items()
    ]
    write_whole(str(folder / f"{sheet.detector}.sheet.jsonl"), "".join(lines))


def read_ratings(folder: Path, detector: str) -> dict[str, str]:
    """Return what a rater said, by the content of the row.

    ``DETECTOR.labels.tsv`` has a line a row: number, tabulator, ``hit`` or ``pass``.

    Raises
    ------
    DatasetError
        A line is none of these, or a row has none or two.
    """
    path = folder / f"{detector}.labels.tsv"
    said = dict(_ratings(path))
    ratings = {}
    for line in (folder / f"{detector}.sheet.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["number"] not in said:
            raise DatasetError(
                f"{path}: no label for row {row['number']} of the sheet; add it"
            )
        ratings[content_of(row)] = said[row["number"]]
    return ratings


def _ratings(path: Path) -> Iterator[tuple[int, str]]:
    seen: set[int] = set()
    for place, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        number, _, label = line.partition("\t")
        if not number.isdecimal() or label not in LABELS or int(number) in seen:
            raise DatasetError(
                f"{path}:{place}: expected a number of the sheet, a tabulator and hit"
                f" or pass, once a row; found {line[:40]!r}"
            )
        seen.add(int(number))
        yield int(number), label


@dataclass(frozen=True, kw_only=True)
class Annotated:
    """Rows with the labels of two raters.

    Attributes
    ----------
    rows : list of dict
    differing : list of dict
        Those of them on which the raters differ.
    unrated : list of str
        Ids of rows that nobody rated as they are.
    """

    rows: list[dict[str, Any]]
    differing: list[dict[str, Any]]
    unrated: list[str]


def annotated(
    rows: Sequence[Mapping[str, Any]], ratings: Mapping[str, str]
) -> Annotated:
    """Put the author's label and the second rater's beside each other.

    A row that has both already keeps its author's, since its ``label`` may be the
    decision of a third.
    """
    made, differing, unrated = [], [], []
    for row in rows:
        rating = ratings.get(content_of(row))
        if rating is None:
            made.append(dict(row))
            unrated.append(str(row["id"]))
            continue
        before = row.get("annotations", {})
        labels = {AUTHOR: before.get(AUTHOR, row["label"]), SECOND: rating}
        made.append({**row, "annotations": labels})
        if labels[AUTHOR] != labels[SECOND]:
            differing.append(made[-1])
    return Annotated(rows=made, differing=differing, unrated=unrated)


def decided(
    rows: Sequence[Mapping[str, Any]], decisions: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Give rows on which two raters differ the label of a third."""
    return [
        {**row, "label": decisions[content_of(row)]}
        if differ(row) and content_of(row) in decisions
        else dict(row)
        for row in rows
    ]


def differ(row: Mapping[str, Any]) -> bool:
    """Whether two raters gave a row different labels."""
    return len(set(row.get("annotations", {}).values())) > 1
