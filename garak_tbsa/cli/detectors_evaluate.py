# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors evaluate``, also ``python -m garak.analyze.detector_eval``."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy

from garak_tbsa import __version__
from garak_tbsa.cli.detectors_data import (
    NO_ROWS,
    Selection,
    add_data_options,
    add_garak_options,
    detector_settings,
    select_rows,
)
from garak_tbsa.cli.parsers import number_within, whole_number_from
from garak_tbsa.cli.terminal import write_error, write_line
from garak_tbsa.detector_eval.backends import BACKENDS, IN_PROCESS
from garak_tbsa.detector_eval.balancing import Keep, balanced
from garak_tbsa.detector_eval.checkpoint import Journal, work_key
from garak_tbsa.detector_eval.dataset import read_rows
from garak_tbsa.detector_eval.formats import sha256_of
from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.metrics import EVAL_THRESHOLD, DetectorResult, Tally
from garak_tbsa.detector_eval.ranking import tier_of
from garak_tbsa.detector_eval.run import chunks_of, score_chunks
from garak_tbsa.detector_eval.saved_rows import SavedRows
from garak_tbsa.detector_eval.summary import (
    SummarySettings,
    evaluation_date,
    summary_document,
    summary_text,
)
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE, UsageError
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.detectors import garak_version, install_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from garak_tbsa.detector_eval.dataset import DetectorRows
    from garak_tbsa.detector_eval.run import Chunk, ScoredChunk
    from garak_tbsa.garak_api.detector_loading import DetectorSettings

DEFAULT_OUTPUT = os.path.join("data", "detectors-eval", "detector_metrics_summary.json")
_LEAST_INFORMATIVE = 0.1

EPILOG = (
    "Exit codes: 0 done, 1 could not, 2 usage. Interrupted, the same command goes on"
    " where it stopped."
)


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Run garak's detectors on labelled responses and write how well"
        " each tells a hit from a pass.",
        epilog=EPILOG,
        allow_abbrev=False,
    )
    add_data_options(parser)
    add_garak_options(parser)
    _add_number_options(parser)
    _add_output_options(parser)
    return parser


def _add_number_options(parser: argparse.ArgumentParser) -> None:
    numbers = parser.add_argument_group("numbers")
    numbers.add_argument(
        "--seed", type=whole_number_from(0), default=42, help="default: 42"
    )
    numbers.add_argument(
        "--replicates",
        type=whole_number_from(1),
        default=IntervalOptions.replicates,
        help="of the bootstrap (default: 10000)",
    )
    numbers.add_argument(
        "--confidence",
        type=_share,
        default=IntervalOptions.confidence,
        help="of the intervals (default: 0.95)",
    )
    numbers.add_argument(
        "--min-samples",
        type=whole_number_from(1),
        default=IntervalOptions.min_samples,
        metavar="N",
        help="scored rows below which there is no interval (default: 50)",
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
        help="down-sample the larger class of each detector, seeded",
    )


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output and running")
    output.add_argument(
        "--output", default=DEFAULT_OUTPUT, metavar="FILE", help="the summary"
    )
    output.add_argument(
        "--save-datasets", metavar="DIR", help="write the rows with their scores there"
    )
    output.add_argument(
        "--install",
        action="store_true",
        help="also write the summary where the installed garak (0.17 or newer) reads"
        " it, so that its confidence intervals are corrected",
    )
    output.add_argument(
        "--jobs",
        type=whole_number_from(1),
        metavar="N",
        help="workers (default: 1 in this process, else one a processor)",
    )
    output.add_argument(
        "--backend",
        choices=BACKENDS,
        help="where detectors run; the numbers are the same (default: in-process,"
        " loky with --jobs)",
    )
    output.add_argument(
        "--start-over",
        action="store_true",
        help="do not go on where an interrupted evaluation stopped",
    )
    output.add_argument("-q", "--quiet", action="store_true", help="errors only")


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
    settings = detector_settings(options, options.seed)
    installed = install_path() if options.install else None
    date = evaluation_date(os.environ)
    if os.path.isdir(options.output):
        raise UsageError(f"--output {options.output}: a folder; name a file in it")
    with tempfile.TemporaryDirectory(prefix="garak-tbsa-") as scratch:
        selection = select_rows(options, scratch=scratch)
        journal = Journal(options.output, start_over=options.start_over)
        try:
            results = _evaluate(selection, settings, options, journal)
        except KeyboardInterrupt:
            write_error(
                f"finished detectors are kept in {journal.path};"
                " the same command goes on from there"
            )
            raise
    text = _summary(results, selection, options, date)
    is_measured = any(result.reason is None for result in results)
    if not is_measured:
        installed = None  # garak's own metrics are better than none
    write_whole(options.output, text)
    if installed is not None:
        write_whole(installed, text)
    journal.remove()
    if not options.quiet:
        _show(results, options.output, installed)
    if is_measured:
        return EXIT_DONE
    write_error(
        f"{options.output}: no detector could be evaluated;"
        " metadata.errors says why for each"
    )
    return EXIT_COULD_NOT


def _evaluate(
    selection: Selection,
    settings: DetectorSettings,
    options: argparse.Namespace,
    journal: Journal,
) -> list[DetectorResult]:
    results = [
        DetectorResult(detector=name, failure=NO_ROWS)
        for name in selection.without_rows
    ]
    keys = {
        name: work_key(_work(rows, settings, options))
        for name, rows in selection.rows.items()
    }
    to_do: list[tuple[DetectorRows, Keep | None]] = []
    with contextlib.ExitStack() as stack:
        saved = None
        if options.save_datasets is not None:
            folder = SavedRows(options.save_datasets, options.eval_threshold)
            saved = stack.enter_context(contextlib.closing(folder))
        for name, rows in selection.rows.items():
            known = journal.result(keys[name])
            if rows.unusable is not None:
                results.append(DetectorResult(detector=name, failure=rows.unusable))
            elif known is not None and _is_saved(saved, name):
                results.append(known)
            elif options.balance_datasets:
                to_do.append(balanced(rows, options.seed))
            else:
                to_do.append((rows, None))
        scored = score_chunks(
            _chunks(to_do, selection),
            settings,
            seed=options.seed,
            backend=options.backend or (IN_PROCESS if not options.jobs else "loky"),
            jobs=options.jobs or os.cpu_count() or 1,
        )
        total = sum(rows.count for rows, _ in to_do)
        tallies: dict[str, Tally] = {}
        for chunk in _with_progress(scored, total, quiet=options.quiet):
            name = chunk.chunk.detector
            tally = tallies.setdefault(name, Tally(name, options.eval_threshold))
            tally.add(chunk.chunk.rows[: len(chunk.row_scores)], chunk.row_scores)
            if saved is not None:
                saved.add(chunk)
            if chunk.failure is not None or chunk.chunk.is_last:
                results.append(tally.result(chunk.failure))
                journal.add(keys[name], results[-1])
    return results


def _work(
    rows: DetectorRows, settings: DetectorSettings, options: argparse.Namespace
) -> dict[str, Any]:
    """All that decides a detector's counts."""
    return {
        "detector": rows.detector,
        "files": [asdict(file) for file in rows.files],
        "labels": options.labels and sha256_of(options.labels),
        "columns": options.columns,
        "label_values": options.label_values,
        "threshold": options.eval_threshold,
        "balance": options.balance_datasets,
        "settings": asdict(settings),
        "config": settings.config
        and os.path.isfile(settings.config)
        and sha256_of(settings.config),
        "saved": options.save_datasets,
        "versions": _versions(),
    }


def _is_saved(saved: SavedRows | None, detector: str) -> bool:
    return saved is None or os.path.isfile(saved.path_of(detector))


def _chunks(
    to_do: Sequence[tuple[DetectorRows, Keep | None]], selection: Selection
) -> Iterator[Chunk]:
    for rows, keep in to_do:
        read = read_rows(rows, selection.reading)
        yield from chunks_of(rows.detector, read if keep is None else keep.of(read))


def _with_progress(
    scored: Iterator[ScoredChunk], total: int, *, quiet: bool
) -> Iterator[ScoredChunk]:
    """Show a bar on a terminal; when piped, or with -q, nothing."""
    if quiet or not sys.stderr.isatty():
        yield from scored
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=" rows", leave=False) as bar:
        for chunk in scored:
            bar.set_description(chunk.chunk.detector)
            bar.update(len(chunk.chunk.rows))
            yield chunk


def _summary(
    results: Sequence[DetectorResult],
    selection: Selection,
    options: argparse.Namespace,
    date: str,
) -> str:
    settings = SummarySettings(
        date=date,
        versions=_versions(),
        eval_threshold=options.eval_threshold,
        balance_datasets=options.balance_datasets,
        save_datasets=options.save_datasets is not None,
        intervals=IntervalOptions(
            replicates=options.replicates,
            confidence=options.confidence,
            min_samples=options.min_samples,
            seed=options.seed,
        ),
    )
    files = {name: rows.files for name, rows in selection.rows.items()}
    return summary_text(summary_document(results, files, settings))


def _versions() -> dict[str, str]:
    return {
        "garak": garak_version(),
        "garak-tbsa": __version__,
        "numpy": numpy.__version__,
        "python": ".".join(map(str, sys.version_info[:2])),
    }


def _show(
    results: Sequence[DetectorResult], output: str, installed: str | None
) -> None:
    measured = [result for result in results if result.reason is None]
    tiers = Counter(
        tier_of(result.counts.hit_f1)
        for result in measured
        if result.counts.hit_f1 is not None
    )
    by_tier = ", ".join(f"{count} {tier}" for tier, count in tiers.most_common())
    write_line(
        f"{len(measured)} detectors evaluated{f' ({by_tier})' if by_tier else ''},"
        f" {len(results) - len(measured)} not (metadata.errors says why)"
    )
    for result in measured:
        if result.missing:
            said = "; ".join(result.details.values())
            missing = ", ".join(f"{n} {why}" for why, n in result.missing.items())
            write_line(
                f"  {result.detector}: {missing} of {result.labelled} rows without a"
                f" score{f' ({said})' if said else ''}"
            )
    write_line(f"written: {output}")
    if installed is not None:
        write_line(f"installed for garak: {installed}")
        _show_uninformative(measured)


def _show_uninformative(measured: Sequence[DetectorResult]) -> None:
    """Warn of what garak's correction, a division, makes of such detectors."""
    names = sorted(
        result.detector
        for result in measured
        if result.counts.youden_index is not None
        and result.counts.youden_index < _LEAST_INFORMATIVE
    )
    if names:
        write_line(
            f"note: garak divides by sensitivity + specificity - 1, which is below"
            f" {_LEAST_INFORMATIVE} for {len(names)} of these detectors; its corrected"
            f" intervals say little for them: {', '.join(names)}"
        )
