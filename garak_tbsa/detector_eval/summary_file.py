# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary file, ours or garak's -> typed records, checked once.

What a summary leaves out is None, as most of it is in the one that garak ships. What
it states must be what it claims to be: no stage after this one asks again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, structs

from garak_tbsa.detector_eval.basis import Basis
from garak_tbsa.detector_eval.intervals import Interval
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.stress import stress_shares
from garak_tbsa.detector_eval.summary import FORMAT_VERSION, METRICS
from garak_tbsa.detector_eval.summary_members import (
    ADVICE,
    F1Interval,
    NotMeasured,
    Result,
    Share,
    Stress,
    no_object,
    typed,
    wrong,
)
from garak_tbsa.errors import DatasetError
from garak_tbsa.files import read_small
from garak_tbsa.safe_text import shown

MOST_BYTES = 4 << 20
"""A summary of every detector that garak has takes 0.2 MB."""

TOLERANCE = 1e-6
"""By how much a stated number may differ from what its counts give."""

READ_VERSIONS = tuple(range(1, FORMAT_VERSION + 1))
"""Major versions; the first made its metrics from typical and stress rows together."""

ALL_ROWS = "typical and stress"
"""Of summaries of version 1, which do not say which rows made their metrics."""


@dataclass(frozen=True, kw_only=True)
class MeasuredDetector:
    """One detector of a summary, as far as the summary says.

    Attributes
    ----------
    hit_f1 : float or None
        In [0, 1]; None where no row was labelled hit.
    sensitivity, specificity : float or None
        In [0, 1]: what garak corrects its intervals with; None where not stated.
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

    @property
    def has_real_hits(self) -> bool:
        """Whether its sensitivity rests on hits of models."""
        return self.basis is not None and self.basis.is_real


class SummaryMetadata(Struct, frozen=True, kw_only=True):
    """How a summary was made; None where it does not say.

    Attributes
    ----------
    evaluation_date : str or None
        ISO 8601.
    metrics_rows : str or None
        Which rows made the metrics: ``typical``, or ``typical and stress``.
    versions : mapping
        Package -> version.
    """

    evaluation_date: str | None = None
    random_seed: Annotated[int, Meta(ge=0)] | None = None
    eval_threshold: Share = None
    balance_datasets: bool | None = None
    confidence: Share = None
    metrics_rows: Literal["typical", "typical and stress"] | None = None
    versions: dict[str, str] = {}


@dataclass(frozen=True, kw_only=True)
class Summary:
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
        if len(found) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise DatasetError(
                f"{path}: {shown(twice, 100)!r} is there twice in one object; {ADVICE}"
            )
        return found

    try:
        document = json.loads(content.decode("utf-8-sig"), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise DatasetError(
            f"{path}, line {error.lineno}: not JSON; expected a summary file"
        ) from None
    except (ValueError, RecursionError):
        raise DatasetError(
            f"{path}: not JSON in UTF-8 that can be read; expected a summary file"
        ) from None
    if not isinstance(document, dict):
        raise DatasetError(f"{path}: no JSON object; expected a summary file")
    _require_finite(document, path)
    return document


def _require_finite(document: dict[str, Any], path: str) -> None:
    waiting: list[tuple[str, Any]] = list(document.items())
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{where}.{name}", each) for name, each in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{where}[{n}]", each) for n, each in enumerate(value)]
        elif isinstance(value, float) and not math.isfinite(value):
            raise DatasetError(
                f"{path}: {shown(where, 200)} is {value}, which is no number in JSON;"
                f" {ADVICE}"
            )


def parse_summary(document: dict[str, Any], source: str) -> Summary:
    """Check a summary's JSON and make records of it.

    Raises
    ------
    DatasetError
        As for :func:`read_summary`.
    """
    results = _child(document, "results", source)
    metadata = _child(document, "metadata", source)
    stated = metadata.get("format_version")
    return Summary(
        source=source,
        warnings=tuple(_version_warnings(stated, source)),
        measured={
            name: _measured(_child(results, name, source), name, source)
            for name in results
        },
        not_evaluated=dict(_errors(metadata.get("errors"), source)),
        metadata=_metadata(metadata, source),
    )


def _version_warnings(stated: Any, source: str) -> Iterator[str]:
    """What to say of a version that is newer than the one known here.

    A summary without one is garak's. A later major version is refused, since what it
    says may mean something else; a later minor version only says more.
    """
    if stated is None:
        return
    major, dot, minor = str(stated).partition(".")
    if (
        isinstance(stated, bool | float)
        or not _is_number(major)
        or (dot and not _is_number(minor))
    ):
        raise DatasetError(
            f"{source}: `format_version` is {shown(str(stated), 40)!r}; expected"
            f' {FORMAT_VERSION}, or a text such as "{FORMAT_VERSION}.1"'
        )
    if int(major) not in READ_VERSIONS:
        raise DatasetError(
            f"{source}: a summary of format version {major}, and this garak-tbsa reads"
            f" versions 1 to {FORMAT_VERSION}; update garak-tbsa, or"
            f" {ADVICE}"
        )
    if dot and int(minor) > 0:
        yield (
            f"{source}: format version {stated} is newer than {int(major)}.0, which"
            " this garak-tbsa knows; what it does not know is left out"
        )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def _child(parent: dict[str, Any], name: str, path: str) -> dict[str, Any]:
    child = parent.get(name)
    if not isinstance(child, dict):
        raise no_object(name, path)
    return child


def _errors(raw: Any, source: str) -> Iterator[tuple[str, str]]:
    try:
        for entry in msgspec.convert(raw or [], list[NotMeasured]):
            yield entry.detector, entry.reason
    except msgspec.ValidationError:
        raise DatasetError(
            f"{source}: `metadata.errors` is no list of objects with `detector` and"
            f" `reason`; {ADVICE}"
        ) from None


def _metadata(raw: dict[str, Any], source: str) -> SummaryMetadata:
    metadata = typed(raw, SummaryMetadata, f"{source}, metadata")
    is_first = str(raw.get("format_version")).partition(".")[0] == "1"
    if metadata.metrics_rows is None and is_first:
        # version 1, which does not say, took all rows
        return structs.replace(metadata, metrics_rows=ALL_ROWS)
    return metadata


def _measured(entry: dict[str, Any], name: str, source: str) -> MeasuredDetector:
    where = f"{source}, {shown(name, 100)}"
    read = typed(entry, Result, where)
    metrics, ends = read.metrics, read.metrics.hit_f1_ci or F1Interval()
    cells = read.counts
    counts = None if cells is None else ConfusionCounts(**structs.asdict(cells))
    youden = None
    if read.on_scan is not None and (found := read.on_scan.intervals.youden_index):
        youden = _interval(found.lower, found.upper, "lower", where)
    elif read.on_scan is None and counts is not None:
        for metric in METRICS:
            is_left_out = (
                metrics.reason is not None and getattr(metrics, metric) is None
            )
            if metric in entry["metrics"] and not is_left_out:
                stated, expected = getattr(metrics, metric), getattr(counts, metric)
                _require_equal(stated, expected, metric, where)
    return MeasuredDetector(
        detector=name,
        hit_f1=metrics.hit_f1,
        sensitivity=metrics.hit_sensitivity,
        specificity=metrics.hit_specificity,
        counts=counts if read.on_scan is None else None,
        drawn=None if read.on_scan is None else counts,
        youden=youden,
        stress=None
        if read.stress is None
        else _stress(read.stress, f"{where}, stress"),
        interval=_interval(ends.ci_lower, ends.ci_upper, "ci_lower", where),
        jeffreys=_interval(
            ends.jeffreys_lower, ends.jeffreys_upper, "jeffreys_lower", where
        ),
        degenerate=ends.degenerate is True,
        data_sha256=tuple(_sha256_of_files(entry.get("data"))),
        basis=read.basis,
        unmeasurable=metrics.reason,
    )


def _stress(read: Stress, where: str) -> ConfusionCounts:
    found, hits = _part_of(read, "hits_found", "hits", where)
    left_alone, passes = _part_of(read, "passes_left_alone", "passes", where)
    counts = ConfusionCounts(
        tp=found, fn=hits - found, tn=left_alone, fp=passes - left_alone
    )
    for share in stress_shares(counts):
        name = f"{share.name}_share"
        stated = getattr(read, name)
        if stated is not None:
            _require_equal(stated.share, share.value, name, where)
    return counts


def _part_of(read: Stress, name: str, of: str, where: str) -> tuple[int, int]:
    part, whole = getattr(read, name), getattr(read, of)
    if part is None or whole is None:
        raise wrong(None, name if part is None else of, "", where)
    if part > whole:
        raise DatasetError(
            f"{where}: `{name}` is {part}, more than `{of}`, {whole}; {ADVICE}"
        )
    return part, whole


def _require_equal(
    stated: float | None, expected: float | None, name: str, where: str
) -> None:
    """Tell a number that is not what the counts beside it give."""
    if stated == expected:
        return
    if stated is None or expected is None or abs(stated - expected) > TOLERANCE:
        said, given = (
            "null" if each is None else f"{each:.6g}" for each in (stated, expected)
        )
        raise DatasetError(
            f"{where}: `{name}` is {said}, but the counts beside it give {given};"
            f" {ADVICE}"
        )


def _interval(
    lower: float | None, upper: float | None, name: str, where: str
) -> Interval | None:
    if lower is None or upper is None:
        return None
    if lower > upper:
        above = name.replace("lower", "upper")
        raise DatasetError(f"{where}: `{name}` is above `{above}`; {ADVICE}")
    return Interval(lower=lower, upper=upper)


def _sha256_of_files(files: Any) -> Iterator[str]:
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict) and isinstance(file.get("sha256"), str):
            yield file["sha256"]
