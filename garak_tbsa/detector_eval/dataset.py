# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Files of labelled rows -> the rows of each detector, checked before anything runs.

Every row is read and checked first, so that a mistake in the last one is told before
a model has run for hours. None is kept: a detector's rows are read again when its turn
comes.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from garak_tbsa.detector_eval.agreement import Agreement, AgreementTally
from garak_tbsa.detector_eval.formats import (
    format_of,
    read_records,
    sha256_of,
)
from garak_tbsa.detector_eval.labelled_row import (
    Label,
    LabelledRow,
    NumberedRecord,
    owner_of,
    parse_row,
)
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
    """The checked rows of one detector, their slots filled, read as they are needed.

    Attributes
    ----------
    count : int
        How many there are.
    read : callable
        Yields them, in the order of the files.
    sources : tuple of LabelledSource
        Where they come from.
    files : tuple of DataFile
        The same, as a summary names them.
    unusable : str or None
        Why the installed garak, an older one perhaps, cannot make the rows complete.
    left_out : frozenset of int
        Places of rows that balancing leaves out.
    """

    detector: str
    count: int
    read: Callable[[], Iterator[LabelledRow]]
    sources: tuple[LabelledSource, ...] = ()
    files: tuple[DataFile, ...] = ()
    unusable: str | None = None
    left_out: frozenset[int] = frozenset()

    def served_to(self, detector: str) -> DetectorRows:
        """The same rows, to judge another detector."""
        return replace(self, detector=detector)

    def __len__(self) -> int:
        """How many rows are to be judged."""
        return self.count - len(self.left_out)

    def __iter__(self) -> Iterator[LabelledRow]:
        """Yield the rows as this detector's.

        Raises
        ------
        DatasetError
            A file is no longer the one that was checked.
        """
        for source, file in zip(self.sources, self.files, strict=True):
            if sha256_of(source.path) != file.sha256:
                raise DatasetError(
                    f"{source.path}: changed since its rows were checked; run the same"
                    " command again"
                )
        for place, row in enumerate(self.read()):
            if place in self.left_out:
                continue
            if row.detector == self.detector:
                yield row
            else:
                yield row.judged_by(self.detector)


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


class _Seen(NamedTuple):
    """What is kept of a row that was checked: what may not have two labels."""

    where: str
    label: Label
    id: str
    said: int

    @property
    def identities(self) -> tuple[str | int, str | int]:
        """Its id, and its prompt and response."""
        return self.id, self.said


def _seen(row: LabelledRow) -> _Seen:
    written = row.as_written or row
    said = (*(turn.text for turn in written.prompt), written.output or "")
    return _Seen(row.where, row.label, row.id, hash(said))


@dataclass(kw_only=True)
class _Found:
    """What has been read so far: of each detector, and of rows that are left out."""

    rows: defaultdict[str, list[_Seen]] = field(
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
    reader = _Reader(how=how, form=how.form(), word_list=word_list, labels=labels)
    found = _Found()
    hashes = {}
    for source in sources:
        here = {}
        for row in reader.rows(source, found=found):
            found.rows[row.detector].append(_seen(row))
            here[row.detector] = source
        if not here and reader.form is None:
            here = {_owner_of_nothing(source): source}
        hashes[source.path] = sha256_of(source.path)
        for name in here:
            found.sources[name].append(source)
    notes = None
    contradicting: dict[str, frozenset[str | int]] = {}
    if reader.form is None:
        for seen in found.rows.values():
            _check_ids(seen)
    else:
        contradicting = {name: _twofold(seen) for name, seen in found.rows.items()}
        notes = _notes(found, contradicting, sources)
    by_name = {
        name: DetectorRows(
            detector=name,
            count=sum(
                contradicting.get(name, frozenset()).isdisjoint(each.identities)
                for each in found.rows[name]
            ),
            read=partial(
                reader.of_detector,
                name,
                tuple(found.sources[name]),
                contradicting.get(name, frozenset()),
            ),
            sources=tuple(found.sources[name]),
            files=tuple(
                DataFile(name=os.path.basename(each.path), sha256=hashes[each.path])
                for each in found.sources[name]
            ),
            unusable=found.unusable.get(name),
        )
        for name in sorted(found.sources)
    }
    return by_name, notes


@dataclass(frozen=True, kw_only=True)
class _Reader:
    """Reads sources, in one way; as often as rows are wanted."""

    how: Reading
    form: RowForm | None
    word_list: WordList
    labels: ReportLabels | None

    def of_detector(
        self,
        detector: str,
        sources: Sequence[LabelledSource],
        contradicting: frozenset[str | int],
    ) -> Iterator[LabelledRow]:
        """Yield the rows of one detector that count."""
        for source in sources:
            for row in self.rows(source, only=detector):
                if contradicting.isdisjoint(_seen(row).identities):
                    yield row

    def rows(
        self,
        source: LabelledSource,
        *,
        only: str | None = None,
        found: _Found | None = None,
    ) -> Iterator[LabelledRow]:
        """Yield the rows of one source with a label, of one detector or of all."""
        kind = format_of(source.path)
        unit = "line" if source.is_report or kind == "jsonl" else "row"
        is_first = True
        for number, record in _records(source, self.how, self.form, self.labels):
            where = f"{source.path}, {unit} {number}"
            if not source.is_report:
                record = renamed(record, self.how.columns, where)
            if only not in (None, owner_of(record, source.detector)):
                continue
            if self.form is not None:
                if is_first:
                    may_lack_label = kind in ("jsonl", "json")
                    self.form.check_columns(
                        record, where, may_lack_label=may_lack_label
                    )
                is_first = False
                formed = self.form.read(record, where=where, file_name=source.name)
                if found is not None:
                    found.add_formed(formed, where)
                if formed.left_out is not None:
                    continue
                record = formed.record
            row = parse_row(
                record,
                where=where,
                fallback_id=f"{source.name}-{number}",
                detector=source.detector,
                folder=folder_of(source),
                # a form gives plain labels
                label_values=self.how.label_values if self.form is None else {},
            )
            try:
                row = fill_slots(row, self.word_list)
            except WordListMissingError as error:
                if found is not None:
                    found.unusable.setdefault(row.detector, str(error))
            yield row


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


def _check_ids(rows: Sequence[_Seen]) -> None:
    first: dict[str, _Seen] = {}
    for row in rows:
        other = first.setdefault(row.id, row)
        if other.label != row.label:
            raise DatasetError(
                f"{row.where}: id {row.id[:60]!r} is a {row.label} here and a"
                f" {other.label} at {other.where}; correct one label or one id"
            )


def _twofold(rows: Sequence[_Seen]) -> frozenset[str | int]:
    """Identities that have both labels."""
    labels: dict[str | int, str] = {}
    return frozenset(
        identity
        for row in rows
        for identity in row.identities
        if labels.setdefault(identity, row.label) != row.label
    )


def _notes(
    found: _Found,
    contradicting: Mapping[str, frozenset[str | int]],
    sources: Sequence[LabelledSource],
) -> ReadingNotes:
    """What was left out, rows whose identity has both labels among it."""
    repeated: list[str] = []
    for name in sorted(found.rows):
        seen: dict[str | int, str] = {}
        for row in found.rows[name]:
            if not contradicting[name].isdisjoint(row.identities):
                found.places[CONTRADICTING].append(row.where)
                continue
            before = next((seen[each] for each in row.identities if each in seen), None)
            if before is not None:
                repeated.append(f"{row.where}, as {before}")
            seen |= dict.fromkeys(row.identities, row.where)
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
