# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a report's bytes to a :class:`Report`, whatever garak wrote it.

The digest at the end of the file is read alone where it says enough, and the setup
at the start does not contradict it; otherwise one pass over the rows fills in counts,
tiers and setup.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from msgspec import structs

from garak_tbsa.errors import ReportError
from garak_tbsa.report.aggregate import not_covered
from garak_tbsa.report.answers import Answers
from garak_tbsa.report.attempt_watch import AttemptWatch
from garak_tbsa.report.calibration import CalibrationIdentity, text_sha256
from garak_tbsa.report.fields import Record, parse_object
from garak_tbsa.report.measurement import Measurement, check_number
from garak_tbsa.report.opening import (
    ADDRESS,
    STANDARD_INPUT,
    Source,
    open_source,
    why_read_once,
)
from garak_tbsa.report.outcomes import Outcomes
from garak_tbsa.report.reading import Pass, Reading
from garak_tbsa.report.rows import (
    ATTEMPT_START,
    SETUP_KINDS,
    NotJsonError,
    ScannedRows,
    broken_lines,
    find_disagreements,
    settings_disagreement,
    several_scans,
    whole_object,
)
from garak_tbsa.report.settings import (
    ScanSettings,
    differing_settings,
    first_text,
    named_by,
    parse_settings,
    target_text,
)
from garak_tbsa.unavailable import Unavailable

FROM_DIGEST = "digest"
FROM_BOTH = "digest, counts from eval rows"
FROM_EVALS = "eval rows"
NO_DIGEST = Unavailable(reason="it holds no digest with results")


@dataclass(frozen=True, kw_only=True)
class Report:
    """A garak report: what its digest says, and on demand what only its rows do.

    Attributes
    ----------
    source : str
        Path as the user gave it.
    garak_version, run_uuid, start_time : str or None
    target_type, target_name : str or None
    origin : str
        What the measurements come from: ``"digest"``,
        ``"digest, counts from eval rows"`` or ``"eval rows"``.
    measurements : tuple of Measurement
        In the report's order, repetitions included.
    settings : ScanSettings
        How the scan was made.
    calibration : CalibrationIdentity or None
        The one whose Z-scores the digest has; None without digest.
    tiers : mapping of str to int
        Probe to tier as the report's ``plugin_cache`` rows say.
    partial_reason : str or None
        Why the scan may not have been finished; None for a complete one.
    warnings : tuple of str
        Oddities that do not change the score.
    not_covered : str or None
        What the checksum of an aggregate may not cover, which is a warning too.
    row_findings : tuple of str or None
        Where digest and rows disagree, in words; None where only the digest was read,
        see :attr:`whole`.
    answers : Answers or None
        What the target said; None where only the digest was read, or the file holds
        no attempts.
    own_run : str or None
        The id that the scan itself has; ``run_uuid`` may be that of the setup, which
        in an aggregate is the lead's.
    reading : Reading
        Reads the rest of the file, at most once.
    """

    source: str
    garak_version: str | None
    run_uuid: str | None
    start_time: str | None
    target_type: str | None
    target_name: str | None
    origin: str
    measurements: tuple[Measurement, ...]
    settings: ScanSettings
    calibration: CalibrationIdentity | None
    tiers: Mapping[str, int]
    partial_reason: str | None
    warnings: tuple[str, ...]
    not_covered: str | None = None
    row_findings: tuple[str, ...] | None = None
    answers: Answers | None = None
    own_run: str | None = None
    reading: Reading = field(repr=False, compare=False)

    @cached_property
    def whole(self) -> Report:
        """The report with all that its digest does not say.

        That a row cannot be read is a finding too.
        """
        if self.row_findings is not None:
            return self
        rows = self.reading.read_rows()
        try:
            if isinstance(rows, ReportError):
                raise rows
            return _with_rows(self, rows, self.reading.watch)
        except ReportError as error:
            problem = str(error)
            warnings = (*self.warnings, problem)
            return replace(self, row_findings=(problem,), warnings=warnings)

    @property
    def outcomes(self) -> Outcomes | Unavailable:
        """What the attempts say of each prompt, or why they are not read."""
        return self.reading.outcomes

    @cached_property
    def digest(self) -> Mapping[str, Any] | Unavailable:
        """The digest as it stands in the file."""
        if not self.has_digest_grades:
            return NO_DIGEST
        reason = why_read_once(self.source)
        if reason is not None:
            return Unavailable(reason=reason)
        try:
            with open_source(self.source) as source:
                rows = _last_digest(source)
        except ReportError as error:
            return Unavailable(reason=str(error))
        found = self.reading.read_rows() if rows is None else rows
        if isinstance(found, ReportError):
            return Unavailable(reason=str(found))
        return NO_DIGEST if found.digest is None else found.digest.values

    def released(self) -> Report:
        """Return the same report, which reads its file again if asked for more."""
        return replace(self, reading=Reading(self.source, self.settings.eval_threshold))

    @property
    def target(self) -> str:
        """The target's type and name, as far as they are known."""
        return target_text(self.target_type, self.target_name)

    @property
    def is_partial(self) -> bool:
        """Whether the scan may have been interrupted."""
        return self.partial_reason is not None

    @property
    def silent_probes(self) -> list[str]:
        """Selected probes, or families, that left no result.

        None where garak does not say which it was to run, before 0.16.
        """
        names = named_by({each.probe for each in self.measurements})
        return sorted(self.settings.selected_probes - names)

    @property
    def has_digest_grades(self) -> bool:
        """Whether garak's own grades are there to be used."""
        return self.origin != FROM_EVALS

    @property
    def dialect(self) -> str:
        """The garak release that fixes the file's form, such as ``0.14``."""
        if self.garak_version is None:
            return "unknown"
        return ".".join(self.garak_version.split(".")[:2])


def load_report(name: str) -> Report:
    """Read a report.

    Parameters
    ----------
    name : str
        Path, ``-`` or an fsspec address; see :func:`open_source`.

    Raises
    ------
    ReportError
        It cannot be read, or is not a garak report.
    """
    with open_source(name) as source:
        rows = _last_digest(source)
        if rows is not None and _suffices(rows, source):
            return _report(name, rows)
        rows, watch = _all_rows(source)
    if not (rows.evals or rows.digest or rows.settings or rows.init):
        raise ReportError(
            name,
            "has neither a digest nor eval rows nor a scan's setup",
            "give a garak report, <prefix>.report.jsonl, not a hit log",
        )
    return _with_rows(_report(name, rows, are_all=True), rows, watch)


def _all_rows(source: Source) -> tuple[ScannedRows, AttemptWatch]:
    """Read all rows of a report whose digest does not tell enough.

    What the target said is counted on the way: a pipe can be read only once.
    """
    told = Pass(source, with_rows=True)
    deque(told.attempts(strict=True), maxlen=0)
    if isinstance(told.row_lines.problem, NotJsonError):
        # one JSON object may be spread over several lines
        rows = whole_object(source)
        if rows is not None:
            return rows, AttemptWatch()
    if told.row_lines.problem is not None:
        raise told.row_lines.problem
    return told.rows, told.watch


def report_from_digest(digest: object, *, name: str) -> Report:
    """Read a digest that is already parsed, as garak's own module is given.

    Raises
    ------
    ReportError
        It is not a digest.
    """
    return _report(name, _digest_alone(digest, name))


def _with_rows(report: Report, rows: ScannedRows, watch: AttemptWatch) -> Report:
    """Return a report with what all of its rows tell."""
    check_number(rows.results, report.source)
    said = [*report.warnings, *several_scans(rows), *broken_lines(rows)]
    return replace(
        report,
        warnings=tuple(dict.fromkeys(said)),
        row_findings=(*find_disagreements(rows), *watch.disagreements(rows)),
        answers=watch.answers,
        own_run=first_text(rows.init.get("run"), report.own_run),
        measurements=_with_counts(report.measurements, rows.evals)
        if report.has_digest_grades
        else report.measurements,
    )


def why_same_run(one: Report, other: Report) -> str | None:
    """Return why two reports are of one and the same run, None where they are not."""
    if one.own_run is not None and one.own_run == other.own_run:
        return f"both reports are of run {one.own_run}"
    sources = one.source, other.source
    if any(ADDRESS in name or name == STANDARD_INPUT for name in sources):
        return None
    same = len({*map(os.path.realpath, sources)}) == 1
    return "both reports are one file" if same else None


def _last_digest(source: Source) -> ScannedRows | None:
    """The digest on the last line, where the scan is known to be complete.

    A completion row is right before it, or no row is, or scans were put
    together; else the rows must tell.
    """
    # standard input cannot be read again, should its rows be asked for
    if not source.seekable or source.name == STANDARD_INPUT:
        return None
    line, before = source.last_line()
    if line.startswith(ATTEMPT_START):
        return None
    row = parse_object(line)
    if row.get("entry_type") != "digest":
        return None
    rows = _digest_alone(row, source.name)
    last_before = before.rstrip().rpartition(b"\n")[2]
    complete = (
        not last_before
        or parse_object(last_before).get("entry_type") == "completion"
        or (rows.setup is not None and rows.setup.is_aggregation)
    )
    return rows if complete else None


def _digest_alone(digest: object, name: str) -> ScannedRows:
    row = Record(digest, source=name, line=None, path="digest")
    return ScannedRows(source=name, digest=row, completed=True)


def _suffices(rows: ScannedRows, source: Source) -> bool:
    """Whether no row could tell more than a digest, and the file's start agrees."""
    if not rows.stated or rows.setup is None or rows.digest is None:
        return False
    meta = rows.digest.child("meta", optional=True).values
    if not first_text(meta.get("garak_version")):
        return False
    if not all(entry.has_counts and entry.tier is not None for entry in rows.stated):
        return False
    row = parse_object(source.first_line())
    is_setup = row.get("entry_type") in SETUP_KINDS
    return not is_setup or not differing_settings(parse_settings(row), rows.setup)


def _report(name: str, rows: ScannedRows, *, are_all: bool = False) -> Report:
    stated = rows.stated
    setups = [each for each in (rows.setup, rows.settings) if each is not None]
    settings = setups[0] if setups else parse_settings({})
    parts = next((each.aggregated_from for each in setups if each.is_aggregation), None)
    warnings = [*several_scans(rows), *broken_lines(rows)]
    if rows.cut_line is not None:
        warnings.append(f"line {rows.cut_line} is cut off and was left out")
    digest = rows.digest or Record({}, source=name, line=None, path="digest")
    has_results = bool(stated) or not are_all
    if rows.digest is not None and not has_results:
        warnings.append("the digest has no results, so the eval rows were used")
        digest = Record({}, source=name, line=None, path="digest")
    warnings += settings_disagreement(rows)
    uncovered = None if parts is None else not_covered(parts, settings, name)
    warnings += [] if uncovered is None else [uncovered]
    meta = digest.child("meta", optional=True)
    origin = FROM_DIGEST if has_results else FROM_EVALS
    if rows.evals and not all(entry.has_counts for entry in stated):
        origin = FROM_BOTH
    is_digest_alone = rows.digest is not None and not rows.evals
    measurements = stated or tuple(rows.evals)
    completed = rows.completed or parts is not None or is_digest_alone

    facts: dict[str, Any] = {
        name: first_text(meta.values.get(name), other, getattr(settings, name))
        for name, other in (
            ("garak_version", rows.init.get("garak_version")),
            ("run_uuid", rows.init.get("run")),
            ("start_time", rows.init.get("start_time")),
            ("target_type", meta.values.get("model_type")),
            ("target_name", meta.values.get("model_name")),
        )
    }
    return Report(
        source=name,
        **facts,
        origin=origin,
        measurements=measurements,
        settings=settings,
        calibration=_calibration(meta) if rows.digest and has_results else None,
        tiers=rows.tiers,
        partial_reason=None if completed else _partial_reason(settings, measurements),
        warnings=tuple(warnings),
        not_covered=uncovered,
        own_run=first_text(meta.values.get("run_uuid")),
        reading=Reading(name, settings.eval_threshold, rows if are_all else None),
    )


def _with_counts(
    stated: tuple[Measurement, ...], evals: Sequence[Measurement]
) -> tuple[Measurement, ...]:
    """Give digest entries what they lack of the counts of their eval row."""
    counted = {row.pair_name: row for row in evals}

    def filled(entry: Measurement) -> Measurement:
        row = counted.get(entry.pair_name)
        if row is None:
            return entry
        if entry.has_counts:
            return structs.replace(
                entry, nones=row.nones if entry.nones is None else entry.nones
            )
        return structs.replace(
            entry,
            passed=row.passed,
            total_evaluated=row.total_evaluated,
            nones=row.nones,
        )

    return tuple(map(filled, stated))


def _calibration(meta: Record) -> CalibrationIdentity:
    stated = meta.child("calibration", optional=True)
    models = stated.values.get("model_list")
    return CalibrationIdentity(
        date=first_text(stated.values.get("calibration_date")),
        models=text_sha256(models) if isinstance(models, str) and models else None,
    )


def _partial_reason(
    settings: ScanSettings, measurements: tuple[Measurement, ...]
) -> str:
    if settings.is_old:
        return "no completion row (garak 0.9 often wrote none)"
    reason = "no completion row: the scan was interrupted"
    selected = settings.selected_probes
    if not selected:
        return reason
    judged = selected & named_by({entry.probe for entry in measurements})
    return f"{reason} with {len(judged)} of {len(selected)} probes judged"
