# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of the detectors that were asked for, found, read and checked.

Every row is read first, so that a mistake in the last one is told before a model has
run for hours.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from garak_tbsa.detector_eval.published import RowForm
from garak_tbsa.detector_eval.report_labels import (
    LabelsRequest,
    ReportLabels,
    labelled_records,
)
from garak_tbsa.detector_eval.rows import (
    LabelledRow,
    Record,
    check_columns,
    read_row,
)
from garak_tbsa.detector_eval.slots import WordList, fill_slots
from garak_tbsa.detector_eval.sources import (
    LabelledSource,
    find_sources,
    read_records,
    sha256_of,
)
from garak_tbsa.errors import DatasetError, UsageError, WordListMissingError

CONTRADICTING = "labelled otherwise than a row of the same id, or prompt and response"
REPEATED = "labelled as a row of the same id, or prompt and response"

SERVED_BY = "served_by.json"
"""Detector -> stem of the data file whose rows judge it, for those without own rows."""

_LOOKS_LIKE_DETECTOR = re.compile(r"[a-z][a-z0-9_]*\.[A-Z]\w*")


@dataclass(frozen=True, kw_only=True, slots=True)
class DetectorCatalogue:
    """What the installed garak knows of detectors; ``garak_api`` makes one.

    Attributes
    ----------
    garak_version : str
        E.g. ``0.17.1``.
    names : tuple of str
        The detectors that a scan can use, sorted.
    has : callable
        Whether a name is garak's, or reads like ``package.module:Class``.
    resolve : callable
        What ``--detectors`` says -> the names that it means, sorted.
    nearest : callable
        A mistyped name -> advice that continues a message.
    word_list : callable
        Detector name -> the words that it looks for, for slots.
    """

    garak_version: str
    names: tuple[str, ...]
    has: Callable[[str], bool]
    resolve: Callable[[str], tuple[str, ...]]
    nearest: Callable[[str], str]
    word_list: WordList


@dataclass(frozen=True, kw_only=True, slots=True)
class DataRequest:
    """Which labelled rows are wanted, and how they are to be read.

    Attributes
    ----------
    paths : tuple of str
        Files and folders; the data that comes with this package where empty.
    detectors : str or None
        As ``--detectors``: ``dan.DAN``, ``dan``, ``all``, ``package.module:Class``;
        every detector with rows where None.
    labels : LabelsRequest or None
        Files of labels for garak reports among the paths.
    form : RowForm
        How they are read.
    """

    paths: tuple[str, ...] = ()
    detectors: str | None = None
    labels: LabelsRequest | None = None
    form: RowForm = field(default_factory=RowForm)


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

    rows: Sequence[LabelledRow]
    files: tuple[LabelledSource, ...]
    unusable: str | None = None

    def served_to(self, detector: str) -> DetectorRows:
        """The same rows, to judge another detector."""
        return replace(self, rows=[row.judged_by(detector) for row in self.rows])


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """The rows that were asked for.

    Attributes
    ----------
    request : DataRequest
    garak_version : str
    rows : mapping
        Detector -> its rows, sorted by name.
    without_rows : tuple of str
        Detectors that were asked for and have none.
    sources : tuple of LabelledSource
        All files of data, also those of detectors that were not asked for.
    notes : ReadingNotes or None
        What was left out, where rows may be; None where none may.
    labels : ReportLabels or None
        Of the reports among the data.
    """

    request: DataRequest
    garak_version: str
    rows: Mapping[str, DetectorRows]
    without_rows: tuple[str, ...] = ()
    sources: tuple[LabelledSource, ...]
    notes: ReadingNotes | None = None
    labels: ReportLabels | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """The paths of data and labels, also of detectors that were not asked for."""
        labels = self.request.labels
        paths = () if labels is None else labels.paths
        return (*(source.path for source in self.sources), *paths)


def shipped_folder() -> str:
    """The folder of labelled rows: inside the wheel, or a checkout's.

    Raises
    ------
    DatasetError
        Neither is there.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for base in (package, os.path.dirname(package)):
        folder = os.path.join(base, "data", "detectors-eval", "labelled")
        if os.path.isdir(folder):
            return folder
    raise DatasetError(
        f"{package}: the labelled data is not installed; reinstall garak-tbsa,"
        " or give data with --data"
    )


def served_by(folder: str) -> Mapping[str, str]:
    """Read the mapping in ``folder`` or beside it; empty where none does.

    Raises
    ------
    DatasetError
        The file is no object of strings.
    """
    for place in (folder, os.path.dirname(os.path.abspath(folder))):
        path = os.path.join(place, SERVED_BY)
        if os.path.isfile(path):
            try:
                content = Path(path).read_bytes()
                return msgspec.json.decode(content, type=dict[str, str])
            except (OSError, msgspec.MsgspecError):
                raise DatasetError(
                    f"{path}: expected an object of detector -> data file without its"
                    " ending"
                ) from None
    return {}


def select_rows(request: DataRequest, catalogue: DetectorCatalogue) -> Selection:
    """Find, check and read the rows that are asked for.

    Raises
    ------
    GarakTbsaError
        A path, a row, or the name of a detector is wrong.
    """
    form, asked = request.form, request.detectors
    named = None if asked is None else catalogue.resolve(asked)
    if form.name:
        named = _judges(request, named, catalogue)
    paths = request.paths or (shipped_folder(),)

    def names_detector(stem: str) -> bool:
        """Whether a file's name is meant as a detector's, perhaps mistyped."""
        return catalogue.has(stem) or _LOOKS_LIKE_DETECTOR.fullmatch(stem) is not None

    sources = find_sources(paths, known=names_detector, named=named or (), form=form)
    labels = _matched(request, sources, named)
    served = {
        name: whose
        for path in filter(os.path.isdir, paths)
        for name, whose in served_by(path).items()
        if not form.name and (named is None or name in named)
    }
    wanted = sources
    if named is not None:
        # files of other detectors are not read, so that one detector costs one file
        useful = {*named, *served.values()}
        wanted = [
            each for each in sources if not each.detectors or useful & {*each.detectors}
        ]
    found, notes = read_sources(wanted, catalogue.word_list, form, labels)
    for name, rows in found.items():
        not_of = None
        if not catalogue.has(name):
            not_of = f"the installed garak{catalogue.nearest(name)}"
        elif named is None and ":" in name:
            # data from elsewhere must not choose what this process imports
            not_of = "garak's; name it with --detectors if it is to be imported"
        if not_of is not None:
            raise DatasetError(
                f"{rows.rows[0].where if rows.rows else rows.files[0].path}: rows for"
                f" {name!r}, which is no detector of {not_of}"
            )
    found |= {
        name: found[served[name]].served_to(name)
        for name in served.keys() - found
        if served[name] in found
    }
    if named is None:
        named = tuple(sorted({*found, *(() if request.paths else catalogue.names)}))
    return Selection(
        request=request,
        garak_version=catalogue.garak_version,
        rows={name: found[name] for name in sorted(named) if name in found},
        without_rows=tuple(name for name in named if name not in found),
        sources=tuple(sources),
        notes=notes,
        labels=labels,
    )


def _judges(
    request: DataRequest, named: tuple[str, ...] | None, catalogue: DetectorCatalogue
) -> tuple[str, ...]:
    """The detectors that judge a published set."""
    preset = request.form
    if not request.paths:
        raise UsageError(
            f"--preset {preset.name}: give its files with --data; they are from"
            f" {preset.source}"
        )
    named = named or tuple(filter(catalogue.has, preset.detectors))
    if not named:
        raise UsageError(
            f"--preset {preset.name}: the installed garak has none of its detectors"
            f" ({', '.join(preset.detectors)}); name one with --detectors"
        )
    return named


def _matched(
    request: DataRequest,
    sources: Sequence[LabelledSource],
    named: tuple[str, ...] | None,
) -> ReportLabels | None:
    """The labels of the reports among the data."""
    labels = request.labels
    if labels is None:
        return None
    if request.form.leaves_out:
        raise UsageError(
            "--labels: --preset and skip=VALUE of --label-values go with rows, not with"
            " labels of a report; leave them out"
        )
    reports = [source.path for source in sources if source.is_report]
    if not reports:
        raise UsageError(
            f"--labels {labels.paths[0]}: no garak report is among the data; give one"
            " with --data, or leave --labels out"
        )
    return labels.match(reports, named[0] if named and len(named) == 1 else None)


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
    # rows that name no detector are of each that was asked for
    rows: defaultdict[tuple[str, ...], list[LabelledRow]] = defaultdict(list)
    files: defaultdict[str, list[LabelledSource]] = defaultdict(list)
    unusable: dict[str, str] = {}
    left_out: defaultdict[str, list[str]] = defaultdict(list)
    ratings: list[Mapping[str, str]] = []
    for source in sources:
        whose: set[str] = set()
        # for outputs of a report, the columns that were named are those of the labels
        own = RowForm() if source.is_report else form
        column = own.columns.get("detector", () if own.name else ("detector",))
        for record in _records(source, form, labels):
            row, said = read_row(own, record)
            ratings.append(said)
            if isinstance(row, str):
                left_out[row].append(record.where)
                continue
            try:
                row = fill_slots(row, word_list)
            except WordListMissingError as error:
                unusable.setdefault(row.detector, str(error))
            is_named = any(record.raw.get(each) for each in column)
            judges = (row.detector,) if is_named else source.detectors
            rows[judges].append(row)
            whose.update(judges)
        if not whose and not form.leaves_out:
            whose = {*source.detectors[:1]}
            if not whose:
                raise _no_rows(source)
        hashed = replace(source, sha256=sha256_of(source.path))
        for name in whose:
            files[name].append(hashed)
    notes = _noted(sources[0], rows, left_out, ratings) if form.leaves_out else None
    by_detector = _by_detector(rows)
    found = {
        name: DetectorRows(
            rows=by_detector[name],
            files=tuple(files[name]),
            unusable=unusable.get(name),
        )
        for name in sorted(files)
    }
    return found, notes


def _by_detector(
    rows: Mapping[tuple[str, ...], Sequence[LabelledRow]],
) -> Mapping[str, list[LabelledRow]]:
    """Give each detector the rows that it judges; an id has one label in them."""
    found: defaultdict[str, list[LabelledRow]] = defaultdict(list)
    for judges, own in rows.items():
        for name in judges:
            found[name] += [
                row if row.detector == name else row.judged_by(name) for row in own
            ]
    for of_detector in found.values():
        _check_ids(of_detector)
    return found


def _records(
    source: LabelledSource, form: RowForm, labels: ReportLabels | None
) -> Iterator[Record]:
    if source.is_report:
        if labels is None:
            raise DatasetError(
                f"{source.path}: a garak report holds no labels;"
                " give them with --labels, or draw a sheet with"
                " `garak-tbsa label --sheet`"
            )
        # rows that others may have written name no files of ours
        for number, raw in labelled_records(source.path, labels):
            yield source.record(number, raw)
        return
    is_first, folder = True, os.path.dirname(os.path.realpath(source.path))
    for number, raw in read_records(source.path):
        for response in form.responses(raw):
            record = source.record(number, response, folder)
            if is_first:
                check_columns(form, record)
            is_first = False
            yield record


def _no_rows(source: LabelledSource) -> DatasetError:
    return DatasetError(
        f"{source.path}: no rows; expected at least one labelled response"
    )


def _check_ids(rows: Iterable[LabelledRow]) -> None:
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


def _noted(
    first: LabelledSource,
    rows: dict[tuple[str, ...], list[LabelledRow]],
    left_out: defaultdict[str, list[str]],
    ratings: Sequence[Mapping[str, str]],
) -> ReadingNotes:
    """Leave out rows whose identity has both labels; say what does not count."""

    def counted(reason: str, places: Sequence[str]) -> CountedRows:
        return CountedRows(reason=reason, count=len(places), first=places[0])

    repeated: list[str] = []
    for judges in sorted(rows):
        rows[judges] = _unambiguous(rows[judges], left_out[CONTRADICTING], repeated)
    reasons = [counted(why, places) for why, places in left_out.items() if places]
    notes = ReadingNotes(
        read=len(ratings),
        left_out=tuple(sorted(reasons, key=lambda each: -each.count)),
        repeated=counted(REPEATED, repeated) if repeated else None,
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
