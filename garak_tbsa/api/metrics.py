# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``import garak_tbsa`` offers for detector metrics; see :mod:`garak_tbsa.api`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import to_builtins

from garak_tbsa.api.arguments import PathLike, Paths, path_of, paths_of
from garak_tbsa.api.summary_place import default_summary
from garak_tbsa.detector_eval import evaluation
from garak_tbsa.detector_eval.counts import EVAL_THRESHOLD
from garak_tbsa.detector_eval.data import DataRequest, select_rows
from garak_tbsa.detector_eval.diff import Change
from garak_tbsa.detector_eval.diff import diff as changes
from garak_tbsa.detector_eval.evaluation import Evaluation, EvaluationOptions
from garak_tbsa.detector_eval.published import row_form
from garak_tbsa.detector_eval.ranking import RankedDetector
from garak_tbsa.detector_eval.ranking import rank as ranked
from garak_tbsa.detector_eval.run import ScoredRows
from garak_tbsa.detector_eval.summary import (
    MeasuredDetector,
    Summary,
    SummaryMetadata,
    parse_summary,
    read_document,
    summary_text,
)
from garak_tbsa.errors import UsageError, reason_of
from garak_tbsa.garak_api.detector_loading import DetectorSettings
from garak_tbsa.garak_api.detectors import detector_catalogue
from garak_tbsa.labels.detectors import measured_on_scan
from garak_tbsa.labels.label_files import LabelReading
from garak_tbsa.labels.matching import labels_request
from garak_tbsa.option import Option, checked
from garak_tbsa.outputs.detectors import table_lines
from garak_tbsa.progress import with_progress
from garak_tbsa.result import NUMBER, TEXT, WHOLE, Result, frame
from garak_tbsa.workers import BACKENDS, Workers

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = {
    "place": WHOLE,
    "detector": TEXT,
    "tier": TEXT,
    "hit_f1": NUMBER,
    "hit_f1_lower": NUMBER,
    "hit_f1_upper": NUMBER,
    "sensitivity": NUMBER,
    "specificity": NUMBER,
    **dict.fromkeys(("tp", "fp", "fn", "tn", "real_hits"), WHOLE),
    "reason": TEXT,
}
OPTIONS_ADVICE = 'expected {"module": {"Class": {"option": "value"}}}'

Data = Annotated[Paths | None, Option(kind=object, metavar="PATH", several=True)]
Labels = Annotated[Paths | None, Option(kind=object, metavar="FILE", several=True)]
Words = Annotated[str | None, Option(kind=str, metavar="SPEC")]
Name = Annotated[str | None, Option(kind=str, metavar="NAME")]
File = Annotated[PathLike | None, Option(kind=object, metavar="FILE")]
GarakOptions = Annotated[
    Mapping[str, Any] | str | None, Option(kind=object, metavar="JSON")
]
Seed = Annotated[int, Option(kind=int, metavar="N")]
Rows = Annotated[int, Option(kind=int, low=1, metavar="N")]
Level = Annotated[float, Option(kind=float, low=0.01, high=0.9999, metavar="P")]
Score = Annotated[float, Option(kind=float, high=1, metavar="SCORE")]
Switch = Annotated[bool, Option(kind=bool)]
Folder = Annotated[PathLike | None, Option(kind=object, metavar="DIR")]
Jobs = Annotated[int | None, Option(kind=int, low=1, metavar="N")]
Backend = Annotated[str | None, Option(kind=str, choices=BACKENDS)]
Address = Annotated[str | None, Option(kind=str, metavar="ADDRESS")]


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class MetricsResult(Result):
    """What :func:`garak_tbsa.evaluate` and :func:`garak_tbsa.load_summary` return.

    Attributes
    ----------
    summary : Summary
        Typed and checked.
    document : mapping
        The same as it is in the file.
    evaluation : Evaluation or None
        What each detector made of each row; None for a file that was read.
    """

    summary: Summary
    document: Mapping[str, Any]
    evaluation: Evaluation | None = None

    @property
    def detectors(self) -> Mapping[str, MeasuredDetector]:
        """The measured detectors by name."""
        return self.summary.measured

    @property
    def not_evaluated(self) -> Mapping[str, str]:
        """Detector -> why it has no metrics."""
        return self.summary.not_evaluated

    @property
    def metadata(self) -> SummaryMetadata:
        """How the metrics were made."""
        return self.summary.metadata

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the metrics, one line each."""
        labels = None if self.evaluation is None else self.evaluation.selection.labels
        return (*self.summary.warnings, *(() if labels is None else labels.problems))

    @cached_property
    def ranking(self) -> tuple[RankedDetector, ...]:
        """Detectors by hit F1, highest first; those without one have no place."""
        return ranked(self.summary)

    def to_json(self) -> str:
        """Return the text of ``detector_metrics_summary.json``."""
        return summary_text(self.document)

    def to_frame(self) -> DataFrame:
        """Return one row for each detector; those without metrics have a ``reason``.

        Raises
        ------
        NotInstalledError
            pandas is not installed.
        """
        places = {
            each.measured.detector: {
                "place": each.place,
                "tier": each.tier,
                "hit_f1_lower": getattr(each.interval, "lower", None),
                "hit_f1_upper": getattr(each.interval, "upper", None),
            }
            for each in self.ranking
        }
        names = dict.fromkeys((*places, *self.detectors))
        rows = [_row(self.detectors[name]) | places.get(name, {}) for name in names]
        for name, reason in self.not_evaluated.items():
            rows.append({"detector": name, "reason": reason})
        return frame(rows, COLUMNS)

    def _summary(self) -> str:
        measured, missing = len(self.detectors), len(self.not_evaluated)
        not_measured = f", {missing} not evaluated" if missing else ""
        return f"{measured} detector{'s' * (measured != 1)} measured{not_measured}"

    def _lines(self) -> list[str]:
        warnings = (f"Warning: {warning}" for warning in self.warnings)
        return [self._summary(), *warnings, *table_lines(self.summary, verbose=True)]


def _row(entry: MeasuredDetector) -> dict[str, Any]:
    """What is known of a detector, by column."""
    counts = entry.counts or entry.drawn
    return {
        "detector": entry.detector,
        "hit_f1": entry.hit_f1,
        "sensitivity": entry.sensitivity,
        "specificity": entry.specificity,
        **({} if counts is None else to_builtins(counts)),
        "real_hits": None if entry.basis is None else entry.basis.hits.real,
        "reason": entry.unmeasurable,
    }


@checked
def evaluate(
    data: Data = None,
    *,
    detectors: Words = None,
    labels: Labels = None,
    rater: Name = None,
    columns: Mapping[str, str] | None = None,
    label_values: Mapping[str, str] | None = None,
    preset: Name = None,
    config: File = None,
    detector_options: GarakOptions = None,
    seed: Seed = 42,
    confidence: Level = 0.95,
    min_samples: Rows = 50,
    eval_threshold: Score = EVAL_THRESHOLD,
    balance_datasets: Switch = False,
    save_datasets: Folder = None,
    jobs: Jobs = None,
    backend: Backend = None,
    cluster: Address = None,
    each: Callable[[Evaluation], None] | None = None,
) -> MetricsResult:
    """Measure on labelled responses how well garak's detectors find hits.

    Parameters
    ----------
    data : path, or iterable of paths, optional
        Files or folders of labelled rows: .jsonl, .csv, .parquet, or a garak report
        with ``labels`` (default: the data that comes with this package).
    detectors : str, optional
        Comma-separated as in garak: a class (dan.DAN), a module (dan), all, a pattern
        (unsafe_content.Surge*), or package.module:Class (default: every detector with
        rows).
    labels : path, or iterable of paths, optional
        Labels of outputs of the garak report: answers (JSON Lines) and sheets (CSV) of
        `label`.
    rater : str, optional
        Rater of labels that name no rater (default: the file's name).
    columns : mapping, optional
        Names of the columns, e.g. output=response,label=verdict.
    label_values : mapping, optional
        A label as the data spells it -> ``"hit"`` or ``"pass"``, or ``"skip"`` to leave
        out rows with it, and rows without one clear label.
    preset : str, optional
        The data has the form of this published set, e.g. xstest.
    config : path, optional
        Garak's configuration, YAML or JSON.
    detector_options : mapping, or str, optional
        Options of detectors as JSON, or a file of them, as in garak's
        --detector_options.
    seed : int
        Seed of the random draws.
    confidence : float
        Confidence of the intervals.
    min_samples : int
        Fewest scored rows for an interval.
    eval_threshold : float
        A score of this or more is a hit.
    balance_datasets : bool
        Draw as many rows of the more frequent label as the other label has.
    save_datasets : path, optional
        Write the rows with their scores and verdicts to this folder.
    jobs : int, optional
        Number of workers (default: one for each processor).
    backend : str, optional
        Where detectors run; the numbers are the same (default: this process, loky with
        ``jobs``).
    cluster : str, optional
        Address of a Dask scheduler (tcp://host:8786) or of Ray (host:6379); default:
        DASK_SCHEDULER_ADDRESS, RAY_ADDRESS or `ray start`, else local workers.
    each : callable, optional
        Gets what is known, before the first detector and after each of them.

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
    settings = DetectorSettings(
        config=None if config is None else path_of("config", config),
        options=_options_text(detector_options),
        seed=seed,
    )
    settings.apply()
    form: dict[str, Any] = {"columns": columns or {}}
    form["label_values"] = _labels_by_value(label_values)
    asked = None
    if labels is not None:
        reading = LabelReading(rater=rater, **form)
        asked = labels_request(paths_of("labels", labels), reading)
    request = DataRequest(
        paths=() if data is None else tuple(paths_of("data", data, may_be_empty=True)),
        detectors=detectors,
        labels=asked,
        form=row_form(**form, preset=preset),
    )
    options = EvaluationOptions(
        seed=seed,
        eval_threshold=eval_threshold,
        balance_datasets=balance_datasets,
        save_datasets=None
        if save_datasets is None
        else path_of("save_datasets", save_datasets),
        confidence=confidence,
        min_samples=min_samples,
        workers=Workers(
            backend=backend or ("loky" if jobs is not None and jobs > 1 else None),
            jobs=jobs,
            cluster=cluster,
        ),
    )
    selection = select_rows(request, detector_catalogue())
    found = Evaluation(selection=selection, options=options)
    if each is not None:
        each(found)
    for _ in evaluation.evaluate(found, settings, measured_on_scan, watch=_watched):
        if each is not None:
            each(found)
    document = found.document
    return MetricsResult(
        summary=parse_summary(document, "evaluate"),
        document=document,
        evaluation=found,
    )


def _watched(scored: Iterator[ScoredRows], total: int) -> Iterator[ScoredRows]:
    """Show how far the rows are, where a command shows something."""
    return with_progress(
        scored,
        total,
        "rows",
        counts=lambda chunk: len(chunk.row_scores),
        name=lambda chunk: chunk.detector,
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


def options_file(given: Mapping[str, Any] | str | None) -> str | None:
    """The file that options of detectors are in; None where they are given."""
    if not given or not isinstance(given, str) or given.lstrip().startswith("{"):
        return None
    return given


def _options_text(given: Mapping[str, Any] | str | None) -> str:
    """Options of detectors as garak's ``--detector_options`` takes them."""
    path = options_file(given)
    if path is not None:
        try:
            return Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"--detector-options {path[:60]!r}: neither a JSON object nor a file"
                f" ({reason_of(error)}); {OPTIONS_ADVICE}"
            ) from None
    if isinstance(given, str) or not given:
        return str(given or "")
    try:
        return json.dumps(dict(given), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UsageError(f"detector_options: {OPTIONS_ADVICE} ({error})") from None


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
    source = path_of("path", default_summary() if path is None else path)
    document = read_document(source)
    return MetricsResult(summary=parse_summary(document, source), document=document)


def rank(path: PathLike | None = None) -> tuple[RankedDetector, ...]:
    """Order the detectors of a summary by hit F1, highest first.

    Parameters
    ----------
    path : path, optional
        As in :func:`load_summary`.

    Returns
    -------
    tuple of RankedDetector
        Each with its place, its tier and what was measured; detectors without an F1
        have no place.

    Raises
    ------
    DatasetError
        The file is missing, or no summary.
    """
    return load_summary(path).ranking


@checked
def diff(
    old: Annotated[PathLike, Option(kind=object)],
    new: Annotated[PathLike, Option(kind=object)],
    *,
    confidence: Level = 0.95,
) -> list[Change]:
    """Say what changed between two summaries, and what of it exceeds noise.

    Parameters
    ----------
    old, new : path
        Summaries, ours or garak's.
    confidence : float
        At which a change exceeds noise.

    Returns
    -------
    list of Change
        For each detector: its typical rows, and both kinds of stress rows.

    Raises
    ------
    DatasetError
        A file is missing, or no summary.
    """
    before, after = load_summary(old).summary, load_summary(new).summary
    return changes(before, after, confidence=confidence)
