# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa score``, also served as ``python -m garak.analyze.tbsa``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from garak_tbsa.api.score import IncompleteScanError, score
from garak_tbsa.cli import outputs, parsers
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    EXIT_GATE_FAILED,
    GarakTbsaError,
    UsageError,
)
from garak_tbsa.files import is_standard_output, write_whole
from garak_tbsa.gates.options import flag_of, lonely
from garak_tbsa.outputs import json_document, text
from garak_tbsa.outputs.annotations import annotations_of
from garak_tbsa.outputs.columns import RULE
from garak_tbsa.outputs.documents.score import Unreadable
from garak_tbsa.outputs.github_commands import Annotation, commands, failure
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.registry import DEFAULT_HITS, FORMATS, JSON, ask_for_evidence
from garak_tbsa.outputs.scored import EVIDENCE_LEFT_OUT, ScoredReport
from garak_tbsa.progress import with_progress
from garak_tbsa.report.places import find_reports
from garak_tbsa.result import ScoreResult
from garak_tbsa.terminal import (
    flush,
    terminal_width,
    write_commands,
    write_error,
    write_line,
    write_lines,
)

SWITCHES = {
    "-v, --verbose": "say more: what the range rests on, what a comparison with a"
    " repeat could find, every pair with its grades",
    "--nohash": "hide hash and checksum",
    "-q, --quiet": "print only pair count, hash and TBSA; with -j, print nothing",
    "--explain-checksum": "print each part that the checksum covers",
    "--no-evidence": "leave hits out of page, Markdown and SARIF, for instance if"
    " others read them; attempts are then not read for hits",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes; garak's own flags keep their meaning."""
    parser.description = "Score garak reports: one TBSA from 1.0 to 5.0 for each."
    parser.epilog = "Exit codes: 0 done, 1 could not score, 2 usage, 3 a gate failed."
    parser.add_argument(
        "reports", nargs="*", metavar="REPORT", help=parsers.REPORTS_HELP
    )
    parser.add_argument(
        *("-r", "--report_path"),
        action="append",
        default=[],
        metavar="REPORT",
        help="the same, for compatibility with garak's own module",
    )
    parsers.add_switches(parser, SWITCHES)
    added = ("report", *parsers.OF_GATES)
    parsers.add_options_of(parser, score, but=added, hits=DEFAULT_HITS)
    outputs.add_form_options(parser, FORMATS)
    parsers.add_gate_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        A single report cannot be scored.
    """
    if problem := lonely(vars(options), flag_of):
        options.parser.error(problem)
    given = [*options.report_path, *options.reports]
    if not given:
        options.parser.error("a report path is required (-r/--report_path)")
    try:
        return _run(options, given)
    except GarakTbsaError as error:
        _annotate([failure(str(error))], options)
        raise


def _run(options: argparse.Namespace, given: list[str]) -> int:
    reports = given
    if not all(map(os.path.isfile, given)):
        reports = find_reports(given, tell=write_error)
    is_one = len(reports) == 1 and reports == given
    inputs = [options.baseline, options.metrics, *parsers.scoring_files(options)]
    for form in outputs.claimed_forms(options, FORMATS, [*reports, *inputs]):
        if form != JSON and not is_one:
            raise UsageError(
                f"{form.options[-1]} shows one report, and several were given;"
                " give one, or -j for all of them"
            )
    problems: dict[str, str] = {}
    if is_one:
        results = [_scored(reports[0], options, options.baseline, problems)]
        _tell_one(results[0], options)
    else:
        folder = given[0] if len(given) == 1 else ""
        results = _several(reports, options, folder, problems)
    for result in results:
        source = result.report.source
        if not (is_one or options.quiet or result.verdict is None):
            write_line(f"📜 {source}")
        if options.quiet or not is_one:
            outputs.tell_verdict(source, result.verdict, quiet=options.quiet)
        if source in problems:
            write_error(problems[source])
    found = [each for result in results for each in annotations_of(result)]
    _annotate([*found, *map(failure, problems.values())], options)
    if problems:
        return EXIT_COULD_NOT
    return EXIT_GATE_FAILED if any(each.failed for each in results) else EXIT_DONE


def _scored(
    path: str,
    options: argparse.Namespace,
    baseline: str | ScoreResult | None,
    problems: dict[str, str],
    *,
    is_in_table: bool = False,
) -> ScoredReport:
    """One scored report.

    Parameters
    ----------
    problems : dict
        Gets what ``--strict`` says of a scan, by its report.
    """
    forms = [form.name for form in outputs.form_paths(options, FORMATS)]
    shows_hits = ask_for_evidence(forms)
    # a table of several reports shows no range; the verdict on a least score may
    printed = not options.quiet and not (is_in_table and options.fail_under is None)
    arguments = parsers.arguments_for(
        score,
        options,
        report=path,
        baseline=baseline,
        interval=(printed or bool(forms)) and options.interval,
        hits=options.hits if shows_hits and not options.no_evidence else None,
    )
    try:
        scored = score(**arguments)
    except IncompleteScanError as error:
        scored = error.result
        problems[scored.report.source] = str(error)
    if is_in_table:
        # many scans are held at once, and no table shows what their attempts say
        released = replace(scored.assessment, report=scored.report.released())
        scored = replace(scored, assessment=released)
    if shows_hits and options.no_evidence:
        return replace(scored, evidence=EVIDENCE_LEFT_OUT)
    return scored


def _several(
    reports: Sequence[str],
    options: argparse.Namespace,
    folder: str,
    problems: dict[str, str],
) -> list[ScoredReport]:
    """Score each report by itself; ``problems`` gets why some cannot be scored."""
    baseline: str | ScoreResult | None = options.baseline
    if isinstance(baseline, str) and not options.baseline_optional:
        # read once, for however many reports are judged against it
        assessment = parsers.assess_with(baseline, options)
        baseline = ScoreResult(assessment=assessment)
    results: list[ScoredReport] = []
    unreadable: list[Unreadable] = []
    for path in with_progress(reports, len(reports), "reports"):
        try:
            scored = _scored(path, options, baseline, problems, is_in_table=True)
        except GarakTbsaError as error:
            problems[path] = str(error)
            write_error(problems[path])
            unreadable.append(Unreadable(infile=path, error=problems[path]))
        else:
            results.append(scored)
    paths = outputs.form_paths(options, FORMATS)
    if results and not (options.quiet and paths):
        _tell_several(results, options, folder)
    for path in paths.values():
        document = json_document.several_document(results, unreadable)
        write_whole(path, json_text(document))
    return results


def _tell_one(result: ScoredReport, options: argparse.Namespace) -> None:
    paths, with_hash = outputs.form_paths(options, FORMATS), not options.nohash
    if options.quiet:
        if JSON not in paths:
            write_lines(text.quiet_lines(result, with_hash=with_hash))
        partial = result.report.partial_reason
        if partial is not None:
            write_error(f"{result.report.source}: partial: {partial}")
        for gap in result.assessment.gaps:
            write_error(f"{result.report.source}: {gap}")
    else:
        write_lines(text.answer_lines(result, with_hash=with_hash))
        if options.verbose:
            pairs = text.pair_table(result, terminal_width())
            write_lines([RULE, *text.detail_lines(result), RULE, *pairs])
        if options.explain_checksum:
            checksum = result.assessment.checksum
            write_lines([RULE, *text.checksum_lines(checksum)])
    outputs.write_forms(paths, result)


def _tell_several(
    results: Sequence[ScoredReport], options: argparse.Namespace, folder: str
) -> None:
    assessments = [result.assessment for result in results]
    if options.verbose:
        for result in results:
            source = f"📜 Report file: {result.report.source}"
            pairs = text.pair_table(result, terminal_width())
            write_lines([source, *pairs, RULE])
    if options.explain_checksum:
        checksums = {entry.checksum.text: entry.checksum for entry in assessments}
        for checksum in checksums.values():
            write_lines([*text.checksum_lines(checksum), RULE])
    write_lines(text.report_table(assessments, folder, terminal_width()))


def _annotate(found: Sequence[Annotation], options: argparse.Namespace) -> None:
    """Tell GitHub Actions, if asked to.

    On standard output, or on standard error where a result is read from the former:
    the runner obeys both.
    """
    if not options.github:
        return
    paths = outputs.form_paths(options, FORMATS).values()
    is_read = options.quiet or any(map(is_standard_output, paths))
    flush()
    write_commands(commands(found), stream=sys.stderr if is_read else None)
