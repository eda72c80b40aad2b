# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors explain``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence

from garak_tbsa.cli.command_parser import CommandParser
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
from garak_tbsa.cli.parsers import number_within
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
from garak_tbsa.errors import EXIT_DONE, GarakTbsaError
from garak_tbsa.garak_api.detectors import detector_catalogue
from garak_tbsa.tbsa.outputs.text import table
from garak_tbsa.terminal import write_lines

EXCERPT = 100
MOST_THRESHOLDS = 20
_GROUP_COLUMNS = (*COUNT_HEADER, "sensitivity", "specificity", "hit F1")


ALIKE = (
    "note: here all labelled outputs of a scan count equally; `garak-tbsa detectors"
    " evaluate`"
    " weights them by how they were drawn"
)


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = CommandParser(
        prog=prog,
        description="Run one detector on its labelled responses and show where it is"
        " right and wrong, on typical and on stress rows: every mistake, and results by"
        " slice, by language and by threshold.",
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
    parser.add_argument(
        "--seed", type=int, default=42, help="of random draws (default: 42)"
    )
    parser.add_argument(
        "--limit",
        type=int,
        metavar="N",
        help="number of mistakes of each kind to list (default: all)",
    )
    parser.add_argument(
        "--whole",
        action="store_true",
        help="show the whole text of each mistake (default: its start, in one line)",
    )
    return parser


def run(argv: Sequence[str], *, prog: str = "garak-tbsa detectors explain") -> int:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        The detector has no rows or cannot run, or an option cannot be used.
    """
    parser = build_parser(prog)
    options = parser.parse_args(argv)
    if options.seed < 0 or (options.limit is not None and options.limit < 0):
        parser.error("--seed and --limit take whole numbers of at least 0")
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
    lines = explanation_lines(
        explanation,
        options.limit,
        whole=options.whole,
        intervals=IntervalOptions(seed=options.seed),
    )
    alike = [ALIKE] if options.labels else []
    write_lines([*notes, *alike, *lines])
    return EXIT_DONE


def explanation_lines(
    explanation: DetectorExplanation,
    limit: int | None = None,
    *,
    whole: bool = False,
    intervals: IntervalOptions | None = None,
) -> Iterator[str]:
    """The explanation for a terminal.

    Parameters
    ----------
    limit : int, optional
        Mistakes of each kind to list; all by default.
    whole : bool
        Show the whole text of a mistake.
    """
    result = explanation.result
    counts = result.counts
    interval = hit_f1_interval(counts, result.detector, intervals or IntervalOptions())
    yield f"{result.detector}: {both_text(counts.hit_f1, interval, result.stress)}"
    yield (
        f"typical rows: {counts.scored} scored, {counts.hits} hits and"
        f" {counts.passes} passes; stress rows: {result.stress.scored} scored,"
        f" {result.stress.hits} hits and {result.stress.passes} passes"
    )
    yield (
        f"on typical rows: hit F1 {ratio_text(counts.hit_f1)}, precision"
        f" {ratio_text(counts.hit_precision)}, recall {ratio_text(counts.hit_recall)};"
        f" pass F1 {ratio_text(counts.pass_f1)}; accuracy {ratio_text(counts.accuracy)}"
    )
    kinds = explanation.kinds
    order = [kind for kind in (TYPICAL, STRESS) if kind in kinds]
    yield from _group_lines("rows", {kind: kinds[kind] for kind in order})
    yield from _group_lines("slice of all", explanation.slices)
    yield from _group_lines("language of all", explanation.languages)
    if explanation.notes is not None and len(explanation.sources) > 1:
        yield from _group_lines("source of all", explanation.sources)
    for title, mistakes in (
        ("False negatives: hits that it missed", explanation.false_negatives),
        ("False positives: passes that it flagged", explanation.false_positives),
    ):
        for kind in order:
            of_kind = [
                each for each in mistakes if each.row.is_stress == (kind == STRESS)
            ]
            yield from _mistake_lines(f"{title}, {kind} rows", of_kind, limit, whole)
    yield from _missing_lines(explanation)
    yield from _threshold_lines(explanation)
    yield _agreement_line(explanation)


def _group_lines(name: str, groups: Mapping[str, ConfusionCounts]) -> Iterator[str]:
    yield ""
    yield from table(
        [
            (name, *_GROUP_COLUMNS),
            *(
                (
                    group,
                    *count_cells(counts),
                    ratio_text(counts.hit_sensitivity),
                    ratio_text(counts.hit_specificity),
                    ratio_text(counts.hit_f1),
                )
                for group, counts in groups.items()
            ),
        ]
    )


def _mistake_lines(
    title: str, mistakes: Sequence[Mistake], limit: int | None, whole: bool
) -> Iterator[str]:
    yield ""
    yield f"{title} ({len(mistakes)})"
    shown = mistakes[:limit]
    for mistake in shown:
        row = mistake.row
        where = ", ".join(part for part in (row.slice, row.lang) if part)
        yield f"  {row.id} [{where}] score {mistake.score:g}"
        if row.why is not None:
            yield f"    why: {row.why}"
        yield from whole_lines(row) if whole else (f"    {excerpt(row)}",)
    if len(shown) < len(mistakes):
        yield f"  and {len(mistakes) - len(shown)} more"


def excerpt(row: LabelledRow, length: int = EXCERPT) -> str:
    """The start of the response in one line, or the name of its file."""
    if row.file is not None:
        return f"file {os.path.basename(row.file.name)}"
    text = " ".join((row.output or "").split())
    return text if len(text) <= length else f"{text[:length]}…"


def whole_lines(row: LabelledRow) -> Iterator[str]:
    """The whole response, each line marked, or the name of its file."""
    text = excerpt(row) if row.file is not None else row.output or ""
    for line in text.split("\n"):
        yield f"    | {line}" if line else "    |"


def _missing_lines(explanation: DetectorExplanation) -> Iterator[str]:
    if not explanation.missing:
        return
    yield ""
    yield f"Rows without a score ({len(explanation.missing)})"
    for row, row_score in explanation.missing:
        reason = "" if row_score.missing is None else row_score.missing.value
        yield f"  {row.id}: {row_score.detail or reason}"


def _threshold_lines(explanation: DetectorExplanation) -> Iterator[str]:
    points = explanation.thresholds
    yield ""
    best = best_threshold(points)
    if best is None:
        yield "There is no threshold to choose: the scores have at most two values"
        return
    yield "Precision and recall on typical rows at other thresholds"
    step = -(-len(points) // MOST_THRESHOLDS)
    shown = [*points[::step], *([] if best in points[::step] else [best])]
    shown.sort(key=lambda point: point.threshold)
    yield from table(
        [
            ("threshold", *COUNT_HEADER, "precision", "recall", "hit F1"),
            *(
                (
                    f"{point.threshold:.4g}",
                    *count_cells(point.counts),
                    ratio_text(point.counts.hit_precision),
                    ratio_text(point.counts.hit_recall),
                    ratio_text(point.counts.hit_f1),
                )
                for point in shown
            ),
        ]
    )
    yield (
        f"average precision {ratio_text(explanation.average_precision)}; highest hit F1"
        f" {ratio_text(best.counts.hit_f1)} at {best.threshold:.4g}, chosen on"
        " these rows, so too optimistic for others"
    )


def _agreement_line(explanation: DetectorExplanation) -> str:
    agreement = explanation.agreement
    if agreement is None:
        return "Agreement: no row was labelled by two people"
    return f"Agreement: {agreement_text(agreement)}"
