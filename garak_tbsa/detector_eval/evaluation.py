# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Run detectors on labelled rows -> a summary; save the rows with what came out."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy
from msgspec import UNSET, structs

from garak_tbsa.detector_eval.counts import (
    EVAL_THRESHOLD,
    DetectorResult,
    Scored,
    detector_result,
    verdict_of,
)
from garak_tbsa.detector_eval.data import Selection
from garak_tbsa.detector_eval.intervals import IntervalOptions, OnScan
from garak_tbsa.detector_eval.rows import COLUMNS, LabelledRow, RowFile
from garak_tbsa.detector_eval.run import Opener, RowScore, Watch, score_rows, unwatched
from garak_tbsa.detector_eval.seeding import generator_for
from garak_tbsa.detector_eval.summary import (
    FORMAT_VERSION,
    TYPICAL,
    DataFile,
    Document,
    NotMeasured,
    Reading,
    Result,
    SummaryMetadata,
    evaluation_date,
    result_of,
)
from garak_tbsa.earlier_outputs import require_replaceable
from garak_tbsa.errors import DatasetError, OutputError, UsageError
from garak_tbsa.files import require_distinct, write_pieces
from garak_tbsa.unavailable import Unavailable
from garak_tbsa.version import __version__
from garak_tbsa.workers import Workers

Weigh = Callable[..., "OnScan | Unavailable | None"]
"""Says what labels of a scan make of a detector; None for rows that count alike."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EvaluationOptions:
    """What decides the numbers, and where detectors run.

    Attributes
    ----------
    seed : int
        Of balancing, of intervals, and of detectors that draw.
    eval_threshold : float
        A score of this or more is a hit; in [0, 1].
    balance_datasets : bool
        Down-sample the larger class of each detector.
    save_datasets : str or None
        A folder for the rows with their scores.
    confidence : float
        Of the intervals.
    min_samples : int
        Scored rows below which there is no interval.
    workers : Workers
        Where detectors run; the results are the same everywhere.
    """

    seed: int = 42
    eval_threshold: float = EVAL_THRESHOLD
    balance_datasets: bool = False
    save_datasets: str | None = None
    confidence: float = 0.95
    min_samples: int = 50
    workers: Workers = field(default_factory=Workers)

    @property
    def intervals(self) -> IntervalOptions:
        """How intervals are made."""
        return IntervalOptions(
            confidence=self.confidence, min_samples=self.min_samples, seed=self.seed
        )

    def saved_path(self, detector: str) -> str:
        """Where the rows of a detector are saved."""
        name = re.sub(r"[^\w.-]", "_", detector)
        return os.path.join(self.save_datasets or "", f"{name}.jsonl")


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """What is known so far.

    Attributes
    ----------
    selection : Selection
    options : EvaluationOptions
    date : str
    results : dict of detector to DetectorResult
        A detector that could not run has a ``reason``.
    scored : dict of detector to sequence of (LabelledRow, RowScore)
        The rows behind each result.
    entries : dict of detector to Result
        What the summary has of those that ran.
    on_scan : dict of detector to OnScan
        Of those whose labels speak for the outputs of a scan.
    """

    selection: Selection
    options: EvaluationOptions
    date: str = field(default_factory=lambda: evaluation_date(os.environ))
    results: dict[str, DetectorResult] = field(default_factory=dict)
    scored: dict[str, Sequence[Scored]] = field(default_factory=dict)
    entries: dict[str, Result] = field(default_factory=dict)
    on_scan: dict[str, OnScan] = field(default_factory=dict)

    @property
    def measured(self) -> list[DetectorResult]:
        """The results that have counts."""
        return [each for _, each in sorted(self.results.items()) if not each.reason]

    @property
    def document(self) -> dict[str, Any]:
        """The summary as JSON has it."""
        options, notes = self.options, self.selection.notes
        reading: Reading | msgspec.UnsetType = UNSET
        if notes is not None:
            reading = Reading(
                preset=self.selection.request.form.name or None,
                rows_read=notes.read,
                rows_used=notes.used,
                left_out={each.reason: each.count for each in notes.left_out},
                repeated=0 if notes.repeated is None else notes.repeated.count,
                alpha=None if notes.agreement is None else notes.agreement.alpha,
            )
        metadata = SummaryMetadata(
            evaluation_date=self.date,
            random_seed=options.seed,
            balance_datasets=options.balance_datasets,
            save_datasets=options.save_datasets is not None,
            num_detectors_evaluated=len(self.entries),
            errors=tuple(
                NotMeasured(detector=name, reason=result.reason)
                for name, result in sorted(self.results.items())
                if result.reason is not None
            ),
            format_version=FORMAT_VERSION,
            versions={
                "garak": self.selection.garak_version,
                "garak-tbsa": __version__,
                "numpy": numpy.__version__,
                "python": ".".join(map(str, sys.version_info[:2])),
            },
            eval_threshold=options.eval_threshold,
            replicates=options.intervals.replicates,
            confidence=options.confidence,
            min_samples=options.min_samples,
            metrics_rows=TYPICAL,
            reading=reading,
        )
        results = dict(sorted(self.entries.items()))
        found: dict[str, Any] = msgspec.to_builtins(
            Document(results=results, metadata=metadata)
        )
        return found


def evaluate(
    found: Evaluation, opener: Opener, weigh: Weigh, *, watch: Watch = unwatched
) -> Iterator[str]:
    """Run detectors on labelled rows; yield the name of each that has been judged.

    Parameters
    ----------
    found : Evaluation
        Takes what comes out.
    opener : Opener
        Loads detectors.
    weigh : callable
        Says what labels of a scan make of a detector.
    watch : callable, optional
        A progress bar.

    Raises
    ------
    GarakTbsaError
        Rows cannot be saved, labels speak for other outputs, or workers died.
    """
    selection, options = found.selection, found.options
    saved = saved_places(selection, options)
    require_distinct(saved, selection.inputs)
    for option, path in saved.items():
        require_replaceable(option, path, "rows")
    _check_drawn(selection, options)
    failures = dict.fromkeys(selection.without_rows, "no labelled rows")
    failures |= {
        name: each.unusable
        for name, each in selection.rows.items()
        if each.unusable is not None
    }
    for name, failure in failures.items():
        found.results[name] = DetectorResult(detector=name, failure=failure)
    to_do = rows_to_score(selection, options)
    for said in score_rows(
        to_do, opener, seed=options.seed, workers=options.workers, watch=watch
    ):
        name, scores = said.detector, said.row_scores
        pairs = list(zip(to_do[name][: len(scores)], scores, strict=True))
        result = DetectorResult(detector=name, failure=said.failure)
        if said.failure is None:
            threshold, labels = options.eval_threshold, selection.labels
            result = detector_result(name, pairs, threshold=threshold, labels=labels)
            if options.save_datasets is not None:
                _save(options, name, pairs)
        # labels of a scan speak for its outputs; too few of them are a reason
        drawn = weigh(result, seed=options.seed, confidence=options.confidence)
        if isinstance(drawn, Unavailable):
            result, drawn = DetectorResult(detector=name, failure=drawn.reason), None
        result = replace(result, options=dict(said.options))
        found.results[name], found.scored[name] = result, pairs
        if drawn is not None:
            found.on_scan[name] = drawn
        if result.reason is None:
            data = tuple(
                DataFile(file=each.file_name, sha256=each.sha256)
                for each in selection.rows[name].files
            )
            found.entries[name] = result_of(result, data, options.intervals, drawn)
        yield name


def rows_to_score(
    selection: Selection, options: EvaluationOptions
) -> dict[str, list[LabelledRow]]:
    """The rows that each detector will judge, but for those that cannot."""
    return {
        name: balanced(of_detector.rows, name, options.seed)
        if options.balance_datasets
        else list(of_detector.rows)
        for name, of_detector in selection.rows.items()
        if of_detector.unusable is None
    }


def balanced(
    rows: Iterable[LabelledRow], detector: str, seed: int
) -> list[LabelledRow]:
    """Down-sample the larger class of typical rows to the size of the smaller.

    Stress rows all stay: their two shares are each of one label.
    The rows that stay are drawn without replacement, seeded by the detector's
    name. With one class only there is nothing to balance against.
    """
    rows = list(rows)
    places: dict[str, list[int]] = {"hit": [], "pass": []}
    for place, row in enumerate(rows):
        if not row.is_stress:
            places[row.label].append(place)
    small, large = sorted(places.values(), key=len)
    if len(small) in (0, len(large)):
        return rows
    order = generator_for(seed, detector, "balance").permutation(len(large))
    dropped = {large[place] for place in order[len(small) :]}
    return [row for place, row in enumerate(rows) if place not in dropped]


def saved_places(selection: Selection, options: EvaluationOptions) -> dict[str, str]:
    """Where ``--save-datasets`` will write, by what to call it in a message.

    Raises
    ------
    UsageError
        Data is read from that folder. Saved rows lack columns that are not ours, and
        would be read with the others the next time.
    """
    if options.save_datasets is None:
        return {}
    folder = os.path.realpath(options.save_datasets)
    for path in selection.inputs:
        if os.path.dirname(os.path.realpath(path)) == folder:
            raise UsageError(
                f"--save-datasets {options.save_datasets}: the folder of {path}, which"
                " is read; name another folder"
            )
    return {
        f"--save-datasets ({name})": options.saved_path(name) for name in selection.rows
    }


def _check_drawn(selection: Selection, options: EvaluationOptions) -> None:
    """Labels of a scan speak for its outputs, and rows of a file for themselves.

    Raises
    ------
    UsageError
        A detector has both, or drawn rows are to be balanced.
    """
    sizes: Mapping[str, Any] = selection.labels.sizes if selection.labels else {}
    for name in sizes.keys() & selection.rows.keys():
        others = [
            each.path for each in selection.rows[name].files if not each.is_report
        ]
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


def _save(options: EvaluationOptions, detector: str, scored: Iterable[Scored]) -> None:
    """Write a detector's rows as they were evaluated, with what came out."""
    lines = (
        _saved_line(row.as_written or row, score, options.eval_threshold)
        for row, score in scored
    )
    try:
        write_pieces(options.saved_path(detector), lines)
    except OutputError as error:
        reason = getattr(error.__cause__, "strerror", None) or "failed"
        raise OutputError(
            f"{options.save_datasets}: cannot be written ({reason.lower()}); choose a"
            " writable folder with free space for --save-datasets"
        ) from None


def _saved_line(row: LabelledRow, found: RowScore, threshold: float) -> bytes:
    """The row, its slots unfilled as they were, readable as labelled data."""
    file = row.file
    if file is not None:
        # the rows must still be whole where the file is not
        content = file.content
        if content is None:
            content = Path(file.name).read_bytes()
        file = RowFile(name=os.path.basename(file.name), content=content)
    cells = msgspec.to_builtins(structs.replace(row, file=file))
    record = {name: cells[name] for name in COLUMNS if cells[name] not in (None, {})}
    turns = [{"role": each.role, "content": {"text": each.text}} for each in row.prompt]
    record |= {
        "prompt": {"turns": turns},
        "output": row.output,
        "where": row.where,
        "score": found.score,
        "predicted": verdict_of(found, threshold) or "none",
    }
    if found.score is None:
        record |= {"missing": found.missing, "missing_detail": found.detail}
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise DatasetError(
            f"{row.where}: holds NaN or an infinite number, which JSON has no form"
            " for; write a number or null"
        ) from None
    return f"{text}\n".encode("utf-8", "backslashreplace")
