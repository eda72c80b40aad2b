# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How the detector commands write numbers, notes, evaluations and published sets."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from garak_tbsa.api.evaluating import Measured
from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from garak_tbsa.detector_eval.dataset import ReadingNotes
from garak_tbsa.detector_eval.intervals import Interval, OnScan, share_interval
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.metrics import (
    ConfusionCounts,
    DetectorResult,
    Scored,
    verdict_of,
)
from garak_tbsa.detector_eval.ranking import rank
from garak_tbsa.detector_eval.report_labels import ReportLabels
from garak_tbsa.detector_eval.row_form import RowForm, find_preset
from garak_tbsa.detector_eval.summary_file import Summary, parse_summary
from garak_tbsa.outputs.columns import table
from garak_tbsa.terminal import terminal_width, write_error

UNDEFINED = "-"
COUNT_HEADER = ("TP", "FP", "FN", "TN")
EXCERPT = 80
MOST_MISTAKES = 10
VALUES = {"hit F1": "hit_f1", "precision": "hit_precision", "recall": "hit_recall"}


def show_warnings(*summaries: Summary) -> None:
    """Print to stderr what a reader should know of the summaries, a line each."""
    for summary in summaries:
        for warning in summary.warnings:
            write_error(f"warning: {warning}")


def summary_line(summary: Summary) -> str:
    """Which summary this is: file, date, garak's version."""
    garak = summary.metadata.versions.get("garak")
    date = (summary.metadata.evaluation_date or "")[:10] or "unknown date"
    return (
        f"{summary.source}: {len(summary.measured)} detectors evaluated, {date},"
        f" garak {garak or 'of unknown version'}"
    )


def ratio_text(value: float | None) -> str:
    """Three decimals; a dash where there is nothing to take a share of."""
    return UNDEFINED if value is None else f"{value:.3f}"


def agreement_text(agreement: Agreement) -> str:
    """Krippendorff's alpha, and of how many."""
    said = (
        "undefined, all gave the same label"
        if agreement.alpha is None
        else f"{agreement.alpha:.3f}"
    )
    return (
        f"Krippendorff's alpha {said} ({agreement.raters} raters,"
        f" {agreement.rows:,} rows)"
    )


def label_lines(labels: ReportLabels) -> Iterator[str]:
    """Say what of the labels did not count, for a terminal."""
    counts = (
        (labels.blank, "rows without an answer"),
        (labels.skipped, "answers skip or unsure"),
        (labels.ties, "outputs on which as many raters say hit as pass"),
    )
    said = [f"{count} {what}" for count, what in counts if count]
    if said:
        yield f"not counted: {', '.join(said)}"
    if labels.agreement is not None:
        yield agreement_text(labels.agreement)
    if labels.picked:
        yield (
            f"labels of outputs that a person picked: {labels.picked}; intervals hold"
            " only if they were picked without sight of the verdicts"
        )


def notes_lines(
    notes: ReadingNotes | None, preset: str | None, detectors: Iterable[str]
) -> Iterator[str]:
    """What was left out of the data, how far its raters agree, what it cannot tell.

    Parameters
    ----------
    detectors : iterable of str
        Those that were run on it.
    """
    if notes is None:
        return
    source = "rows read" if preset is None else f"rows of {preset} read"
    yield f"{notes.read:,} {source}, {notes.used:,} used"
    for each in notes.left_out:
        yield f"  left out: {each.count:,} {each.reason} (first: {each.first})"
    if notes.repeated is not None:
        each = notes.repeated
        yield f"  kept: {each.count:,} {each.reason} (first: {each.first})"
    if notes.agreement is not None:
        yield f"  raters agree: {agreement_text(notes.agreement)}"
    if preset is None:
        return
    found = find_preset(preset)
    yield f"  note: {found.caveat}"
    others = [name for name in detectors if name not in found.detectors]
    if others:
        yield (
            f"  note: the labels of {preset} are not about what {', '.join(others)}"
            " looks for"
        )


def count_cells(counts: ConfusionCounts | None) -> tuple[str, ...]:
    """TP, FP, FN, TN; dashes where a summary has none."""
    if counts is None:
        return (UNDEFINED,) * len(COUNT_HEADER)
    return (str(counts.tp), str(counts.fp), str(counts.fn), str(counts.tn))


def evaluation_lines(found: Measured, confidence: float) -> Iterator[str]:
    """Say what came out of an evaluation, for a terminal.

    Parameters
    ----------
    confidence : float
        Of the intervals: the one of F1 that `detectors rank` shows, and Jeffreys
        intervals of precision and recall.
    """
    results, measured, selection = found.results, found.measured, found.selection
    if selection.labels is not None:
        yield from label_lines(selection.labels)
    yield from notes_lines(
        selection.notes, selection.request.form.name or None, results
    )
    summary = parse_summary(found.document, "the summary")
    ranked = rank(summary)
    tiers = Counter(each.tier for each in ranked).items()
    by_tier = ", ".join(f"{count} {tier}" for tier, count in tiers)
    count = f"{len(measured)} detectors evaluated{f' ({by_tier})' if by_tier else ''}"
    yield f"{count}, {len(results) - len(measured)} not"
    # those of one reason together
    for reason, names in _by_reason(summary.not_evaluated).items():
        which = f"{len(names)} detectors: " if len(names) > 1 else f"{names[0]}: "
        yield f"  {which}{reason}{': ' + ', '.join(names) if len(names) > 1 else ''}"
    rows = [("detector", *(f"{v} ({confidence * 100:g} %)" for v in VALUES), "rows")]
    f1_of = {each.measured.detector: each.interval for each in ranked}
    for name in dict.fromkeys((*f1_of, *summary.measured)):
        metrics = found.document["results"][name]["metrics"]
        intervals = {"hit_f1": f1_of.get(name), **_shares(results[name], confidence)}
        if name in found.on_scan:
            intervals = {**found.on_scan[name].intervals}
        cells = (_with(metrics[v], intervals.get(v)) for v in VALUES.values())
        rows.append((name, *cells, f"{results[name].counts.scored:,}"))
    if len(rows) > 1:
        yield from table(rows, terminal_width())
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
            of = result.labelled + result.stress_labelled
            yield (
                f"  {result.detector}: {missing} of {of} rows without a"
                f" score{f' ({said})' if said else ''}"
            )
    for name, on_scan in found.on_scan.items():
        yield f"  {name}: {on_scan_text(on_scan, results[name].counts.scored)}"


def mistake_lines(
    scored: Mapping[str, Sequence[Scored]], threshold: float
) -> Iterator[str]:
    """The rows that detectors get wrong, some of each, for a terminal.

    Parameters
    ----------
    scored : mapping of detector to sequence of (LabelledRow, RowScore)
    threshold : float
        A score of this or more is a hit.
    """
    for detector, rows in sorted(scored.items()):
        wrong = [
            (row, found)
            for row, found in rows
            if verdict_of(found, threshold) not in (None, row.label)
        ]
        if wrong:
            yield f"{detector} gets {len(wrong)} of {len(rows)} rows wrong:"
        for row, found in wrong[:MOST_MISTAKES]:
            kind = f"stress {row.label}" if row.is_stress else row.label
            yield f"  {row.where}: {kind}, score {found.score:g}: {_start_of(row)}"
        if len(wrong) > MOST_MISTAKES:
            more = len(wrong) - MOST_MISTAKES
            yield f"  and {more} more; --save-datasets has all"
        agreement = agreement_of(row.annotations for row, _ in rows)
        if agreement is not None:
            yield f"{detector}: raters agree: {agreement_text(agreement)}"


def _start_of(row: LabelledRow) -> str:
    """The start of the response in one line, or the name of its file."""
    text = row.output or ""
    if row.file is not None:
        text = f"file {os.path.basename(row.file.name)}"
    text = " ".join(text.split())
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…"


def _by_reason(not_evaluated: Mapping[str, str]) -> dict[str, list[str]]:
    """The detectors of each reason, the most frequent first."""
    found: dict[str, list[str]] = {}
    for name, reason in not_evaluated.items():
        found.setdefault(reason, []).append(name)
    return dict(sorted(found.items(), key=lambda each: -len(each[1])))


def _shares(result: DetectorResult, confidence: float) -> dict[str, Interval]:
    """Jeffreys intervals of precision and recall, where rows tell them."""
    counts = result.counts
    wholes = {"hit_precision": counts.tp + counts.fp, "hit_recall": counts.hits}
    return {
        name: share_interval(counts.tp, whole, confidence)
        for name, whole in wholes.items()
        if whole and result.metric(name) is not None
    }


def _with(value: float | None, interval: Interval | None) -> str:
    if value is None or interval is None:
        return UNDEFINED
    return f"{value:.2f} [{interval.lower:.2f}, {interval.upper:.2f}]"


def on_scan_text(on_scan: OnScan, labels: int) -> str:
    """What labels say of a detector on the scan that they were drawn from."""
    parts = []
    for words, name in (
        ("sensitivity", "hit_sensitivity"),
        ("specificity", "hit_specificity"),
        ("hit F1", "hit_f1"),
    ):
        value, interval = on_scan.values[name], on_scan.intervals.get(name)
        said = "undefined"
        if value is not None and interval is not None:
            said = f"{value:.2f} ({interval.lower:.2f} to {interval.upper:.2f})"
        parts.append(f"{words} {said}")
    changed = (
        f"; {on_scan.changed} of them get another verdict now than in the report"
        if on_scan.changed
        else ""
    )
    by = f"by {labels} labels of {on_scan.outputs:,} outputs"
    return f"{', '.join(parts)}; {by}{changed}"


def preset_lines(listed: Sequence[RowForm]) -> Iterator[str]:
    """The list for a terminal: a table, then what each set is and does not tell."""
    header = ("preset", "licence", "columns")
    rows = [header, *((p.name, p.licence, p.columns_text) for p in listed)]
    yield from table(rows, terminal_width())
    for preset in listed:
        yield ""
        yield f"{preset.name}: {preset.title}"
        yield f"  from: {preset.source}"
        yield f"  labels: {_labels(preset)}"
        if preset.models:
            yield f"  models: {', '.join(preset.models)}"
        yield f"  judges: {', '.join(preset.detectors)}"
        yield f"  note: {preset.caveat}"


def _labels(preset: RowForm) -> str:
    meanings = {"hit": "= hit", "pass": "= pass", "skip": "left out"}
    said = [
        f"{', '.join(preset.labels[kind])} {meanings[kind]}"
        for kind in sorted(preset.labels, key=list(meanings).index)
    ]
    if preset.threshold is not None:
        said.append(f"{preset.threshold:g} or more = hit, less = pass")
    if preset.raters:
        how = "majority of" if "label" not in preset.columns else "also by raters"
        said.append(f"{how} {', '.join(preset.raters)}")
    return "; ".join(said)
