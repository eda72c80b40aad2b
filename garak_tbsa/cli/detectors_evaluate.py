# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors evaluate``, also ``python -m garak.analyze.detector_eval``."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from garak_tbsa import progress
from garak_tbsa.api.evaluating import Measured, measurements
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
from garak_tbsa.cli.detectors_text import evaluation_lines, mistake_lines
from garak_tbsa.cli.outputs import claim_outputs, tell_problems
from garak_tbsa.cli.parsers import (
    add_switches,
    add_worker_options,
    arguments_for,
    number_between,
    number_within,
    whole_number_from,
)
from garak_tbsa.detector_eval.evaluation import (
    EvaluationOptions,
    rows_to_score,
    saved_places,
)
from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.merge import (
    LEAST_OF_A_LABEL,
    MergedSummary,
    merged_summary,
    refusal,
)
from garak_tbsa.detector_eval.metrics import EVAL_THRESHOLD
from garak_tbsa.detector_eval.run import ScoredRows, unwatched
from garak_tbsa.detector_eval.selection import Selection, select_rows
from garak_tbsa.detector_eval.summary import evaluation_date
from garak_tbsa.detector_eval.summary_file import summary_text
from garak_tbsa.earlier_outputs import require_replaceable
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    MetricsRefusedError,
    UsageError,
)
from garak_tbsa.files import is_stream, write_whole
from garak_tbsa.garak_api.detectors import detector_catalogue
from garak_tbsa.progress import with_progress
from garak_tbsa.terminal import write_error, write_lines
from garak_tbsa.workers import Workers


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Run garak's detectors on labelled responses and write how well"
        " each distinguishes hits from passes."
    )
    parser.epilog = (
        "Exit codes: 0 done, 1 could not, 2 usage. The summary is written after each"
        " detector, so an interruption leaves those that were finished."
    )
    add_data_options(parser)
    add_garak_options(parser)
    _add_number_options(parser)
    _add_output_options(parser)


def _add_number_options(parser: argparse.ArgumentParser) -> None:
    numbers, usual = parser.add_argument_group("numbers"), IntervalOptions()
    numbers.add_argument(
        "--seed",
        type=whole_number_from(0),
        default=usual.seed,
        metavar="N",
        help="seed of the random draws (default 42)",
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
        " of garak, where garak has its own). The file that garak reads, of a checkout"
        " or in garak's data folder, keeps its other detectors",
    )
    output.add_argument(
        "--save-datasets",
        metavar="DIR",
        help="write the rows with their scores and verdicts to DIR",
    )
    add_switches(
        output,
        {
            "--force": "replace entries of garak's file also by those of fewer than"
            f" {LEAST_OF_A_LABEL} rows of a label",
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
            "-v, --verbose": "list the rows that each detector gets wrong, and how far"
            " their raters agree",
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
    options.output = options.output or default_output()
    before = metrics_before(options.output)
    if options.force and before is None:
        raise UsageError(
            "--force: has an effect only where --output is a file that garak reads;"
            " leave it out"
        )
    evaluation_date(os.environ)
    selection = select_rows(request_of(options), detector_catalogue())
    if selection.labels is not None:
        tell_problems(selection.labels.problems, "were not used", "warning: ")
    claim_outputs(
        {"--output": options.output, **saved_places(selection, chosen)},
        [*selection.inputs, options.config, options_file(options)],
    )
    if before is None:
        require_replaceable("--output", options.output, "summary")
    output = _Output(path=options.output, before=before, force=options.force)
    output.check(selection, chosen)
    intervals = IntervalOptions(**arguments_for(IntervalOptions, options))
    watch = unwatched if options.quiet else _with_progress
    found: Measured | None = None
    try:
        for found in measurements(selection, opener, chosen, intervals, watch):
            output.keep(found)
    except KeyboardInterrupt:
        if found is not None and found.measured and not is_stream(output.path):
            count = f"{len(found.measured)} of {len(selection.rows)}"
            write_error(f"{output.path}: has the detectors that were finished, {count}")
        raise
    assert found is not None  # a selection has at least one detector
    written = output.finish(found)
    if not options.quiet:
        write_lines(evaluation_lines(found, options.confidence))
        if options.verbose:
            write_lines(mistake_lines(found.scored, options.eval_threshold))
        write_lines(written)
    return _exit_code(found, output)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Output:
    """Where the summary goes: a file of its own, or one that garak reads.

    Attributes
    ----------
    path : str
    before : dict or None
        The summary that the metrics are put into; None for a file of its own.
    force : bool
        Replace entries of it by those of too few rows as well.
    """

    path: str
    before: dict[str, Any] | None
    force: bool

    def check(self, selection: Selection, chosen: EvaluationOptions) -> None:
        """Tell before a detector runs that it has too few rows to replace an entry.

        Raises
        ------
        MetricsRefusedError
            There is such a detector; nothing has been written.
        """
        labelled = {
            name: Counter(row.label for row in rows if not row.is_stress)
            for name, rows in rows_to_score(selection, chosen).items()
        }
        refused = self.too_few({n: (c["hit"], c["pass"]) for n, c in labelled.items()})
        if refused and not self.force:
            raise self.refusal(refused, "unchanged")

    def too_few(self, rows: Mapping[str, tuple[int, int]]) -> dict[str, str]:
        """Entries of the file that may not be replaced, and why.

        Parameters
        ----------
        rows : mapping of detector to (int, int)
            Typical rows labelled hit, and pass.
        """
        had = {} if self.before is None else self.before["results"]
        reasons = {name: refusal(*rows[name]) for name in rows if name in had}
        return {name: reason for name, reason in reasons.items() if reason is not None}

    def refused(self, found: Measured) -> dict[str, str]:
        """The same of detectors that ran: rows without a score are no rows."""
        counts = {each.detector: each.counts for each in found.measured}
        return self.too_few({n: (c.hits, c.passes) for n, c in counts.items()})

    def refusal(self, refused: Mapping[str, str], left: str) -> MetricsRefusedError:
        """One line that says what was not replaced, and what helps."""
        named = "; ".join(f"the new {name} {why}" for name, why in refused.items())
        return MetricsRefusedError(
            f"--output {self.path}: {left}: {named}; label more rows, or replace with"
            " --force"
        )

    def merged(self, found: Measured) -> MergedSummary | None:
        """What the file will have; None where it has nothing but this."""
        if self.before is None:
            return None
        kept = () if self.force else self.refused(found)
        taken = [each.detector for each in found.measured if each.detector not in kept]
        return merged_summary(found.document, self.before, taken)

    def keep(self, found: Measured) -> None:
        """Write what is finished, so that an interruption loses nothing else."""
        merged = self.merged(found)
        changes = found.measured if merged is None else merged.new + merged.replaced
        if changes and not is_stream(self.path):
            self._write(found, merged)

    def finish(self, found: Measured) -> list[str]:
        """Write what :meth:`keep` has not; return what is said of the file."""
        merged = self.merged(found)
        if merged is not None and not (merged.new or merged.replaced):
            return [f"not changed: {self.path}"]
        if is_stream(self.path) or not found.measured:
            self._write(found, merged)
        note = checkout_note(self.path)
        said = [f"written: {self.path}{f' ({note})' if note else ''}"]
        if merged is not None and merged.unchanged:
            said += merged.lines()
        forced = self.refused(found) if self.force else {}
        said += [f"  by --force: the new {name} {why}" for name, why in forced.items()]
        warning = other_garak(self.path)
        if warning is not None:
            write_error(f"warning: {warning}")
        return said

    def _write(self, found: Measured, merged: MergedSummary | None) -> None:
        document = found.document if merged is None else merged.document
        write_whole(self.path, summary_text(document))


def _exit_code(found: Measured, output: _Output) -> int:
    if not found.measured:
        why = "metadata.errors says why for each"
        if output.before is not None:
            why = "its metrics are as before"
        write_error(f"{output.path}: no detector could be evaluated; {why}")
        return EXIT_COULD_NOT
    refused = {} if output.force else output.refused(found)
    if refused:
        raise output.refusal(refused, "entries are as before")
    return EXIT_DONE


def _with_progress(scored: Iterator[ScoredRows], total: int) -> Iterator[ScoredRows]:
    return with_progress(
        scored,
        total,
        "rows",
        counts=lambda chunk: len(chunk.row_scores),
        name=lambda chunk: chunk.detector,
    )
