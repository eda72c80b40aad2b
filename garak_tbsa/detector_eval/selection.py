# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which rows of which detectors were asked for, found, checked and counted."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from garak_tbsa.detector_eval.dataset import (
    DetectorRows,
    check_formed_sources,
    check_sources,
)
from garak_tbsa.detector_eval.formats import ReadOptions
from garak_tbsa.detector_eval.labelled_row import Label
from garak_tbsa.detector_eval.left_out import ReadingNotes
from garak_tbsa.detector_eval.preset import Preset, find_preset
from garak_tbsa.detector_eval.report_labels import LabelsRequest, ReportLabels
from garak_tbsa.detector_eval.row_form import RowForm, own_form, preset_form
from garak_tbsa.detector_eval.row_parser import DatasetOptions
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
    columns : mapping
        Our column name -> the files', e.g. ``{"output": "response"}``.
    label_values : mapping
        Further spellings of the labels, e.g. ``{"1": "hit"}``.
    encoding : str
        Of CSV files.
    preset : str or None
        The published set whose form the files have.
    partial : "hit", "pass" or None
        What the set's partial labels count as; None leaves them out.
    skip_labels : tuple of str
        Labels whose rows are left out.
    label_threshold : float or None
        Labels are numbers, and a hit from this on.
    raters : tuple of str
        Columns with one label a rater.
    ids_per_file : bool
        Ids repeat in every file.
    """

    paths: tuple[str, ...] = ()
    detectors: str | None = None
    labels: LabelsRequest | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    label_values: Mapping[str, Label] = field(default_factory=dict)
    encoding: str = ReadOptions.encoding
    preset: str | None = None
    partial: Label | None = None
    skip_labels: tuple[str, ...] = ()
    label_threshold: float | None = None
    raters: tuple[str, ...] = ()
    ids_per_file: bool = False

    def reading(self) -> dict[str, Any]:
        """How rows are read: every field but those that say which rows are."""
        of_data = ("paths", "detectors", "labels")
        return {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name not in of_data
        }

    @property
    def form(self) -> RowForm | None:
        """How rows are read of which some may be left out; None where none may.

        Raises
        ------
        UsageError
            There is no such preset, or options do not go with it.
        """
        if self.preset is None:
            return self._own_form()
        given = {
            "--columns": self.columns,
            "--label-values": self.label_values,
            "--raters": self.raters,
            "--ids-per-file": self.ids_per_file,
            "--labels": self.labels,
        }
        for option, value in given.items():
            if value:
                raise UsageError(
                    f"{option}: --preset {self.preset} says it already; leave one out"
                )
        return preset_form(
            find_preset(self.preset),
            partial=self.partial,
            skip_labels=self.skip_labels,
            threshold=self.label_threshold,
        )

    def _own_form(self) -> RowForm | None:
        if self.partial is not None:
            raise UsageError(
                f"--partial {self.partial}: goes with a --preset that has partial"
                " labels, e.g. xstest"
            )
        return own_form(
            label_values=self.label_values,
            skip_labels=self.skip_labels,
            threshold=self.label_threshold,
            raters=self.raters,
            ids_per_file=self.ids_per_file,
        )


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The rows that were asked for.

    Attributes
    ----------
    rows : mapping
        Detector -> its rows, sorted by name.
    without_rows : tuple of str
        Detectors that were asked for and have none.
    reading : DatasetOptions
        How the rows are read again.
    sources : tuple of LabelledSource
        All files of data, also those of detectors that were not asked for.
    notes : ReadingNotes or None
        What was left out, where rows may be; None where none may.
    label_files : tuple of str
        The files of labels for reports.
    sole_detector : str or None
        Whose the rows and labels are that name none: the one that was asked for.
    """

    rows: Mapping[str, DetectorRows]
    without_rows: tuple[str, ...]
    reading: DatasetOptions
    sources: tuple[LabelledSource, ...]
    notes: ReadingNotes | None = None
    label_files: tuple[str, ...] = ()
    sole_detector: str | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """The paths of data and labels, also of detectors that were not asked for."""
        return (*(source.path for source in self.sources), *self.label_files)


def select_rows(
    request: DataRequest, catalogue: DetectorCatalogue, *, scratch: str
) -> Selection:
    """Find, check and count the rows that are asked for.

    Parameters
    ----------
    scratch : str
        A folder for temporary files, which must outlive the result.

    Raises
    ------
    GarakTbsaError
        A path, a row, or the name of a detector is wrong.
    """
    form = request.form
    reading = DatasetOptions(
        word_list=catalogue.word_list,
        read=ReadOptions(columns=request.columns, encoding=request.encoding),
        label_values=request.label_values,
        form=form,
    )
    if form is not None and form.preset is not None:
        return _published(request, form.preset, reading, catalogue, scratch)
    named = None
    if request.detectors is not None:
        named = catalogue.resolve(request.detectors)
    sole = named[0] if named and len(named) == 1 else None
    paths = _stored(request.paths, scratch) or [shipped_folder()]
    mapping = _served(paths)
    sources = _sources(request, paths, sole, catalogue)
    reading = replace(reading, labels=_report_labels(request, sources, sole))
    wanted = _wanted(sources, named, mapping)
    notes = None
    if form is None:
        found = check_sources(wanted, reading, scratch=scratch)
    else:
        found, reading, notes = check_formed_sources(wanted, reading, scratch=scratch)
    _check_names(found, catalogue)
    for detector, stem in mapping.items():
        if stem in found and detector not in found:
            found[detector] = found[stem].served_to(detector)
    if named is None:
        _check_imports(found)
        named = tuple(sorted({*found, *(() if request.paths else catalogue.names)}))
    return Selection(
        rows={name: found[name] for name in named if name in found},
        without_rows=tuple(name for name in named if name not in found),
        reading=reading,
        sources=tuple(sources),
        notes=notes,
        label_files=() if request.labels is None else request.labels.paths,
        sole_detector=sole,
    )


def _report_labels(
    request: DataRequest,
    sources: Sequence[LabelledSource],
    sole: str | None,
) -> ReportLabels | None:
    if request.labels is None:
        return None
    reports = [source.path for source in sources if source.is_report]
    return request.labels.match(reports, sole)


def _published(
    request: DataRequest,
    preset: Preset,
    reading: DatasetOptions,
    catalogue: DetectorCatalogue,
    scratch: str,
) -> Selection:
    """The rows of a published set, to judge each detector that is asked for."""
    if not request.paths:
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
        _stored(request.paths, scratch),
        known=catalogue.has,
        sole_detector=named[0],
        is_published=True,
    )
    found, reading, notes = check_formed_sources(sources, reading, scratch=scratch)
    rows = found[named[0]]
    return Selection(
        rows={name: rows.served_to(name) for name in sorted(named)},
        without_rows=(),
        reading=reading,
        sources=tuple(sources),
        notes=notes,
    )


def _stored(paths: Sequence[str], scratch: str) -> list[str]:
    """The paths; standard input, which can be read once, is kept as a file."""
    stored = list(paths)
    if STANDARD_INPUT in stored:
        kept = os.path.join(scratch, "standard-input.jsonl")
        keep_standard_input(kept)
        stored[stored.index(STANDARD_INPUT)] = kept
    return stored


def _sources(
    request: DataRequest,
    paths: Sequence[str],
    sole: str | None,
    catalogue: DetectorCatalogue,
) -> list[LabelledSource]:
    def names_detector(stem: str) -> bool:
        """Whether a file's name is meant as a detector's, perhaps mistyped."""
        return catalogue.has(stem) or _LOOKS_LIKE_DETECTOR.fullmatch(stem) is not None

    sources = find_sources(
        paths,
        known=names_detector,
        sole_detector=sole,
    )
    if request.labels and not any(source.is_report for source in sources):
        raise UsageError(
            f"--labels {request.labels.paths[0]}: no garak report is among the data;"
            " give one"
            " with --data, or leave --labels out"
        )
    return sources


def _served(paths: Sequence[str]) -> dict[str, str]:
    return {
        detector: stem
        for path in paths
        if os.path.isdir(path)
        for detector, stem in served_by(path).items()
    }


def _wanted(
    sources: Sequence[LabelledSource],
    named: Sequence[str] | None,
    mapping: Mapping[str, str],
) -> list[LabelledSource]:
    """Leave out files of other detectors, so that one detector costs one file."""
    if named is None:
        return list(sources)
    useful = {*named, *(mapping[name] for name in named if name in mapping), None}
    return [source for source in sources if source.detector in useful]


def _check_names(
    found: Mapping[str, DetectorRows], catalogue: DetectorCatalogue
) -> None:
    for name, rows in found.items():
        if not catalogue.has(name):
            raise DatasetError(
                f"{rows.parts[0].source.path}: rows for {name!r}, which is no detector"
                f" of the installed garak{catalogue.nearest(name)}"
            )


def _check_imports(found: Mapping[str, DetectorRows]) -> None:
    """Data from elsewhere must not choose what this process imports."""
    for name, rows in found.items():
        if ":" in name:
            raise DatasetError(
                f"{rows.parts[0].source.path}: rows for {name!r}, which is no detector"
                " of garak's; name it with --detectors if it is to be imported"
            )
