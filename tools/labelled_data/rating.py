# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A second label for every row, given without sight of the first one.

A sheet has the rules, and the rows in random order under new numbers: prompt, response
and what the detector reads of an attempt, but no label, no ``why``, no slice, no id.
What a rater said comes back by a row's content, so that a row that has changed since is
rated again. Where the two differ, a third rater decides.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from garak_tbsa.errors import DatasetError
from garak_tbsa.files import write_whole
from garak_tbsa.labels.labelling_rules import general_rules
from garak_tbsa.terminal import write_lines
from tools.labelled_data import families
from tools.labelled_data.families import (
    ENDING,
    Row,
    family_of,
    read_rows,
)

AUTHOR, SECOND = "author", "second"
"""The raters' names in ``annotations``."""
SHOWN = ("prompt", "output", "notes", "goal", "file")
"""What a rater sees of a row."""
_RATING = re.compile(r"(\d+)\t(hit|pass)")
_ANNOTATIONS = re.compile(r', "annotations": \{[^{}]*\}\}\Z')
_LABEL = re.compile(r'(?<!\\)"label": "(?:hit|pass)"')


def differ(row: Row) -> bool:
    """Whether two raters gave a row different labels."""
    return len(set(row.get("annotations", {}).values())) > 1


def unrated(row: Row) -> bool:
    """Whether no second rater has labelled a row."""
    return "annotations" not in row


def shown_of(row: Row) -> Row:
    """What a rater sees of a row."""
    return {name: row[name] for name in SHOWN if row.get(name) is not None}


def content_of(row: Row) -> str:
    """Return a hash of what a rater sees of a row."""
    text = json.dumps(shown_of(row), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def write_sheets(
    detectors: Sequence[str], folder: Path, seed: int, wanted: Callable[[Row], bool]
) -> None:
    """Write DETECTOR.rules.txt and DETECTOR.sheet.jsonl of the rows that are wanted."""
    for detector, rows in _chosen(detectors).items():
        chosen = [shown_of(row) for row in rows if wanted(row)]
        if not chosen:
            continue
        random.Random(f"{seed} {detector}").shuffle(chosen)  # noqa: S311 (repeatable)
        own = family_of(detector, families.families()).rules
        rules = "".join(f"- {rule}\n" for rule in (*general_rules(), *own))
        lines = [
            json.dumps({"number": number, **row}, ensure_ascii=False) + "\n"
            for number, row in enumerate(chosen, 1)
        ]
        write_whole(str(folder / f"{detector}.rules.txt"), f"{detector}\n\n{rules}")
        write_whole(str(folder / f"{detector}.sheet{ENDING}"), "".join(lines))
        write_lines([f"{detector}: {len(chosen)} rows to rate"])


def annotate(detectors: Sequence[str], folder: Path) -> None:
    """Put a second rater's labels beside the author's.

    A row that has both already keeps its author's, since its ``label`` may be the
    decision of a third.
    """
    for detector, rows, said in _rated(detectors, folder):
        made = list(rows)
        for place, row in enumerate(rows):
            if content_of(row) in said:
                author = row.get("annotations", {}).get(AUTHOR, row["label"])
                labels = {AUTHOR: author, SECOND: said[content_of(row)]}
                made[place] = {**row, "annotations": labels}
        _write(detector, made)
        left = sum(content_of(row) not in said for row in rows)
        write_lines(
            [
                f"{detector}: {len(rows) - left} rows with two labels,"
                f" {sum(map(differ, made))} differ, {left} not rated"
            ]
        )


def decide(detectors: Sequence[str], folder: Path) -> None:
    """Give rows on which two raters differ the label of a third."""
    for detector, rows, said in _rated(detectors, folder):
        made = [
            {**row, "label": said.get(content_of(row), row["label"])}
            if differ(row)
            else row
            for row in rows
        ]
        _write(detector, made)
        disputed = [row for row in made if differ(row)]
        kept = sum(row["annotations"][AUTHOR] == row["label"] for row in disputed)
        write_lines(
            [
                f"{detector}: {len(disputed)} disputed, {kept} as the {AUTHOR},"
                f" {len(disputed) - kept} as the {SECOND} said"
            ]
        )


def _chosen(detectors: Sequence[str]) -> dict[str, list[Row]]:
    rows = read_rows()
    return {name: rows[name] for name in detectors} if detectors else rows


def _rated(
    detectors: Sequence[str], folder: Path
) -> Iterator[tuple[str, list[Row], dict[str, str]]]:
    for detector, rows in _chosen(detectors).items():
        if (folder / f"{detector}.labels.tsv").is_file():
            yield detector, rows, read_ratings(folder, detector)


def read_ratings(folder: Path, detector: str) -> dict[str, str]:
    """Return what a rater said, by the content of the row.

    ``DETECTOR.labels.tsv`` has a line a row: number, tabulator, ``hit`` or ``pass``.
    """
    path = folder / f"{detector}.labels.tsv"
    said: dict[int, str] = {}
    for place, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        found = _RATING.fullmatch(line)
        if found is None or int(found[1]) in said:
            raise DatasetError(
                f"{path}:{place}: expected a number of the sheet, a tabulator and hit"
                f" or pass, once a row; found {line[:40]!r}"
            )
        said[int(found[1])] = found[2]
    ratings = {}
    for line in (folder / f"{detector}.sheet{ENDING}").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["number"] not in said:
            raise DatasetError(
                f"{path}: no label for row {row['number']} of the sheet; add it"
            )
        ratings[content_of(row)] = said[row["number"]]
    return ratings


def _write(detector: str, rows: Sequence[Row]) -> None:
    path = families.LABELLED / f"{detector}{ENDING}"
    lines = path.read_text("utf-8").splitlines()
    made = [rated_line(line, row) for line, row in zip(lines, rows, strict=True)]
    write_whole(str(path), "".join(f"{line}\n" for line in made))


def rated_line(line: str, row: Row) -> str:
    """Return a row's line with the row's label and annotations.

    All else stays as it is, JSON escapes too: some rows hold what virus scanners find.
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
