# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa history``."""

from __future__ import annotations

import argparse
import os

from garak_tbsa.cli.parsers import add_scoring_options, plain_help, whole_number_from
from garak_tbsa.cli.scoring import (
    ScoringOptions,
    chosen_calibration,
    find_reports,
    scoring_files,
    scoring_options,
)
from garak_tbsa.cli.terminal import write_error, write_line, write_lines
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE, GarakTbsaError, ReportError
from garak_tbsa.files import require_distinct, write_whole
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.garak_files.calibration import Calibration
    from garak_tbsa.tbsa.history import Scan

WORTH_WORKERS = 40


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = argparse.ArgumentParser(
        prog="garak-tbsa history",
        description="Every report below a folder, by target and checksum, over time.",
        allow_abbrev=False,
        formatter_class=plain_help,
    )
    parser.add_argument("folder", help="where *.report.jsonl are looked for")
    parser.add_argument("--jsonl", metavar="PATH", help="write one JSON object a scan")
    parser.add_argument("--html", metavar="PATH", help="write a page with charts")
    parser.add_argument(
        "--jobs",
        type=whole_number_from(1),
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes (default: one per processor)",
    )
    add_scoring_options(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command; a report that cannot be scored is one line, not the end.

    Raises
    ------
    ReportError
        The folder is none, or holds no report.
    """
    from garak_tbsa.tbsa.history import in_series
    from garak_tbsa.tbsa.outputs import history as output

    options = build_parser().parse_args(argv)
    if not os.path.isdir(options.folder):
        raise ReportError(options.folder, "is not a folder", "name a folder of reports")
    paths = find_reports([options.folder])
    require_distinct(
        {"--jsonl": options.jsonl, "--html": options.html},
        [*paths, *scoring_files(options)],
    )
    scoring = scoring_options(options)
    calibration = chosen_calibration(scoring.calibration)
    scans, errors = _scan_all(paths, options.jobs, scoring, calibration)
    for error in errors:
        write_error(error)
    series = in_series(scans)
    ordered = [scan for group in series for scan in group.scans]
    write_lines(output.lines(series))
    if options.jsonl:
        write_whole(options.jsonl, output.to_json_lines(ordered))
    if options.html:
        write_whole(options.html, output.to_page(series, options.folder))
    if errors:
        write_line(f"{len(errors)} of {len(paths)} reports could not be scored")
    return EXIT_DONE if scans else EXIT_COULD_NOT


def _scan_all(
    paths: Sequence[str],
    jobs: int,
    scoring: ScoringOptions,
    calibration: Calibration | None,
) -> tuple[list[Scan], list[str]]:
    if jobs == 1 or len(paths) < WORTH_WORKERS:
        results = [_scan(path, scoring, calibration) for path in paths]
    else:
        from concurrent.futures import ProcessPoolExecutor
        from functools import partial

        work = partial(_scan, scoring=scoring, calibration=calibration)
        with ProcessPoolExecutor(jobs) as pool:
            results = list(pool.map(work, paths, chunksize=8))
    scans = [result for result in results if not isinstance(result, Unavailable)]
    return scans, [each.reason for each in results if isinstance(each, Unavailable)]


def _scan(
    path: str, scoring: ScoringOptions, calibration: Calibration | None
) -> Scan | Unavailable:
    """Return a scan, or why it could not be scored."""
    from garak_tbsa.cli.scoring import assess_path
    from garak_tbsa.tbsa.history import to_scan

    try:
        return to_scan(assess_path(path, scoring, calibration))
    except GarakTbsaError as error:
        return Unavailable(reason=str(error))
