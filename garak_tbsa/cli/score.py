# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa score``, also served as ``python -m garak.analyze.tbsa``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from garak_tbsa.api.score import IncompleteScanError, score
from garak_tbsa.cli.outputs import annotate, show_verdict, tell_failed, write_outputs
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.cli.score_options import ScoreOptions, parse_options
from garak_tbsa.cli.scoring_arguments import scoring_arguments, scoring_files
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    EXIT_GATE_FAILED,
    GarakTbsaError,
    UsageError,
)
from garak_tbsa.files import write_whole
from garak_tbsa.garak_files.finding import find_reports
from garak_tbsa.progress import with_progress
from garak_tbsa.results.scored import ScoreResult
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.outputs import json_document, text
from garak_tbsa.tbsa.outputs.annotations import annotations_of
from garak_tbsa.tbsa.outputs.github_commands import failure
from garak_tbsa.tbsa.outputs.json_text import json_text
from garak_tbsa.tbsa.outputs.registry import FORMATS, ask_for_evidence
from garak_tbsa.tbsa.outputs.view import EVIDENCE_LEFT_OUT, ScoredReport
from garak_tbsa.terminal import terminal_width, write_error, write_line, write_lines
from garak_tbsa.version import __version__

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
    reports = _reports(options.paths)
    claim_outputs(
        {form.options[0]: options.outputs[form.name] for form in FORMATS},
        [*reports, options.baseline, options.metrics, *scoring_files(options)],
    )
    if options.merge or (len(reports) == 1 and reports == options.paths):
        return _run_one(reports, options)
    return _run_several(reports, options)


def _reports(paths: Sequence[str]) -> list[str]:
    """Reports as given, folders replaced by what is below them."""
    if all(map(os.path.isfile, paths)):
        return list(paths)
    return find_reports(paths, tell=write_error)


def _run_one(paths: Sequence[str], options: ScoreOptions) -> int:
    result, problem = _scored(paths, options, options.baseline)
    if not options.quiet:
        _show(result, options)
    elif not options.outputs[ALL_IN_ONE]:
        write_lines(text.quiet_lines(result, with_hash=not options.nohash))
    write_outputs(result, options.outputs)
    if options.quiet:
        _tell_partial(result.assessment)
        tell_failed(result.assessment.report.source, result.verdict)
    else:
        show_verdict(result.verdict)
    _annotate([result], options)
    if problem is not None:
        raise problem
    return _gate_code([result])


def _scored(
    paths: Sequence[str],
    options: ScoreOptions,
    baseline: str | ScoreResult | None,
    *,
    in_table: bool = False,
) -> tuple[ScoredReport, IncompleteScanError | None]:
    """One scored report, and how it falls short of what ``--strict`` asks for.

    Several paths are the parts of one scan.
    """
    forms = [name for name, path in options.outputs.items() if path]
    shows_hits = ask_for_evidence(forms)
    problem = None
    try:
        result = score(
            paths,
            merge=options.merge,
            repeat=options.repeat,
            interval=_shows_range(options, in_table=in_table),
            strict=options.strict,
            **{**options.gate, "baseline": baseline},
            hits=options.hits if shows_hits and not options.no_evidence else None,
            hits_seed=options.hits_seed,
            metrics=options.metrics,
            **scoring_arguments(options),
        )
    except IncompleteScanError as error:
        result, problem = error.result, error
    scored = result.scored
    if shows_hits and options.no_evidence:
        scored = replace(scored, evidence=EVIDENCE_LEFT_OUT)
    return scored, problem


def _shows_range(options: ScoreOptions, *, in_table: bool) -> bool:
    """Whether somebody will see what a repeat would score.

    A table of several reports shows no range; the verdict on a least score may.
    """
    printed = not options.quiet and (not in_table or options.fail_under is not None)
    return (printed or any(options.outputs.values())) and not options.no_interval


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


def _run_several(paths: Sequence[str], options: ScoreOptions) -> int:
    _require_one_report(options)
    found = _score_each(paths, options)
    results = found.results
    if results and not (options.quiet and options.outputs[ALL_IN_ONE]):
        _show_several([result.assessment for result in results], options)
    together = options.outputs[ALL_IN_ONE]
    if together:
        _write_several(together, found)
    for result in results:
        if options.quiet:
            tell_failed(result.assessment.report.source, result.verdict)
        elif result.verdict is not None:
            write_lines([f"📜 {result.assessment.report.source}"])
            show_verdict(result.verdict)
    for problem in found.incomplete:
        write_error(problem)
    _annotate(results, options)
    failures = [*found.unreadable.values(), *found.incomplete]
    _annotate_failures(failures, options)
    return EXIT_COULD_NOT if failures else _gate_code(results)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Several:
    """Several reports: scored, without a score (and why), and not complete."""

    results: list[ScoredReport] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)
    incomplete: list[str] = field(default_factory=list)


def _score_each(paths: Sequence[str], options: ScoreOptions) -> _Several:
    baseline: str | ScoreResult | None = options.baseline
    if isinstance(baseline, str) and not options.baseline_optional:
        # once, for however many reports are judged against it
        baseline = score(baseline, interval=False, **scoring_arguments(options))
    found = _Several()
    for path in with_progress(paths, len(paths), "reports"):
        try:
            result, problem = _scored([path], options, baseline, in_table=True)
        except GarakTbsaError as error:
            write_error(str(error))
            found.unreadable[path] = str(error)
            continue
        found.results.append(result)
        if problem is not None:
            found.incomplete.append(str(problem))
    return found


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


def _write_several(path: str, found: _Several) -> None:
    documents = [json_document.score_document(result) for result in found.results]
    unreadable = [
        {"infile": source, "error": problem}
        for source, problem in found.unreadable.items()
    ]
    document = json_document.several_document(documents, unreadable)
    write_whole(path, json_text(document))


def _gate_code(results: Sequence[ScoredReport]) -> int:
    failed = any(result.verdict and not result.verdict.passed for result in results)
    return EXIT_GATE_FAILED if failed else EXIT_DONE


def _show(result: ScoredReport, options: ScoreOptions) -> None:
    assessment = result.assessment
    write_line(f"garak-tbsa {__version__}: TBSA of a garak scan")
    write_line(text.RULE)
    if options.verbose:
        write_lines([*text.pair_table(assessment, terminal_width()), text.RULE])
    if options.explain_checksum:
        write_lines([*text.checksum_lines(assessment.checksum), text.RULE])
    write_lines(text.summary_lines(result, with_hash=not options.nohash))
