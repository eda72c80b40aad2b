# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``import garak_tbsa`` offers for detector metrics; see :mod:`garak_tbsa.api`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from garak_tbsa.api.arguments import (
    PathLike,
    Paths,
    path_of,
    paths_of,
    require_number,
)
from garak_tbsa.api.evaluating import data_request, measurements
from garak_tbsa.api.summary_place import default_summary
from garak_tbsa.detector_eval.evaluation import EvaluationOptions
from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.selection import select_rows
from garak_tbsa.detector_eval.summary_file import parse_summary, read_document
from garak_tbsa.errors import UsageError
from garak_tbsa.garak_api.detector_loading import DetectorSettings
from garak_tbsa.garak_api.detectors import detector_catalogue
from garak_tbsa.results.metrics import MetricsResult
from garak_tbsa.workers import Workers


def evaluate(
    data: Paths = (),
    *,
    detectors: str | None = None,
    labels: Paths | None = None,
    rater: str | None = None,
    columns: Mapping[str, str] | None = None,
    label_values: Mapping[str, str] | None = None,
    preset: str | None = None,
    config: PathLike | None = None,
    detector_options: Mapping[str, Any] | None = None,
    seed: int = 42,
    confidence: float = 0.95,
    min_samples: int = 50,
    eval_threshold: float = 0.5,
    balance_datasets: bool = False,
    jobs: int = 1,
) -> MetricsResult:
    """Measure on labelled responses how well garak's detectors find hits.

    Parameters
    ----------
    data : path, or iterable of paths
        Files or folders of labelled rows, or garak reports with ``labels``. The
        default is the data that comes with this package.
    detectors : str, optional
        As on the command line: ``"dan.DAN"``, ``"dan"``, ``"all"``, a pattern, or
        ``"package.module:Class"``, separated by commas. The default is every detector
        that has rows.
    labels : path, or iterable of paths, optional
        Labels of outputs of the reports among ``data``.
    rater : str, optional
        Rater of labels that name no rater.
    columns : mapping, optional
        Our name of a column -> theirs.
    label_values : mapping, optional
        A label as the data spells it -> ``"hit"`` or ``"pass"``, or ``"skip"`` to leave
        out rows with it, and rows without one clear label.
    preset : str, optional
        Name of the published set whose form the data has.
    config : path, optional
        A configuration file of garak.
    detector_options : mapping, optional
        Module -> class -> option -> value, as garak's ``--detector_options``.
    seed : int
        Seed of balancing, of intervals, and of detectors that draw at random.
    confidence : float
        Confidence of the intervals, between 0 and 1.
    min_samples : int
        Fewest scored rows for an interval.
    eval_threshold : float
        A score of this or more is a hit, 0.0-1.0.
    balance_datasets : bool
        Draw as many rows of the more frequent label as the other label has.
    jobs : int
        Number of processes.

    Returns
    -------
    MetricsResult
        Detectors that could not run are in ``not_evaluated``, each with its reason.

    Raises
    ------
    UsageError
        An argument is none of these, or no detector has that name.
    DatasetError
        Rows cannot be read or contradict themselves.
    GarakMissingError
        garak is not installed.
    WorkersError
        A worker died.
    """
    require_number("seed", seed, 0, whole=True)
    require_number("min_samples", min_samples, 1, whole=True)
    require_number("jobs", jobs, 1, whole=True)
    require_number("eval_threshold", eval_threshold, 0, 1)
    if not isinstance(confidence, float) or not 0 < confidence < 1:
        raise UsageError(
            f"confidence: expected a number between 0 and 1, found {confidence!r}"
        )
    settings = DetectorSettings(
        config=None if config is None else path_of("config", config),
        options=_options_text(detector_options),
        seed=seed,
    )
    settings.apply()
    options = EvaluationOptions(
        seed=seed,
        eval_threshold=eval_threshold,
        balance_datasets=balance_datasets,
        workers=Workers(backend=None if jobs == 1 else "loky", jobs=jobs),
    )
    intervals = IntervalOptions(
        confidence=confidence, min_samples=min_samples, seed=seed
    )
    request = data_request(
        paths_of("data", data, may_be_empty=True),
        detectors,
        None if labels is None else paths_of("labels", labels),
        rater,
        columns=columns or {},
        label_values=_labels_by_value(label_values),
        preset=preset,
    )
    selection = select_rows(request, detector_catalogue())
    *_, found = measurements(selection, settings, options, intervals)
    labelled = selection.labels
    return MetricsResult(
        summary=parse_summary(found.document, "evaluate"),
        document=found.document,
        notes=() if labelled is None else tuple(labelled.problems),
    )


def _labels_by_value(given: Mapping[str, str] | None) -> dict[str, Any]:
    """Other spellings of the labels, checked."""
    found = dict(given or {})
    for value, label in found.items():
        if label not in ("hit", "pass", "skip"):
            raise UsageError(
                f"label_values: expected 'hit', 'pass' or 'skip' for {value!r}, found"
                f" {label!r}"
            )
    return found


def _options_text(given: Mapping[str, Any] | None) -> str:
    """Options of detectors as garak's ``--detector_options`` takes them."""
    if not given:
        return ""
    try:
        return json.dumps(dict(given), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f'detector_options: expected {{"module": {{"Class": {{"option": value}}}}}}'
            f" ({error})"
        ) from None


def load_summary(path: PathLike | None = None) -> MetricsResult:
    """Read a ``detector_metrics_summary.json``, ours or garak's.

    Parameters
    ----------
    path : path, optional
        The one that ``detectors evaluate`` writes in this folder, else the one that
        comes with the package, unless given.

    Returns
    -------
    MetricsResult

    Raises
    ------
    DatasetError
        The file is missing, or no summary.
    """
    if path is None:
        path = default_summary()
    source = path_of("path", path)
    document = read_document(source)
    return MetricsResult(summary=parse_summary(document, source), document=document)
