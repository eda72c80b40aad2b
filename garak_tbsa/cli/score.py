# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa score``, also served as ``python -m garak.analyze.tbsa``."""

from __future__ import annotations

import os
from collections.abc import Sequence

from garak_tbsa.cli.outputs import annotate, show_verdict, tell_failed, write_outputs
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.cli.score_options import ScoreOptions, parse_options
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    EXIT_GATE_FAILED,
    GarakTbsaError,
    NotScorableError,
    UsageError,
)
from garak_tbsa.files import write_whole
from garak_tbsa.garak_files.calibration import Calibration
from garak_tbsa.progress import with_progress
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.statistics.scan_repeat import repeat_of_scan
from garak_tbsa.tasks.evidence import evidence_of
from garak_tbsa.tasks.finding import find_reports
from garak_tbsa.tasks.gating import gate_verdict, incomplete
from garak_tbsa.tasks.scoring import (
    assess_baseline,
    assess_merged,
    chosen_calibration,
    scoring_files,
)
from garak_tbsa.tbsa.assessment import Assessment, held_against_rows
from garak_tbsa.tbsa.evidence import Evidence
from garak_tbsa.tbsa.gate_outcomes import GateVerdict
from garak_tbsa.tbsa.outputs import json_document, text
from garak_tbsa.tbsa.outputs.annotations import annotations_of
from garak_tbsa.tbsa.outputs.github_commands import failure
from garak_tbsa.tbsa.outputs.json_text import json_text
from garak_tbsa.tbsa.outputs.registry import FORMATS, ask_for_evidence
from garak_tbsa.tbsa.outputs.view import EVIDENCE_LEFT_OUT, NOT_ASKED_FOR, ScoredReport
from garak_tbsa.terminal import terminal_width, write_error, write_lines
from garak_tbsa.unavailable import Unavailable

ALL_IN_ONE = "json"
"""The form that holds several reports in one file."""


def _require_one_report(options: ScoreOptions) -> None:
    """Refuse the outputs that show a single report."""
    for form in FORMATS:
        if form.name != ALL_IN_ONE and options.outputs[form.name]:
            raise UsageError(
                f"{form.options[-1]} shows one report, and several were given;"
                " give one, or -j for all of them"
            )


def run(argv: Sequence[str], *, prog: str = "garak-tbsa score") -> int:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        A single report cannot be scored.
    """
    options = parse_options(argv, prog)
    try:
        return _run(options)
    except GarakTbsaError as error:
        _annotate_failures([str(error)], options)
        raise


def _run(options: ScoreOptions) -> int:
    calibration = chosen_calibration(options.calibration)
    reports = _reports(options.paths)
    claim_outputs(
        {form.options[0]: options.outputs[form.name] for form in FORMATS},
        [*reports, options.baseline, options.metrics, *scoring_files(options)],
    )
    if options.merge or (len(reports) == 1 and reports == options.paths):
        return _run_one(reports, options, calibration)
    return _run_several(reports, options, calibration)


def _reports(paths: Sequence[str]) -> list[str]:
    """Reports as given, folders replaced by what is below them."""
    if all(map(os.path.isfile, paths)):
        return list(paths)
    return find_reports(paths, tell=write_error)


def _run_one(
    paths: Sequence[str], options: ScoreOptions, calibration: Calibration | None
) -> int:
    result = _result(paths, options, calibration, _baseline(options, calibration))
    if not options.quiet:
        _show(result, options)
    elif not options.outputs[ALL_IN_ONE]:
        write_lines(text.quiet_lines(result, with_hash=not options.nohash))
    write_outputs(result, options.outputs)
    if options.quiet:
        _tell_partial(result.assessment)
        tell_failed(result.assessment.report.source, result.verdict)
    _annotate([result], options)
    problem = _strict_problem(result, options)
    if problem is not None:
        raise NotScorableError(problem)
    return _gate_code([result])


def _annotate(results: Sequence[ScoredReport], options: ScoreOptions) -> None:
    """Tell GitHub Actions of failed rules and warnings, if asked to."""
    if options.github:
        annotate(
            [each for result in results for each in annotations_of(result)], options
        )


def _annotate_failures(problems: Sequence[str], options: ScoreOptions) -> None:
    """The same of what could not be scored."""
    if options.github:
        annotate(map(failure, problems), options)


def _tell_partial(assessment: Assessment) -> None:
    """Say on stderr what the three lines of ``-q`` have no room for."""
    report = assessment.report
    if report.partial_reason is not None:
        write_error(f"{report.source}: partial: {report.partial_reason}")


def _baseline(
    options: ScoreOptions, calibration: Calibration | None
) -> Assessment | Unavailable | None:
    if options.baseline is None:
        return None
    found = assess_baseline(
        options.baseline,
        options.scoring,
        calibration,
        optional=options.baseline_optional,
    )
    # once, for however many reports are judged against it
    return found if isinstance(found, Unavailable) else held_against_rows(found)


def _result(
    paths: Sequence[str],
    options: ScoreOptions,
    calibration: Calibration | None,
    baseline: Assessment | Unavailable | None,
    *,
    in_table: bool = False,
) -> ScoredReport:
    """One scored report; several paths are the parts of one scan."""
    assessment = assess_merged(paths, options.scoring, calibration)
    if options.strict:
        assessment = held_against_rows(assessment)
    repeat = _repeat(assessment, options, in_table=in_table)
    known = None if repeat == NOT_ASKED_FOR else repeat
    return ScoredReport(
        assessment=assessment,
        repeat=NOT_ASKED_FOR if options.no_interval else repeat,
        verdict=_verdict(assessment, options, baseline, known),
        evidence=_evidence(assessment, options),
    )


def _verdict(
    assessment: Assessment,
    options: ScoreOptions,
    baseline: Assessment | Unavailable | None,
    repeat: RepeatDistribution | Unavailable | None,
) -> GateVerdict | None:
    rules = options.rules
    if baseline is None and not rules.asks_something:
        return None
    return gate_verdict(assessment, rules, baseline, repeat)


def _evidence(assessment: Assessment, options: ScoreOptions) -> Evidence | Unavailable:
    """What lies behind the pairs, where an output shows it."""
    forms = [name for name, path in options.outputs.items() if path]
    if not ask_for_evidence(forms):
        return NOT_ASKED_FOR
    if options.no_evidence:
        return EVIDENCE_LEFT_OUT
    return evidence_of(
        assessment,
        hits=options.hits,
        seed=options.hits_seed,
        metrics=options.metrics,
    )


def _run_several(
    paths: Sequence[str], options: ScoreOptions, calibration: Calibration | None
) -> int:
    _require_one_report(options)
    baseline = _baseline(options, calibration)
    results: list[ScoredReport] = []
    unreadable: list[dict[str, str]] = []
    for path in with_progress(paths, len(paths), "reports"):
        try:
            result = _result([path], options, calibration, baseline, in_table=True)
            results.append(result)
        except GarakTbsaError as error:
            write_error(str(error))
            unreadable.append({"infile": path, "error": str(error)})
    if results and not (options.quiet and options.outputs[ALL_IN_ONE]):
        _show_several([result.assessment for result in results], options)
    together = options.outputs[ALL_IN_ONE]
    if together:
        _write_several(together, results, unreadable)
    for result in results:
        if options.quiet:
            tell_failed(result.assessment.report.source, result.verdict)
        elif result.verdict is not None:
            write_lines([f"📜 {result.assessment.report.source}"])
            show_verdict(result.verdict)
    strict_problems = [
        problem
        for result in results
        if (problem := _strict_problem(result, options)) is not None
    ]
    for problem in strict_problems:
        write_error(problem)
    _annotate(results, options)
    failures = [*(each["error"] for each in unreadable), *strict_problems]
    _annotate_failures(failures, options)
    return EXIT_COULD_NOT if failures else _gate_code(results)


def _show_several(assessments: Sequence[Assessment], options: ScoreOptions) -> None:
    if options.verbose:
        for assessment in assessments:
            source = f"📜 Report file: {assessment.report.source}"
            pairs = text.pair_table(assessment, terminal_width())
            write_lines([source, *pairs, text.RULE])
    if options.explain_checksum:
        checksums = {entry.checksum.text: entry.checksum for entry in assessments}
        for checksum in checksums.values():
            write_lines([*text.checksum_lines(checksum), text.RULE])
    folder = options.paths[0] if len(options.paths) == 1 else ""
    write_lines(text.report_table(assessments, folder, terminal_width()))


def _write_several(
    path: str, results: Sequence[ScoredReport], unreadable: Sequence[dict[str, str]]
) -> None:
    documents = [json_document.score_document(result) for result in results]
    document = json_document.several_document(documents, unreadable)
    write_whole(path, json_text(document))


def _gate_code(results: Sequence[ScoredReport]) -> int:
    failed = any(result.verdict and not result.verdict.passed for result in results)
    return EXIT_GATE_FAILED if failed else EXIT_DONE


def _repeat(
    assessment: Assessment, options: ScoreOptions, *, in_table: bool
) -> RepeatDistribution | Unavailable:
    """The distribution of a repeat's score, unless nobody will see or judge it.

    A table of several reports shows no range; the verdict on a least score may.
    """
    printed = not options.quiet and (not in_table or options.fail_under is not None)
    seen = (printed or any(options.outputs.values())) and not options.no_interval
    if not seen and options.sure is None:
        return NOT_ASKED_FOR
    return repeat_of_scan(assessment, options.repeat)


def _show(result: ScoredReport, options: ScoreOptions) -> None:
    write_lines(text.answer_lines(result, with_hash=not options.nohash))
    if options.verbose:
        pairs = text.pair_table(result.assessment, terminal_width())
        write_lines([text.RULE, *text.detail_lines(result), text.RULE, *pairs])
    if options.explain_checksum:
        checksum = result.assessment.checksum
        write_lines([text.RULE, *text.checksum_lines(checksum)])


def _strict_problem(result: ScoredReport, options: ScoreOptions) -> str | None:
    if not options.strict:
        return None
    return incomplete(result.assessment)
