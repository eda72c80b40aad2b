# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What follows a scan, in a process of its own: the score first, then the rest.

The order is the promise: score and JSON do not wait for anything that may fail or
hang, the verdict does not wait for interval and pages.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import replace

from garak_tbsa.api.arguments import Scoring
from garak_tbsa.api.score import evidence_of
from garak_tbsa.errors import GarakTbsaError, ReportError
from garak_tbsa.files import write_whole
from garak_tbsa.garak_files.report import Report
from garak_tbsa.host.formula import chosen_formula
from garak_tbsa.host.settings import AfterScanSettings, output_paths
from garak_tbsa.outputs import text
from garak_tbsa.outputs.annotations import annotations_of
from garak_tbsa.outputs.columns import RULE
from garak_tbsa.outputs.github_commands import commands
from garak_tbsa.outputs.registry import (
    DEFAULT_HITS,
    DEFAULT_HITS_SEED,
    FORMATS,
    ask_for_evidence,
)
from garak_tbsa.outputs.view import EVIDENCE_LEFT_OUT, ScoredReport
from garak_tbsa.statistics.repeat import RepeatDistribution, repeat_of_scan
from garak_tbsa.tbsa.assessment import Assessment, held_against_rows
from garak_tbsa.tbsa.evidence import Evidence
from garak_tbsa.tbsa.gate import (
    NOT_COMPUTED,
    GateVerdict,
    Incomparable,
    gate_verdict,
    with_repeat,
)
from garak_tbsa.unavailable import Unavailable

SCORE, SHOW, STAGE, JUDGED = "score", "show", "stage", "passed"
ANNOTATE, NOT_WRITTEN = "annotate", "not_written"

Tell = Callable[[str, object], None]
"""Is told how it goes, by one of these kinds and a value:

``score``
    Lines for the user, as far as all is known; shown where nothing follows.
``show``
    Lines for the user, in place of these.
``stage``
    What is done from now on, in words that continue "while".
``passed``
    The gate's verdict.
``annotate``
    Lines that GitHub's runner obeys.
``not_written``
    The path of one output that could not be written, and why.
"""

FORMS = {form.name: form for form in FORMATS}

BYTES_A_SECOND = 10e6
"""Of a report whose attempts are read; a quiet machine reads several times as many."""

EVIDENCE_TO_COME = Unavailable(reason="hits are collected last")
REPEAT_TO_COME = Unavailable(reason="not computed yet; the score is written first")


def score_scan(path: str, settings: AfterScanSettings, tell: Tell) -> None:
    """Score a scan, judge it, and write what the settings ask for.

    Parameters
    ----------
    path : str
        The report that garak has closed.
    settings : AfterScanSettings
    tell : callable
        See :data:`Tell`.

    Raises
    ------
    GarakTbsaError
        The scan cannot be scored.
    """
    options = Scoring(formula=chosen_formula(None, settings.formula))
    tell(STAGE, "reading the report")
    assessment = options.assess_paths(path)
    scored = ScoredReport(assessment=assessment, repeat=REPEAT_TO_COME, verdict=None)
    tell(SCORE, _answer(scored))
    writer = _Writer(output_paths(path, settings), tell)
    writer.write("json", scored, is_last=False)
    repeat = None
    if settings.rules.sure is not None:
        repeat = _repeat(assessment, settings, tell)
    verdict = _verdict(assessment, settings, options, tell, repeat)
    if verdict is not None:
        tell(JUDGED, verdict.passed)
        tell(SCORE, _answer(replace(scored, verdict=verdict)))
    annotated = _annotate(replace(scored, verdict=verdict), settings, tell, ())
    if repeat is None:
        repeat = _repeat(assessment, settings, tell)
    scored = replace(
        scored,
        repeat=repeat,
        evidence=EVIDENCE_TO_COME if settings.evidence else EVIDENCE_LEFT_OUT,
    )
    if verdict is not None:
        verdict = with_repeat(verdict, assessment, settings.rules, repeat)
    scored = replace(scored, verdict=verdict)
    tell(SHOW, _answer(scored))
    _annotate(scored, settings, tell, annotated)
    for form in settings.outputs:
        writer.write(form, scored)
    if settings.evidence and ask_for_evidence(settings.outputs):
        tell(STAGE, "collecting hits")
        scored = replace(scored, evidence=_evidence(assessment, settings))
        for each in FORMATS:
            if each.shows_evidence:
                writer.write(each.name, scored)


def _answer(scored: ScoredReport) -> list[str]:
    return [RULE, *text.answer_lines(scored)]


def _repeat(
    assessment: Assessment, settings: AfterScanSettings, tell: Tell
) -> RepeatDistribution | Unavailable:
    """What a repeat would score; one for text, gate and every output."""
    tell(STAGE, "computing the repeat interval")
    # to read them could take all the time that there is
    outcomes = _too_large(assessment.report, settings)
    return repeat_of_scan(assessment, settings.repeat, outcomes)


def _evidence(
    assessment: Assessment, settings: AfterScanSettings
) -> Evidence | Unavailable:
    """Hits of the scan, unless this could take all the time that there is."""
    too_large = _too_large(assessment.report, settings)
    if too_large is not None:
        return too_large
    try:
        return evidence_of(assessment, hits=DEFAULT_HITS, seed=DEFAULT_HITS_SEED)
    except GarakTbsaError as error:
        return Unavailable(reason=str(error))


def _too_large(report: Report, settings: AfterScanSettings) -> Unavailable | None:
    size = os.path.getsize(report.source)
    if size <= settings.time_limit * BYTES_A_SECOND:
        return None
    return Unavailable(
        reason=f"{size / 1e9:.1f} GB of attempts were not read within a time_limit of"
        f" {settings.time_limit:g} s"
    )


def _annotate(
    scored: ScoredReport,
    settings: AfterScanSettings,
    tell: Tell,
    earlier: Sequence[str],
) -> list[str]:
    """Tell GitHub Actions what it was not told yet; return all that there is."""
    if not settings.rules.github:
        return []
    found = commands(annotations_of(scored))
    new = [line for line in found if line not in earlier]
    if new:
        tell(ANNOTATE, new)
    return found


class _Writer:
    """Writes outputs; each is spoken of once, however often it is written."""

    def __init__(self, paths: dict[str, str], tell: Tell) -> None:
        self._paths = paths
        self._tell = tell
        self._announced: set[str] = set()
        self._failed: set[str] = set()

    def write(self, form: str, scored: ScoredReport, *, is_last: bool = True) -> None:
        path = self._paths.get(form)
        if path is None or form in self._failed:
            return
        self._tell(STAGE, f"writing {path}")
        try:
            write_whole(path, FORMS[form].render(scored))
        except GarakTbsaError as error:
            self._failed.add(form)
            self._tell(NOT_WRITTEN, [path, str(error)])
            return
        if is_last and form not in self._announced:
            self._announced.add(form)
            self._tell(SHOW, [f"📜 TBSA written to {path}"])


def _verdict(
    assessment: Assessment,
    settings: AfterScanSettings,
    options: Scoring,
    tell: Tell,
    repeat: RepeatDistribution | Unavailable | None,
) -> GateVerdict | None:
    """Judge the scan; a baseline that cannot be compared with fails its rule."""
    rules = settings.rules
    if not rules.asks_something:
        return None
    tell(STAGE, "holding the digest against the report's rows")
    assessment = held_against_rows(assessment)
    repeat = repeat or NOT_COMPUTED
    if rules.baseline is None:
        tell(STAGE, "judging the gate")
        return gate_verdict(assessment, rules, None, repeat)
    tell(STAGE, f"comparing with the baseline {rules.baseline}")
    try:
        _require_readable_once(rules.baseline)
        baseline = options.assess_baseline(
            rules.baseline, optional=rules.baseline_optional
        )
        return gate_verdict(assessment, rules, baseline, repeat)
    except GarakTbsaError as error:
        not_comparable = Incomparable(reason=str(error))
        return gate_verdict(assessment, rules, not_comparable, repeat)


def _require_readable_once(path: str) -> None:
    """Refuse what may never end or never answer: pipes, devices, standard input.

    Raises
    ------
    ReportError
        The path leads to something else than a file, or is ``-``.
    """
    try:
        found = stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        # a remote address or a missing file: reading it says which
        found = path != "-"
    if not found:
        raise ReportError(
            path,
            "is no regular file (a pipe, device or folder)",
            "name a report in a file as baseline",
        )
