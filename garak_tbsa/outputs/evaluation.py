# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What an evaluation of detectors says on a terminal, and which sets can be read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from garak_tbsa.detector_eval.counts import Scored, verdict_of
from garak_tbsa.detector_eval.data import ReadingNotes
from garak_tbsa.detector_eval.evaluation import Evaluation
from garak_tbsa.detector_eval.intervals import OnScan
from garak_tbsa.detector_eval.published import RowForm
from garak_tbsa.detector_eval.ranking import rank
from garak_tbsa.detector_eval.report_labels import ReportLabels
from garak_tbsa.detector_eval.rows import LabelledRow
from garak_tbsa.detector_eval.summary import Summary
from garak_tbsa.outputs.columns import table
from garak_tbsa.outputs.detectors import table_lines

EXCERPT = 80
MOST_MISTAKES = 5
"""Of a kind."""


def evaluation_lines(
    summary: Summary, found: Evaluation, *, verbose: bool, width: int | None
) -> Iterator[str]:
    """Say what came out of an evaluation."""
    selection, results = found.selection, found.results
    if selection.labels is not None:
        yield from _label_lines(selection.labels)
    if selection.notes is not None:
        yield from _notes_lines(selection.notes, selection.request.form, results)
    tiers = Counter(each.tier for each in rank(summary)).items()
    by_tier = ", ".join(f"{count} {tier}" for tier, count in tiers)
    count = f"{len(found.measured)} detectors evaluated"
    count += f" ({by_tier})" if by_tier else ""
    yield f"{count}, {len(results) - len(found.measured)} not"
    yield from table_lines(summary, verbose=verbose, says_why=True, width=width)
    for result in found.measured:
        if result.without_score is not None:
            said = "; ".join(result.details.values())
            said = f" ({said})" if said else ""
            yield f"  {result.detector}: {result.without_score}{said}"
    for name, on_scan in sorted(found.on_scan.items()):
        yield f"  {name}: {_on_scan_text(on_scan, results[name].counts.scored)}"


def mistake_lines(found: Evaluation) -> Iterator[str]:
    """Up to five rows of each kind that a detector gets wrong, and how raters agree."""
    for detector, scored in sorted(found.scored.items()):
        wrong: dict[str, list[Scored]] = {}
        for row, score in scored:
            if verdict_of(score, found.options.eval_threshold) not in (None, row.label):
                kind = f"stress {row.label}" if row.is_stress else row.label
                wrong.setdefault(kind, []).append((row, score))
        count = sum(map(len, wrong.values()))
        if count:
            yield f"{detector} gets {count} of {len(scored)} rows wrong:"
        for kind, rows in sorted(wrong.items()):
            for row, score in rows[:MOST_MISTAKES]:
                yield f"  {row.where}: {kind}, score {score.score:g}: {_start_of(row)}"
            if len(rows) > MOST_MISTAKES:
                more = len(rows) - MOST_MISTAKES
                yield f"  and {more} more of these; --save-datasets has all"
        agreement = agreement_of(row.annotations for row, _ in scored)
        if agreement is not None:
            yield f"{detector}: raters agree: {_agreement_text(agreement)}"


def _start_of(row: LabelledRow) -> str:
    """The start of the response in one line, or the name of its file."""
    text = row.output or ""
    if row.file is not None:
        text = f"file {os.path.basename(row.file.name)}"
    text = " ".join(text.split())
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…"


def _agreement_text(agreement: Agreement) -> str:
    said = "undefined, all gave the same label"
    if agreement.alpha is not None:
        said = f"{agreement.alpha:.3f}"
    return (
        f"Krippendorff's alpha {said} ({agreement.raters} raters,"
        f" {agreement.rows:,} rows)"
    )


def _label_lines(labels: ReportLabels) -> Iterator[str]:
    """Say what of the labels did not count."""
    counts = (
        (labels.blank, "rows without an answer"),
        (labels.skipped, "answers skip or unsure"),
        (labels.ties, "outputs on which as many raters say hit as pass"),
    )
    said = [f"{count} {what}" for count, what in counts if count]
    if said:
        yield f"not counted: {', '.join(said)}"
    if labels.agreement is not None:
        yield _agreement_text(labels.agreement)
    if labels.picked:
        yield (
            f"labels of outputs that a person picked: {labels.picked}; intervals hold"
            " only if they were picked without sight of the verdicts"
        )


def _notes_lines(
    notes: ReadingNotes, form: RowForm, detectors: Iterable[str]
) -> Iterator[str]:
    """What was left out of the data, how far its raters agree, what it cannot tell."""
    source = f"rows of {form.name} read" if form.name else "rows read"
    yield f"{notes.read:,} {source}, {notes.used:,} used"
    for each in notes.left_out:
        yield f"  left out: {each.count:,} {each.reason} (first: {each.first})"
    if notes.repeated is not None:
        each = notes.repeated
        yield f"  kept: {each.count:,} {each.reason} (first: {each.first})"
    if notes.agreement is not None:
        yield f"  raters agree: {_agreement_text(notes.agreement)}"
    if form.name:
        yield f"  note: {form.caveat}"
        others = [name for name in sorted(detectors) if name not in form.detectors]
        if others:
            yield (
                f"  note: the labels of {form.name} are not about what"
                f" {', '.join(others)} looks for"
            )


def _on_scan_text(on_scan: OnScan, labels: int) -> str:
    """What labels say of a detector on the scan that they were drawn from."""
    parts = []
    for words, name in (
        ("sensitivity", "hit_sensitivity"),
        ("specificity", "hit_specificity"),
        ("F1", "hit_f1"),
    ):
        value, interval = on_scan.values[name], on_scan.intervals.get(name)
        said = "undefined"
        if value is not None and interval is not None:
            said = f"{value:.2f} ({interval.lower:.2f} to {interval.upper:.2f})"
        parts.append(f"{words} {said}")
    changed = ""
    if on_scan.changed:
        changed = (
            f"; {on_scan.changed} of them get another verdict now than in the report"
        )
    by = f"by {labels} labels of {on_scan.outputs:,} outputs"
    return f"{', '.join(parts)}; {by}{changed}"


def preset_lines(listed: Sequence[RowForm], width: int | None) -> Iterator[str]:
    """A table of published sets, then what each set is and does not tell."""
    header = ("preset", "licence", "columns")
    rows = [header, *((p.name, p.licence, p.columns_text) for p in listed)]
    yield from table(rows, width)
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
