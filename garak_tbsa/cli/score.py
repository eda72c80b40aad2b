# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa score``, also served as ``python -m garak.analyze.tbsa``."""

from __future__ import annotations

from garak_tbsa import __version__
from garak_tbsa.cli.outputs import Result, gate_verdict, show_verdict, write_outputs
from garak_tbsa.cli.scoring import (
    ScoringOptions,
    assess_path,
    calibration_file,
    chosen_calibration,
    find_reports,
)
from garak_tbsa.cli.terminal import write_error, write_line, write_lines
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    EXIT_GATE_FAILED,
    GarakTbsaError,
    NotScorableError,
    UsageError,
)
from garak_tbsa.files import require_distinct, write_whole
from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.gate import DEFAULT_ALPHA, GateRules
from garak_tbsa.tbsa.outputs import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.garak_files.calibration import Calibration
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.interval import RepeatLaw


@record
class ScoreOptions:
    """What was asked of ``garak-tbsa score``; see its ``--help`` for each option."""

    reports: Sequence[str] = ()
    report_path: Sequence[str] = ()
    verbose: bool = False
    nohash: bool = False
    json_output: str | None = None
    quiet: bool = False
    formula: str = ScoringOptions().formula
    calibration: str = ScoringOptions().calibration
    explain_checksum: bool = False
    strict: bool = False
    no_interval: bool = False
    html: str | None = None
    markdown: str | None = None
    junit: str | None = None
    sarif: str | None = None
    fail_under: float | None = None
    require_tier1_grade: int | None = None
    min_coverage: float | None = None
    baseline: str | None = None
    alpha: float = DEFAULT_ALPHA

    @property
    def paths(self) -> list[str]:
        """Reports and folders, as given."""
        return [*self.report_path, *self.reports]

    @property
    def scoring(self) -> ScoringOptions:
        """How each report is scored."""
        return ScoringOptions(formula=self.formula, calibration=self.calibration)

    @property
    def rules(self) -> GateRules:
        """The gate."""
        return GateRules(
            fail_under=self.fail_under,
            require_tier1_grade=self.require_tier1_grade,
            min_coverage=self.min_coverage,
            alpha=self.alpha,
        )

    @property
    def outputs(self) -> dict[str, str | None]:
        """Path by form."""
        return {
            "json": self.json_output,
            "html": self.html,
            "markdown": self.markdown,
            "junit": self.junit,
            "sarif": self.sarif,
        }


SWITCHES = {
    "-q": "quiet",
    "--quiet": "quiet",
    "-v": "verbose",
    "--verbose": "verbose",
    "--nohash": "nohash",
    "--no-interval": "no_interval",
}


def parse_options(argv: Sequence[str], prog: str) -> ScoreOptions:
    """Return what the arguments ask for; ends the process on a wrong one."""
    simple = _simple_options(argv)
    if simple is not None:
        return simple
    from garak_tbsa.cli.score_parser import build_parser

    parser = build_parser(prog)
    options = ScoreOptions(**vars(parser.parse_intermixed_args(argv)))
    if not options.paths:
        parser.error("a report path is required (-r/--report_path)")
    return options


def _simple_options(argv: Sequence[str]) -> ScoreOptions | None:
    """Read reports and switches; None where argparse has to look.

    Importing argparse takes as long as a score, so the common calls do without.
    """
    reports: list[str] = []
    report_path: list[str] = []
    switches: set[str] = set()
    arguments = iter(argv)
    for argument in arguments:
        if argument in SWITCHES:
            switches.add(SWITCHES[argument])
        elif argument == "-r":
            report_path.append(next(arguments, "-"))
        else:
            reports.append(argument)
    given = reports + report_path
    if not given or any(path.startswith("-") for path in given):
        return None
    return ScoreOptions(
        reports=reports,
        report_path=report_path,
        quiet="quiet" in switches,
        verbose="verbose" in switches,
        nohash="nohash" in switches,
        no_interval="no_interval" in switches,
    )


def _require_one_report(options: ScoreOptions) -> None:
    """Refuse the outputs that show a single report."""
    for form in ("html", "markdown", "junit", "sarif"):
        if options.outputs[form]:
            raise UsageError(
                f"--{form} shows one report, and several were given;"
                " give one, or -j for all of them"
            )


def option_of(form: str) -> str:
    """Return the option that asks for a form of output."""
    return "-j" if form == "json" else f"--{form}"


def run(argv: Sequence[str], *, prog: str = "garak-tbsa score") -> int:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        A single report cannot be scored.
    """
    options = parse_options(argv, prog)
    calibration = chosen_calibration(options.calibration)
    reports = find_reports(options.paths)
    require_distinct(
        {option_of(form): path for form, path in options.outputs.items()},
        [*reports, options.baseline, calibration_file(options.calibration)],
    )
    if len(reports) == 1 and reports == options.paths:
        return _run_one(reports[0], options, calibration)
    return _run_several(reports, options, calibration)


def _run_one(path: str, options: ScoreOptions, calibration: Calibration | None) -> int:
    result = _result(path, options, calibration, _baseline(options, calibration))
    if not options.quiet:
        _show(result, options)
    elif not options.json_output:
        write_lines(text.quiet_lines(result.assessment, with_hash=not options.nohash))
    write_outputs(result, options.outputs)
    if options.quiet:
        _tell_partial(result.assessment)
    else:
        show_verdict(result.verdict)
    problem = _strict_problem(result.assessment, options)
    if problem is not None:
        raise NotScorableError(problem)
    return _gate_code([result])


def _tell_partial(assessment: Assessment) -> None:
    """Say on stderr what the three lines of ``-q`` have no room for."""
    report = assessment.report
    if report.partial_reason is not None:
        write_error(f"{report.source}: partial: {report.partial_reason}")


def _baseline(
    options: ScoreOptions, calibration: Calibration | None
) -> Assessment | None:
    if options.baseline is None:
        return None
    return assess_path(options.baseline, options.scoring, calibration)


def _result(
    path: str,
    options: ScoreOptions,
    calibration: Calibration | None,
    baseline: Assessment | None,
) -> Result:
    assessment = assess_path(path, options.scoring, calibration)
    return Result(
        assessment=assessment,
        law=_law(assessment, options),
        verdict=gate_verdict(assessment, options.rules, baseline),
    )


def _run_several(
    paths: Sequence[str], options: ScoreOptions, calibration: Calibration | None
) -> int:
    _require_one_report(options)
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
        _show_several([result.assessment for result in results], options)
    if options.json_output:
        _write_several(options.json_output, results, unreadable)
    for result in results:
        if result.verdict is not None and not options.quiet:
            write_lines([f"📜 {result.assessment.report.source}"])
            show_verdict(result.verdict)
    incomplete = [
        problem
        for result in results
        if (problem := _strict_problem(result.assessment, options)) is not None
    ]
    for problem in incomplete:
        write_error(problem)
    return EXIT_COULD_NOT if unreadable or incomplete else _gate_code(results)


def _show_several(assessments: Sequence[Assessment], options: ScoreOptions) -> None:
    if options.verbose:
        for assessment in assessments:
            source = f"📜 Report file: {assessment.report.source}"
            write_lines([source, *text.pair_table(assessment), text.RULE])
    if options.explain_checksum:
        checksums = {entry.checksum.text: entry.checksum for entry in assessments}
        for checksum in checksums.values():
            write_lines([*text.checksum_lines(checksum), text.RULE])
    write_lines(text.report_table(assessments))


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


def _law(assessment: Assessment, options: ScoreOptions) -> RepeatLaw | str | None:
    """The repeat interval, unless nobody will see it."""
    seen = not options.quiet or any(options.outputs.values())
    if options.no_interval or not seen or assessment.garak_score is not None:
        return None
    from garak_tbsa.tbsa.interval import repeat_law

    return repeat_law(assessment.graded)


def _show(result: Result, options: ScoreOptions) -> None:
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


def _strict_problem(assessment: Assessment, options: ScoreOptions) -> str | None:
    shortcomings = _shortcomings(assessment) if options.strict else []
    if not shortcomings:
        return None
    return (
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
