# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What follows garak's own output once a scan has ended."""

from __future__ import annotations

from garak_tbsa.cli.outputs import (
    FORMS,
    Result,
    gate_verdict,
    show_verdict,
    write_outputs,
)
from garak_tbsa.cli.terminal import flush, write_error, write_line, write_lines
from garak_tbsa.errors import GarakTbsaError
from garak_tbsa.garak_api.scan import ended_report, reporting_settings
from garak_tbsa.garak_api.scoring import find_calibration, tier_of
from garak_tbsa.tbsa.assessment import assess
from garak_tbsa.tbsa.interval import repeat_law
from garak_tbsa.tbsa.outputs import text
from garak_tbsa.tbsa.report import load_report
from garak_tbsa.tbsa.settings import read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.settings import AfterScanSettings

REPORT_ENDING = ".report.jsonl"
FILE_ENDINGS = {
    "json": ".tbsa.json",
    "html": ".tbsa.html",
    "markdown": ".tbsa.md",
    "junit": ".tbsa.junit.xml",
    "sarif": ".tbsa.sarif",
}


def run() -> bool:
    """Score the scan that garak has just ended.

    Returns
    -------
    bool
        Whether the process may end well: False only where a gate is set and the
        scan does not pass it, or cannot be judged.
    """
    settings = read_settings(reporting_settings())
    path = ended_report()
    if path is None or not settings.enabled:
        return True
    gated = settings.rules.asks_something or settings.baseline is not None
    try:
        return _score(path, settings)
    except GarakTbsaError as error:
        # a scan that cannot be judged must not pass a gate
        write_error(f"no TBSA for this scan: {error}")
        return not gated


def _score(path: str, settings: AfterScanSettings) -> bool:
    assessment = _assess(path)
    baseline = None if settings.baseline is None else _assess(settings.baseline)
    result = Result(
        assessment=assessment,
        law=repeat_law(assessment.graded),
        verdict=gate_verdict(assessment, settings.rules, baseline),
    )
    write_lines([text.RULE, *text.brief_lines(assessment, result.law)])
    _write_beside(path, result, settings)
    show_verdict(result.verdict)
    flush()
    return result.verdict is None or result.verdict.passed


def _assess(path: str) -> Assessment:
    return assess(load_report(path), tier_of=tier_of, find_calibration=find_calibration)


def _write_beside(path: str, result: Result, settings: AfterScanSettings) -> None:
    """Write the outputs; the score stands on the screen even where none can be."""
    prefix = path.removesuffix(REPORT_ENDING)
    paths = {form: prefix + FILE_ENDINGS[form] for form in settings.outputs}
    try:
        written = write_outputs(result, {form: paths.get(form) for form in FORMS})
    except GarakTbsaError as error:
        write_error(str(error))
        return
    for output in written:
        write_line(f"📜 TBSA written to {output}")
