# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A file of labels -> labels, whichever of three forms it has.

==================  ==================================================================
JSON Lines          what ``garak-tbsa label`` writes, an answer a line
a sheet             CSV of ``detectors sample``, also as a spreadsheet saved it
Label Studio        its JSON export, in full or "JSON-MIN"
==================  ==================================================================

The content says which. A row that cannot be used is a problem; the others are used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from garak_tbsa.files import read_small
from garak_tbsa.label_audit.label_records import PLACED, LabelRecord, records_of
from garak_tbsa.label_audit.labels import (
    ANSWERS,
    HIT,
    PASS,
    SKIP,
    UNDO,
    UNSURE,
    Label,
    LabelFile,
)
from garak_tbsa.safe_text import shown

MOST_BYTES = 256 << 20
"""300 labels of long outputs take 10 MB."""
ADVICE = (
    "give a file of labels, made with `garak-tbsa label` or"
    " `garak-tbsa detectors sample`"
)

DRAWN_COLUMN = "drawn"
ATTEMPT_COLUMNS = ("attempt", "attempt_uuid", "attempt_id", "uuid")
INDEX_COLUMNS = ("output_index", "attempt_idx", "index")
RATER_COLUMNS = ("rater", "annotator", "completed_by")

_SPELLINGS = {**{answer: answer for answer in ANSWERS}, "?": UNSURE}
_INDEX = re.compile(r"(\d{1,9})(?:\.0+)?", re.ASCII)
_ID = re.compile(r"(.+)/(\d{1,9})", re.ASCII | re.DOTALL)
_SHOWN = 60


@dataclass(frozen=True, kw_only=True)
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
    encoding : str or None
        Of sheets; UTF-8, or what their first bytes say, where None.
    """

    rater: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    label_values: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None


AS_WRITTEN = LabelReading()


def read_label_file(path: str, reading: LabelReading = AS_WRITTEN) -> LabelFile:
    """Read a file of labels.

    Parameters
    ----------
    path : str
    reading : LabelReading

    Raises
    ------
    DatasetError
        The file is missing, or none of the three forms.
    """
    content = read_small(path, MOST_BYTES, "a file of labels", ADVICE)
    records = records_of(content, path, reading.encoding)
    parser = _Parser(path, reading, is_log=records.is_log)
    labels: list[Label] = []
    problems: list[str] = []
    blank = 0
    for record in records.rows:
        if record.problem is not None:
            problems.append(f"{record.where}: {record.problem}")
            continue
        try:
            label = parser.label(record)
        except _UnusableRowError as error:
            problems.append(f"{record.where}: {error}")
            continue
        if label is None:
            blank += 1
        else:
            labels.append(label)
    return LabelFile(
        path=path,
        labels=tuple(labels),
        blank=blank,
        problems=tuple(problems),
        replaces=records.is_log,
    )


class _UnusableRowError(Exception):
    """A row that says nothing usable; its text says why."""


class _Parser:
    """Makes labels of a file's records."""

    def __init__(self, path: str, reading: LabelReading, *, is_log: bool) -> None:
        self.reading = reading
        self.spellings = _SPELLINGS | ({UNDO: UNDO} if is_log else {})
        name = os.path.basename(path)
        self.rater = reading.rater or re.sub(r"(\.labels)?\.\w+$", "", name) or name

    def label(self, record: LabelRecord) -> Label | None:
        """Return a record's label; None where nobody has answered."""
        values = self._named(record.values)
        if _names_nothing(values):
            raise _UnusableRowError(
                "names no output, perhaps as the rest of a long cell that a"
                " spreadsheet cut; expected `attempt` and `output_index`, or `id`"
            )
        answer = self._answer(values.get("label"))
        if answer is None:
            return None
        attempt, index = _place(values)
        return Label(
            where=record.where,
            attempt=attempt,
            output_index=index,
            detector=_text(values.get("detector")) or None,
            answer=answer,
            rater=_first(values, RATER_COLUMNS) or self.rater,
            drawn=_text(values.get(DRAWN_COLUMN)).lower() == "true",
            note=_text(values.get("note")),
        )

    def _named(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        columns = self.reading.columns
        for ours, theirs in columns.items():
            if ours in ("label", "attempt") and theirs not in values:
                raise _UnusableRowError(
                    f"no column {shown(theirs, _SHOWN)!r}, which --columns maps to"
                    f" `{ours}`"
                )
        return {
            **values,
            **{ours: values.get(theirs) for ours, theirs in columns.items()},
        }

    def _answer(self, value: object) -> str | None:
        said = _text(value)
        if not said:
            return None
        known = self.reading.label_values.get(said) or self.spellings.get(said.lower())
        if known is None:
            raise _UnusableRowError(
                f"the label is {shown(said, _SHOWN)!r}; expected {HIT}, {PASS},"
                f" {SKIP}, ? or nothing"
            )
        return known


def _text(value: object) -> str:
    """Return a cell's text without blanks around it, empty for none."""
    return "" if value is None else str(value).strip()


def _first(values: Mapping[str, Any], columns: tuple[str, ...]) -> str:
    return next(_texts(values, columns), "")


def _texts(values: Mapping[str, Any], columns: tuple[str, ...]) -> Iterator[str]:
    for column in columns:
        value = values.get(column)
        # Label Studio's long form of a person
        said = _text(value.get("email") if isinstance(value, dict) else value)
        if said:
            yield said


def _names_nothing(values: Mapping[str, Any]) -> bool:
    return not any(
        _first(values, columns) for columns in (ATTEMPT_COLUMNS, INDEX_COLUMNS, ("id",))
    )


def _place(values: Mapping[str, Any]) -> tuple[str, int]:
    """Return the attempt and the output's index, from their columns or from ``id``."""
    attempt, index = _first(values, ATTEMPT_COLUMNS), _first(values, INDEX_COLUMNS)
    known = _ID.fullmatch(_first(values, ("id",)))
    if attempt and index:
        number = _index(index)
        if PLACED in values and known and (attempt, number) != _parts(known):
            raise _UnusableRowError(
                f"`id` says {shown(known[0], _SHOWN)}, and `attempt` and"
                f" `output_index` say {shown(attempt, _SHOWN)}/{number}: columns were"
                " sorted apart; fill the sheet in again as it was written"
            )
        return attempt, number
    if known:
        return _parts(known)
    missing = ATTEMPT_COLUMNS[0] if not attempt else INDEX_COLUMNS[0]
    raise _UnusableRowError(f"no `{missing}`; add that column")


def _parts(match: re.Match[str]) -> tuple[str, int]:
    return match[1], int(match[2])


def _index(text: str) -> int:
    match = _INDEX.fullmatch(text)
    if match is None:
        raise _UnusableRowError(
            f"the output index is {shown(text, _SHOWN)!r}; expected a whole number, 0"
            " for the first output"
        )
    return int(match[1])
