# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A garak report and a file of labels -> raw records, so that real scans count.

A label names an output of the report: the attempt's uuid, the output's index
(from 0), ``hit`` or ``pass``, and the detector unless the command names one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from garak_tbsa.detector_eval.formats import read_json_lines, read_records
from garak_tbsa.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from garak_tbsa.detector_eval.formats import NumberedRecord, ReadOptions

_ATTEMPT_COLUMNS = ("attempt", "attempt_uuid", "attempt_id", "uuid")
_INDEX_COLUMNS = ("output_index", "attempt_idx", "index")
_COMPLETE = 2


@dataclass(frozen=True, kw_only=True)
class _OutputLabel:
    """One row of the labels file."""

    where: str
    number: int
    detector: str | None
    label: Any


_Labels = dict[tuple[str, int], list[_OutputLabel]]


def is_report(path: str) -> bool:
    """Whether a JSON Lines file opens like a garak report, not like labelled rows."""
    for _, record in read_json_lines(path):
        return "entry_type" in record
    return False


def read_labelled_report(
    path: str, labels: str, options: ReadOptions
) -> Iterator[NumberedRecord]:
    """Yield a raw record for each label, numbered by its row in the labels file.

    Parameters
    ----------
    path : str
        A garak report, JSON Lines.
    labels : str
        CSV, JSON Lines or Parquet with the columns ``attempt`` (uuid),
        ``output_index``, ``label`` and, optionally, ``detector``.

    Raises
    ------
    DatasetError
        A label names no attempt or output of the report.
    """
    wanted = _read_labels(labels, options)
    found: set[tuple[str, int]] = set()
    for _, entry in read_json_lines(path):
        if entry.get("entry_type") != "attempt" or not is_complete(entry):
            continue
        outputs = entry.get("outputs")
        for index, output in enumerate(outputs if isinstance(outputs, list) else ()):
            place = (str(entry.get("uuid")), index)
            if place in found:
                continue  # resumed scans write an attempt again
            for label in wanted.get(place, ()):
                found.add(place)
                yield label.number, _record(entry, output, index, label)
    _check_all_found(wanted, found, path)


def _read_labels(labels: str, options: ReadOptions) -> _Labels:
    wanted: _Labels = {}
    for number, record in read_records(labels, options):
        where = f"{labels}, row {number}"
        uuid = _first_of(record, _ATTEMPT_COLUMNS, where)
        index = _first_of(record, _INDEX_COLUMNS, where)
        if not str(index).isdecimal():
            raise DatasetError(
                f"{where}: the output index is {index!r};"
                " expected a whole number, 0 for the first output"
            )
        label = _OutputLabel(
            where=where,
            number=number,
            detector=record.get("detector") or None,
            label=record.get("label"),
        )
        wanted.setdefault((str(uuid), int(index)), []).append(label)
    return wanted


def _first_of(record: dict[str, Any], columns: tuple[str, ...], where: str) -> Any:
    for column in columns:
        if record.get(column) not in (None, ""):
            return record[column]
    raise DatasetError(f"{where}: no `{columns[0]}`; add that column")


def is_complete(entry: dict[str, Any]) -> bool:
    """Whether this is the later of the two rows that garak writes an attempt."""
    return bool(entry.get("status") == _COMPLETE)


def _record(
    entry: dict[str, Any], output: Any, index: int, label: _OutputLabel
) -> dict[str, Any]:
    """What of an attempt a labelled row needs."""
    notes = entry.get("notes")
    return {
        "id": f"{entry.get('uuid')}/{index}",
        "detector": label.detector,
        "output": output.get("text") if isinstance(output, dict) else output,
        "label": label.label,
        "prompt": entry.get("prompt"),
        "notes": notes if isinstance(notes, dict) else {},
        "goal": entry.get("goal"),
        "probe": entry.get("probe_classname"),
        "lang": output.get("lang") if isinstance(output, dict) else None,
        "slice": entry.get("probe_classname"),
        "source": "garak report",
    }


def _check_all_found(wanted: _Labels, found: set[tuple[str, int]], path: str) -> None:
    for place, labels in wanted.items():
        if place not in found:
            uuid, index = place
            raise DatasetError(
                f"{labels[0].where}: attempt {uuid[:60]} has no finished output {index}"
                f" in {path}; give the report that the labels were made from"
            )
