# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors evaluate``, also ``python -m garak.analyze.detector_eval``."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from garak_tbsa import progress
from garak_tbsa.api.evaluating import summary_of, weighted
from garak_tbsa.api.summary_place import (
    OUTSIDE_A_CHECKOUT,
    default_output,
    metrics_before,
    other_garak,
)
from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.detectors_data import (
    add_data_options,
    add_garak_options,
    data_request,
    detector_settings,
    label_lines,
    options_file,
    tell_problems,
)
from garak_tbsa.cli.detectors_installation import (
    InstallPlace,
    alone,
    install,
    install_place,
    plan,
)
from garak_tbsa.cli.detectors_measured import (
    measured_table,
    unmeasured_lines,
    written_lines,
)
from garak_tbsa.cli.detectors_text import notes_lines, on_scan_text
from garak_tbsa.cli.parsers import (
    add_worker_options,
    chosen_workers,
    number_within,
    whole_number_from,
)
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.detector_eval.checkpoint import Journal
from garak_tbsa.detector_eval.evaluation import (
    Evaluation,
    EvaluationOptions,
    evaluate,
    saved_places,
)
from garak_tbsa.detector_eval.installed import refusal_text
from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.merged import merged_summary
from garak_tbsa.detector_eval.metrics import EVAL_THRESHOLD
from garak_tbsa.detector_eval.on_scan import OnScan
from garak_tbsa.detector_eval.ranking import f1_tier
from garak_tbsa.detector_eval.run import ScoredChunk
from garak_tbsa.detector_eval.selection import Selection
from garak_tbsa.detector_eval.summary import evaluation_date, summary_text
from garak_tbsa.detector_eval.summary_file import parse_summary
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE, InstallError, UsageError
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.detectors import detector_catalogue
from garak_tbsa.progress import with_progress
from garak_tbsa.terminal import terminal_width, write_error, write_line, write_lines
from garak_tbsa.workers.backends import IN_PROCESS, LOKY

EPILOG = (
    "Exit codes: 0 done, 1 could not, 2 usage. After an interruption, the same command"
    " continues where it stopped."
)


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = CommandParser(
        prog=prog,
        description="Run garak's detectors on labelled responses and write how well"
        " each distinguishes hits from passes.",
        epilog=EPILOG,
    )
    add_data_options(parser)
    add_garak_options(parser)
    _add_number_options(parser)
    _add_output_options(parser)
    return parser


def _add_number_options(parser: argparse.ArgumentParser) -> None:
    numbers = parser.add_argument_group("numbers")
    numbers.add_argument(
        "--seed",
        type=whole_number_from(0),
        default=42,
        help="of random draws (default: 42)",
    )
    numbers.add_argument(
        "--replicates",
        type=whole_number_from(1),
        default=IntervalOptions.replicates,
        help="replicates of the bootstrap (default: 10000)",
    )
    numbers.add_argument(
        "--confidence",
        type=_share,
        default=IntervalOptions.confidence,
        help="confidence of the intervals (default: 0.95)",
    )
    numbers.add_argument(
        "--min-samples",
        type=whole_number_from(1),
        default=IntervalOptions.min_samples,
        metavar="N",
        help="fewest scored rows for an interval (default: 50)",
    )
    numbers.add_argument(
        "--eval-threshold",
        type=number_within(0.0, 1.0),
        default=EVAL_THRESHOLD,
        help="a score of this or more is a hit (default: 0.5)",
    )
    numbers.add_argument(
        "--balance-datasets",
        action="store_true",
        help="draw as many rows of the more frequent label as the other label has",
    )


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output and running")
    output.add_argument(
        "--output",
        metavar="FILE",
        help=f"where to write the summary (default: {OUTSIDE_A_CHECKOUT}; in a checkout"
        " of garak, where garak has its own, which keeps its other detectors)",
    )
    output.add_argument(
        "--save-datasets", metavar="DIR", help="write the rows with their scores to DIR"
    )
    output.add_argument(
        "--install",
        action="store_true",
        help="also merge the summary into the metrics that the installed garak (0.17"
        " or newer) reads, so that its confidence intervals are corrected;"
        " `detectors uninstall` undoes it",
    )
    output.add_argument(
        "--force",
        action="store_true",
        help="with --install: also install entries that come from fewer than 20 rows of"
        " a label, or that may hardly distinguish hits from passes",
    )
    add_worker_options(
        output,
        jobs="number of workers (default: 1 if in-process, else one for each"
        " processor)",
        backend="where detectors run; the numbers are the same (default: in-process,"
        " loky with --jobs)",
    )
    output.add_argument(
        "--start-over",
        action="store_true",
        help="discard what an interrupted evaluation has finished",
    )
    output.add_argument("-q", "--quiet", action="store_true", help="print only errors")


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(
            f"expected a number between 0 and 1, not {text!r}"
        )
    return number


def run(argv: Sequence[str], *, prog: str = "garak-tbsa detectors evaluate") -> int:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        Data, settings or output cannot be used; nothing half-written stays.
    """
    options = build_parser(prog).parse_args(argv)
    if options.quiet:
        progress.stop()
    opener = detector_settings(options, options.seed)
    chosen = _evaluation_options(options)
    if options.force and not options.install:
        raise UsageError("--force: has an effect only with --install; leave it out")
    place = install_place() if options.install else None
    date = evaluation_date(os.environ)
    if options.output is None:
        options.output = default_output()
    if os.path.isdir(options.output):
        raise UsageError(f"--output {options.output}: a folder; name a file in it")
    before = metrics_before(options.output)
    journal = Journal(options.output, start_over=options.start_over)

    def check(selection: Selection) -> None:
        labels = selection.labels
        if labels is not None:
            tell_problems(labels)
        claim_outputs(
            {
                "--output": options.output,
                "--output's journal": journal.path,
                "--install": None if place is None else place.path,
                **saved_places(selection, chosen),
            },
            [*selection.inputs, options.config, options_file(options)],
        )

    with contextlib.closing(journal):
        try:
            evaluation = evaluate(
                data_request(options),
                catalogue=detector_catalogue(),
                opener=opener,
                options=chosen,
                journal=journal,
                check=check,
                watch=None if options.quiet else _with_progress,
            )
        except KeyboardInterrupt:
            if os.path.isfile(journal.path):
                write_error(
                    f"finished detectors are kept in {journal.path}; the same command"
                    f"{' without --start-over' * options.start_over} continues from"
                    " there"
                )
            raise
        return _finish(evaluation, options, date, journal, place, before)


def _evaluation_options(options: argparse.Namespace) -> EvaluationOptions:
    return EvaluationOptions(
        seed=options.seed,
        eval_threshold=options.eval_threshold,
        balance_datasets=options.balance_datasets,
        save_datasets=options.save_datasets,
        workers=chosen_workers(options, otherwise=LOKY if options.jobs else IN_PROCESS),
    )


def _intervals(options: argparse.Namespace) -> IntervalOptions:
    return IntervalOptions(
        replicates=options.replicates,
        confidence=options.confidence,
        min_samples=options.min_samples,
        seed=options.seed,
    )


def _finish(
    evaluation: Evaluation,
    options: argparse.Namespace,
    date: str,
    journal: Journal,
    place: InstallPlace | None,
    before: dict[str, Any] | None,
) -> int:
    """Write the summary, then say what is in it.

    Parameters
    ----------
    before : dict or None
        The summary that the metrics are put into, in place of a new one.
    """
    evaluation, on_scan = weighted(evaluation, _intervals(options))
    document = summary_of(
        evaluation,
        on_scan,
        _evaluation_options(options),
        _intervals(options),
        date=date,
        preset=options.preset,
    )
    is_written = before is None or bool(evaluation.measured)
    merged = None
    if is_written:
        if before is not None:
            merged = merged_summary(document, before, list(document["results"]))
        written = document if merged is None else merged.document
        write_whole(options.output, summary_text(written))
        warning = other_garak(options.output)
        if warning is not None:
            write_error(f"warning: {warning}")
    journal.remove()
    if not options.quiet:
        _show(evaluation, on_scan, document, options)
        write_lines(written_lines(options.output, merged, is_written=is_written))
    if evaluation.measured:
        if place is not None:
            _install(document, place, force=options.force, is_quiet=options.quiet)
        return EXIT_DONE
    why = "metadata.errors says why for each"
    if before is not None:
        why = "its metrics are as before"
    write_error(f"{options.output}: no detector could be evaluated; {why}")
    return EXIT_COULD_NOT


def _install(
    document: dict[str, Any], place: InstallPlace, *, force: bool, is_quiet: bool
) -> None:
    """Hand the metrics to garak.

    Raises
    ------
    InstallError
        Entries were refused; the others are installed, and the summary is written.
        Or another process installs, and does not end.
    """
    with alone(place):
        base = place.base_words
        planned = plan(document, place, force=force)
        if planned.installs_any:
            install(planned, place)
    if planned.installs_any and not is_quiet:
        write_line(f"installed for garak: {place.path}")
        write_lines(planned.merged.lines(base))
    if planned.refused:
        raise InstallError(refusal_text(planned))


def _with_progress(scored: Iterator[ScoredChunk], total: int) -> Iterator[ScoredChunk]:
    return with_progress(
        scored,
        total,
        "rows",
        counts=lambda chunk: len(chunk.chunk.rows),
        name=lambda chunk: chunk.chunk.detector,
    )


def _show(
    evaluation: Evaluation,
    on_scan: Mapping[str, OnScan],
    document: dict[str, Any],
    options: argparse.Namespace,
) -> None:
    if evaluation.labels is not None:
        write_lines(label_lines(evaluation.labels))
    for line in notes_lines(evaluation.notes, options.preset, evaluation.results):
        write_line(line)
    measured = evaluation.measured
    values = [
        on_scan[each.detector].values["hit_f1"]
        if each.detector in on_scan
        else each.counts.hit_f1
        for each in measured
    ]
    tiers = Counter(f1_tier(value) for value in values if value is not None)
    by_tier = ", ".join(f"{count} {tier}" for tier, count in tiers.most_common())
    table = measured_table(
        parse_summary(document, options.output),
        evaluation.results,
        on_scan,
        options.confidence,
        terminal_width(),
    )
    write_lines(
        [
            f"{len(measured)} detectors evaluated{f' ({by_tier})' if by_tier else ''},"
            f" {len(evaluation.results) - len(measured)} not",
            *unmeasured_lines(evaluation.results),
            *table,
        ]
    )
    for result in measured:
        without = Counter(result.missing) + Counter(result.stress_missing)
        if without:
            said = "; ".join(result.details.values())
            missing = ", ".join(f"{n} {why}" for why, n in sorted(without.items()))
            rows = result.labelled + result.stress_labelled
            write_line(
                f"  {result.detector}: {missing} of {rows} rows without a"
                f" score{f' ({said})' if said else ''}"
            )
    for name, found in on_scan.items():
        counts = evaluation.results[name].counts
        write_line(f"  {name}: {on_scan_text(found, counts.scored)}")
