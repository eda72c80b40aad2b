# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``detector_metrics_summary.json`` as types: what is written, and what is read.

The structure is the one that garak documents and reads; what is ours is beside its
keys, never in place of one. What a summary leaves out is None, as most of it is in the
one that garak ships. What it states must be what it claims to be: no stage after this
one asks again.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from garak_tbsa.detector_eval.counts import (
    LEAST_REAL_HITS,
    METRICS,
    Basis,
    ConfusionCounts,
    Count,
    DetectorResult,
    ratio,
    stress_shares,
)
from garak_tbsa.detector_eval.intervals import (
    YOUDEN,
    F1Interval,
    Interval,
    IntervalOptions,
    OnScan,
    Share,
    f1_intervals,
    share_interval,
    tells_apart,
)
from garak_tbsa.errors import DatasetError, UsageError
from garak_tbsa.files import read_small
from garak_tbsa.safe_text import shown

FORMAT_VERSION = 3
"""Major version: it changes where a reader of today would misread the file.

1  metrics from typical and stress rows together
2  metrics from typical rows, and a block ``stress`` beside them
3  a metric that the rows cannot tell is null, with the ``reason``
"""

MOST_BYTES = 4 << 20
"""A summary of every detector that garak has takes 0.2 MB."""

TOLERANCE = 1e-6
"""By how much a stated number may differ from what its counts give."""

TYPICAL: Literal["typical"] = "typical"
ALL_ROWS: Literal["typical and stress"] = "typical and stress"
"""``metadata.metrics_rows``: rows without ``why``, or all, as in version 1."""

ADVICE = "make it again with `garak-tbsa detectors evaluate`"

LEAST_OF_A_LABEL = 20
"""Rows of each label without which a rate is hardly known."""

DOCUMENTED = 6
"""Members of the metadata that garak documents."""

APPLIED = ("hit_sensitivity", "hit_specificity")
"""The rates by which garak corrects its intervals; not every file of its has them."""

LEAST_MODELS = 2
"""Models of the real hits: what one shows need not hold of another."""

Read = TypeVar("Read")
ByReason = dict[str, Annotated[int, Meta(ge=1)]]


def _with(*names: str) -> Meta:
    """What a schema says of an object that has to have these members."""
    return Meta(extra_json_schema={"type": "object", "required": list(names)})


IntervalOfFile = Annotated[
    F1Interval, _with("mean", "ci_lower", "ci_upper", "ci_width", "n_samples")
]


class Metrics(Struct, frozen=True, kw_only=True):
    """The rates; null where no row has the label, or the rows cannot tell one.

    Attributes
    ----------
    accuracy : float or None
        Share of rows that the detector gets right.
    hit_precision, hit_recall, hit_f1 : float or None
        Of hits.
    hit_sensitivity, hit_specificity : float or None
        Recall of hits and of passes under the names by which garak corrects intervals.
    pass_precision, pass_recall, pass_f1 : float or None
        Of passes.
    hit_f1_ci, pass_f1_ci : F1Interval, optional
        From 50 scored rows on.
    reason : str, optional
        of garak-tbsa: why the rows cannot tell those that are null.
    """

    accuracy: Share = None
    hit_precision: Share = None
    hit_recall: Share = None
    hit_f1: Share = None
    hit_sensitivity: Share = None
    hit_specificity: Share = None
    pass_precision: Share = None
    pass_recall: Share = None
    pass_f1: Share = None
    hit_f1_ci: IntervalOfFile | UnsetType = UNSET
    pass_f1_ci: IntervalOfFile | UnsetType = UNSET
    reason: str | UnsetType | None = UNSET


OfGarak = Annotated[Metrics, _with(*(name for name in METRICS if name not in APPLIED))]


class StressInterval(Struct, frozen=True, kw_only=True):
    """A share of stress rows.

    Attributes
    ----------
    share : float
        Rows that the detector got right, of all of the label.
    jeffreys_lower, jeffreys_upper, jeffreys_width : float
        Its Jeffreys interval.
    """

    share: Share
    jeffreys_lower: Share = None
    jeffreys_upper: Share = None
    jeffreys_width: Share = None


class Stress(Struct, frozen=True, kw_only=True):
    """Rows with ``why``, written to break the detector; no part of the metrics.

    Attributes
    ----------
    hits_found, hits : int
        Disguised hits that were flagged, of how many.
    hits_found_share : StressInterval or None
        Null where ``unavailable`` says why.
    passes_left_alone, passes : int
        Look-alikes that were not flagged, of how many.
    passes_left_alone_share : StressInterval or None
        Null where ``unavailable`` says why.
    unavailable : mapping
        Why a share is null, by its name.
    missing : mapping
        Rows without a score, by reason.
    """

    hits_found: Count
    hits: Count
    hits_found_share: StressInterval | None = None
    passes_left_alone: Count
    passes: Count
    passes_left_alone_share: StressInterval | None = None
    unavailable: dict[str, str] = {}
    missing: ByReason = {}

    def __post_init__(self) -> None:
        for each in stress_shares(self.counts):
            if each.part > each.whole:
                more = f"more than `{each.whole_name}`, {each.whole}"
                raise ValueError(f"`{each.name}` is {each.part}, {more}")
            name = f"{each.name}_share"
            stated = getattr(self, name)
            if stated is not None:
                _require_equal(stated.share, ratio(each.part, each.whole), name)

    @property
    def counts(self) -> ConfusionCounts:
        """The same as counts."""
        return ConfusionCounts(
            tp=self.hits_found,
            fn=self.hits - self.hits_found,
            tn=self.passes_left_alone,
            fp=self.passes - self.passes_left_alone,
        )


class RowsRead(Struct, frozen=True, kw_only=True):
    """The typical rows.

    Attributes
    ----------
    labelled, scored : int
        All of them, and those with a score.
    missing : mapping
        Rows without a score, by reason.
    missing_details : mapping
        What was said of the first of them, by reason.
    """

    labelled: Count = 0
    scored: Count = 0
    missing: ByReason = {}
    missing_details: dict[str, str] = {}


class DataFile(Struct, frozen=True, kw_only=True):
    """A file of rows.

    Attributes
    ----------
    file : str
        Its name without folders.
    sha256 : str
        Of its bytes.
    """

    file: str = ""
    sha256: str


class Drawn(Struct, frozen=True, kw_only=True):
    """The scan whose outputs were labelled; the metrics speak for all of them.

    Attributes
    ----------
    outputs, flagged : int
        Outputs that the detector judged, and how many it flagged, in the report.
    changed : int
        Labelled outputs of which the detector now says otherwise than in the report.
    intervals : mapping
        Of each metric, and of the Youden index.
    """

    outputs: Count = 0
    flagged: Count = 0
    changed: Count = 0
    intervals: dict[str, Interval] = {}

    def __post_init__(self) -> None:
        if any(each.lower > each.upper for each in self.intervals.values()):
            raise ValueError("`lower` is above `upper`")


class Result(Struct, frozen=True, kw_only=True):
    """What a summary has of one detector.

    Attributes
    ----------
    metrics : Metrics
        Those that garak documents.
    on_scan : Drawn, optional
        of garak-tbsa: the scan that the rows were drawn from.
    applied : str, optional
        of garak-tbsa: why garak's file has neither of the two rates by which garak
        corrects intervals; without it, it has them.
    counts : ConfusionCounts or None
        of garak-tbsa: typical rows by label and verdict.
    basis : Basis or None
        of garak-tbsa: what the typical rows are.
    stress : Stress or None
        of garak-tbsa: rows that were written to break the detector.
    rows : RowsRead or None
        of garak-tbsa: typical rows, and those without a score.
    data : sequence of DataFile
        of garak-tbsa: the files of the rows.
    options : mapping, optional
        of garak-tbsa: what the detector was set to, of a judge its model.
    """

    metrics: OfGarak
    on_scan: Drawn | UnsetType | None = UNSET
    applied: str | UnsetType = UNSET
    counts: ConfusionCounts | None = None
    basis: Basis | None = None
    stress: Stress | None = None
    rows: RowsRead | None = None
    data: tuple[DataFile, ...] = ()
    options: dict[str, Any] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.counts is not None and not self.on_scan:
            for name, expected in self.counts.metrics.items():
                stated = getattr(self.metrics, name)
                if stated is not None or not (self.metrics.reason or self.applied):
                    _require_equal(stated, expected, name)


class NotMeasured(Struct, frozen=True, kw_only=True):
    """A detector without metrics.

    Attributes
    ----------
    detector : str
        Its name.
    reason : str
        Why it has none.
    """

    detector: str
    reason: str


class Reading(Struct, frozen=True, kw_only=True):
    """What became of rows of which some may be left out.

    Attributes
    ----------
    preset : str or None
        The published set.
    rows_read, rows_used : int
        All rows, and those that count.
    left_out : mapping
        Rows by the reason why they do not.
    repeated : int
        Rows that repeat another one with the same label; they count.
    alpha : float or None
        Krippendorff's alpha of the raters; null: one rater, or one label.
    """

    preset: str | None = None
    rows_read: Count = 0
    rows_used: Count = 0
    left_out: dict[str, Count] = {}
    repeated: Count = 0
    alpha: float | None = None


class SummaryMetadata(Struct, frozen=True, kw_only=True):
    """How a summary was made; None where it does not say.

    Attributes
    ----------
    evaluation_date : str or None
        ISO 8601, in UTC.
    random_seed : int or None
        Of everything that was drawn.
    balance_datasets, save_datasets : bool or None
        Whether rows were drawn so that labels are as frequent, and were written out.
    num_detectors_evaluated : int
        Those of ``results``.
    errors : sequence of NotMeasured
        The detectors without metrics.
    format_version : int or str or None
        of garak-tbsa: 1, metrics from typical and stress rows together; 2, from typical
        rows; 3, null where the rows cannot tell a metric.
    versions : mapping
        of garak-tbsa: package -> version.
    eval_threshold : float or None
        of garak-tbsa: a score of this or more is a hit.
    replicates : int or None
        of garak-tbsa: of the bootstrap.
    confidence : float or None
        of garak-tbsa: of the intervals.
    min_samples : int or None
        of garak-tbsa: fewest scored rows for an interval.
    metrics_rows : str or None
        of garak-tbsa: which rows made the metrics, those without ``why`` or all.
    reading : Reading, optional
        of garak-tbsa: what was left out of the rows.
    kept : sequence of str, optional
        of garak-tbsa: detectors whose metrics were in the file before.
    """

    evaluation_date: str | None = None
    random_seed: Annotated[int, Meta(ge=0)] | None = None
    balance_datasets: bool | None = None
    save_datasets: bool | None = None
    num_detectors_evaluated: int | None = None
    errors: tuple[NotMeasured, ...] = ()
    format_version: Any = None
    versions: dict[str, str] = {}
    eval_threshold: Share = None
    replicates: int | None = None
    confidence: Share = None
    min_samples: int | None = None
    metrics_rows: Literal["typical", "typical and stress"] | None = None
    reading: Reading | UnsetType = UNSET
    kept: tuple[str, ...] | UnsetType = UNSET


class Document(Struct, frozen=True, kw_only=True):
    """How well each garak detector tells a hit from a pass.

    Attributes
    ----------
    results : mapping
        What was measured, by detector.
    metadata : SummaryMetadata
        How.
    """

    results: dict[str, Result]
    metadata: Annotated[
        SummaryMetadata, _with(*SummaryMetadata.__struct_fields__[:DOCUMENTED])
    ]


class MeasuredDetector(Struct, frozen=True, kw_only=True):
    """One detector of a summary, as far as the summary says.

    Attributes
    ----------
    hit_f1 : float or None
        In [0, 1]; None where no row was labelled hit.
    sensitivity, specificity : float or None
        In [0, 1]; None where not stated.
    counts : ConfusionCounts or None
        None in summaries that garak ships, and of labels drawn from a scan.
    drawn : ConfusionCounts or None
        Of labelled outputs drawn from a scan, whose metrics speak for all its outputs.
    youden : Interval or None
        Of sensitivity + specificity - 1 on that scan.
    stress : ConfusionCounts or None
        Of stress rows; None in summaries of version 1 and those that garak ships.
    interval : Interval or None
        The bootstrap interval of hit F1.
    jeffreys : Interval or None
        The interval to go by where the bootstrap is ``degenerate``.
    degenerate : bool
        Whether the detector was always right, or always wrong, on a label.
    data_sha256 : tuple of str
        sha256 of each file that the rows came from.
    basis : Basis or None
        What the typical rows are; None in summaries before version 3, and garak's.
    unmeasurable : str or None
        Why no metric that needs hits is given; None where they are.
    """

    detector: str
    hit_f1: float | None
    sensitivity: float | None = None
    specificity: float | None = None
    counts: ConfusionCounts | None = None
    drawn: ConfusionCounts | None = None
    youden: Interval | None = None
    stress: ConfusionCounts | None = None
    interval: Interval | None = None
    jeffreys: Interval | None = None
    degenerate: bool = False
    data_sha256: tuple[str, ...] = ()
    basis: Basis | None = None
    unmeasurable: str | None = None


class Summary(Struct, frozen=True, kw_only=True):
    """A summary file: the measured detectors by name, and why others were not.

    Attributes
    ----------
    source : str
        The path as the user gave it.
    warnings : tuple of str
        What a reader should know before trusting it, a line each.
    """

    source: str
    measured: Mapping[str, MeasuredDetector]
    not_evaluated: Mapping[str, str]
    metadata: SummaryMetadata
    warnings: tuple[str, ...] = ()


def _require_equal(stated: float | None, expected: float | None, name: str) -> None:
    """Tell a number that is not what the counts beside it give."""
    if stated == expected:
        return
    if stated is None or expected is None or abs(stated - expected) > TOLERANCE:
        said, given = (
            "null" if each is None else f"{each:.6g}" for each in (stated, expected)
        )
        raise ValueError(f"`{name}` is {said}, but the counts beside it give {given}")


def evaluation_date(environ: Mapping[str, str]) -> str:
    """Now, or what SOURCE_DATE_EPOCH says, in UTC as garak's summary has it.

    Raises
    ------
    UsageError
        SOURCE_DATE_EPOCH is not a number of seconds.
    """
    epoch = environ.get("SOURCE_DATE_EPOCH")
    now = datetime.now(timezone.utc)
    try:
        when = (
            now if epoch is None else datetime.fromtimestamp(int(epoch), timezone.utc)
        )
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"SOURCE_DATE_EPOCH is {epoch!r}; expected seconds since 1970-01-01"
        ) from None
    return when.replace(tzinfo=None).isoformat(timespec="microseconds")


def result_of(
    result: DetectorResult,
    data: tuple[DataFile, ...],
    options: IntervalOptions,
    on_scan: OnScan | None,
) -> Result:
    """What the summary has of a detector that has metrics.

    Parameters
    ----------
    on_scan : OnScan or None
        Its metrics on the scan that its rows were drawn from; None where rows count
        alike.
    """
    counts = result.counts
    drawn: Drawn | UnsetType = UNSET
    reason: str | UnsetType = result.basis.unmeasurable or UNSET
    values: Mapping[str, float | None] = result.metrics
    intervals: dict[str, F1Interval] = {}
    if on_scan is not None:
        reason, values = UNSET, on_scan.values
        drawn = Drawn(
            outputs=on_scan.outputs,
            flagged=on_scan.flagged,
            changed=on_scan.changed,
            intervals=dict(on_scan.intervals),
        )
        for name in ("hit_f1", "pass_f1"):
            ends = on_scan.intervals.get(name)
            if ends is not None and values[name] is not None:
                intervals[name] = F1Interval(
                    mean=values[name],
                    ci_lower=ends.lower,
                    ci_upper=ends.upper,
                    ci_width=ends.width,
                    n_samples=counts.scored,
                )
    elif reason is UNSET:
        intervals = f1_intervals(counts, result.detector, options)
    rates = msgspec.convert({name: values[name] for name in METRICS}, Metrics)
    applied = why_not_applied(result, options)
    return Result(
        metrics=structs.replace(
            rates,
            hit_f1_ci=intervals.get("hit_f1", UNSET),
            pass_f1_ci=intervals.get("pass_f1", UNSET),
            reason=reason,
        ),
        on_scan=drawn,
        applied=UNSET if applied is None else applied,
        counts=counts,
        basis=result.basis,
        stress=_stress(result, options.confidence),
        rows=RowsRead(
            labelled=result.labelled,
            scored=counts.scored,
            missing=dict(result.missing),
            missing_details=dict(result.details),
        ),
        data=data,
        options=dict(result.options) or UNSET,
    )


def why_not_applied(result: DetectorResult, options: IntervalOptions) -> str | None:
    """Why garak is not to correct its intervals by a detector's rates, None if it is.

    garak corrects every later scan of every target, so that rates of few rows, of
    written hits, or of one model would do harm.
    """
    counts, basis = result.counts, result.basis
    few = too_few(counts.hits, counts.passes)
    if basis.unmeasurable or few:
        return basis.unmeasurable or few
    if basis.hits.real < LEAST_REAL_HITS:
        return (
            f"rests on {basis.hits.real} real hits, at least {LEAST_REAL_HITS} needed"
        )
    if result.hit_models < LEAST_MODELS:
        models = f"{result.hit_models or 'no'} named model"
        return f"its real hits are of {models}, at least {LEAST_MODELS} needed"
    if not tells_apart(counts, result.detector, options):
        return "sensitivity and specificity are not surely above 1 in sum"
    return None


def too_few(hits: int, passes: int) -> str | None:
    """Why metrics of so many rows may not take the place of others; None if they may.

    The reason follows the detector's name.
    """
    if min(hits, passes) >= LEAST_OF_A_LABEL:
        return None
    return (
        f"rests on {hits} hits and {passes} passes, at least {LEAST_OF_A_LABEL} of each"
        " needed"
    )


def _stress(result: DetectorResult, confidence: float) -> Stress:
    members: dict[str, Any] = {}
    unavailable = {}
    for found in stress_shares(result.stress):
        name, part, whole = found.name, found.part, found.whole
        members |= {name: part, found.whole_name: whole}
        if not whole:
            label = {"hits": "hit", "passes": "pass"}[found.whole_name]
            unavailable[f"{name}_share"] = f"no stress row labelled {label} got a score"
            continue
        ends = share_interval(part, whole, confidence)
        members[f"{name}_share"] = StressInterval(
            share=part / whole,
            jeffreys_lower=ends.lower,
            jeffreys_upper=ends.upper,
            jeffreys_width=ends.width,
        )
    return Stress(
        **members, unavailable=unavailable, missing=dict(result.stress_missing)
    )


def read_summary(path: str) -> Summary:
    """Read a summary of ours or of garak's.

    Raises
    ------
    DatasetError
        The file is missing, no summary, of a later major version, or says what cannot
        be: a metric outside [0, 1], a negative count, metrics that are not those of
        their counts.
    """
    return parse_summary(read_document(path), path)


def read_document(path: str) -> dict[str, Any]:
    """Read a summary's JSON as it is, with finite numbers and no name twice.

    Raises
    ------
    DatasetError
        The file is missing, too large, or no JSON object.
    """
    advice = "make one with `garak-tbsa detectors evaluate`"
    content = read_small(path, MOST_BYTES, "a summary file", advice)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
            raise DatasetError(
                f"{path}: {shown(twice, 100)!r} is there twice in one object; {ADVICE}"
            )
        return found

    def finite(text: str) -> float:
        number = float(text)
        if not math.isfinite(number):
            raise DatasetError(
                f"{path}: {shown(text, 40)} is no number in JSON; {ADVICE}"
            )
        return number

    try:
        document = json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=unique,
            parse_float=finite,
            parse_constant=finite,
        )
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise DatasetError(
            f"{path}{'' if line is None else f', line {line}'}: not JSON in UTF-8 that"
            " can be read; expected a summary file"
        ) from None
    if not isinstance(document, dict):
        raise DatasetError(f"{path}: no JSON object; expected a summary file")
    return document


def summary_text(document: Mapping[str, Any]) -> str:
    """The document as the file has it."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


class _Parts(Struct):
    """A summary's two members as they are."""

    results: dict[str, Any]
    metadata: dict[str, Any]


def parse_summary(document: Mapping[str, Any], source: str) -> Summary:
    """Check a summary's JSON and make records of it.

    Raises
    ------
    DatasetError
        As for :func:`read_summary`.
    """
    parts = _typed(document, _Parts, source)
    errors = parts.metadata.get("errors") or []
    plain = {**parts.metadata, "errors": []}
    stated = _typed(plain, SummaryMetadata, f"{source}, metadata")
    major, warnings = _version(stated.format_version, source)
    if stated.metrics_rows is None and major == 1:
        stated = structs.replace(stated, metrics_rows=ALL_ROWS)
    unmeasured = _typed(errors, tuple[NotMeasured, ...], f"{source}, metadata.errors")
    return Summary(
        source=source,
        warnings=warnings,
        measured={
            name: _measured(name, _typed(raw, Result, f"{source}, {shown(name, 100)}"))
            for name, raw in parts.results.items()
        },
        not_evaluated={each.detector: each.reason for each in unmeasured},
        metadata=structs.replace(stated, errors=unmeasured),
    )


def _version(stated: Any, source: str) -> tuple[int | None, tuple[str, ...]]:
    """The major version, and what to say of a minor one that is not known here.

    A summary without one is garak's. A later major version is refused, since what it
    says may mean something else; a later minor version only says more.
    """
    if stated is None:
        return None, ()
    found = re.fullmatch(r"(\d{1,9})(?:\.(\d{1,9}))?", str(stated), re.ASCII)
    if found is None or isinstance(stated, float):
        raise DatasetError(
            f"{source}: `format_version` is {shown(str(stated), 40)!r}; expected"
            f' {FORMAT_VERSION}, or a text such as "{FORMAT_VERSION}.1"'
        )
    major, minor = int(found[1]), int(found[2] or 0)
    if not 1 <= major <= FORMAT_VERSION:
        raise DatasetError(
            f"{source}: a summary of format version {major}, and this garak-tbsa reads"
            f" versions 1 to {FORMAT_VERSION}; update garak-tbsa, or {ADVICE}"
        )
    newer = (
        f"{source}: format version {stated} is newer than {major}.0, which this"
        " garak-tbsa knows; what it does not know is left out"
    )
    return major, (newer,) if minor else ()


def _measured(name: str, read: Result) -> MeasuredDetector:
    metrics, on_scan = read.metrics, read.on_scan or None
    ends = metrics.hit_f1_ci or F1Interval()
    return MeasuredDetector(
        detector=name,
        hit_f1=metrics.hit_f1,
        sensitivity=metrics.hit_recall if read.applied else metrics.hit_sensitivity,
        specificity=metrics.pass_recall if read.applied else metrics.hit_specificity,
        counts=read.counts if on_scan is None else None,
        drawn=None if on_scan is None else read.counts,
        youden=None if on_scan is None else on_scan.intervals.get(YOUDEN),
        stress=None if read.stress is None else read.stress.counts,
        interval=ends.bootstrap,
        jeffreys=ends.jeffreys,
        degenerate=ends.degenerate is True,
        data_sha256=tuple(file.sha256 for file in read.data),
        basis=read.basis,
        unmeasurable=metrics.reason or None,
    )


def _typed(raw: Any, kind: type[Read], where: str) -> Read:
    """Return what a summary has somewhere as the type that it has to be.

    Raises
    ------
    DatasetError
        A member is wrong; the first one is named with its place.
    """
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        # such as "Expected `int` >= 0 - at `$.counts.tp`"; at the top without a place
        said, at, place = str(error).rpartition(" - at `$")
        if not at:
            said, place = place, ""
        where = ", ".join(filter(None, (where, place.strip(".`"))))
        raise DatasetError(f"{where}: {said[:1].lower()}{said[1:]}; {ADVICE}") from None
