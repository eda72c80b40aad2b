# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Files of labelled rows -> the rows of each detector, checked before anything runs.

A first pass reads every row once, so that a mistake in row 900,000 is told
before a model has run for hours. It keeps 8 bytes a row; the rows themselves
are read again, streaming, when a detector is run.
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy

from garak_tbsa.detector_eval.formats import (
    NumberedRecord,
    read_json_lines,
    read_records,
    sha256_of,
)
from garak_tbsa.detector_eval.labelled_report import read_labelled_report
from garak_tbsa.detector_eval.labelled_row import Label, LabelledRow
from garak_tbsa.detector_eval.left_out import ReadingNotes, ReadingTally, identities_of
from garak_tbsa.detector_eval.row_parser import DatasetOptions, RowParser, parsed
from garak_tbsa.detector_eval.slots import WordList, fill_slots
from garak_tbsa.detector_eval.sources import LabelledSource
from garak_tbsa.errors import DatasetError, WordListMissingError

_SPILLED_RECORD = "record"


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A file's name without folders, and the sha256 of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Part:
    """The rows of one detector in one source.

    ``spilled`` is the temporary file that holds only those, for sources with
    several detectors in them.
    """

    source: LabelledSource
    rows_of: str
    spilled: str | None = None


@dataclass(frozen=True, kw_only=True)
class DetectorRows:
    """The checked rows of one detector, countable now and readable any time.

    Attributes
    ----------
    hits, passes : int
        Typical rows of each label.
    stress : int
        Stress rows of both.
    unusable : str or None
        Why the installed garak, an older one perhaps, cannot make the rows complete.
    """

    detector: str
    hits: int
    passes: int
    stress: int = 0
    parts: tuple[Part, ...]
    files: tuple[DataFile, ...]
    unusable: str | None = None

    @property
    def count(self) -> int:
        """Number of rows."""
        return self.hits + self.passes + self.stress

    def served_to(self, detector: str) -> DetectorRows:
        """The same rows, to judge another detector."""
        return replace(self, detector=detector)


def check_sources(
    sources: Sequence[LabelledSource],
    options: DatasetOptions,
    *,
    scratch: str,
) -> dict[str, DetectorRows]:
    """Read every row once; return what each detector has, by its name.

    Parameters
    ----------
    scratch : str
        A folder for temporary files, which must outlive the result.

    Raises
    ------
    DatasetError
        Any row is unusable, or an id has two labels.
    """
    tallies = _first_pass(sources, options, scratch)
    found = {name: tally.rows(name) for name, tally in sorted(tallies.items())}
    for name, rows in found.items():
        if tallies[name].may_contradict():
            _check_ids(rows, options)
    return found


def check_formed_sources(
    sources: Sequence[LabelledSource], options: DatasetOptions, *, scratch: str
) -> tuple[dict[str, DetectorRows], DatasetOptions, ReadingNotes]:
    """Read every row once where some may be left out, as ``options.form`` says.

    Rows with the same id, or the same prompt and response, but two labels are left
    out, each of them.

    Returns
    -------
    tuple
        What each detector has, how the rows are read again, and what was noted.

    Raises
    ------
    DatasetError
        A row is unusable, or none counts.
    """
    tally = ReadingTally()
    tallies = _first_pass(sources, options, scratch, tally)
    found = {name: each.rows(name) for name, each in sorted(tallies.items())}
    contradicting = tally.contradicting()
    every_row = chain.from_iterable(
        _unfilled_rows(rows, options) for rows in found.values()
    )
    notes = tally.notes(every_row, contradicting)
    if contradicting:
        options = replace(options, contradicting=contradicting)
        found = {name: _counted(rows, options) for name, rows in found.items()}
    if not notes.read:
        raise _no_rows(sources[0])
    if not notes.used:
        why = "; ".join(
            f"{each.count:,} {each.reason}, first {each.first}"
            for each in notes.left_out
        )
        raise DatasetError(
            f"{sources[0].path}: none of {notes.read:,} rows counts ({why}); give rows"
            " with labels"
        )
    return found, options, notes


def _counted(rows: DetectorRows, options: DatasetOptions) -> DetectorRows:
    labels = Counter(row.label for row in _unfilled_rows(rows, options))
    return replace(rows, hits=labels["hit"], passes=labels["pass"])


def _first_pass(
    sources: Sequence[LabelledSource],
    options: DatasetOptions,
    scratch: str,
    notes: ReadingTally | None = None,
) -> dict[str, _Tally]:
    tallies: dict[str, _Tally] = {}
    for source in sources:
        here: set[str] = set()
        for row in parsed(source, _records(source, options), options, notes):
            tally = tallies.setdefault(row.detector, _Tally())
            tally.add(row)
            tally.try_slots(row, options.word_list)
            here.add(row.detector)
        if not here:
            if notes is not None:
                continue  # all of its rows are left out, and that is noted
            here.add(_owner_of_nothing(source))
        _add_parts(tallies, here, source, options, scratch)
    return tallies


def _owner_of_nothing(source: LabelledSource) -> str:
    """Whose rows an empty file lacks."""
    if source.detector is None:
        raise _no_rows(source)
    return source.detector


def _no_rows(source: LabelledSource) -> DatasetError:
    return DatasetError(
        f"{source.path}: no rows; expected at least one labelled response"
    )


class _Tally:
    """What the first pass keeps of one detector's rows."""

    def __init__(self) -> None:
        self.labels: dict[Label, int] = {"hit": 0, "pass": 0}
        self.stress = 0
        self.ids = array("Q")
        self.parts: list[Part] = []
        self.files: list[DataFile] = []
        self.unusable: str | None = None

    def add(self, row: LabelledRow) -> None:
        if row.is_stress:
            self.stress += 1
        else:
            self.labels[row.label] += 1
        digest = hashlib.blake2b(row.id.encode("utf-8", "replace"), digest_size=8)
        # the lowest bit is the label, so that sorting puts contradictions side by side
        identity = int.from_bytes(digest.digest(), "little") & ~1
        self.ids.append(identity | (row.label == "hit"))

    def try_slots(self, row: LabelledRow, word_list: WordList) -> None:
        try:
            fill_slots(row, word_list)
        except WordListMissingError as error:
            self.unusable = self.unusable or str(error)

    def may_contradict(self) -> bool:
        """Whether an id has two labels, or shares its hash with one that differs."""
        distinct = numpy.unique(numpy.frombuffer(self.ids, dtype=numpy.uint64))
        return bool((numpy.diff(distinct >> numpy.uint64(1)) == 0).any())

    def rows(self, detector: str) -> DetectorRows:
        return DetectorRows(
            detector=detector,
            hits=self.labels["hit"],
            passes=self.labels["pass"],
            stress=self.stress,
            parts=tuple(self.parts),
            files=tuple(self.files),
            unusable=self.unusable,
        )


def _add_parts(
    tallies: dict[str, _Tally],
    here: set[str],
    source: LabelledSource,
    options: DatasetOptions,
    scratch: str,
) -> None:
    spilled: dict[str, str] = {}
    if len(here) > 1 or source.is_report:
        spilled = _spill(source, options, scratch)
    file = DataFile(name=os.path.basename(source.path), sha256=sha256_of(source.path))
    for name in here:
        part = Part(source=source, rows_of=name, spilled=spilled.get(name))
        tally = tallies.setdefault(name, _Tally())
        tally.parts.append(part)
        tally.files.append(file)


def _spill(
    source: LabelledSource, options: DatasetOptions, scratch: str
) -> dict[str, str]:
    """Write each detector's records of a mixed source to a file of their own."""
    paths: dict[str, str] = {}
    parser = RowParser(source, options)
    for number, record in _records(source, options):
        row = parser.row(number, record)
        if row is None:
            continue
        if row.detector not in paths:
            index = len(os.listdir(scratch))
            paths[row.detector] = os.path.join(scratch, f"{index}.jsonl")
        line = json.dumps({"number": number, _SPILLED_RECORD: record}, default=str)
        with open(paths[row.detector], "a", encoding="utf-8") as handle:
            handle.write(line + "\n")
    return paths


def _check_ids(rows: DetectorRows, options: DatasetOptions) -> None:
    first: dict[str, LabelledRow] = {}
    for row in _unfilled_rows(rows, options):
        other = first.setdefault(row.id, row)
        if other.label != row.label:
            raise DatasetError(
                f"{row.where}: id {row.id[:60]!r} is a {row.label} here and a"
                f" {other.label} at {other.where}; correct one label or one id"
            )


def read_rows(rows: DetectorRows, options: DatasetOptions) -> Iterator[LabelledRow]:
    """Yield a detector's rows in file order, with their slots filled."""
    for row in _unfilled_rows(rows, options):
        yield fill_slots(row, options.word_list)


def _unfilled_rows(
    rows: DetectorRows, options: DatasetOptions
) -> Iterator[LabelledRow]:
    for part in rows.parts:
        if part.spilled is None:
            records = _records(part.source, options)
        else:
            records = _spilled_records(part.spilled)
        for row in parsed(part.source, records, options):
            if options.contradicting and not options.contradicting.isdisjoint(
                identities_of(row)
            ):
                continue
            if row.detector == rows.detector:
                yield row
            elif row.detector == part.rows_of:
                yield replace(row, detector=rows.detector)


def _spilled_records(path: str) -> Iterator[NumberedRecord]:
    for _, line in read_json_lines(path):
        yield line["number"], line[_SPILLED_RECORD]


def _records(
    source: LabelledSource, options: DatasetOptions
) -> Iterator[NumberedRecord]:
    if not source.is_report:
        records = read_records(source.path, options.read)
        return records if options.form is None else options.form.responses(records)
    if options.labels is None:
        raise DatasetError(
            f"{source.path}: a garak report holds no labels;"
            " give them with --labels, or draw a sheet with"
            " `garak-tbsa detectors sample`"
        )
    return read_labelled_report(source.path, options.labels)
