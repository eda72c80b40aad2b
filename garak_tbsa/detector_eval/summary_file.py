# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary file, ours or garak's -> typed records, checked once.

What a summary leaves out is None, as most of it is in the one that garak ships. What
it states must be what it claims to be: no stage after this one asks again.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct, structs

from garak_tbsa.detector_eval.basis import Basis, Count
from garak_tbsa.detector_eval.intervals import YOUDEN, F1Interval, Interval, Share
from garak_tbsa.detector_eval.metrics import ConfusionCounts, ratio, stress_shares
from garak_tbsa.errors import DatasetError
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

TYPICAL, ALL_ROWS = "typical", "typical and stress"
"""``metadata.metrics_rows``: rows without ``why``, or all, as in version 1."""

ADVICE = "make it again with `garak-tbsa detectors evaluate`"

_Read = TypeVar("_Read")


@dataclass(frozen=True, kw_only=True, slots=True)
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


@dataclass(frozen=True, kw_only=True, slots=True)
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


# the members of the file that anybody reads; each object checks itself


class _Metrics(Struct):
    accuracy: Share = None
    hit_precision: Share = None
    hit_recall: Share = None
    hit_f1: Share = None
    hit_sensitivity: Share = None
    hit_specificity: Share = None
    pass_precision: Share = None
    pass_recall: Share = None
    pass_f1: Share = None
    hit_f1_ci: F1Interval | None = None
    reason: str | None = None


METRICS = _Metrics.__struct_fields__[:9]
"""Those of a summary, in its order."""


class _Stress(Struct):
    hits_found: Count
    hits: Count
    passes_left_alone: Count
    passes: Count
    hits_found_share: dict[str, float] | None = None
    passes_left_alone_share: dict[str, float] | None = None

    def __post_init__(self) -> None:
        for share in stress_shares(self.counts):
            name, part, whole = share.name, share.part, share.whole
            if part > whole:
                raise ValueError(
                    f"`{name}` is {part}, more than `{share.whole_name}`, {whole}"
                )
            stated = getattr(self, f"{name}_share")
            if stated is not None:
                _require_equal(stated.get("share"), ratio(part, whole), f"{name}_share")

    @property
    def counts(self) -> ConfusionCounts:
        return ConfusionCounts(
            tp=self.hits_found,
            fn=self.hits - self.hits_found,
            tn=self.passes_left_alone,
            fp=self.passes - self.passes_left_alone,
        )


class _OnScan(Struct):
    intervals: dict[str, Interval]

    def __post_init__(self) -> None:
        if any(each.lower > each.upper for each in self.intervals.values()):
            raise ValueError("`lower` is above `upper`")


class _File(Struct):
    sha256: str


class _Result(Struct):
    metrics: _Metrics
    counts: ConfusionCounts | None = None
    stress: _Stress | None = None
    on_scan: _OnScan | None = None
    basis: Basis | None = None
    data: list[_File] = []

    def __post_init__(self) -> None:
        if self.counts is None or self.on_scan is not None:
            return
        for name in METRICS:
            stated = getattr(self.metrics, name)
            if stated is not None or self.metrics.reason is None:
                _require_equal(stated, getattr(self.counts, name), name)


class _NotMeasured(Struct):
    detector: str
    reason: str


class _Document(Struct):
    results: dict[str, Any]
    metadata: dict[str, Any]


def _require_equal(stated: float | None, expected: float | None, name: str) -> None:
    """Tell a number that is not what the counts beside it give."""
    if stated == expected:
        return
    if stated is None or expected is None or abs(stated - expected) > TOLERANCE:
        said, given = (
            "null" if each is None else f"{each:.6g}" for each in (stated, expected)
        )
        raise ValueError(f"`{name}` is {said}, but the counts beside it give {given}")


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
        if not math.isfinite(float(text)):
            raise DatasetError(
                f"{path}: {shown(text, 40)} is no number in JSON; {ADVICE}"
            )
        return float(text)

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


def parse_summary(document: Mapping[str, Any], source: str) -> Summary:
    """Check a summary's JSON and make records of it.

    Raises
    ------
    DatasetError
        As for :func:`read_summary`.
    """
    read = _typed(document, _Document, source)
    metadata = read.metadata
    stated = _typed(metadata, SummaryMetadata, f"{source}, metadata")
    major, warnings = _version(metadata.get("format_version"), source)
    if stated.metrics_rows is None and major == 1:
        stated = structs.replace(stated, metrics_rows=ALL_ROWS)
    errors = metadata.get("errors") or []
    unmeasured = _typed(errors, list[_NotMeasured], f"{source}, metadata.errors")
    return Summary(
        source=source,
        warnings=warnings,
        measured={
            name: _measured(entry, name, source) for name, entry in read.results.items()
        },
        not_evaluated={each.detector: each.reason for each in unmeasured},
        metadata=stated,
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


def _measured(raw: Any, name: str, source: str) -> MeasuredDetector:
    read = _typed(raw, _Result, f"{source}, {shown(name, 100)}")
    metrics, ends = read.metrics, read.metrics.hit_f1_ci or F1Interval()
    on_scan = read.on_scan
    return MeasuredDetector(
        detector=name,
        hit_f1=metrics.hit_f1,
        sensitivity=metrics.hit_sensitivity,
        specificity=metrics.hit_specificity,
        counts=read.counts if on_scan is None else None,
        drawn=None if on_scan is None else read.counts,
        youden=None if on_scan is None else on_scan.intervals.get(YOUDEN),
        stress=None if read.stress is None else read.stress.counts,
        interval=ends.bootstrap,
        jeffreys=ends.jeffreys,
        degenerate=ends.degenerate is True,
        data_sha256=tuple(file.sha256 for file in read.data),
        basis=read.basis,
        unmeasurable=metrics.reason,
    )


def _typed(raw: Any, kind: type[_Read], where: str) -> _Read:
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
        said, at, place = str(error).rpartition(AT)
        if not at:
            said, place = place, ""
        where = ", ".join(filter(None, (where, place.strip(".`"))))
        raise DatasetError(f"{where}: {said[:1].lower()}{said[1:]}; {ADVICE}") from None


AT = " - at `$"
