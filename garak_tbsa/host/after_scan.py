# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What follows a scan, in a process of its own: the score first, then the rest.

The order is the promise: score and JSON do not wait for anything that may fail or
hang, the verdict does not wait for interval and pages.
"""

from __future__ import annotations

import os
import stat

from garak_tbsa.cli.outputs import gate_verdict, verdict_lines, write_outputs
from garak_tbsa.cli.scoring import ScoringOptions, assess_baseline, assess_path
from garak_tbsa.errors import GarakTbsaError, ReportError
from garak_tbsa.host.formula import chosen_formula
from garak_tbsa.host.settings import output_paths
from garak_tbsa.tbsa.assessment import held_against_rows
from garak_tbsa.tbsa.gate import NOT_COMPUTED, with_repeat, without_comparison
from garak_tbsa.tbsa.interval import distribution_of
from garak_tbsa.tbsa.outputs import text
from garak_tbsa.tbsa.outputs.registry import ScoredReport
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from garak_tbsa.host.settings import AfterScanSettings
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.gate_outcomes import GateVerdict

    class Listener(Protocol):
        """Who is told how it goes."""

        def show(self, lines: Sequence[str]) -> None:
            """Lines for the user."""

        def stage(self, what: str) -> None:
            """What is done from now on, in words that continue "while"."""

        def judged(self, passed: bool) -> None:
            """The gate's verdict."""

        def not_written(self, path: str, problem: str) -> None:
            """One output could not be written, and why."""


REPEAT_TO_COME = Unavailable(reason="the score is written before it is computed")


def score_scan(path: str, settings: AfterScanSettings, tell: Listener) -> None:
    """Score a scan, judge it, and write what the settings ask for.

    Parameters
    ----------
    path : str
        The report that garak has closed.
    settings : AfterScanSettings
    tell : Listener

    Raises
    ------
    GarakTbsaError
        The scan cannot be scored.
    """
    options = ScoringOptions(formula=chosen_formula(None, settings.formula))
    tell.stage("reading the report")
    assessment = assess_path(path, options, None)
    tell.show([text.RULE, *text.brief_lines(assessment, None)])
    writer = _Writer(output_paths(path, settings), tell)
    writer.write(
        "json", ScoredReport(assessment=assessment, repeat=REPEAT_TO_COME, verdict=None)
    )
    verdict = _verdict(assessment, settings, options, tell)
    if verdict is not None:
        tell.judged(verdict.passed)
        tell.show(verdict_lines(verdict))
    tell.stage("computing the repeat interval")
    repeat = distribution_of(assessment)
    tell.show(text.repeat_lines(assessment, repeat))
    if verdict is not None:
        noted = with_repeat(verdict, assessment, settings.rules, repeat)
        told = verdict_lines(verdict)
        tell.show([line for line in verdict_lines(noted) if line not in told])
        verdict = noted
    scored = ScoredReport(assessment=assessment, repeat=repeat, verdict=verdict)
    for form in settings.outputs:
        writer.write(form, scored)


class _Writer:
    """Writes outputs; each is spoken of once, however often it is written."""

    def __init__(self, paths: dict[str, str], tell: Listener) -> None:
        self._paths = paths
        self._tell = tell
        self._told: set[str] = set()
        self._failed: set[str] = set()

    def write(self, form: str, scored: ScoredReport) -> None:
        path = self._paths.get(form)
        if path is None or form in self._failed:
            return
        self._tell.stage(f"writing {path}")
        try:
            write_outputs(scored, {form: path})
        except GarakTbsaError as error:
            self._failed.add(form)
            self._tell.not_written(path, str(error))
            return
        if form not in self._told:
            self._told.add(form)
            self._tell.show([f"📜 TBSA written to {path}"])


def _verdict(
    assessment: Assessment,
    settings: AfterScanSettings,
    options: ScoringOptions,
    tell: Listener,
) -> GateVerdict | None:
    """Judge the scan; a baseline that cannot be compared with fails its rule."""
    if settings.rules.asks_something or settings.baseline is not None:
        tell.stage("holding the digest against the report's rows")
        assessment = held_against_rows(assessment)
    if settings.baseline is None:
        tell.stage("judging the gate")
        return gate_verdict(assessment, settings.rules, None)
    tell.stage(f"comparing with the baseline {settings.baseline}")
    try:
        _require_readable_once(settings.baseline)
        baseline = assess_baseline(
            settings.baseline, options, None, optional=settings.baseline_optional
        )
    except GarakTbsaError as error:
        repeat = (
            NOT_COMPUTED if settings.rules.sure is None else distribution_of(assessment)
        )
        return without_comparison(assessment, settings.rules, str(error), repeat)
    return gate_verdict(assessment, settings.rules, baseline)


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
