# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa score``, also served as ``python -m garak.analyze.tbsa``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
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
from garak_tbsa.outputs.github_commands import Annotation, commands, failure
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
    forms = outputs.claimed_forms(options, FORMATS, [*reports, *inputs])
    alone = [form.options[-1] for form in forms if form != JSON]
    if alone and not is_one:
        raise UsageError(
            f"{alone[0]} shows one report, and several were given;"
            " give one, or -j for all of them"
        )
    results, problems = _scored(reports, options, is_one=is_one)
    if options.quiet and is_one:
        _tell_quietly(results[0], options)
    elif results and not (options.quiet and forms):
        folder = given[0] if len(given) == 1 else ""
        write_lines(_lines(results, options, folder, is_one=is_one))
    if is_one:
        outputs.write_forms(forms, results[0])
    for path in () if is_one else forms.values():
        write_whole(path, json_document.several(results, problems))
    for result in results:
        _tell_verdict(result, options, is_one=is_one)
        if result.report.source in problems:
            write_error(problems[result.report.source])
    found = [each for result in results for each in annotations_of(result)]
    _annotate([*found, *map(failure, problems.values())], options)
    if problems:
        return EXIT_COULD_NOT
    return EXIT_GATE_FAILED if any(each.failed for each in results) else EXIT_DONE


def _scored(
    reports: Sequence[str], options: argparse.Namespace, *, is_one: bool
) -> tuple[list[ScoredReport], dict[str, str]]:
    """Score each report by itself; return also what is wrong with some, by report.

    Several are held at once: without what their attempts say, which no table shows.
    """
    forms = outputs.form_paths(options, FORMATS)
    shows_hits = ask_for_evidence(form.name for form in forms)
    # a table of several reports shows no range; the verdict on a least score may
    printed = not options.quiet and (is_one or options.fail_under is not None)
    arguments = parsers.arguments_for(
        score,
        options,
        interval=options.interval and (printed or bool(forms)),
        hits=options.hits if shows_hits and not options.no_evidence else None,
    )
    watched: Iterable[str] = reports
    if not is_one:
        watched = with_progress(iter(reports), len(reports), "reports")
        if options.baseline is not None and not options.baseline_optional:
            # read once, for however many reports are judged against it
            before = parsers.assess_with(options.baseline, options)
            arguments["baseline"] = ScoreResult(assessment=before)
    results: list[ScoredReport] = []
    problems: dict[str, str] = {}
    for path in watched:
        try:
            scored: ScoredReport = score(path, **arguments)
        except IncompleteScanError as error:
            scored, problems[path] = error.result, str(error)
        except GarakTbsaError as error:
            if is_one:
                raise
            problems[path] = str(error)
            write_error(problems[path])
            continue
        if not is_one:
            report = scored.report.released()
            scored = replace(
                scored, assessment=replace(scored.assessment, report=report)
            )
        if shows_hits and options.no_evidence:
            scored = replace(scored, evidence=EVIDENCE_LEFT_OUT)
        results.append(scored)
    return results, problems


def _lines(
    results: Sequence[ScoredReport],
    options: argparse.Namespace,
    folder: str,
    *,
    is_one: bool,
) -> Iterator[str]:
    """Yield what is said: of one report the answer first, of several a table last."""
    width = terminal_width()
    if is_one:
        yield from text.answer_lines(results[0], with_hash=not options.nohash)
    for result in results if options.verbose else ():
        pairs = text.pair_table(result, width)
        yield from (RULE, *text.detail_lines(result), RULE, *pairs)
    if options.explain_checksum:
        checksums = {each.checksum: each.assessment.checksum for each in results}
        for checksum in checksums.values():
            yield from (RULE, *text.checksum_lines(checksum))
    if not is_one:
        yield from [RULE] * (options.verbose or options.explain_checksum)
        assessments = [result.assessment for result in results]
        yield from text.report_table(assessments, folder, width)


def _tell_quietly(result: ScoredReport, options: argparse.Namespace) -> None:
    if not options.output_json:
        write_lines(text.quiet_lines(result, with_hash=not options.nohash))
    partial = result.report.partial_reason
    doubts = [] if partial is None else [f"partial: {partial}"]
    for doubt in (*doubts, *result.assessment.gaps):
        write_error(f"{result.report.source}: {doubt}")


def _tell_verdict(
    result: ScoredReport, options: argparse.Namespace, *, is_one: bool
) -> None:
    """Say what came of the gate, where the answer does not say it."""
    source, is_quiet = result.report.source, options.quiet
    if not (is_one or is_quiet or result.verdict is None):
        write_line(f"📜 {source}")
    if is_quiet or not is_one:
        outputs.tell_verdict(source, result.verdict, quiet=is_quiet)


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
