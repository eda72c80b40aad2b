# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa score``, also served as ``python -m garak.analyze.tbsa``."""

from __future__ import annotations

import argparse

from garak_tbsa import __version__
from garak_tbsa.cli.gates import add_gate_options, gate_rules
from garak_tbsa.cli.outputs import Result, gate_verdict, show_verdict, write_outputs
from garak_tbsa.cli.scoring import (
    add_scoring_options,
    assess_path,
    chosen_calibration,
    find_reports,
    plain_help,
)
from garak_tbsa.cli.terminal import write_error, write_line, write_lines
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    EXIT_GATE_FAILED,
    GarakTbsaError,
    NotScorableError,
)
from garak_tbsa.files import write_whole
from garak_tbsa.tbsa.outputs import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.calibration import Calibration
    from garak_tbsa.tbsa.interval import RepeatLaw

EPILOG = "Exit codes: 0 done, 1 could not score, 2 usage, 3 a gate failed."


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser; the flags of garak's own module keep their meaning."""
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Score garak reports: one TBSA from 1.0 to 5.0 for each.",
        epilog=EPILOG,
        allow_abbrev=False,
        formatter_class=plain_help,
    )
    parser.add_argument("reports", nargs="*", metavar="REPORT", help=REPORT_HELP)
    parser.add_argument(
        "-r",
        "--report_path",
        action="append",
        default=[],
        metavar="REPORT",
        help="the same, as garak's own module takes it",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show every pair with its grades"
    )
    parser.add_argument("--nohash", action="store_true", help="hide hash and checksum")
    parser.add_argument(
        "-j", "--json_output", metavar="PATH", help="write the result as JSON"
    )
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="print pair count, hash and TBSA only; nothing together with -j",
    )
    add_scoring_options(parser)
    parser.add_argument(
        "--explain-checksum",
        action="store_true",
        help="print each part that the checksum covers",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit 1 on anything short of a complete scan: partial, warnings,"
        " unmeasured pairs, unknown tiers",
    )
    parser.add_argument(
        "--no-interval", action="store_true", help="do not work out the repeat interval"
    )
    for name, content in OUTPUTS.items():
        parser.add_argument(f"--{name}", metavar="PATH", help=f"write {content}")
    add_gate_options(parser)
    return parser


OUTPUTS = {
    "html": "one self-contained page",
    "markdown": "Markdown, as for a GitHub step summary",
    "junit": "JUnit XML, gate rules and pairs as tests",
    "sarif": "SARIF of the pairs at DEFCON 1 and 2",
}
REPORT_HELP = (
    "garak's .report.jsonl (also .gz, .zst, - for standard input, scheme://...),"
    " or a folder of them"
)


def run(argv: Sequence[str], *, prog: str = "garak-tbsa score") -> int:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        A single report cannot be scored.
    """
    parser = build_parser(prog)
    options = parser.parse_args(argv)
    paths = options.report_path + options.reports
    if not paths:
        parser.error("a report path is required (-r/--report_path)")
    calibration = chosen_calibration(options.calibration)
    reports = find_reports(paths)
    if len(reports) == 1 and reports == paths:
        return _run_one(reports[0], options, calibration)
    return _run_several(reports, options, calibration)


def _run_one(
    path: str, options: argparse.Namespace, calibration: Calibration | None
) -> int:
    result = _result(path, options, calibration, _baseline(options, calibration))
    if not options.quiet:
        _show(result, options)
    elif not options.json_output:
        write_lines(text.quiet_lines(result.assessment, with_hash=not options.nohash))
    write_outputs(result, _output_paths(options))
    if not options.quiet:
        show_verdict(result.verdict)
    _check_strict(result.assessment, options)
    return _gate_code([result])


def _baseline(
    options: argparse.Namespace, calibration: Calibration | None
) -> Assessment | None:
    if options.baseline is None:
        return None
    return assess_path(options.baseline, options, calibration)


def _result(
    path: str,
    options: argparse.Namespace,
    calibration: Calibration | None,
    baseline: Assessment | None,
) -> Result:
    assessment = assess_path(path, options, calibration)
    return Result(
        assessment=assessment,
        law=_law(assessment, options),
        verdict=gate_verdict(assessment, gate_rules(options), baseline),
    )


def _output_paths(options: argparse.Namespace) -> dict[str, str | None]:
    return {
        "json": options.json_output,
        "html": options.html,
        "markdown": options.markdown,
        "junit": options.junit,
        "sarif": options.sarif,
    }


def _run_several(
    paths: Sequence[str], options: argparse.Namespace, calibration: Calibration | None
) -> int:
    baseline = _baseline(options, calibration)
    results: list[Result] = []
    unreadable: list[dict[str, str]] = []
    for path in paths:
        try:
            results.append(_result(path, options, calibration, baseline))
        except GarakTbsaError as error:
            write_error(str(error))
            unreadable.append({"infile": path, "error": str(error)})
    if results and not (options.quiet and options.json_output):
        write_lines(text.report_table([result.assessment for result in results]))
    if options.json_output:
        _write_several(options.json_output, results, unreadable)
    for result in results:
        show_verdict(result.verdict)
        _check_strict(result.assessment, options)
    return EXIT_COULD_NOT if unreadable else _gate_code(results)


def _write_several(
    path: str, results: Sequence[Result], unreadable: Sequence[dict[str, str]]
) -> None:
    from garak_tbsa.tbsa.outputs import json_document

    documents = [
        json_document.score_document(result.assessment, result.law, result.verdict)
        for result in results
    ]
    document = json_document.several_document(documents, unreadable)
    write_whole(path, json_document.to_text(document))


def _gate_code(results: Sequence[Result]) -> int:
    failed = any(result.verdict and not result.verdict.passed for result in results)
    return EXIT_GATE_FAILED if failed else EXIT_DONE


def _law(assessment: Assessment, options: argparse.Namespace) -> RepeatLaw | str | None:
    """The repeat interval, unless nobody will see it."""
    seen = not options.quiet or any(_output_paths(options).values())
    if options.no_interval or not seen or assessment.garak_score is not None:
        return None
    from garak_tbsa.tbsa.interval import repeat_law

    return repeat_law(assessment.graded)


def _show(result: Result, options: argparse.Namespace) -> None:
    assessment = result.assessment
    write_line(f"garak-tbsa {__version__}: TBSA of a garak scan")
    write_line(text.RULE)
    if options.verbose:
        write_lines([*text.pair_table(assessment), text.RULE])
    if options.explain_checksum:
        write_lines([*text.checksum_lines(assessment.checksum), text.RULE])
    write_lines(
        text.summary_lines(assessment, result.law, with_hash=not options.nohash)
    )


def _check_strict(assessment: Assessment, options: argparse.Namespace) -> None:
    shortcomings = _shortcomings(assessment) if options.strict else []
    if shortcomings:
        raise NotScorableError(
            f"{assessment.report.source}: --strict asks for a complete scan,"
            f" this one falls short: {'; '.join(shortcomings)}"
        )


def _shortcomings(assessment: Assessment) -> list[str]:
    from garak_tbsa.tbsa.pairs import TIER_NOT_SCORED

    found = list(assessment.warnings)
    if assessment.report.partial_reason is not None:
        found.append(assessment.report.partial_reason)
    found += [
        f"{entry.pair.name}: {entry.text}"
        for entry in assessment.left_out
        if entry.reason != TIER_NOT_SCORED
    ]
    return found
