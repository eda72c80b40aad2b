# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors explain``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

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
    STRESS,
    TYPICAL,
    DetectorExplanation,
    Mistake,
    best_threshold,
    explain_detector,
)
from garak_tbsa.detector_eval.intervals import IntervalOptions, hit_f1_interval
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.metrics import EVAL_THRESHOLD, ConfusionCounts
from garak_tbsa.detector_eval.ranking import both_text
from garak_tbsa.errors import GarakTbsaError
from garak_tbsa.garak_api.detectors import detector_catalogue
from garak_tbsa.outputs.columns import table
from garak_tbsa.terminal import write_lines

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
    result = explanation.result
    if result.reason is not None and not result.stress.scored:
        raise GarakTbsaError(
            f"{result.detector}: cannot be explained, because it gave no score"
            f" ({result.reason})"
        )
    notes = notes_lines(explanation.notes, options.preset, [result.detector])
    alike = [ALIKE] if options.labels else []
    write_lines([*notes, *alike, *explanation_lines(explanation, options)])


def explanation_lines(
    explanation: DetectorExplanation, options: argparse.Namespace
) -> Iterator[str]:
    """The explanation for a terminal."""
    result = explanation.result
    counts = result.counts
    intervals = IntervalOptions(seed=options.seed)
    f1 = result.metric("hit_f1")
    interval = hit_f1_interval(counts, result.detector, intervals)
    interval = None if f1 is None else interval
    yield f"{result.detector}: {both_text(f1, interval, result.stress)}"
    yield (
        f"typical rows: {counts.scored} scored, {counts.hits} hits and"
        f" {counts.passes} passes; stress rows: {result.stress.scored} scored,"
        f" {result.stress.hits} hits and {result.stress.passes} passes"
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
    kinds = explanation.kinds
    order = [kind for kind in (TYPICAL, STRESS) if kind in kinds]
    groups: dict[str, Mapping[str, ConfusionCounts]] = {
        "rows": {kind: kinds[kind] for kind in order},
        "slice of all": explanation.slices,
        "language of all": explanation.languages,
    }
    if explanation.notes is not None and len(explanation.sources) > 1:
        groups["source of all"] = explanation.sources
    ratios = ["specificity"]
    if result.basis.unmeasurable is None:
        ratios = ["sensitivity", *ratios, "f1"]
    for name, group in groups.items():
        yield ""
        yield from _table(name, group.items(), ratios)
    for title, mistakes in (
        ("False negatives: hits that it missed", explanation.false_negatives),
        ("False positives: passes that it flagged", explanation.false_positives),
    ):
        for kind in order:
            of_kind = [
                each for each in mistakes if each.row.is_stress == (kind == STRESS)
            ]
            yield from _mistake_lines(f"{title}, {kind} rows", of_kind, options)
    if explanation.missing:
        yield ""
        yield f"Rows without a score ({len(explanation.missing)})"
    for row, row_score in explanation.missing:
        reason = "" if row_score.missing is None else row_score.missing.value
        yield f"  {row.id}: {row_score.detail or reason}"
    yield from _threshold_lines(explanation)
    agreement = explanation.agreement
    if agreement is None:
        yield "Agreement: no row was labelled by two people"
    else:
        yield f"Agreement: {agreement_text(agreement)}"


def _table(
    name: str, groups: Iterable[tuple[str, ConfusionCounts]], ratios: Sequence[str]
) -> list[str]:
    """A row for each group: its counts, and ratios of the hits."""
    values = [attrgetter(f"hit_{ratio}") for ratio in ratios]
    titles = ["hit F1" if ratio == "f1" else ratio for ratio in ratios]
    return table(
        [
            (name, *COUNT_HEADER, *titles),
            *(
                (
                    group,
                    *count_cells(counts),
                    *(ratio_text(value(counts)) for value in values),
                )
                for group, counts in groups
            ),
        ]
    )


def _mistake_lines(
    title: str, mistakes: Sequence[Mistake], options: argparse.Namespace
) -> Iterator[str]:
    yield ""
    yield f"{title} ({len(mistakes)})"
    shown = mistakes[: options.limit]
    for mistake in shown:
        row = mistake.row
        where = ", ".join(part for part in (row.slice, row.lang) if part)
        yield f"  {row.id} [{where}] score {mistake.score:g}"
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
        cut = f"{start[:EXCERPT]}…"
        yield f"    {start if len(start) <= EXCERPT else cut}"


def _threshold_lines(explanation: DetectorExplanation) -> Iterator[str]:
    points = explanation.thresholds
    yield ""
    best = best_threshold(points)
    if best is None:
        yield "There is no threshold to choose: the scores have at most two values"
        return
    yield "Precision and recall on typical rows at other thresholds"
    step = -(-len(points) // MOST_THRESHOLDS)
    shown = {point.threshold: point.counts for point in (*points[::step], best)}
    groups = [(f"{value:.4g}", shown[value]) for value in sorted(shown)]
    yield from _table("threshold", groups, ("precision", "recall", "f1"))
    yield (
        f"average precision {ratio_text(explanation.average_precision)}; highest hit F1"
        f" {ratio_text(best.counts.hit_f1)} at {best.threshold:.4g}, chosen on"
        " these rows, so too optimistic for others"
    )
