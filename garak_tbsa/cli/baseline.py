# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa baseline``: keep a report that later scans are compared with."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import asdict

from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.parsers import REPORT_FILE, add_scoring_options
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.detector_eval.summary import evaluation_date
from garak_tbsa.errors import (
    EXIT_DONE,
    GarakTbsaError,
    NotScorableError,
    OutputError,
    ReportError,
    UsageError,
)
from garak_tbsa.files import is_stream, write_pieces, write_whole
from garak_tbsa.garak_files.calibration import Calibration
from garak_tbsa.garak_files.kept import KeptBaseline, kept_bytes, read_kept
from garak_tbsa.tasks.scoring import (
    ScoringOptions,
    assess_path,
    chosen_calibration,
    scoring_files,
    scoring_options,
)
from garak_tbsa.tbsa.assessment import Assessment, held_against_rows
from garak_tbsa.tbsa.gate import inconsistencies
from garak_tbsa.tbsa.outputs.json_text import json_text
from garak_tbsa.terminal import write_lines

DEFAULT = "tbsa-baseline.jsonl.gz"
"""No name that a folder of reports is searched for, so that no scan counts twice."""

COMMANDS = {
    "save": "keep a report, whole and compressed",
    "show": "say what is kept",
}
SCHEMA_VERSION = 1


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = CommandParser(
        prog="garak-tbsa baseline",
        description="Keep a report that later scans are compared with"
        " (garak-tbsa score --baseline FILE, reporting.tbsa.baseline).",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    save = commands.add_parser(
        "save",
        help=COMMANDS["save"],
        description="Keep a whole report, compressed, with its date, target, TBSA and"
        " checksum.",
    )
    save.add_argument("report", metavar="REPORT", help=REPORT_FILE)
    save.add_argument(
        "--to",
        metavar="FILE",
        default=DEFAULT,
        help=f"where to keep it (default {DEFAULT})",
    )
    save.add_argument(
        "--force",
        action="store_true",
        help="keep a report even if no scan can be compared with it (partial,"
        " inconsistent, without counts), and replace a file that is not a report",
    )
    show = commands.add_parser(
        "show",
        help=COMMANDS["show"],
        description="Say what is kept, and what it scores with this garak.",
    )
    show.add_argument(
        "report",
        nargs="?",
        metavar="FILE",
        default=DEFAULT,
        help=f"a baseline (default {DEFAULT})",
    )
    show.add_argument(
        "-j", "--json_output", metavar="PATH", help="write the same as JSON"
    )
    for command in (save, show):
        add_scoring_options(command)
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command."""
    options = build_parser().parse_args(argv)
    if is_stream(options.report):
        raise UsageError(
            f"{options.report}: standard input can be read only once, and a"
            " baseline is read several times; give a file"
        )
    scoring = scoring_options(options)
    calibration = chosen_calibration(scoring.calibration)
    if options.command == "show":
        return _show(options, scoring, calibration)
    return _save(options, scoring, calibration)


def _save(
    options: argparse.Namespace,
    scoring: ScoringOptions,
    calibration: Calibration | None,
) -> int:
    report, target = options.report, options.to
    _require_local_file(target)
    claim_outputs({"--to": target}, [report, *scoring_files(options)])
    assessment = held_against_rows(assess_path(report, scoring, calibration))
    problems = _why_no_baseline(assessment)
    if problems and not options.force:
        raise NotScorableError(
            f"{report}: cannot serve as a baseline: {'; '.join(problems)};"
            " keep another report, or add --force to keep this one"
        )
    replaced = _replaced(target, scoring, calibration, force=options.force)
    kept = _kept(assessment)

    def check(path: str) -> None:
        """Read back what was written; the report may have been changed meanwhile."""
        if not _is_the_same(assessment, path, scoring, calibration):
            raise ReportError(
                report,
                "it changed while it was copied; nothing was kept",
                "give a whole .report.jsonl whose scan has ended",
            )

    write_pieces(target, kept_bytes(report, kept, scoring.limits), check)
    lines = [
        f"📜 Baseline kept: {target} ({os.path.getsize(target):,} bytes)",
        *_kept_lines(kept),
        *(f"⚠️ {problem}" for problem in problems),
    ]
    if replaced is not None:
        lines += ["   It replaces:", *_kept_lines(replaced)]
        if replaced.checksum != kept.checksum:
            lines.append(
                "⚠️ the checksum differs: scans that could be compared with the old"
                " baseline cannot be compared with this one"
            )
    write_lines([*lines, f"   garak-tbsa score REPORT --baseline {target}"])
    return EXIT_DONE


def _is_the_same(
    assessment: Assessment,
    copy: str,
    scoring: ScoringOptions,
    calibration: Calibration | None,
) -> bool:
    try:
        other = assess_path(copy, scoring, calibration)
    except GarakTbsaError:
        return False
    same_checksum = assessment.checksum.text == other.checksum.text
    return same_checksum and assessment.graded == other.graded


def _require_local_file(target: str) -> None:
    if is_stream(target) or "://" in target or os.path.isdir(target):
        raise UsageError(f"--to {target}: expected the path of a file on this machine")


def _why_no_baseline(assessment: Assessment) -> list[str]:
    """What would make every scan fail that is compared with it."""
    found = [assessment.report.partial_reason, inconsistencies(assessment)]
    if not any(pair.has_counts for pair in assessment.graded):
        found.append("it has no counts of passed outputs")
    return [problem for problem in found if problem is not None]


def _replaced(
    target: str,
    scoring: ScoringOptions,
    calibration: Calibration | None,
    *,
    force: bool,
) -> KeptBaseline | None:
    """What is there already, None where nothing is or --force replaces any file."""
    if not os.path.lexists(target):
        return None
    try:
        return _described(target, scoring, calibration)
    except GarakTbsaError as error:
        if force:
            return None
        raise OutputError(
            f"{target}: exists and is not a baseline ({error}); it was not"
            " replaced; give another --to, or add --force"
        ) from error


def _described(
    path: str, scoring: ScoringOptions, calibration: Calibration | None
) -> KeptBaseline:
    """What was kept there, or what a plain report says of itself."""
    kept = read_kept(path, scoring.limits)
    if kept is None:
        return _kept(assess_path(path, scoring, calibration), kept=False)
    return kept


def _kept(assessment: Assessment, *, kept: bool = True) -> KeptBaseline:
    report = assessment.report
    return KeptBaseline(
        kept=evaluation_date(os.environ) if kept else None,
        source=report.source,
        target=report.target,
        start_time=report.start_time,
        garak_version=report.garak_version,
        tbsa=assessment.tbsa,
        checksum=assessment.checksum.text,
    )


def _kept_lines(kept: KeptBaseline) -> list[str]:
    tbsa = "unknown" if kept.tbsa is None else f"{kept.tbsa:.1f}"
    version = kept.garak_version or "of unknown version"
    when = kept.kept or "never kept"
    return [
        f"   TBSA {tbsa}, checksum {kept.checksum or 'unknown'}",
        f"   target {kept.target or 'unknown'}, garak {version}",
        f"   scan of {kept.start_time or 'unknown date'}, kept {when}",
        f"   made from {kept.source or 'an unknown report'}",
    ]


def _show(
    options: argparse.Namespace,
    scoring: ScoringOptions,
    calibration: Calibration | None,
) -> int:
    path = options.report
    claim_outputs({"-j": options.json_output}, [path, *scoring_files(options)])
    kept = read_kept(path, scoring.limits)
    assessment = held_against_rows(assess_path(path, scoring, calibration))
    now = _kept(assessment, kept=False)
    problems = _why_no_baseline(assessment)
    if kept is not None and kept.tbsa != now.tbsa:
        problems.append(
            f"scored here it is TBSA {now.tbsa}: another garak, calibration or formula"
        )
    if kept is not None and kept.checksum != now.checksum:
        problems.append(f"scored here its checksum is {now.checksum}")
    if kept is None:
        title = f"📜 {path}: a report as garak wrote it, usable as baseline"
    else:
        title = f"📜 Baseline {path}"
    warnings = [f"⚠️ {problem}" for problem in problems]
    write_lines([title, *_kept_lines(kept or now), *warnings])
    if options.json_output:
        document = {
            "schema_version": SCHEMA_VERSION,
            "file": path,
            "kept": None if kept is None else asdict(kept),
            "here": asdict(now),
            "problems": problems,
        }
        write_whole(options.json_output, json_text(document))
    return EXIT_DONE
