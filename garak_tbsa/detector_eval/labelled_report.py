# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A garak report and a file of labels -> raw records, so that real scans count.

A label names an output of the report: the attempt's uuid, the output's index
(from 0), ``hit`` or ``pass``, and the detector unless the command names one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from garak_tbsa.detector_eval.formats import read_records
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.attempts import read_attempts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from garak_tbsa.detector_eval.formats import NumberedRecord, ReadOptions
    from garak_tbsa.garak_files.attempts import Attempt

_ATTEMPT_COLUMNS = ("attempt", "attempt_uuid", "attempt_id", "uuid")
_INDEX_COLUMNS = ("output_index", "attempt_idx", "index")
_MOST_DIGITS = 9


@dataclass(frozen=True, kw_only=True)
class _OutputLabel:
    """One row of the labels file."""

    where: str
    number: int
    detector: str | None
    label: Any


_Labels = dict[tuple[str, int], list[_OutputLabel]]


def read_labelled_report(
    path: str, labels: str, options: ReadOptions
) -> Iterator[NumberedRecord]:
    """Yield a raw record for each label, numbered by its row in the labels file.

    Parameters
    ----------
    path : str
        A garak report, whatever ``score`` reads.
    labels : str
        CSV, JSON Lines or Parquet with the columns ``attempt`` (uuid),
        ``output_index``, ``label`` and, optionally, ``detector``.

    Raises
    ------
    DatasetError
        A label names no attempt or output of the report.
    ReportError
        The report cannot be read.
    """
    wanted = _read_labels(labels, options)
    found: set[tuple[str, int]] = set()
    for attempt in read_attempts(path):
        for index in range(len(attempt.outputs)):
            place = (str(attempt.uuid), index)
            for label in wanted.get(place, ()):
                found.add(place)
                yield label.number, _record(attempt, index, label)
    _check_all_found(wanted, found, path)


def _read_labels(labels: str, options: ReadOptions) -> _Labels:
    wanted: _Labels = {}
    for number, record in read_records(labels, options):
        where = f"{labels}, row {number}"
        uuid = _first_of(record, _ATTEMPT_COLUMNS, where)
        index = _first_of(record, _INDEX_COLUMNS, where)
        if not str(index).isdecimal() or len(str(index)) > _MOST_DIGITS:
            raise DatasetError(
                f"{where}: the output index is {_cut(index)!r};"
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


def _cut(value: Any) -> Any:
    return value[:40] if isinstance(value, str) else value


def _record(attempt: Attempt, index: int, label: _OutputLabel) -> dict[str, Any]:
    """What of an attempt a labelled row needs."""
    output = attempt.outputs[index]
    return {
        "id": f"{attempt.uuid}/{index}",
        "detector": label.detector,
        "output": output.text,
        "label": label.label,
        "prompt": attempt.prompt,
        "notes": attempt.notes,
        "goal": attempt.goal,
        "probe": attempt.probe,
        "lang": output.lang,
        "slice": attempt.probe,
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
