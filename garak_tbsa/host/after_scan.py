# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What follows garak's own output once a scan has ended."""

from __future__ import annotations

from garak_tbsa.cli.outputs import gate_verdict, show_verdict, write_outputs
from garak_tbsa.cli.scoring import ScoringOptions, assess_path
from garak_tbsa.cli.terminal import flush, write_error, write_line, write_lines
from garak_tbsa.errors import GarakTbsaError, GateFailedError, in_words
from garak_tbsa.garak_api.scan import ended_report, reporting_settings
from garak_tbsa.host.settings import asks_for_gate, read_settings
from garak_tbsa.tbsa.gate import without_comparison
from garak_tbsa.tbsa.interval import repeat_distribution
from garak_tbsa.tbsa.outputs import text
from garak_tbsa.tbsa.outputs.registry import FORMATS, ScoredReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from garak_tbsa.host.settings import AfterScanSettings
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.gate import GateVerdict

REPORT_ENDING = ".report.jsonl"


def run() -> bool:
    """Score the scan that garak has just ended.

    Returns
    -------
    bool
        Whether the scan passes its gate; True where none is set.

    Raises
    ------
    GateFailedError
        A gate is set, and the scan cannot be judged: then it must not pass.
    GarakTbsaError
        No gate is set, and the scan cannot be scored.
    """
    path = ended_report()
    raw = reporting_settings()
    if path is None:
        return True
    try:
        settings = read_settings(raw)
        return not settings.enabled or _score(path, settings)
    except Exception as error:
        if asks_for_gate(raw):
            raise GateFailedError(f"{in_words(error)}; so the gate fails") from error
        raise


def _score(path: str, settings: AfterScanSettings) -> bool:
    assessment = assess_path(path, ScoringOptions(), None)
    result = ScoredReport(
        assessment=assessment,
        repeat=repeat_distribution(assessment.graded),
        verdict=_verdict(assessment, settings),
    )
    write_lines([text.RULE, *text.brief_lines(assessment, result.repeat)])
    _write_beside(path, result, settings)
    show_verdict(result.verdict)
    flush()
    return result.verdict is None or result.verdict.passed


def _verdict(assessment: Assessment, settings: AfterScanSettings) -> GateVerdict | None:
    """Judge the scan; a baseline that cannot be compared with fails its rule."""
    if settings.baseline is None:
        return gate_verdict(assessment, settings.rules, None)
    try:
        baseline = assess_path(settings.baseline, ScoringOptions(), None)
    except GarakTbsaError as error:
        return without_comparison(assessment, settings.rules, str(error))
    return gate_verdict(assessment, settings.rules, baseline)


def _write_beside(path: str, result: ScoredReport, settings: AfterScanSettings) -> None:
    """Write the outputs; the score stands on the screen even where none can be."""
    prefix = path.removesuffix(REPORT_ENDING)
    for form in FORMATS:
        if form.name not in settings.outputs:
            continue
        try:
            (output,) = write_outputs(result, {form.name: prefix + form.ending})
        except GarakTbsaError as error:
            write_error(str(error))
        else:
            write_line(f"📜 TBSA written to {output}")
