# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What an evaluation measured, as a table, and why the rest could not be measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from garak_tbsa.api.summary_place import checkout_note
from garak_tbsa.cli.detectors_text import UNDEFINED, ratio_text
from garak_tbsa.detector_eval.intervals import Interval, share_interval
from garak_tbsa.detector_eval.merged import MergedSummary
from garak_tbsa.detector_eval.metrics import DetectorResult
from garak_tbsa.detector_eval.on_scan import OnScan
from garak_tbsa.detector_eval.ranking import rank
from garak_tbsa.detector_eval.summary_file import Summary
from garak_tbsa.tbsa.outputs.text import table

VALUES = ("hit F1", "precision", "recall")


def measured_table(
    summary: Summary,
    results: Mapping[str, DetectorResult],
    on_scan: Mapping[str, OnScan],
    confidence: float,
    width: int | None,
) -> list[str]:
    """Return a row for each measured detector, by hit F1, highest first.

    Parameters
    ----------
    summary : Summary
        What is written.
    results : mapping
        By detector, with the counts of typical rows.
    on_scan : mapping
        Of detectors whose labels were drawn from a scan.
    confidence : float
        Of the intervals: the one of F1 that `detectors rank` shows, and Jeffreys
        intervals of precision and recall.
    width : int or None
        Columns of the terminal.
    """
    intervals = {each.measured.detector: each.interval for each in rank(summary)}
    names = [*intervals, *(name for name in summary.measured if name not in intervals)]
    if not names:
        return []
    level = f"{confidence * 100:g} %"
    header = ("detector", *(f"{name} ({level})" for name in VALUES), "rows")
    rows = []
    for name in names:
        counts = results[name].counts
        if name in on_scan:
            cells = _cells_on_scan(on_scan[name])
        else:
            f1 = _with(summary.measured[name].hit_f1, intervals.get(name))
            found = (
                _share(counts.tp, counts.tp + counts.fp, confidence),
                _share(counts.tp, counts.tp + counts.fn, confidence),
            )
            cells = (f1, *found)
        rows.append((name, *cells, f"{counts.scored:,}"))
    return table([header, *rows], width)


def _cells_on_scan(found: OnScan) -> tuple[str, ...]:
    return tuple(
        _with(found.values.get(name), found.intervals.get(name))
        for name in ("hit_f1", "hit_precision", "hit_sensitivity")
    )


def _share(part: int, whole: int, confidence: float) -> str:
    if not whole:
        return UNDEFINED
    return _with(part / whole, share_interval(part, whole, confidence))


def _with(value: float | None, interval: Interval | None) -> str:
    if value is None or interval is None:
        return ratio_text(value)
    return f"{value:.2f} [{interval.lower:.2f}, {interval.upper:.2f}]"


def unmeasured_lines(results: Mapping[str, DetectorResult]) -> Iterator[str]:
    """Say why each of the others was not measured; those of one reason together."""
    by_reason: dict[str, list[str]] = {}
    for name, result in results.items():
        if result.reason is not None:
            by_reason.setdefault(result.reason, []).append(name)
    for reason, names in sorted(by_reason.items(), key=lambda each: -len(each[1])):
        if len(names) == 1:
            yield f"  {names[0]}: {reason}"
        else:
            yield f"  {len(names)} detectors: {reason}: {', '.join(sorted(names))}"


def written_lines(
    output: str, merged: MergedSummary | None, *, is_written: bool
) -> Iterator[str]:
    """Say where the summary is, and what else was in the file before.

    Parameters
    ----------
    output : str
    merged : MergedSummary or None
        What was made of the file; None where it holds the new metrics alone.
    is_written : bool
        Whether there was anything to write.
    """
    if not is_written:
        yield f"not changed: {output}"
        return
    note = checkout_note(output)
    yield f"written: {output}{f' ({note})' if note else ''}"
    if merged is not None and merged.kept:
        yield from merged.lines("before")
