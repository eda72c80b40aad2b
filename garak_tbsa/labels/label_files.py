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
_SPELLINGS = {**{answer: answer for answer in ANSWERS}, "?": UNSURE}
_LOOKS = {"2": 2, "3": 3}
_INDEX = re.compile(r"(\d{1,9})(?:\.0+)?", re.ASCII)
_ID = re.compile(r"(.+)/(\d{1,9})", re.ASCII | re.DOTALL)
_SHOWN = 60

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
    content = read_small(path, MOST_BYTES, "a file of labels", ADVICE)
    text = _decoded(content, path)
    start = text.lstrip()[:1]
    if not start:
        raise DatasetError(f"{path}: empty; make labels with `garak-tbsa label`")
    is_log = start == "{"
    if is_log:
        rows = _log(text, path)
    else:
        rows = _sheet(text, path, reading.columns.get("label", "label"))
    name = os.path.basename(path)
    rater = reading.rater or re.sub(r"(\.labels)?\.\w+$", "", name) or name
    found: list[Label | None] = []
    problems: list[str] = []
    for where, values in rows:
        try:
            found.append(_label(where, values, reading, rater, is_log=is_log))
        except _UnusableRowError as error:
            problems.append(f"{where}: {error}")
    return LabelFile(
        path=path,
        labels=tuple(each for each in found if each and each.answer),
        blank=sum(not (each and each.answer) for each in found),
        unanswered=tuple(each for each in found if each and not each.answer),
        problems=tuple(problems),
        replaces=is_log,
    )


def _decoded(content: bytes, path: str) -> str:
    """Return the text: UTF-8, or what its first bytes say.

    What is not in this encoding is no part of a label's place.
    """
    marked = [name for mark, name in _BOMS.items() if content.startswith(mark)]
    if b"\x00" in content[:4096] and not marked:
        raise DatasetError(
            f"{path}: no text; expected labels as JSON Lines, or a sheet saved as CSV"
        )
    (name,) = marked or ["utf-8"]
    return content.decode(name, errors="replace")


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _log(text: str, path: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            values = _json_or_none(line)
            if isinstance(values, dict) and "entry_type" in values:
                raise DatasetError(
                    f"{path}, line {number}: a row of a garak report, not a label; make"
                    " labels with `garak-tbsa label`"
                )
            problem = "no JSON object, or cut off; expected one label a line"
            is_object = isinstance(values, dict)
            yield f"{path}, line {number}", values if is_object else problem


def _sheet(text: str, path: str, label: str) -> Iterator[Row]:
    try:
        names, rows = read_sheet(io.StringIO(text, newline=""))
        if label not in names:
            has = shown(", ".join(names[:12]), 200)
            raise SheetError(f"no column `{shown(label, _SHOWN)}`; it has {has}")
    except SheetError as error:
        raise DatasetError(f"{path}, row 1: {error}") from None
    for number, row in rows:
        values: dict[str, Any] | str = row
        if isinstance(row, dict):
            # of rows that we wrote the columns must agree
            mark = {name: row[name] for name in (MARK_COLUMN,) if name in row}
            values = {**restored(row), **mark}
        yield f"{path}, row {number}", values


class _UnusableRowError(Exception):
    """A row that says nothing usable; its text says why."""


def _label(
    where: str,
    values: Mapping[str, Any] | str,
    reading: LabelReading,
    rater: str,
    *,
    is_log: bool,
) -> Label | None:
    """Return a row's label; None where it names neither an answer nor an output."""
    if isinstance(values, str):
        raise _UnusableRowError(values)
    for ours, theirs in reading.columns.items():
        if ours in ("label", "attempt") and theirs not in values:
            raise _UnusableRowError(
                f"no column {shown(theirs, _SHOWN)!r}, which --columns maps to `{ours}`"
            )
    renamed = {ours: values.get(theirs) for ours, theirs in reading.columns.items()}
    values = {**values, **renamed}
    if not any(_text(values.get(name)) for name in ("attempt", "output_index", "id")):
        raise _UnusableRowError(
            "names no output, perhaps as the rest of a long cell that a spreadsheet"
            " cut; expected `attempt` and `output_index`, or `id`"
        )
    said = _text(values.get("label"))
    spellings = _SPELLINGS | {"": ""} | ({UNDO: UNDO} if is_log else {})
    answer = reading.label_values.get(said) or spellings.get(said.lower())
    if answer is None:
        raise _UnusableRowError(
            f"the label is {shown(said, _SHOWN)!r}; expected {HIT}, {PASS}, {SKIP}, ?"
            " or nothing"
        )
    try:
        place = _place(values)
    except _UnusableRowError:
        if not answer:
            return None
        raise
    return Label(
        where=where,
        place=place,
        detector=_text(values.get("detector")) or None,
        answer=answer,
        rater=_text(values.get("rater")) or rater,
        drawn=_text(values.get("drawn")).lower() == "true",
        note=_text(values.get("note")),
        look=_LOOKS.get(_text(values.get("look")), 1),
    )


def _text(value: object) -> str:
    """Return a cell's text without blanks around it, empty for none."""
    return "" if value is None else str(value).strip()


def _place(values: Mapping[str, Any]) -> Place:
    """Return the attempt and the output's index, from their columns or from ``id``."""
    attempt, index = (_text(values.get(name)) for name in ("attempt", "output_index"))
    known = _ID.fullmatch(_text(values.get("id")))
    if not (attempt and index):
        if known:
            return Place(known[1], int(known[2]))
        missing = "output_index" if attempt else "attempt"
        raise _UnusableRowError(f"no `{missing}`; add that column")
    number = _INDEX.fullmatch(index)
    if number is None:
        raise _UnusableRowError(
            f"the output index is {shown(index, _SHOWN)!r}; expected a whole number, 0"
            " for the first output"
        )
    place = Place(attempt, int(number[1]))
    if MARK_COLUMN in values and known and place != Place(known[1], int(known[2])):
        raise _UnusableRowError(
            f"`id` says {shown(known[0], _SHOWN)}, and `attempt` and `output_index` say"
            f" {shown(attempt, _SHOWN)}/{place.output_index}: columns were sorted"
            " apart; fill the sheet in again as it was written"
        )
    return place
