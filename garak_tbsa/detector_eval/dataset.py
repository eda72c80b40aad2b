# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of labelled data, by detector, checked.

Every row is read first, so that a mistake in the last one is told before a model has
run for hours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.reading import check_columns, read, responses
from garak_tbsa.detector_eval.report_labels import (
    ReportLabels,
    labelled_records,
)
from garak_tbsa.detector_eval.row_form import RowForm
from garak_tbsa.detector_eval.slots import WordList, fill_slots
from garak_tbsa.detector_eval.sources import (
    LabelledSource,
    NumberedRecord,
    read_records,
    sha256_of,
)
from garak_tbsa.errors import DatasetError, WordListMissingError

CONTRADICTING = "labelled otherwise than a row of the same id, or prompt and response"
REPEATED = "labelled as a row of the same id, or prompt and response"


@dataclass(frozen=True, kw_only=True, slots=True)
class DetectorRows:
    """The checked rows of one detector, their slots filled.

    Attributes
    ----------
    rows : sequence of LabelledRow
        In the order of the files.
    files : tuple of LabelledSource
        Where they come from.
    unusable : str or None
        Why the installed garak, an older one perhaps, cannot make the rows complete.
    """

    detector: str
    rows: Sequence[LabelledRow]
    files: tuple[LabelledSource, ...]
    unusable: str | None = None

    def served_to(self, detector: str) -> DetectorRows:
        """The same rows, to judge another detector."""
        rows = [row.judged_by(detector) for row in self.rows]
        return replace(self, detector=detector, rows=rows)


@dataclass(frozen=True, kw_only=True, slots=True)
class CountedRows:
    """How many rows have something in common, and where the first is."""

    reason: str
    count: int
    first: str


@dataclass(frozen=True, kw_only=True, slots=True)
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


def read_sources(
    sources: Sequence[LabelledSource],
    word_list: WordList,
    form: RowForm,
    labels: ReportLabels | None = None,
) -> tuple[dict[str, DetectorRows], ReadingNotes | None]:
    """Read every row; return what each detector has, by its name.

    Parameters
    ----------
    sources : sequence of LabelledSource
    word_list : callable
        Detector name -> words, for slots.
    form : RowForm
        How the files are read.
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
    rows: defaultdict[str, list[LabelledRow]] = defaultdict(list)
    files: defaultdict[str, list[LabelledSource]] = defaultdict(list)
    unusable: dict[str, str] = {}
    left_out: defaultdict[str, list[str]] = defaultdict(list)
    ratings: list[Mapping[str, str]] = []
    for source in sources:
        whose: set[str] = set()
        # for outputs of a report, the columns that were named are those of the labels
        own = RowForm() if source.is_report else form
        for number, raw in _records(source, form, labels):
            row, said = read(own, raw, source, number)
            if form.leaves_out:
                ratings.append(said)
            if isinstance(row, str):
                left_out[row].append(source.where(number))
                continue
            try:
                row = fill_slots(row, word_list)
            except WordListMissingError as error:
                unusable.setdefault(row.detector, str(error))
            rows[row.detector].append(row)
            whose.add(row.detector)
        if not whose and not form.leaves_out:
            whose = {_owner_of_nothing(source)}
        hashed = replace(source, sha256=sha256_of(source.path))
        for name in whose:
            files[name].append(hashed)
    notes = None
    if form.leaves_out:
        notes = _noted(sources[0], rows, left_out, ratings)
    else:
        for of_detector in rows.values():
            _check_ids(of_detector)
    found = {
        name: DetectorRows(
            detector=name,
            rows=rows[name],
            files=tuple(files[name]),
            unusable=unusable.get(name),
        )
        for name in sorted(files)
    }
    return found, notes


def _records(
    source: LabelledSource, form: RowForm, labels: ReportLabels | None
) -> Iterator[NumberedRecord]:
    if source.is_report:
        if labels is None:
            raise DatasetError(
                f"{source.path}: a garak report holds no labels;"
                " give them with --labels, or draw a sheet with"
                " `garak-tbsa label --sheet`"
            )
        yield from labelled_records(source.path, labels)
        return
    numbered = (
        (number, response)
        for number, record in read_records(source.path)
        for response in responses(form, record)
    )
    for place, (number, response) in enumerate(numbered):
        if not place:
            check_columns(form, response, source.where(number))
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


def _unambiguous(
    rows: Sequence[LabelledRow], contradicting: list[str], repeated: list[str]
) -> list[LabelledRow]:
    """Rows none of whose identities has both labels; note the places of others."""
    labels: defaultdict[object, set[str]] = defaultdict(set)
    for row in rows:
        for identity in _identities(row):
            labels[identity].add(row.label)
    rows_left = []
    seen: dict[object, str] = {}
    for row in rows:
        identities = _identities(row)
        if any(len(labels[identity]) > 1 for identity in identities):
            contradicting.append(row.where)
            continue
        before = next((seen[each] for each in identities if each in seen), None)
        if before is not None:
            repeated.append(f"{row.where}, as {before}")
        seen |= dict.fromkeys(identities, row.where)
        rows_left.append(row)
    return rows_left


def _identities(row: LabelledRow) -> tuple[object, ...]:
    """What may not have two labels: the id, and what was said."""
    written = row.as_written or row
    said = (*(turn.text for turn in written.prompt), written.output or "")
    return row.id, said


def _counted(reason: str, places: Sequence[str]) -> CountedRows:
    return CountedRows(reason=reason, count=len(places), first=places[0])


def _noted(
    first: LabelledSource,
    rows: dict[str, list[LabelledRow]],
    left_out: defaultdict[str, list[str]],
    ratings: Sequence[Mapping[str, str]],
) -> ReadingNotes:
    """Leave out rows whose identity has both labels; say what does not count."""
    repeated: list[str] = []
    for name in sorted(rows):
        rows[name] = _unambiguous(rows[name], left_out[CONTRADICTING], repeated)
    counted = [_counted(*each) for each in left_out.items() if each[1]]
    notes = ReadingNotes(
        read=len(ratings),
        left_out=tuple(sorted(counted, key=lambda each: -each.count)),
        repeated=_counted(REPEATED, repeated) if repeated else None,
        agreement=agreement_of(ratings),
    )
    if not notes.read:
        raise _no_rows(first)
    if not notes.used:
        why = "; ".join(
            f"{each.count:,} {each.reason}, first {each.first}"
            for each in notes.left_out
        )
        raise DatasetError(
            f"{first.path}: none of {notes.read:,} rows counts ({why}); give rows with"
            " labels"
        )
    return notes
