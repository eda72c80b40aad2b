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
from typing import Any

from garak_tbsa.detector_eval.intervals import Interval
from garak_tbsa.detector_eval.json_fields import ADVICE, Fields
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.on_scan import YOUDEN, parse_youden
from garak_tbsa.detector_eval.stress import TOLERANCE, parse_stress
from garak_tbsa.detector_eval.summary import FORMAT_VERSION, METRICS, TYPICAL
from garak_tbsa.errors import DatasetError
from garak_tbsa.files import read_small
from garak_tbsa.safe_text import shown

MOST_BYTES = 4 << 20
"""A summary of every detector that garak has takes 0.2 MB."""

MOST_ROWS = 10**12

READ_VERSIONS = (1, FORMAT_VERSION)
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


@dataclass(frozen=True, kw_only=True)
class SummaryMetadata:
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
    random_seed: int | None = None
    eval_threshold: float | None = None
    balance_datasets: bool | None = None
    confidence: float | None = None
    metrics_rows: str | None = None
    versions: Mapping[str, str]


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
    document = _parsed_json(content, path)
    _require_finite(document, path)
    return document


def _parsed_json(content: bytes, path: str) -> dict[str, Any]:
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
    warnings = tuple(_version_warnings(metadata.get("format_version"), source))
    return Summary(
        source=source,
        measured={
            name: _measured(name, _child(results, name, source), source)
            for name in results
        },
        not_evaluated=dict(_errors(metadata.get("errors"), source)),
        metadata=_metadata(Fields(metadata, f"{source}, metadata")),
        warnings=warnings,
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
            f" versions {' and '.join(map(str, READ_VERSIONS))}; update garak-tbsa, or"
            f" {ADVICE}"
        )
    if dot and int(minor) > 0:
        yield (
            f"{source}: format version {stated} is newer than {int(major)}.0, which"
            " this garak-tbsa knows; what it does not know is left out"
        )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def _child(parent: Any, name: str, path: str) -> dict[str, Any]:
    child = parent.get(name) if isinstance(parent, dict) else None
    if not isinstance(child, dict):
        raise DatasetError(
            f"{path}: no object {shown(name, 100)!r}; expected a summary as written by"
            " `garak-tbsa detectors evaluate`"
        )
    return child


def _errors(raw: Any, source: str) -> Iterator[tuple[str, str]]:
    for entry in [] if raw is None else raw if isinstance(raw, list) else [raw]:
        detector, reason = (
            (entry.get("detector"), entry.get("reason"))
            if isinstance(entry, dict)
            else (None, None)
        )
        if not isinstance(detector, str) or not isinstance(reason, str):
            raise DatasetError(
                f"{source}: `metadata.errors` is no list of objects with `detector`"
                f" and `reason`; {ADVICE}"
            )
        yield detector, reason


def _metadata(fields: Fields) -> SummaryMetadata:
    versions = fields.raw.get("versions")
    return SummaryMetadata(
        evaluation_date=fields.text("evaluation_date"),
        random_seed=fields.whole("random_seed", most=None),
        eval_threshold=fields.share("eval_threshold"),
        balance_datasets=fields.flag("balance_datasets"),
        confidence=fields.share("confidence"),
        metrics_rows=_metrics_rows(fields),
        versions={
            name: str(version)
            for name, version in (
                versions.items() if isinstance(versions, dict) else ()
            )
        },
    )


def _metrics_rows(fields: Fields) -> str | None:
    """As stated; version 1, which does not say, took all rows."""
    if fields.raw.get("metrics_rows") is not None:
        if fields.text("metrics_rows") != TYPICAL:
            raise fields.error("metrics_rows", f'"{TYPICAL}"')
        return TYPICAL
    is_first = str(fields.raw.get("format_version")).partition(".")[0] == "1"
    return ALL_ROWS if is_first else None


def _measured(name: str, entry: dict[str, Any], source: str) -> MeasuredDetector:
    where = f"{source}, {shown(name, 100)}"
    metrics = Fields(_child(entry, "metrics", where), where)
    counts = _counts(entry.get("counts"), where)
    is_drawn = entry.get("on_scan") is not None
    if counts is not None and not is_drawn:
        _require_agreement(metrics, counts)
    ends = Fields(_optional_child(metrics.raw, "hit_f1_ci", where), where)
    return MeasuredDetector(
        detector=name,
        hit_f1=metrics.share("hit_f1"),
        sensitivity=metrics.share("hit_sensitivity"),
        specificity=metrics.share("hit_specificity"),
        counts=None if is_drawn else counts,
        drawn=counts if is_drawn else None,
        youden=_youden(entry, where) if is_drawn else None,
        stress=parse_stress(entry.get("stress"), where, MOST_ROWS),
        interval=_interval(ends, "ci"),
        jeffreys=_interval(ends, "jeffreys"),
        degenerate=ends.flag("degenerate") is True,
        data_sha256=tuple(_sha256_of_files(entry.get("data"))),
    )


def _youden(entry: dict[str, Any], where: str) -> Interval | None:
    """Sensitivity + specificity - 1 on a scan; None without labelled hits or passes."""
    intervals = _child(_child(entry, "on_scan", where), "intervals", where)
    if YOUDEN not in intervals:
        return None
    return parse_youden(Fields(_child(intervals, YOUDEN, where), f"{where}, {YOUDEN}"))


def _optional_child(parent: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    return {} if parent.get(name) is None else _child(parent, name, where)


def _counts(raw: Any, where: str) -> ConfusionCounts | None:
    if raw is None:
        return None
    fields = Fields(raw if isinstance(raw, dict) else {}, f"{where}, counts")
    cells = {name: fields.whole(name, most=MOST_ROWS) for name in _CELLS}
    missing = [name for name, cell in cells.items() if cell is None]
    if missing:
        raise fields.error(missing[0], "a whole number")
    return ConfusionCounts(**{name: cell or 0 for name, cell in cells.items()})


_CELLS = ("tp", "fp", "fn", "tn")


def _require_agreement(metrics: Fields, counts: ConfusionCounts) -> None:
    for name in METRICS:
        if name not in metrics.raw:
            continue
        stated, expected = metrics.share(name), getattr(counts, name)
        if stated is None and expected is None:
            continue
        if None in (stated, expected) or abs(stated - expected) > TOLERANCE:
            given = "null" if expected is None else f"{expected:.6g}"
            said = "null" if stated is None else f"{stated:.6g}"
            raise DatasetError(
                f"{metrics.where}: `{name}` is {said}, but the counts beside it give"
                f" {given}; {ADVICE}"
            )


def _interval(ends: Fields, kind: str) -> Interval | None:
    lower, upper = (ends.share(f"{kind}_{end}") for end in ("lower", "upper"))
    if lower is None or upper is None:
        return None
    if lower > upper:
        raise DatasetError(
            f"{ends.where}: `{kind}_lower` is above `{kind}_upper`; {ADVICE}"
        )
    return Interval(lower=lower, upper=upper)


def _sha256_of_files(files: Any) -> Iterator[str]:
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict) and isinstance(file.get("sha256"), str):
            yield file["sha256"]
