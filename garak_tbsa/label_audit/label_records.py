# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The bytes of a file of labels -> its rows, each with its place."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from garak_tbsa.detector_eval.spreadsheet import MARK_COLUMN, restored
from garak_tbsa.errors import DatasetError
from garak_tbsa.safe_text import shown

PLACED = MARK_COLUMN
"""A column of rows that ``detectors sample`` wrote: their columns agree."""

_BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_DELIMITERS = ",;\t"
_LABEL_STUDIO = "Label Studio's JSON export"


@dataclass(frozen=True, kw_only=True)
class LabelRecord:
    """One row, or why there is none.

    Attributes
    ----------
    where : str
        File and row.
    values : mapping
        Column -> what is in it.
    problem : str or None
    """

    where: str
    values: Mapping[str, Any]
    problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class LabelRecords:
    """The rows of a file.

    Attributes
    ----------
    rows : iterable of LabelRecord
    is_log : bool
        Whether a later row of a rater replaces an earlier one.
    """

    rows: Iterable[LabelRecord]
    is_log: bool


def records_of(content: bytes, path: str, encoding: str | None = None) -> LabelRecords:
    """Tell the form of a file by how it begins, and read its rows.

    Raises
    ------
    DatasetError
        It is none of the forms that hold labels.
    """
    if content.startswith(b"PK\x03\x04"):
        raise DatasetError(
            f"{path}: a workbook; save the sheet as CSV (UTF-8) and give that file"
        )
    if b"\x00" in content[:4096] and not content.startswith(
        (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    ):
        raise DatasetError(
            f"{path}: no text; expected labels as JSON Lines, as CSV, or as"
            f" {_LABEL_STUDIO}"
        )
    text = _decoded(content, path, encoding)
    start = text.lstrip()[:1]
    if not start:
        raise DatasetError(
            f"{path}: empty; make labels with `garak-tbsa label` or `garak-tbsa"
            " detectors sample`"
        )
    if start == "[":
        return LabelRecords(rows=_exported(text, path), is_log=False)
    if start == "{":
        return LabelRecords(rows=_json_lines(text, path), is_log=True)
    return LabelRecords(rows=_sheet(text, path), is_log=False)


def _decoded(content: bytes, path: str, encoding: str | None) -> str:
    """Return the text; what is not in its encoding is no part of a label's place."""
    for mark, name in _BOMS.items():
        if content.startswith(mark):
            return content[len(mark) :].decode(name, errors="replace")
    try:
        return content.decode(encoding or "utf-8", errors="replace")
    except LookupError:
        raise DatasetError(
            f"{path}: no encoding is called {encoding!r}; try utf-8 or cp1252"
        ) from None


def _json_lines(text: str, path: str) -> Iterator[LabelRecord]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        values = _json_or_none(line)
        if isinstance(values, dict):
            yield LabelRecord(where=where, values=values)
        else:
            yield LabelRecord(
                where=where,
                values={},
                problem="no JSON object, or cut off; expected one label a line",
            )


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _sheet(text: str, path: str) -> Iterator[LabelRecord]:
    # a response can be longer than the module's 128 kB a cell
    csv.field_size_limit(2**31 - 1)
    header, rows = _header_and_rows(text, path)
    lacking = {"label"} - set(header)
    if lacking:
        raise DatasetError(
            f"{path}, row 1: no column `label`; it has"
            f" {shown(', '.join(header[:12]), 200)}"
        )
    for number, cells in rows:
        where = f"{path}, row {number}"
        if isinstance(cells, str):
            yield LabelRecord(where=where, values={}, problem=cells)
        elif any(cells[len(header) :]):
            yield LabelRecord(
                where=where,
                values={},
                problem=f"{len(cells)} cells, and the header names {len(header)};"
                " quote cells that hold the delimiter",
            )
        elif any(cells):
            values = dict(zip(header, cells, strict=False))
            kept = restored(values)
            if PLACED in values:
                kept = {**kept, PLACED: values[PLACED]}
            yield LabelRecord(where=where, values=kept)


_Numbered = Iterator[tuple[int, list[str] | str]]


def _header_and_rows(text: str, path: str) -> tuple[list[str], _Numbered]:
    """The columns' names, and the cells of each row or why there are none.

    Some programs write each row as one cell, with its quotes doubled; such a sheet is
    read as what it was.
    """
    first, _, _ = text.partition("\n")
    delimiter = max(_DELIMITERS, key=first.count)
    rows = _cells(text, delimiter)
    _, names = next(rows)
    wrapped = not isinstance(names, str) and len(names) == 1
    if wrapped and any(each in names[0] for each in _DELIMITERS):
        delimiter = max(_DELIMITERS, key=names[0].count)
        names = next(csv.reader([names[0]], delimiter=delimiter))
        rows = _unwrapped(rows, delimiter)
    if isinstance(names, str):
        raise DatasetError(f"{path}, row 1: {names}")
    header = [name.strip() for name in names]
    while header and not header[-1]:
        header.pop()
    for place, name in enumerate(header):
        if name and name in header[:place]:
            raise DatasetError(
                f"{path}, row 1: two columns are called {shown(name, 60)!r}; rename or"
                " remove one"
            )
    return header, rows


def _cells(text: str, delimiter: str) -> _Numbered:
    # strict: a quote that is never closed would swallow the rows below it
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 0
    while True:
        number += 1
        try:
            yield number, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, f"no CSV ({error}); quote cells that hold quotes or lines"


def _unwrapped(rows: _Numbered, delimiter: str) -> _Numbered:
    for number, cells in rows:
        if isinstance(cells, str) or len(cells) != 1:
            yield number, cells
            continue
        try:
            inner = io.StringIO(cells[0], newline="")
            yield number, next(csv.reader(inner, delimiter=delimiter), [])
        except csv.Error as error:
            yield number, f"no CSV ({error}); quote cells that hold quotes or lines"


def _exported(text: str, path: str) -> Iterator[LabelRecord]:
    tasks = _json_or_none(text)
    if not isinstance(tasks, list):
        raise DatasetError(
            f"{path}: looks like {_LABEL_STUDIO} and is not valid JSON, perhaps"
            " cut off; export it again"
        )
    for number, task in enumerate(tasks, start=1):
        if not isinstance(task, dict):
            yield LabelRecord(
                where=f"{path}, task {number}",
                values={},
                problem=f"no JSON object; expected a task of {_LABEL_STUDIO}",
            )
        elif isinstance(task.get("data"), dict):
            yield from _annotated(task, task["data"], f"{path}, task {number}")
        else:
            yield LabelRecord(where=f"{path}, task {number}", values=task)


def _annotated(
    task: Mapping[str, Any], data: Mapping[str, Any], where: str
) -> Iterator[LabelRecord]:
    """One record for each annotation of a task; a blank one where there is none."""
    annotations = task.get("annotations")
    found = [each for each in annotations or () if isinstance(each, dict)]
    if not found:
        yield LabelRecord(where=where, values={**data, "label": None})
    for annotation in found:
        by = annotation.get("completed_by")
        rater = by.get("email") or by.get("id") if isinstance(by, dict) else by
        said = _choices(annotation.get("result"))
        if annotation.get("was_cancelled"):
            said = ["skip"]
        values = {**data, "rater": None if rater is None else str(rater)}
        if len(said) > 1:
            yield LabelRecord(
                where=where,
                values={},
                problem="several choices in one annotation; expected one, named"
                " `label`",
            )
        else:
            yield LabelRecord(
                where=where, values={**values, "label": said[0] if said else None}
            )


def _choices(result: object) -> Sequence[str]:
    """The choices of the question ``label``, or of the only question."""
    if not isinstance(result, list):
        return []
    asked: dict[str, list[str]] = {}
    for each in result:
        if not isinstance(each, dict) or each.get("type") != "choices":
            continue
        value = each.get("value")
        chosen = value.get("choices") if isinstance(value, dict) else None
        if isinstance(chosen, list):
            asked.setdefault(str(each.get("from_name")), []).extend(map(str, chosen))
    if "label" in asked:
        return asked["label"]
    return [choice for choices in asked.values() for choice in choices]
