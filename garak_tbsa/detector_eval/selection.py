# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which rows of which detectors were asked for, found and checked."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from garak_tbsa.detector_eval.dataset import DetectorRows, ReadingNotes, read_sources
from garak_tbsa.detector_eval.reading import Reading, RowForm
from garak_tbsa.detector_eval.report_labels import LabelsRequest, ReportLabels
from garak_tbsa.detector_eval.shipped import served_by, shipped_folder
from garak_tbsa.detector_eval.slots import WordList
from garak_tbsa.detector_eval.sources import (
    LabelledSource,
    find_sources,
    keep_standard_input,
)
from garak_tbsa.errors import DatasetError, UsageError
from garak_tbsa.garak_files.source import STANDARD_INPUT

_LOOKS_LIKE_DETECTOR = re.compile(r"[a-z][a-z0-9_]*\.[A-Z]\w*")


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
    reading : Reading
        How they are read.
    """

    paths: tuple[str, ...] = ()
    detectors: str | None = None
    labels: LabelsRequest | None = None
    reading: Reading = field(default_factory=Reading)


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
    form = request.reading.form()  # options that do not go together are told first
    paths = [
        keep_standard_input() if path == STANDARD_INPUT else path
        for path in dict.fromkeys(request.paths)
    ]
    if form.name:
        return _published(request, paths, form, catalogue)
    return _own(request, paths or [shipped_folder()], catalogue)


def _own(
    request: DataRequest, paths: Sequence[str], catalogue: DetectorCatalogue
) -> Selection:
    """The rows of each detector, in our own form."""
    named = None
    if request.detectors is not None:
        named = catalogue.resolve(request.detectors)
    sole = named[0] if named and len(named) == 1 else None

    def names_detector(stem: str) -> bool:
        """Whether a file's name is meant as a detector's, perhaps mistyped."""
        return catalogue.has(stem) or _LOOKS_LIKE_DETECTOR.fullmatch(stem) is not None

    sources = find_sources(paths, known=names_detector, sole_detector=sole)
    labels = _matched(request.labels, sources, sole)
    served: dict[str, str] = {}
    for path in filter(os.path.isdir, paths):
        served |= served_by(path)
    wanted = sources
    if named is not None:
        # files of other detectors are not read, so that one detector costs one file
        served = {name: served[name] for name in named if name in served}
        useful = {*named, *served.values(), None}
        wanted = [source for source in sources if source.detector in useful]
    found, notes = read_sources(wanted, catalogue.word_list, request.reading, labels)
    for name in itertools.filterfalse(catalogue.has, found):
        of_what = f"the installed garak{catalogue.nearest(name)}"
        raise _no_detector(found[name], of_what)
    for name in served.keys() - found:
        if served[name] in found:
            found[name] = found[served[name]].served_to(name)
    if named is None:
        # data from elsewhere must not choose what this process imports
        for name in (each for each in found if ":" in each):
            of_what = "garak's; name it with --detectors if it is to be imported"
            raise _no_detector(found[name], of_what)
        named = tuple(sorted({*found, *(() if request.paths else catalogue.names)}))
    return Selection(
        request=request,
        garak_version=catalogue.garak_version,
        rows={name: found[name] for name in named if name in found},
        without_rows=tuple(name for name in named if name not in found),
        sources=tuple(sources),
        notes=notes,
        labels=labels,
    )


def _matched(
    labels: LabelsRequest | None, sources: Sequence[LabelledSource], sole: str | None
) -> ReportLabels | None:
    """The labels of the reports among the data."""
    if labels is None:
        return None
    reports = [source.path for source in sources if source.is_report]
    if not reports:
        raise UsageError(
            f"--labels {labels.paths[0]}: no garak report is among the data; give one"
            " with --data, or leave --labels out"
        )
    return labels.match(reports, sole)


def _no_detector(rows: DetectorRows, of_what: str) -> DatasetError:
    return DatasetError(
        f"{rows.files[0].path}: rows for {rows.detector!r}, which is no detector of"
        f" {of_what}"
    )


def _published(
    request: DataRequest,
    paths: Sequence[str],
    preset: RowForm,
    catalogue: DetectorCatalogue,
) -> Selection:
    """The rows of a published set, to judge each detector that is asked for."""
    if request.labels is not None:
        raise UsageError(
            f"--labels: --preset {preset.name} says it already; leave one out"
        )
    if not paths:
        hub = "" if preset.hub is None else f", or --data {preset.hub}"
        raise UsageError(
            f"--preset {preset.name}: give its files with --data{hub}; they are from"
            f" {preset.source}"
        )
    if request.detectors is None:
        named = tuple(name for name in preset.detectors if catalogue.has(name))
    else:
        named = catalogue.resolve(request.detectors)
    if not named:
        raise UsageError(
            f"--preset {preset.name}: the installed garak has none of its detectors"
            f" ({', '.join(preset.detectors)}); name one with --detectors"
        )
    sources = find_sources(
        paths, known=catalogue.has, sole_detector=named[0], is_published=True
    )
    found, notes = read_sources(sources, catalogue.word_list, request.reading)
    rows = found[named[0]]
    return Selection(
        request=request,
        garak_version=catalogue.garak_version,
        rows={name: rows.served_to(name) for name in sorted(named)},
        sources=tuple(sources),
        notes=notes,
    )
