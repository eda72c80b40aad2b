# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Run detectors on labelled rows; save the rows with their verdicts if asked.

Nothing here prints, parses options or knows garak: what loads its detectors comes in
as an :class:`Opener`.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy
from msgspec import structs

from garak_tbsa.detector_eval.labelled_row import COLUMNS, LabelledRow, RowFile
from garak_tbsa.detector_eval.metrics import (
    EVAL_THRESHOLD,
    DetectorResult,
    Scored,
    detector_result,
    verdict_of,
)
from garak_tbsa.detector_eval.run import Opener, RowScore, Watch, score_rows, unwatched
from garak_tbsa.detector_eval.seeding import generator_for
from garak_tbsa.detector_eval.selection import Selection
from garak_tbsa.earlier_outputs import require_replaceable
from garak_tbsa.errors import DatasetError, OutputError, UsageError
from garak_tbsa.files import require_distinct, write_pieces
from garak_tbsa.version import __version__
from garak_tbsa.workers import Workers

NO_ROWS = "no labelled rows"


@dataclass(frozen=True, kw_only=True, slots=True)
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

    def saved_path(self, detector: str) -> str:
        """Where the rows of a detector are saved."""
        name = re.sub(r"[^\w.-]", "_", detector)
        return os.path.join(self.save_datasets or "", f"{name}.jsonl")


def evaluate(
    selection: Selection,
    opener: Opener,
    options: EvaluationOptions | None = None,
    *,
    watch: Watch = unwatched,
) -> Iterator[tuple[DetectorResult, Sequence[Scored]]]:
    """Run detectors on labelled rows; yield what came out of each, and its rows.

    Those that cannot run come first, with a ``reason``.

    Parameters
    ----------
    selection : Selection
    opener : Opener
        Loads detectors: ``garak_api.detector_loading.DetectorSettings()``.
    options : EvaluationOptions, optional
    watch : callable, optional
        A progress bar.

    Raises
    ------
    GarakTbsaError
        Rows cannot be saved, labels speak for other outputs, or workers died.
    """
    options = options or EvaluationOptions()
    saved = saved_places(selection, options)
    require_distinct(saved, selection.inputs)
    for option, path in saved.items():
        require_replaceable(option, path, "rows")
    _check_drawn(selection, options)
    for name in selection.without_rows:
        yield DetectorResult(detector=name, failure=NO_ROWS), ()
    for name, of_detector in selection.rows.items():
        if of_detector.unusable is not None:
            yield DetectorResult(detector=name, failure=of_detector.unusable), ()
    to_do = rows_to_score(selection, options)
    for scored in score_rows(
        to_do, opener, seed=options.seed, workers=options.workers, watch=watch
    ):
        name = scored.detector
        rows = to_do[name][: len(scored.row_scores)]
        pairs = list(zip(rows, scored.row_scores, strict=True))
        if scored.failure is not None:
            result = DetectorResult(detector=name, failure=scored.failure)
        else:
            threshold, labels = options.eval_threshold, selection.labels
            result = detector_result(name, pairs, threshold=threshold, labels=labels)
            if options.save_datasets is not None:
                _save(options, name, pairs)
        yield replace(result, options=dict(scored.options)), pairs


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


def versions_of(selection: Selection) -> dict[str, str]:
    """The versions of all that the counts depend on."""
    return {
        "garak": selection.garak_version,
        "garak-tbsa": __version__,
        "numpy": numpy.__version__,
        "python": ".".join(map(str, sys.version_info[:2])),
    }


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


def _check_drawn(selection: Selection, options: EvaluationOptions) -> None:
    """Labels of a scan speak for its outputs, and rows of a file for themselves.

    Raises
    ------
    UsageError
        A detector has both, or drawn rows are to be balanced.
    """
    labels = selection.labels
    for name in () if labels is None else labels.sizes:
        if name not in selection.rows:
            continue
        files = selection.rows[name].files
        others = [file.path for file in files if not file.is_report]
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


def _saved_line(row: LabelledRow, row_score: RowScore, threshold: float) -> bytes:
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
    record["prompt"] = {
        "turns": [
            {"role": turn.role, "content": {"text": turn.text}} for turn in row.prompt
        ]
    }
    record["output"] = row.output
    record["where"] = row.where
    record["score"] = row_score.score
    record["predicted"] = verdict_of(row_score, threshold) or "none"
    if row_score.score is None:
        record |= {"missing": row_score.missing, "missing_detail": row_score.detail}
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise DatasetError(
            f"{row.where}: holds NaN or an infinite number, which JSON has no form"
            " for; write a number or null"
        ) from None
    return f"{text}\n".encode("utf-8", "backslashreplace")
