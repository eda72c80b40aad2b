# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What follows a scan, in a process of its own: the score first, then the rest.

The order is the promise: score and JSON do not wait for anything that may fail or
hang, the verdict does not wait for interval and pages.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import replace

from garak_tbsa.api.arguments import Scoring
from garak_tbsa.api.evidence import evidence_of
from garak_tbsa.earlier_outputs import require_replaceable
from garak_tbsa.errors import GarakTbsaError, ReportError
from garak_tbsa.files import write_whole
from garak_tbsa.garak_files.report import hold_against_rows
from garak_tbsa.gates.against_baseline import Baseline
from garak_tbsa.gates.outcome import GateVerdict
from garak_tbsa.gates.verdict import NOT_COMPUTED, gate_verdict, with_repeat
from garak_tbsa.host.settings import WHERE, AfterScanSettings, output_paths
from garak_tbsa.outputs import text
from garak_tbsa.outputs.annotations import annotations_of
from garak_tbsa.outputs.columns import RULE
from garak_tbsa.outputs.github_commands import commands
from garak_tbsa.outputs.registry import (
    DEFAULT_HITS,
    FORMATS,
    ask_for_evidence,
)
from garak_tbsa.outputs.view import EVIDENCE_LEFT_OUT, ScoredReport
from garak_tbsa.statistics.repeat import RepeatDistribution, repeat_of_scan
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

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
    scoring = Scoring()
    tell("stage", "reading the report")
    assessment = scoring.assess_path(path)
    # to read its attempts could take all the time that there is
    too_large = _too_large(path, settings)
    teller = _Teller(path, settings, tell)
    scored = ScoredReport(assessment=assessment, repeat=REPEAT_TO_COME, verdict=None)
    teller.answer("score", scored)
    teller.write("json", scored, announced=False)

    if settings.rules.asks_something or too_large is None:
        tell("stage", "holding the digest against the report's rows")
        assessment = scoring.assess(hold_against_rows(assessment.report))
        scored = replace(scored, assessment=assessment)

    def repeat_of() -> RepeatDistribution | Unavailable:
        tell("stage", "computing the repeat interval")
        return repeat_of_scan(assessment, settings.repeat, too_large)

    repeat = None if settings.rules.sure is None else repeat_of()
    verdict = _verdict(assessment, settings, scoring, tell, repeat or NOT_COMPUTED)
    scored = replace(scored, verdict=verdict)
    if verdict is not None:
        tell("passed", verdict.passed)
        teller.answer("score", scored)
    teller.annotate(scored)
    repeat = repeat or repeat_of()
    if verdict is not None:
        verdict = with_repeat(verdict, assessment, settings.rules, repeat)
    scored = replace(
        scored,
        repeat=repeat,
        verdict=verdict,
        evidence=EVIDENCE_TO_COME if settings.evidence else EVIDENCE_LEFT_OUT,
    )
    teller.answer("show", scored)
    teller.annotate(scored)
    for form in settings.outputs:
        teller.write(form, scored)
    if settings.evidence and ask_for_evidence(settings.outputs):
        tell("stage", "collecting hits")
        try:
            evidence = too_large or evidence_of(assessment, hits=DEFAULT_HITS)
        except GarakTbsaError as error:
            evidence = Unavailable(reason=str(error))
        scored = replace(scored, evidence=evidence)
        for each in FORMATS:
            if each.shows_evidence:
                teller.write(each.name, scored, announced=False)


def _too_large(path: str, settings: AfterScanSettings) -> Unavailable | None:
    size = os.path.getsize(path)
    if size <= settings.time_limit * BYTES_A_SECOND:
        return None
    return Unavailable(
        reason=f"{size / 1e9:.1f} GB of attempts were not read within a time_limit of"
        f" {settings.time_limit:g} s"
    )


class _Teller:
    """Says and writes what is known; each thing is spoken of once."""

    def __init__(self, path: str, settings: AfterScanSettings, tell: Tell) -> None:
        self._paths = output_paths(path, settings)
        self._tell = tell
        self._tells_github = bool(settings.rules.github)
        self._annotated: list[str] = []

    def answer(self, kind: str, scored: ScoredReport) -> None:
        """Say the score."""
        self._tell(kind, [RULE, *text.answer_lines(scored)])

    def annotate(self, scored: ScoredReport) -> None:
        """Tell GitHub Actions what it was not told yet, where that is asked for."""
        if self._tells_github:
            found = commands(annotations_of(scored))
            new = [line for line in found if line not in self._annotated]
            self._annotated = found
            if new:
                self._tell("annotate", new)

    def write(self, form: str, scored: ScoredReport, *, announced: bool = True) -> None:
        """Write an output, unless it is not asked for or could not be written."""
        path = self._paths.get(form)
        if path is None:
            return
        self._tell("stage", f"writing {path}")
        try:
            require_replaceable(f"{WHERE}.{form}", path, form)
            write_whole(path, FORMS[form].render(scored))
        except GarakTbsaError as error:
            del self._paths[form]
            self._tell("not_written", [path, str(error)])
            return
        if announced:
            self._tell("show", [f"📜 TBSA written to {path}"])


def _verdict(
    assessment: Scan,
    settings: AfterScanSettings,
    scoring: Scoring,
    tell: Tell,
    repeat: RepeatDistribution | Unavailable,
) -> GateVerdict | None:
    """Judge the scan; a baseline that cannot be compared with fails its rule."""
    rules = settings.rules
    if not rules.asks_something:
        return None
    baseline: Baseline | None = None
    if rules.baseline is not None:
        tell("stage", f"comparing with the baseline {rules.baseline}")
        try:
            _require_readable_once(rules.baseline)
            baseline = scoring.assess_baseline(
                rules.baseline, optional=rules.baseline_optional
            )
        except GarakTbsaError as error:
            baseline = error
    else:
        tell("stage", "judging the gate")
    return gate_verdict(assessment, rules, baseline, repeat)


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
