# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors explain``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from garak_tbsa.cli.detectors_data import (
    add_data_options,
    add_garak_options,
    data_request,
    detector_settings,
)
from garak_tbsa.cli.detectors_text import (
    COUNT_HEADER,
    agreement_text,
    count_cells,
    notes_lines,
    ratio_text,
)
from garak_tbsa.cli.parsers import add_seed, number_within, whole_number_from
from garak_tbsa.detector_eval.explain import (
    DetectorExplanation,
    Threshold,
    average_precision,
    best_threshold,
    explain_detector,
)
from garak_tbsa.detector_eval.intervals import IntervalOptions, hit_f1_interval
from garak_tbsa.detector_eval.labelled_row import Label, LabelledRow
from garak_tbsa.detector_eval.metrics import (
    EVAL_THRESHOLD,
    ConfusionCounts,
    DetectorResult,
    Scored,
)
from garak_tbsa.detector_eval.ranking import both_text
from garak_tbsa.garak_api.detectors import detector_catalogue
from garak_tbsa.outputs.columns import table
from garak_tbsa.terminal import write_lines

TYPICAL, STRESS = "typical", "stress"
RATIOS = {
    "sensitivity": "hit_sensitivity",
    "specificity": "hit_specificity",
    "precision": "hit_precision",
    "recall": "hit_recall",
    "hit F1": "hit_f1",
}
EXCERPT = 100
MOST_THRESHOLDS = 20
ALIKE = (
    "note: here all labelled outputs of a scan count equally; `garak-tbsa detectors"
    " evaluate` weights them by how they were drawn"
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Run one detector on its labelled responses and show where it is"
        " right and wrong, on typical and on stress rows: every mistake, and results by"
        " slice, by language and by threshold."
    )
    add_data_options(parser, one_detector=True)
    add_garak_options(parser)
    parser.add_argument(
        "--eval-threshold",
        type=number_within(0.0, 1.0),
        default=EVAL_THRESHOLD,
        metavar="F",
        help="a score of this or more is a hit (default: 0.5)",
    )
    add_seed(parser)
    parser.add_argument(
        "--limit",
        type=whole_number_from(0),
        metavar="N",
        help="number of mistakes of each kind to list (default: all)",
    )
    parser.add_argument(
        "--whole",
        action="store_true",
        help="show the whole text of each mistake (default: its start, in one line)",
    )


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        The detector has no rows or cannot run, or an option cannot be used.
    """
    explanation = explain_detector(
        data_request(options),
        catalogue=detector_catalogue(),
        opener=detector_settings(options, options.seed),
        eval_threshold=options.eval_threshold,
        seed=options.seed,
    )
    detector = explanation.result.detector
    notes = notes_lines(explanation.notes, options.preset, [detector])
    alike = [ALIKE] if options.labels else []
    write_lines([*notes, *alike, *explanation_lines(explanation, options)])


def explanation_lines(
    explanation: DetectorExplanation, options: argparse.Namespace
) -> Iterator[str]:
    """The explanation for a terminal."""
    result = explanation.result
    yield from _typical_lines(result, options.seed)
    kinds = dict(reversed(explanation.grouped(kind_of).items()))
    groups = {
        "rows": kinds,
        "slice of all": explanation.grouped(lambda row: row.slice),
        "language of all": explanation.grouped(lambda row: row.lang),
    }
    sources = explanation.grouped(lambda row: row.source)
    if explanation.notes is not None and len(sources) > 1:
        groups["source of all"] = sources
    ratios = ["specificity"]
    if result.basis.unmeasurable is None:
        ratios = ["sensitivity", "specificity", "hit F1"]
    for name, group in groups.items():
        yield ""
        yield from _table(name, group.items(), ratios)
    kinds_of_mistake: tuple[tuple[str, Label], ...] = (
        ("False negatives: hits that it missed", "hit"),
        ("False positives: passes that it flagged", "pass"),
    )
    for title, label in kinds_of_mistake:
        for kind in kinds:
            mistakes = explanation.mistakes(label, stress=kind == STRESS)
            yield from _mistake_lines(f"{title}, {kind} rows", mistakes, options)
    missing = [
        f"  {row.id}: {found.detail or found.missing.value}"
        for row, found in explanation.scored
        if found.missing is not None
    ]
    if missing:
        yield from ("", f"Rows without a score ({len(missing)})", *missing)
    yield from _threshold_lines(explanation.thresholds)
    if explanation.agreement is None:
        yield "Agreement: no row was labelled by two people"
    else:
        yield f"Agreement: {agreement_text(explanation.agreement)}"


def kind_of(row: LabelledRow) -> str:
    """Whether a row is typical or one of stress."""
    return STRESS if row.is_stress else TYPICAL


def _typical_lines(result: DetectorResult, seed: int) -> Iterator[str]:
    """What the typical rows give, and what they are."""
    counts, f1 = result.counts, result.metric("hit_f1")
    interval = None
    if f1 is not None:
        options = IntervalOptions(seed=seed)
        interval = hit_f1_interval(counts, result.detector, options)
    yield f"{result.detector}: {both_text(f1, interval, result.stress)}"
    yield "; ".join(
        f"{kind} rows: {of_kind.scored} scored, {of_kind.hits} hits and"
        f" {of_kind.passes} passes"
        for kind, of_kind in ((TYPICAL, counts), (STRESS, result.stress))
    )
    if result.basis.unmeasurable is not None:
        yield (
            f"on typical rows: specificity {ratio_text(counts.hit_specificity)};"
            f" nothing else is given: {result.basis.unmeasurable}"
        )
    else:
        yield (
            f"on typical rows: hit F1 {ratio_text(counts.hit_f1)}, precision"
            f" {ratio_text(counts.hit_precision)}, recall"
            f" {ratio_text(counts.hit_recall)}; pass F1"
            f" {ratio_text(counts.pass_f1)}; accuracy {ratio_text(counts.accuracy)}"
        )
    yield f"typical rows are {result.basis.text}"


def _table(
    name: str, groups: Iterable[tuple[str, ConfusionCounts]], ratios: Sequence[str]
) -> list[str]:
    """A row for each group: its counts, and ratios of the hits."""
    rows = [(name, *COUNT_HEADER, *ratios)]
    for group, counts in groups:
        values = (getattr(counts, RATIOS[ratio]) for ratio in ratios)
        rows.append((group, *count_cells(counts), *map(ratio_text, values)))
    return table(rows)


def _mistake_lines(
    title: str, mistakes: Sequence[Scored], options: argparse.Namespace
) -> Iterator[str]:
    yield ""
    yield f"{title} ({len(mistakes)})"
    shown = mistakes[: options.limit]
    for row, found in shown:
        where = ", ".join(part for part in (row.slice, row.lang) if part)
        yield f"  {row.id} [{where}] score {found.score:g}"
        if row.why is not None:
            yield f"    why: {row.why}"
        yield from _text_lines(row, whole=options.whole)
    if len(shown) < len(mistakes):
        yield f"  and {len(mistakes) - len(shown)} more"


def _text_lines(row: LabelledRow, *, whole: bool) -> Iterator[str]:
    """The response, or its start in one line, or the name of its file."""
    text = row.output or ""
    if row.file is not None:
        text = f"file {os.path.basename(row.file.name)}"
    if whole:
        for line in text.split("\n"):
            yield f"    | {line}" if line else "    |"
    else:
        start = " ".join(text.split())
        yield f"    {start if len(start) <= EXCERPT else f'{start[:EXCERPT]}…'}"


def _threshold_lines(points: Sequence[Threshold]) -> Iterator[str]:
    yield ""
    best = best_threshold(points)
    if best is None:
        yield "There is no threshold to choose: the scores have at most two values"
        return
    yield "Precision and recall on typical rows at other thresholds"
    step = -(-len(points) // MOST_THRESHOLDS)
    groups = sorted({*points[::step], best}, key=itemgetter(0))
    rows = [(f"{threshold:.4g}", counts) for threshold, counts in groups]
    yield from _table("threshold", rows, ("precision", "recall", "hit F1"))
    yield (
        f"average precision {ratio_text(average_precision(points))}; highest hit F1"
        f" {ratio_text(best[1].hit_f1)} at {best[0]:.4g}, chosen on"
        " these rows, so too optimistic for others"
    )
