# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of the detectors that were asked for, found and checked.

Every row is read first, so that a mistake in the last one is told before a model has
run for hours.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.reading import RowForm, row_form
from garak_tbsa.detector_eval.report_labels import (
    LabelsRequest,
    ReportLabels,
    labelled_records,
)
from garak_tbsa.detector_eval.shipped import served_by, shipped_folder
from garak_tbsa.detector_eval.slots import WordList, fill_slots
from garak_tbsa.detector_eval.sources import (
    LabelledSource,
    NumberedRecord,
    find_sources,
    keep_standard_input,
    read_records,
    sha256_of,
)
from garak_tbsa.errors import DatasetError, UsageError, WordListMissingError
from garak_tbsa.garak_files.source import STANDARD_INPUT

_LOOKS_LIKE_DETECTOR = re.compile(r"[a-z][a-z0-9_]*\.[A-Z]\w*")
CONTRADICTING = "labelled otherwise than a row of the same id, or prompt and response"
REPEATED = "labelled as a row of the same id, or prompt and response"


@dataclass(frozen=True, kw_only=True)
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
        own = structs.replace(form, columns={}) if source.is_report else form
        for number, raw in _records(source, form, labels):
            row, said = own.read(raw, source, number)
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
        read = replace(source, sha256=sha256_of(source.path))
        for name in whose:
            files[name].append(read)
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
                " `garak-tbsa detectors sample`"
            )
        yield from labelled_records(source.path, labels)
        return
    numbered = (
        (number, response)
        for number, record in read_records(source.path, form.encoding)
        for response in form.responses(record)
    )
    for place, (number, response) in enumerate(numbered):
        if not place:
            form.check_columns(response, source.where(number))
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
    kept = []
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
        kept.append(row)
    return kept


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


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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
    form: RowForm = field(default_factory=row_form)


@dataclass(frozen=True, kw_only=True)
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


def select_rows(request: DataRequest, catalogue: DetectorCatalogue) -> Selection:
    """Find, check and read the rows that are asked for.

    Raises
    ------
    GarakTbsaError
        A path, a row, or the name of a detector is wrong.
    """
    form = request.form
    paths = [
        keep_standard_input() if path == STANDARD_INPUT else path
        for path in dict.fromkeys(request.paths)
    ]
    named = None
    if request.detectors is not None:
        named = catalogue.resolve(request.detectors)
    if form.name:
        named = _judges(request, named, catalogue)
    sole = named[0] if named and (form.name or len(named) == 1) else None
    paths = paths or [shipped_folder()]

    def names_detector(stem: str) -> bool:
        """Whether a file's name is meant as a detector's, perhaps mistyped."""
        return catalogue.has(stem) or _LOOKS_LIKE_DETECTOR.fullmatch(stem) is not None

    sources = find_sources(
        paths, known=names_detector, sole_detector=sole, is_published=bool(form.name)
    )
    labels = _matched(request, sources, sole)
    served = _served(paths, named, sole if form.name else None)
    wanted = sources
    if named is not None:
        # files of other detectors are not read, so that one detector costs one file
        useful = {*named, *served.values(), None}
        wanted = [source for source in sources if source.detector in useful]
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
                f"{rows.files[0].path}: rows for {name!r}, which is no detector of"
                f" {not_of}"
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


def _served(
    paths: Sequence[str], named: Sequence[str] | None, sole: str | None
) -> dict[str, str]:
    """Detectors that others' rows judge, and whose; all are ``sole``'s in a preset."""
    if sole is not None:
        return dict.fromkeys(named or (), sole)
    return {
        name: whose
        for path in filter(os.path.isdir, paths)
        for name, whose in served_by(path).items()
        if named is None or name in named
    }


def _judges(
    request: DataRequest, named: tuple[str, ...] | None, catalogue: DetectorCatalogue
) -> tuple[str, ...]:
    """The detectors that judge a published set."""
    preset = request.form
    if not request.paths:
        hub = "" if preset.hub is None else f", or --data {preset.hub}"
        raise UsageError(
            f"--preset {preset.name}: give its files with --data{hub}; they are from"
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
    request: DataRequest, sources: Sequence[LabelledSource], sole: str | None
) -> ReportLabels | None:
    """The labels of the reports among the data."""
    labels = request.labels
    if labels is None:
        return None
    if request.form.leaves_out:
        raise UsageError(
            "--labels: --preset, --skip-label, --label-threshold, --raters and"
            " --ids-per-file go with rows that others published, not with labels of a"
            " report; leave them out"
        )
    reports = [source.path for source in sources if source.is_report]
    if not reports:
        raise UsageError(
            f"--labels {labels.paths[0]}: no garak report is among the data; give one"
            " with --data, or leave --labels out"
        )
    return labels.match(reports, sole)
