# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of the detectors that were asked for, found and checked."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from garak_tbsa.detector_eval.dataset import DetectorRows, ReadingNotes, read_sources
from garak_tbsa.detector_eval.report_labels import (
    LabelsRequest,
    ReportLabels,
)
from garak_tbsa.detector_eval.row_form import RowForm
from garak_tbsa.detector_eval.shipped import served_by, shipped_folder
from garak_tbsa.detector_eval.slots import WordList
from garak_tbsa.detector_eval.sources import LabelledSource, find_sources
from garak_tbsa.errors import DatasetError, UsageError

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
    named = None
    if request.detectors is not None:
        named = catalogue.resolve(request.detectors)
    if form.name:
        named = _judges(request, named, catalogue)
    sole = named[0] if named and (form.name or len(named) == 1) else None
    paths = request.paths or (shipped_folder(),)

    def names_detector(stem: str) -> bool:
        """Whether a file's name is meant as a detector's, perhaps mistyped."""
        return catalogue.has(stem) or _LOOKS_LIKE_DETECTOR.fullmatch(stem) is not None

    sources = find_sources(
        paths,
        known=names_detector,
        sole_detector=sole,
        is_published=bool(form.name),
        json_files=form.json_files,
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
    request: DataRequest, sources: Sequence[LabelledSource], sole: str | None
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
    return labels.match(reports, sole)
