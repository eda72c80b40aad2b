# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Files of labelled rows -> the rows of each detector, checked before anything runs.

Every row is read and checked first, so that a mistake in the last one is told before
a model has run for hours.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs

from garak_tbsa.detector_eval.agreement import Agreement, AgreementTally
from garak_tbsa.detector_eval.formats import (
    format_of,
    read_records,
    sha256_of,
)
from garak_tbsa.detector_eval.labelled_row import LabelledRow, NumberedRecord, parse_row
from garak_tbsa.detector_eval.report_labels import ReportLabels, labelled_records
from garak_tbsa.detector_eval.row_form import FormedRow, Reading, RowForm, renamed
from garak_tbsa.detector_eval.slots import WordList, fill_slots
from garak_tbsa.detector_eval.sources import LabelledSource, folder_of
from garak_tbsa.errors import DatasetError, WordListMissingError

CONTRADICTING = "labelled otherwise than a row of the same id, or prompt and response"
REPEATED = "labelled as a row of the same id, or prompt and response"


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A file's name without folders, and the sha256 of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class DetectorRows:
    """The checked rows of one detector, their slots filled.

    Attributes
    ----------
    rows : tuple of LabelledRow
        In the order of the files.
    sources : tuple of LabelledSource
        Where they come from.
    files : tuple of DataFile
        The same, as a summary names them.
    unusable : str or None
        Why the installed garak, an older one perhaps, cannot make the rows complete.
    """

    detector: str
    rows: tuple[LabelledRow, ...]
    sources: tuple[LabelledSource, ...] = ()
    files: tuple[DataFile, ...] = ()
    unusable: str | None = None

    def served_to(self, detector: str) -> DetectorRows:
        """The same rows, to judge another detector."""
        return replace(self, detector=detector)

    def __iter__(self) -> Iterator[LabelledRow]:
        """Yield the rows as this detector's."""
        for row in self.rows:
            if row.detector == self.detector:
                yield row
            else:
                yield structs.replace(row, detector=self.detector)


@dataclass(frozen=True, kw_only=True)
class CountedRows:
    """How many rows have something in common, and where the first is."""

    reason: str
    count: int
    first: str


@dataclass(frozen=True, kw_only=True)
class ReadingNotes:
    """What the numbers do not show of the rows behind them.

    Attributes
    ----------
    read : int
        Rows of the files.
    left_out : tuple of CountedRows
        Those that do not count, by reason, the commonest first.
    repeated : CountedRows or None
        Rows that say again what another says, alike; they count.
    agreement : Agreement or None
        Of the raters on all rows read; None where no row has two labels.
    """

    read: int
    left_out: tuple[CountedRows, ...] = ()
    repeated: CountedRows | None = None
    agreement: Agreement | None = None

    @property
    def used(self) -> int:
        """Rows that count."""
        return self.read - sum(each.count for each in self.left_out)


@dataclass(kw_only=True)
class _Found:
    """What has been read so far: of each detector, and of rows that are left out."""

    rows: defaultdict[str, list[LabelledRow]] = field(
        default_factory=lambda: defaultdict(list)
    )
    sources: defaultdict[str, list[LabelledSource]] = field(
        default_factory=lambda: defaultdict(list)
    )
    unusable: dict[str, str] = field(default_factory=dict)
    places: defaultdict[str, list[str]] = field(
        default_factory=lambda: defaultdict(list)
    )
    agreement: AgreementTally = field(default_factory=AgreementTally)
    read: int = 0

    def add(self, row: LabelledRow, word_list: WordList) -> None:
        try:
            row = fill_slots(row, word_list)
        except WordListMissingError as error:
            self.unusable.setdefault(row.detector, str(error))
        self.rows[row.detector].append(row)

    def add_formed(self, formed: FormedRow, where: str) -> None:
        self.read += 1
        self.agreement.add_labels(formed.ratings)
        if formed.left_out is not None:
            self.places[formed.left_out].append(where)


def read_sources(
    sources: Sequence[LabelledSource],
    word_list: WordList,
    reading: Reading | None = None,
    labels: ReportLabels | None = None,
) -> tuple[dict[str, DetectorRows], ReadingNotes | None]:
    """Read every row; return what each detector has, by its name.

    Parameters
    ----------
    sources : sequence of LabelledSource
    word_list : callable
        Detector name -> words, for slots.
    reading : Reading, optional
        How the files are read; as they are by default.
    labels : ReportLabels, optional
        Of outputs of the garak reports among the sources.

    Returns
    -------
    tuple
        The rows; and what was noted where rows may be left out, else None. There,
        rows with the same id, or the same prompt and response, but two labels are
        left out, each of them.

    Raises
    ------
    DatasetError
        Any row is unusable, or an id has two labels, or no row counts.
    """
    how = reading or Reading()
    form = how.form()
    found = _Found()
    hashes = {}
    for source in sources:
        before = {name: len(rows) for name, rows in found.rows.items()}
        for row in _rows_of(source, how, form, labels, found):
            found.add(row, word_list)
        here = [n for n, rows in found.rows.items() if len(rows) > before.get(n, 0)]
        if not here and form is None:
            here = [_owner_of_nothing(source)]
        hashes[source.path] = sha256_of(source.path)
        for name in here:
            found.sources[name].append(source)
    notes = None if form is None else _without_contradictions(found, sources)
    by_name = {
        name: DetectorRows(
            detector=name,
            rows=tuple(found.rows[name]),
            sources=tuple(found.sources[name]),
            files=tuple(
                DataFile(name=os.path.basename(each.path), sha256=hashes[each.path])
                for each in found.sources[name]
            ),
            unusable=found.unusable.get(name),
        )
        for name in sorted(found.sources)
    }
    if form is None:
        for rows in by_name.values():
            _check_ids(rows.rows)
    return by_name, notes


def _rows_of(
    source: LabelledSource,
    reading: Reading,
    form: RowForm | None,
    labels: ReportLabels | None,
    found: _Found,
) -> Iterator[LabelledRow]:
    """Yield the rows of one source that count."""
    kind = format_of(source.path)
    unit = "line" if source.is_report or kind == "jsonl" else "row"
    is_first = True
    for number, record in _records(source, reading, form, labels):
        where = f"{source.path}, {unit} {number}"
        if not source.is_report:
            record = renamed(record, reading.columns, where)
        if form is not None:
            if is_first:
                may_lack_label = kind in ("jsonl", "json")
                form.check_columns(record, where, may_lack_label=may_lack_label)
            is_first = False
            formed = form.read(record, where=where, file_name=source.name)
            found.add_formed(formed, where)
            if formed.left_out is not None:
                continue
            record = formed.record
        yield parse_row(
            record,
            where=where,
            fallback_id=f"{source.name}-{number}",
            detector=source.detector,
            folder=folder_of(source),
            # a form gives plain labels
            label_values=reading.label_values if form is None else {},
        )


def _records(
    source: LabelledSource,
    reading: Reading,
    form: RowForm | None,
    labels: ReportLabels | None,
) -> Iterator[NumberedRecord]:
    if source.is_report:
        if labels is None:
            raise DatasetError(
                f"{source.path}: a garak report holds no labels;"
                " give them with --labels, or draw a sheet with"
                " `garak-tbsa detectors sample`"
            )
        yield from labelled_records(source.path, labels)
        return
    for number, record in read_records(source.path, reading.encoding):
        if form is None or form.preset is None:
            yield number, record
        else:
            for response in form.preset.responses(record):
                yield number, response


def _owner_of_nothing(source: LabelledSource) -> str:
    """Whose rows an empty file lacks."""
    if source.detector is None:
        raise _no_rows(source)
    return source.detector


def _no_rows(source: LabelledSource) -> DatasetError:
    return DatasetError(
        f"{source.path}: no rows; expected at least one labelled response"
    )


def _check_ids(rows: Sequence[LabelledRow]) -> None:
    first: dict[str, LabelledRow] = {}
    for row in rows:
        other = first.setdefault(row.id, row)
        if other.label != row.label:
            raise DatasetError(
                f"{row.where}: id {row.id[:60]!r} is a {row.label} here and a"
                f" {other.label} at {other.where}; correct one label or one id"
            )


def _identities(row: LabelledRow) -> tuple[Any, ...]:
    """What may not have two labels: the row's id, and its prompt and response."""
    written = row.as_written or row
    said = (*(turn.text for turn in written.prompt), written.output or "")
    return (row.detector, row.id), (row.detector, *said, None)


def _without_contradictions(
    found: _Found, sources: Sequence[LabelledSource]
) -> ReadingNotes:
    """Leave out rows whose identity has both labels, and say what was left out."""
    labels: defaultdict[Any, set[str]] = defaultdict(set)
    for rows in found.rows.values():
        for row in rows:
            for identity in _identities(row):
                labels[identity].add(row.label)
    seen: dict[Any, str] = {}
    repeated: list[str] = []
    for name in sorted(found.rows):
        kept: list[LabelledRow] = []
        for row in found.rows[name]:
            identities = _identities(row)
            if any(len(labels[identity]) > 1 for identity in identities):
                found.places[CONTRADICTING].append(row.where)
                continue
            before = next((seen[each] for each in identities if each in seen), None)
            if before is not None:
                repeated.append(f"{row.where}, as {before}")
            seen |= dict.fromkeys(identities, row.where)
            kept.append(row)
        found.rows[name] = kept
    left_out = [_counted(reason, where) for reason, where in found.places.items()]
    notes = ReadingNotes(
        read=found.read,
        left_out=tuple(sorted(left_out, key=lambda each: -each.count)),
        repeated=_counted(REPEATED, repeated) if repeated else None,
        agreement=found.agreement.result(),
    )
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
    return notes


def _counted(reason: str, places: Sequence[str]) -> CountedRows:
    return CountedRows(reason=reason, count=len(places), first=places[0])
