# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What `detectors evaluate` says of what it measured, and of what it could not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from garak_tbsa.api.evaluating import Measured
from garak_tbsa.cli.detectors_text import (
    UNDEFINED,
    label_lines,
    notes_lines,
    on_scan_text,
    ratio_text,
)
from garak_tbsa.detector_eval.intervals import Interval, share_interval
from garak_tbsa.detector_eval.metrics import DetectorResult
from garak_tbsa.detector_eval.on_scan import OnScan
from garak_tbsa.detector_eval.ranking import f1_tier, rank
from garak_tbsa.detector_eval.summary_file import parse_summary
from garak_tbsa.outputs.text import table
from garak_tbsa.terminal import terminal_width

VALUES = ("hit F1", "precision", "recall")


def evaluation_lines(found: Measured, confidence: float) -> Iterator[str]:
    """Say what came out, for a terminal.

    Parameters
    ----------
    found : Measured
    confidence : float
        Of the intervals: the one of F1 that `detectors rank` shows, and Jeffreys
        intervals of precision and recall.
    """
    results, measured, on_scan = found.results, found.measured, found.on_scan
    selection = found.selection
    if selection.labels is not None:
        yield from label_lines(selection.labels)
    preset = selection.request.reading.preset
    yield from notes_lines(selection.notes, preset, results)
    f1 = {
        each.detector: on_scan[each.detector].values["hit_f1"]
        if each.detector in on_scan
        else each.metric("hit_f1")
        for each in measured
    }
    tiers = Counter(f1_tier(value) for value in f1.values() if value is not None)
    by_tier = ", ".join(f"{count} {tier}" for tier, count in tiers.most_common())
    count = f"{len(measured)} detectors evaluated{f' ({by_tier})' if by_tier else ''}"
    yield f"{count}, {len(results) - len(measured)} not"
    yield from _unmeasured_lines(results)
    yield from _measured_table(results, on_scan, found.document, confidence)
    in_own_words = [each for each in measured if each.basis.unmeasurable is not None]
    if in_own_words:
        yield (
            f"  specificity alone, as hits have words of the detector's own list:"
            f" {', '.join(each.detector for each in in_own_words)}"
        )
    for result in measured:
        without = Counter(result.missing) + Counter(result.stress_missing)
        if without:
            said = "; ".join(result.details.values())
            missing = ", ".join(f"{n} {why}" for why, n in sorted(without.items()))
            rows = result.labelled + result.stress_labelled
            yield (
                f"  {result.detector}: {missing} of {rows} rows without a"
                f" score{f' ({said})' if said else ''}"
            )
    for name, each in on_scan.items():
        yield f"  {name}: {on_scan_text(each, results[name].counts.scored)}"


def _measured_table(
    results: Mapping[str, DetectorResult],
    on_scan: Mapping[str, OnScan],
    document: dict[str, Any],
    confidence: float,
) -> list[str]:
    """A row for each measured detector, by hit F1, highest first."""
    summary = parse_summary(document, "the summary")
    intervals = {each.measured.detector: each.interval for each in rank(summary)}
    names = [*intervals, *(name for name in summary.measured if name not in intervals)]
    if not names:
        return []

    def share(result: DetectorResult, metric: str, whole: int) -> str:
        if not whole or result.metric(metric) is None:
            return UNDEFINED
        part = result.counts.tp
        return _with(part / whole, share_interval(part, whole, confidence))

    rows = [("detector", *(f"{v} ({confidence * 100:g} %)" for v in VALUES), "rows")]
    for name in names:
        counts = results[name].counts
        if name in on_scan:
            found = on_scan[name]
            cells = [
                _with(found.values.get(value), found.intervals.get(value))
                for value in ("hit_f1", "hit_precision", "hit_sensitivity")
            ]
        else:
            cells = [
                _with(summary.measured[name].hit_f1, intervals.get(name)),
                share(results[name], "hit_precision", counts.tp + counts.fp),
                share(results[name], "hit_recall", counts.hits),
            ]
        rows.append((name, *cells, f"{counts.scored:,}"))
    return table(rows, terminal_width())


def _with(value: float | None, interval: Interval | None) -> str:
    if value is None or interval is None:
        return ratio_text(value)
    return f"{value:.2f} [{interval.lower:.2f}, {interval.upper:.2f}]"


def _unmeasured_lines(results: Mapping[str, DetectorResult]) -> Iterator[str]:
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
