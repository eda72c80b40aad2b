# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Run detectors on labelled rows: from Python in one call, and under the command.

Nothing here prints, parses options or knows garak: what garak knows comes in as a
:class:`DetectorCatalogue`, and what loads its detectors as an :class:`Opener`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy

from garak_tbsa.detector_eval.balancing import balanced
from garak_tbsa.detector_eval.checkpoint import Journal, work_key
from garak_tbsa.detector_eval.dataset import DataFile, DetectorRows, ReadingNotes
from garak_tbsa.detector_eval.formats import sha256_of
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.metrics import EVAL_THRESHOLD, DetectorResult, Tally
from garak_tbsa.detector_eval.report_labels import ReportLabels
from garak_tbsa.detector_eval.run import (
    Opener,
    RowScore,
    ScoredChunk,
    chunks_of,
    score_chunks,
)
from garak_tbsa.detector_eval.saved_rows import SavedRows
from garak_tbsa.detector_eval.selection import (
    DataRequest,
    DetectorCatalogue,
    Selection,
    select_rows,
)
from garak_tbsa.detector_eval.shipped import shipped_folder
from garak_tbsa.errors import UsageError
from garak_tbsa.files import require_distinct
from garak_tbsa.garak_files.attempts import stated_settings
from garak_tbsa.version import __version__
from garak_tbsa.workers.backends import Workers

Watch = Callable[[Iterator[ScoredChunk], int], Iterator[ScoredChunk]]

NO_ROWS = "no labelled rows"


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """What decides the counts, and where detectors run.

    Attributes
    ----------
    seed : int
        Of balancing, and of detectors that draw.
    eval_threshold : float
        A score of this or more is a hit; in [0, 1].
    balance_datasets : bool
        Down-sample the larger class of each detector.
    save_datasets : str or None
        A folder for the rows with their scores.
    workers : Workers
        Where detectors run; the results are the same everywhere.
    """

    seed: int = 42
    eval_threshold: float = EVAL_THRESHOLD
    balance_datasets: bool = False
    save_datasets: str | None = None
    workers: Workers = field(default_factory=Workers)

    def counting(self) -> dict[str, Any]:
        """What decides the counts: every field but where detectors run."""
        return {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name != "workers"
        }


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What came out.

    Attributes
    ----------
    results : mapping of detector to DetectorResult
        Sorted by name; a detector that could not run has a ``reason``.
    files : mapping of detector to sequence of DataFile
        What the rows of each came from.
    versions : mapping
        Package -> version, of all that the counts depend on.
    notes : ReadingNotes or None
        Rows left out and what raters agree on, where the request lets rows be left out.
    labels : ReportLabels or None
        Of the reports among the data.
    targets : tuple of str
        Whose outputs these are: type and name of each scan's target.
    """

    results: Mapping[str, DetectorResult]
    files: Mapping[str, Sequence[DataFile]]
    versions: Mapping[str, str]
    notes: ReadingNotes | None = None
    labels: ReportLabels | None = None
    targets: tuple[str, ...] = ()

    @property
    def measured(self) -> tuple[DetectorResult, ...]:
        """The results that have counts."""
        return tuple(each for each in self.results.values() if each.reason is None)


def evaluate(
    request: DataRequest,
    *,
    catalogue: DetectorCatalogue,
    opener: Opener,
    options: EvaluationOptions | None = None,
    journal: Journal | None = None,
    check: Callable[[Selection], None] | None = None,
    watch: Watch | None = None,
) -> Evaluation:
    """Run detectors on labelled rows.

    Parameters
    ----------
    request : DataRequest
        Which rows, of which detectors.
    catalogue : DetectorCatalogue
        What the installed garak knows: ``garak_api.detectors.detector_catalogue()``.
    opener : Opener
        Loads detectors: ``garak_api.detector_loading.DetectorSettings()``.
    journal : Journal, optional
        Finished detectors are taken from it and added to it.
    check : callable, optional
        Called with the selection before a detector runs; it may raise.
    watch : callable, optional
        Gets the scored chunks and the number of rows to come, and hands the chunks
        on: a progress bar.

    Raises
    ------
    GarakTbsaError
        Data or names are wrong, rows cannot be saved, or workers died.
    """
    chosen = options or EvaluationOptions()
    versions = _versions(catalogue)
    selection = select_rows(request, catalogue)
    _check_saved(selection, chosen)
    _check_drawn(selection, chosen)
    if check is not None:
        check(selection)
    keys = _work_keys(selection, request, opener, chosen, versions)
    found = sorted(
        _results(selection, opener, chosen, journal, keys, watch or _unwatched),
        key=_name_of,
    )
    return Evaluation(
        results={each.detector: each for each in found},
        files={name: rows.files for name, rows in selection.rows.items()},
        versions=versions,
        notes=selection.notes,
        labels=selection.labels,
        targets=_targets(selection),
    )


def saved_places(selection: Selection, options: EvaluationOptions) -> dict[str, str]:
    """Where ``--save-datasets`` will write, by what to call it in a message."""
    saved = _saved_rows(options)
    if saved is None:
        return {}
    return {f"--save-datasets ({name})": saved.path_of(name) for name in selection.rows}


def has_shipped(selection: Selection) -> bool:
    """Whether any rows are those that come with this package."""
    shipped = {sha256_of(str(path)) for path in Path(shipped_folder()).glob("*.jsonl")}
    return any(
        file.sha256 in shipped
        for rows in selection.rows.values()
        for file in rows.files
    )


def source_text(evaluation: Evaluation) -> str:
    """By what an evaluation measured, in words that follow "by"."""
    rows = sum(result.counts.scored for result in evaluation.measured)
    if evaluation.targets:
        targets = " and ".join(evaluation.targets)
        return f"{rows:,} labels of outputs of {targets}"
    return f"{rows:,} labelled rows of no scan"


def _targets(selection: Selection) -> tuple[str, ...]:
    """Whose outputs the labelled ones are."""
    stated = (
        stated_settings(source.path)
        for source in selection.sources
        if source.is_report and selection.labels is not None
    )
    return tuple(dict.fromkeys(each.target for each in stated))


def _check_saved(selection: Selection, options: EvaluationOptions) -> None:
    """Saved rows lack columns that are not ours: they must not replace labelled ones.

    Raises
    ------
    UsageError
        They would, or they would be read with them the next time.
    """
    if options.save_datasets is None:
        return
    folder = os.path.realpath(options.save_datasets)
    for path in selection.inputs:
        if "://" not in path and os.path.dirname(os.path.realpath(path)) == folder:
            raise UsageError(
                f"--save-datasets {options.save_datasets}: the folder of {path}, which"
                " is read; name another folder"
            )
    require_distinct(saved_places(selection, options), selection.inputs)


def _check_drawn(selection: Selection, options: EvaluationOptions) -> None:
    """Labels of a scan speak for its outputs, and rows of a file for themselves.

    Raises
    ------
    UsageError
        A detector has both, or drawn rows are to be balanced.
    """
    labels = selection.labels
    for name in () if labels is None else labels.sizes:
        rows = selection.rows.get(name)
        if rows is None:
            continue
        others = [source.path for source in rows.sources if not source.is_report]
        if others:
            raise UsageError(
                f"--data {others[0]}: has rows of {name}, which the labelled report"
                " has too, with other weights; evaluate the two separately"
            )
        if options.balance_datasets:
            raise UsageError(
                f"--balance-datasets: the labels of {name} are weighted by the outputs"
                " that they were drawn from; leave it out"
            )


def _unwatched(scored: Iterator[ScoredChunk], _: int) -> Iterator[ScoredChunk]:
    return scored


def _name_of(result: DetectorResult) -> str:
    return result.detector


def _work_keys(
    selection: Selection,
    request: DataRequest,
    opener: Opener,
    options: EvaluationOptions,
    versions: Mapping[str, str],
) -> dict[str, str]:
    """A key for all that decides a detector's counts, by detector.

    Options come from the fields of their records, so that none can be forgotten.
    """
    shared = {
        "reading": asdict(request.reading),
        "sole_detector": selection.sole_detector,
        "labels": _labels_key(selection, request),
        "options": options.counting(),
        "opener": opener.identity(),
        "versions": versions,
    }
    return {
        name: work_key(
            shared
            | {
                "detector": name,
                "files": [asdict(file) for file in rows.files],
                "names": [source.name for source in rows.sources],
            }
        )
        for name, rows in selection.rows.items()
    }


def _labels_key(selection: Selection, request: DataRequest) -> dict[str, Any] | None:
    """What decides the labels of outputs of reports, and how far they speak."""
    labels = request.labels
    if labels is None:
        return None
    return {
        "reading": labels.reading,
        # a file's name is the rater of labels that name none
        "files": [(os.path.basename(path), sha256_of(path)) for path in labels.paths],
        "reports": selection.report_sha256,
    }


def _saved_rows(options: EvaluationOptions) -> SavedRows | None:
    if options.save_datasets is None:
        return None
    return SavedRows(folder=options.save_datasets, threshold=options.eval_threshold)


def _results(
    selection: Selection,
    opener: Opener,
    options: EvaluationOptions,
    journal: Journal | None,
    keys: Mapping[str, str],
    watch: Watch,
) -> Iterator[DetectorResult]:
    """Yield the result of each detector, in no order."""
    saved = _saved_rows(options)

    def saved_now(name: str) -> str | None:
        return None if saved is None else saved.sha256_of(name)

    for name in selection.without_rows:
        yield DetectorResult(detector=name, failure=NO_ROWS)
    to_do: list[DetectorRows] = []
    for name, rows in selection.rows.items():
        # what an earlier run found counts if the rows that it saved are still there
        known = None if journal is None else journal.result(keys[name], saved_now(name))
        if rows.unusable is not None:
            yield DetectorResult(detector=name, failure=rows.unusable)
        elif known is not None:
            yield known
        else:
            balance = options.balance_datasets
            to_do.append(balanced(rows, options.seed) if balance else rows)
    for result, scored in _scored(to_do, selection, opener, options, watch):
        if saved is not None and result.failure is None:
            saved.write(result.detector, scored)
        if journal is not None:
            name = result.detector
            journal.add(keys[name], result, saved_now(name))
        yield result


def _scored(
    to_do: Sequence[DetectorRows],
    selection: Selection,
    opener: Opener,
    options: EvaluationOptions,
    watch: Watch,
) -> Iterator[tuple[DetectorResult, list[tuple[LabelledRow, RowScore]]]]:
    """Yield the result of each detector that runs, and its rows if they are saved."""
    scored = score_chunks(
        chain.from_iterable(chunks_of(rows.detector, rows) for rows in to_do),
        opener,
        seed=options.seed,
        workers=options.workers,
    )
    tally: Tally | None = None
    held: list[tuple[LabelledRow, RowScore]] = []
    for last in watch(scored, sum(map(len, to_do))):
        if tally is None:
            name = last.chunk.detector
            tally = Tally(name, options.eval_threshold, selection.labels)
        if last.failure is None:
            tally.add(last.chunk.rows, last.row_scores)
            if options.save_datasets is not None:
                held += zip(last.chunk.rows, last.row_scores, strict=True)
            if not last.chunk.is_last:
                continue
        result = tally.result(last.failure)
        yield replace(result, options=dict(last.options)), held
        tally, held = None, []


def _versions(catalogue: DetectorCatalogue) -> dict[str, str]:
    return {
        "garak": catalogue.garak_version,
        "garak-tbsa": __version__,
        "numpy": numpy.__version__,
        "python": ".".join(map(str, sys.version_info[:2])),
    }
