# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors evaluate``, also ``python -m garak.analyze.detector_eval``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import Any

from garak_tbsa import progress
from garak_tbsa.api.evaluating import Measured, measured
from garak_tbsa.api.summary_place import (
    OUTSIDE_A_CHECKOUT,
    checkout_note,
    default_output,
    metrics_before,
    other_garak,
)
from garak_tbsa.cli.detectors_data import (
    add_data_options,
    add_garak_options,
    detector_settings,
    options_file,
    request_of,
)
from garak_tbsa.cli.detectors_text import evaluation_lines
from garak_tbsa.cli.detectors_uninstall import install
from garak_tbsa.cli.outputs import claim_outputs, tell_problems
from garak_tbsa.cli.parsers import (
    add_seed,
    add_switches,
    add_worker_options,
    arguments_for,
    number_between,
    number_within,
    whole_number_from,
)
from garak_tbsa.detector_eval.evaluation import (
    EvaluationOptions,
    Journal,
    has_shipped,
    saved_places,
)
from garak_tbsa.detector_eval.installed import (
    SHIPPED_REFUSED,
    merged_summary,
    refusal_text,
)
from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.metrics import EVAL_THRESHOLD
from garak_tbsa.detector_eval.run import Opener, ScoredRows, unwatched
from garak_tbsa.detector_eval.selection import Selection, select_rows
from garak_tbsa.detector_eval.summary import evaluation_date
from garak_tbsa.detector_eval.summary_file import summary_text
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE, InstallError, UsageError
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.detectors import detector_catalogue
from garak_tbsa.garak_api.installed import MetricsFiles, metrics_files
from garak_tbsa.progress import with_progress
from garak_tbsa.terminal import agreed, can_ask, write_error, write_line, write_lines
from garak_tbsa.workers import Workers


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Run garak's detectors on labelled responses and write how well"
        " each distinguishes hits from passes."
    )
    parser.epilog = (
        "Exit codes: 0 done, 1 could not, 2 usage. After an interruption, the same"
        " command continues where it stopped."
    )
    add_data_options(parser)
    add_garak_options(parser)
    _add_number_options(parser)
    _add_output_options(parser)


def _add_number_options(parser: argparse.ArgumentParser) -> None:
    numbers, usual = parser.add_argument_group("numbers"), IntervalOptions()
    add_seed(numbers)
    numbers.add_argument(
        "--replicates",
        type=whole_number_from(1),
        default=usual.replicates,
        help="replicates of the bootstrap (default: 10000)",
    )
    numbers.add_argument(
        "--confidence",
        type=number_between(0, 1),
        default=usual.confidence,
        help="confidence of the intervals (default: 0.95)",
    )
    numbers.add_argument(
        "--min-samples",
        type=whole_number_from(1),
        default=usual.min_samples,
        metavar="N",
        help="fewest scored rows for an interval (default: 50)",
    )
    numbers.add_argument(
        "--eval-threshold",
        type=number_within(0.0, 1.0),
        default=EVAL_THRESHOLD,
        help="a score of this or more is a hit (default: 0.5)",
    )
    add_switches(
        numbers,
        {
            "--balance-datasets": "draw as many rows of the more frequent label as the"
            " other label has",
        },
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
    add_switches(
        output,
        {
            "--install": "also merge the summary into the metrics that the installed"
            " garak (0.17 or newer) reads, so that its confidence intervals are"
            " corrected; `detectors uninstall` undoes it",
            "--yes": "with --install: do not ask; garak applies what is installed to"
            " every later scan, of any target",
            "--shipped": "with --install: also the metrics of the rows that come with"
            " garak-tbsa, which are of no target of yours",
            "--force": "with --install: also install entries that come from fewer than"
            " 20 rows of a label, or that may hardly distinguish hits from passes",
        },
    )
    add_worker_options(
        output,
        jobs="number of workers (default: one for each processor)",
        backend="where detectors run; the numbers are the same (default: this process,"
        " loky with --jobs)",
    )
    add_switches(
        output,
        {
            "--start-over": "discard what an interrupted evaluation has finished",
            "-q, --quiet": "print only errors",
        },
    )


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        Data, settings or output cannot be used; nothing half-written stays.
    """
    if options.quiet:
        progress.stop()
    opener = detector_settings(options)
    workers = Workers(
        backend=options.backend or ("loky" if options.jobs else None),
        jobs=options.jobs,
        cluster=options.cluster,
    )
    chosen = EvaluationOptions(
        **arguments_for(EvaluationOptions, options, workers=workers)
    )
    _check_installing(options)
    place = metrics_files() if options.install else None
    options.output = options.output or default_output()
    if os.path.isdir(options.output):
        raise UsageError(f"--output {options.output}: a folder; name a file in it")
    before = metrics_before(options.output)
    evaluation_date(os.environ)
    selection = select_rows(request_of(options), detector_catalogue())
    if place is not None and not options.shipped and has_shipped(selection):
        raise InstallError(SHIPPED_REFUSED)
    if selection.labels is not None:
        tell_problems(selection.labels.problems, "were not used", "warning: ")
    journal = Journal(options.output, start_over=options.start_over)
    claim_outputs(
        {
            "--output": options.output,
            "--output's journal": journal.path,
            "--install": None if place is None else place.users,
            **saved_places(selection, chosen),
        },
        [*selection.inputs, options.config, options_file(options)],
    )
    found = _measured(selection, opener, chosen, options, journal)
    written = _write(found, options, before)
    journal.remove()
    if not options.quiet:
        write_lines([*evaluation_lines(found, options.confidence), *written])
    if not found.measured:
        why = "metadata.errors says why for each"
        if before is not None:
            why = "its metrics are as before"
        write_error(f"{options.output}: no detector could be evaluated; {why}")
        return EXIT_COULD_NOT
    if place is not None:
        _install(found, place, options)
    return EXIT_DONE


def _check_installing(options: argparse.Namespace) -> None:
    """Tell before a detector runs that nothing could be installed at its end."""
    for name in ("force", "yes", "shipped"):
        if getattr(options, name) and not options.install:
            raise UsageError(
                f"--{name}: has an effect only with --install; leave it out"
            )
    if options.install and not options.yes and not can_ask():
        raise UsageError(
            "--install: garak applies these metrics to every later scan, of any target;"
            " add --yes, or answer in a terminal"
        )


def _measured(
    selection: Selection,
    opener: Opener,
    chosen: EvaluationOptions,
    options: argparse.Namespace,
    journal: Journal,
) -> Measured:
    """Run the detectors; what is finished is kept if that is interrupted."""
    intervals = IntervalOptions(**arguments_for(IntervalOptions, options))
    watch = unwatched if options.quiet else _with_progress
    try:
        return measured(
            selection, opener, chosen, intervals, journal=journal, watch=watch
        )
    except KeyboardInterrupt:
        if os.path.isfile(journal.path):
            write_error(
                f"finished detectors are kept in {journal.path}; the same command"
                f"{' without --start-over' * options.start_over} continues from there"
            )
        raise


def _write(
    found: Measured, options: argparse.Namespace, before: dict[str, Any] | None
) -> list[str]:
    """Write the summary; return what is said of that.

    Parameters
    ----------
    before : dict or None
        The summary that the metrics are put into, in place of a new one.
    """
    if before is not None and not found.measured:
        return [f"not changed: {options.output}"]
    note = checkout_note(options.output)
    said = [f"written: {options.output}{f' ({note})' if note else ''}"]
    written: Any = found.document
    if before is not None:
        merged = merged_summary(written, before, list(written["results"]))
        written = merged.document
        said += merged.lines("before") if merged.unchanged else ()
    write_whole(options.output, summary_text(written))
    warning = other_garak(options.output)
    if warning is not None:
        write_error(f"warning: {warning}")
    return said


def _install(found: Measured, place: MetricsFiles, options: argparse.Namespace) -> None:
    """Hand the metrics to garak.

    Raises
    ------
    InstallError
        Entries were refused; the others are installed, and the summary is written.
        Or another process installs, and does not end. Or the answer was no.
    """
    source = found.source_text
    if not options.quiet:
        write_line(
            f"garak will correct the intervals of every later scan, of any target, by"
            f" {source}"
        )
    if not options.yes and not agreed("Install? [y/N] "):
        raise InstallError("--install: not installed, as the answer was not y")
    base = "garak" if place.in_use == place.shipped else place.users
    force = options.force
    merged, refused = install(found.document, place, source=source, force=force)
    if (merged.new or merged.replaced) and not options.quiet:
        write_line(f"installed for garak: {place.users}")
        write_lines(merged.lines(base))
    if refused:
        raise InstallError(refusal_text(refused))


def _with_progress(scored: Iterator[ScoredRows], total: int) -> Iterator[ScoredRows]:
    return with_progress(
        scored,
        total,
        "rows",
        counts=lambda chunk: len(chunk.row_scores),
        name=lambda chunk: chunk.detector,
    )
