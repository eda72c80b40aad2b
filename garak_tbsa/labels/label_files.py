# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A file of labels -> labels, whichever of two forms it has.

==========  ==========================================================================
JSON Lines  what ``garak-tbsa label`` keeps, an answer a line
a sheet     CSV of ``garak-tbsa label --sheet``, also as a spreadsheet saved it
==========  ==========================================================================

The content says which. A row that cannot be used is a problem; the others are used.

``garak-tbsa label`` appends a line for each answer:

    {"attempt": uuid, "output_index": 0, "detector": "dan.DAN", "label": "hit",
     "rater": "anna", "note": "", "drawn": true, "time": "2026-11-22T10:00:00+00:00"}

A rater's later answer about an output replaces the earlier one; ``undo`` takes it back.
Where an output was shown to the rater again, ``"look": 2`` marks the second answer: it
stands beside the first one.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from msgspec import structs

from garak_tbsa.detector_eval.report_labels import HIT, PASS, Place
from garak_tbsa.detector_eval.spreadsheet import (
    MARK_COLUMN,
    SheetError,
    read_sheet,
    restored,
)
from garak_tbsa.errors import DatasetError
from garak_tbsa.files import read_small
from garak_tbsa.safe_text import shown

SKIP, UNSURE = "skip", "unsure"
JUDGEMENTS = (HIT, PASS)
ANSWERS = (HIT, PASS, SKIP, UNSURE)
UNDO = "undo"
"""In a log: the rater's answer about this output is taken back."""

MOST_BYTES = 256 << 20
"""300 labels of long outputs take 10 MB."""
ADVICE = "give a file of labels, made with `garak-tbsa label`"

_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SPELLINGS = {**{answer: answer for answer in ANSWERS}, "?": UNSURE, "": ""}
_LOOKS = {"2": 2, "3": 3}
_INDEX = re.compile(r"(\d{1,9})(?:\.0+)?", re.ASCII)
_ID = re.compile(r"(.+)/(\d{1,9})", re.ASCII | re.DOTALL)
_SHOWN = 60
_COLUMNS = (
    *("label", "attempt", "output_index", "id", "detector", "rater", "drawn", "note"),
    "look",
)

Row: TypeAlias = tuple[str, Mapping[str, Any] | str]
"""Where a row is; its columns, or why it cannot be used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """One rater's answer about one output and detector.

    Attributes
    ----------
    where : str
        File and row, for messages; empty for an answer that is being given.
    place : Place
    detector : str or None
        None where the file names none: the labels are for the only detector of the
        outputs, or for the one that the command names.
    answer : str
        ``hit``, ``pass``, ``skip`` or ``unsure``; in a log ``undo`` too. Empty where
        nobody has answered.
    rater : str
        Empty where the file names none.
    drawn : bool
        Whether the output was drawn at random by us, not picked by a person.
    note, time : str
        The time in ISO 8601, with its offset.
    look : int
        2 where the output was shown to the rater a second time, 3 for the third.
    """

    place: Place
    detector: str | None
    answer: str
    rater: str = ""
    where: str = ""
    drawn: bool = True
    note: str = ""
    time: str = ""
    look: int = 1

    def line(self) -> str:
        """Return the line of a log, with its end."""
        document = {
            **structs.asdict(self.place),
            "detector": self.detector,
            "label": self.answer,
            "rater": self.rater,
            "note": self.note,
            "drawn": self.drawn,
            "time": self.time,
        } | ({"look": self.look} if self.look > 1 else {})
        # ASCII, since a text from elsewhere may hold lone surrogates
        return json.dumps(document, allow_nan=False) + "\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelFile:
    """What a file of labels holds.

    Attributes
    ----------
    path : str
    labels : tuple of Label
        In the file's order.
    blank : int
        Rows without an answer, as in a sheet that is half filled.
    unanswered : tuple of Label
        These rows, as far as they name an output; the answer is empty.
    problems : tuple of str
        ``file, row N: what is wrong; what to do``; such rows are not used.
    replaces : bool
        Whether a later answer of a rater about an output replaces an earlier one, as
        in a log.
    """

    path: str
    labels: tuple[Label, ...] = ()
    blank: int = 0
    unanswered: tuple[Label, ...] = ()
    problems: tuple[str, ...] = ()
    replaces: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelReading:
    """How a file of labels is read.

    Attributes
    ----------
    rater : str or None
        Who gave labels that name nobody; the file's name without its ending if None.
    columns : mapping
        Our column name -> the file's, e.g. ``{"label": "verdict"}``.
    label_values : mapping
        Further spellings, e.g. ``{"1": "hit"}``.
    """

    rater: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    label_values: Mapping[str, str] = field(default_factory=dict)


AS_WRITTEN = LabelReading()


def read_label_file(path: str, reading: LabelReading = AS_WRITTEN) -> LabelFile:
    """Read a file of labels.

    Raises
    ------
    DatasetError
        The file is missing, or of neither form.
    """
    text = _decoded(read_small(path, MOST_BYTES, "a file of labels", ADVICE), path)
    if not text.strip():
        raise DatasetError(f"{path}: empty; make labels with `garak-tbsa label`")
    is_log = text.lstrip().startswith("{")
    name = os.path.basename(path)
    rater = reading.rater or re.sub(r"(\.labels)?\.\w+$", "", name) or name
    spellings = {**_SPELLINGS, **({UNDO: UNDO} if is_log else {})}
    labels: list[Label] = []
    problems: list[str] = []
    blank = 0
    for where, row in (_log if is_log else _sheet)(text, path, reading):
        try:
            if isinstance(row, str):
                raise SheetError(row)
            cells = _cells(row, reading)
            answer = _answer(cells["label"], reading.label_values, spellings)
            blank += not answer
            place = _place(cells, answer, is_ours=MARK_COLUMN in row)
        except SheetError as error:
            problems.append(f"{where}: {error}")
            continue
        if place is not None:
            label = Label(
                where=where,
                place=place,
                detector=cells["detector"] or None,
                answer=answer,
                rater=cells["rater"] or rater,
                drawn=cells["drawn"].lower() == "true",
                note=cells["note"],
                look=_LOOKS.get(cells["look"], 1),
            )
            labels.append(label)
    return LabelFile(
        path=path,
        labels=tuple(each for each in labels if each.answer),
        blank=blank,
        unanswered=tuple(each for each in labels if not each.answer),
        problems=tuple(problems),
        replaces=is_log,
    )


def _decoded(content: bytes, path: str) -> str:
    """Return the text: UTF-8, or what its first bytes say.

    What is not in this encoding is no part of a label's place.
    """
    for mark, name in _BOMS.items():
        if content.startswith(mark):
            return content.decode(name, errors="replace")
    if b"\x00" in content[:4096]:
        raise DatasetError(
            f"{path}: no text; expected labels as JSON Lines, or a sheet saved as CSV"
        )
    return content.decode(errors="replace")


def _log(text: str, path: str, _: LabelReading) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where, values = f"{path}, line {number}", None
        with suppress(ValueError, RecursionError):
            values = json.loads(line)
        if not isinstance(values, dict):
            yield where, "no JSON object, or cut off; expected one label a line"
        elif "entry_type" in values:
            raise DatasetError(
                f"{where}: a row of a garak report, not a label; make labels with"
                " `garak-tbsa label`"
            )
        else:
            yield where, values


def _sheet(text: str, path: str, reading: LabelReading) -> Iterator[Row]:
    label = reading.columns.get("label", "label")
    try:
        names, rows = read_sheet(io.StringIO(text, newline=""))
        if label not in names:
            has = shown(", ".join(names[:12]), 200)
            raise SheetError(f"no column `{shown(label, _SHOWN)}`; it has {has}")
    except SheetError as error:
        raise DatasetError(f"{path}, row 1: {error}") from None
    for number, row in rows:
        where = f"{path}, row {number}"
        if isinstance(row, dict) and MARK_COLUMN in row:
            # of rows that we wrote the columns must agree
            yield where, restored(row) | {MARK_COLUMN: row[MARK_COLUMN]}
        else:
            yield where, row


def _cells(row: Mapping[str, Any], reading: LabelReading) -> dict[str, str]:
    """The columns that are read, without blanks around them; empty where missing."""
    for ours, theirs in reading.columns.items():
        if ours in ("label", "attempt") and theirs not in row:
            raise SheetError(
                f"no column {shown(theirs, _SHOWN)!r}, which --columns maps to `{ours}`"
            )
    values = ((name, row.get(reading.columns.get(name, name))) for name in _COLUMNS)
    cells = {name: "" if each is None else str(each).strip() for name, each in values}
    if not (cells["attempt"] or cells["output_index"] or cells["id"]):
        raise SheetError(
            "names no output, perhaps as the rest of a long cell that a spreadsheet"
            " cut; expected `attempt` and `output_index`, or `id`"
        )
    return cells


def _answer(said: str, values: Mapping[str, str], spellings: Mapping[str, str]) -> str:
    answer = values.get(said) or spellings.get(said.lower())
    if answer is None:
        raise SheetError(
            f"the label is {shown(said, _SHOWN)!r}; expected {HIT}, {PASS}, {SKIP}, ?"
            " or nothing"
        )
    return answer


def _place(cells: Mapping[str, str], answer: str, *, is_ours: bool) -> Place | None:
    """Return the attempt and the output's index, from their columns or from ``id``.

    None where they cannot be used, and nobody has answered.
    """
    attempt, index = cells["attempt"], cells["output_index"]
    number, known = _INDEX.fullmatch(index), _ID.fullmatch(cells["id"])
    by_id = Place(known[1], int(known[2])) if known else None
    problem = None
    if by_id and not (attempt and index):
        return by_id
    if not (attempt and index):
        missing = "output_index" if attempt else "attempt"
        problem = f"no `{missing}`; add that column"
    elif number is None:
        problem = (
            f"the output index is {shown(index, _SHOWN)!r}; expected a whole number, 0"
            " for the first output"
        )
    elif is_ours and by_id and by_id != Place(attempt, int(number[1])):
        problem = (
            f"`id` says {shown(cells['id'], _SHOWN)}, and `attempt` and `output_index`"
            f" say {shown(attempt, _SHOWN)}/{int(number[1])}: columns were sorted"
            " apart; fill the sheet in again as it was written"
        )
    if problem is None and number:
        return Place(attempt, int(number[1]))
    if answer and problem:
        raise SheetError(problem)
    return None
