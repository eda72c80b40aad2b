# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a report's bytes to a :class:`Report`, whatever garak wrote it.

The digest at the end of the file is read alone where it says enough, and the setup
at the start does not contradict it; otherwise one pass over the rows fills in counts,
tiers and setup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.calibration import CalibrationIdentity, text_sha256
from garak_tbsa.garak_files.consistency import RowFinding, find_disagreements
from garak_tbsa.garak_files.fields import Record, parse_object
from garak_tbsa.garak_files.limits import DEFAULT_LIMITS, ReadLimits
from garak_tbsa.garak_files.measurement import Measurement, digest_measurements
from garak_tbsa.garak_files.rows import (
    ATTEMPT_START,
    SETUP_KINDS,
    ScannedRows,
    scan_rows,
)
from garak_tbsa.garak_files.settings import (
    ScanSettings,
    differing_settings,
    first_text,
    parse_settings,
    settings_in,
    target_text,
)
from garak_tbsa.garak_files.source import STANDARD_INPUT, Source, open_source

FROM_DIGEST = "digest"
FROM_BOTH = "digest, counts from eval rows"
FROM_EVALS = "eval rows"


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """A garak report, parsed.

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
    row_findings : tuple of RowFinding or None
        Where digest and rows disagree; None where only the digest was read, see
        :func:`hold_against_rows`.
    limits : ReadLimits
        How much of it may be read, should it be read again.
    parts : tuple of Report
        The reports that were merged into this one; empty for one of a single file.
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
    row_findings: tuple[RowFinding, ...] | None = None
    limits: ReadLimits = DEFAULT_LIMITS
    parts: tuple[Report, ...] = ()

    @property
    def target(self) -> str:
        """The target's type and name, as far as they are known."""
        return target_text(self.target_type, self.target_name)

    @property
    def is_partial(self) -> bool:
        """Whether the scan may have been interrupted."""
        return self.partial_reason is not None

    @property
    def has_digest_grades(self) -> bool:
        """Whether garak's own grades are there to be used."""
        return self.origin != FROM_EVALS

    def file_of(self, pair_name: str | None = None) -> str:
        """Return the path of the file that holds a pair.

        The first of the files that were merged where none does, or none is named.
        """
        for part in self.parts:
            if any(entry.pair_name == pair_name for entry in part.measurements):
                return part.source
        return self.parts[0].source if self.parts else self.source

    @property
    def dialect(self) -> str:
        """The garak release that fixes the file's form, such as ``0.14``."""
        if self.garak_version is None:
            return "unknown"
        return ".".join(self.garak_version.split(".")[:2])


def load_report(name: str, limits: ReadLimits = DEFAULT_LIMITS) -> Report:
    """Read a report.

    Parameters
    ----------
    name : str
        Path, ``-`` or an fsspec address; see :func:`open_source`.
    limits : ReadLimits
        How much may be read of it.

    Raises
    ------
    ReportError
        It cannot be read, or is not a garak report.
    """
    with open_source(name, limits) as source:
        return replace(_read(source), limits=limits)


def _read(source: Source) -> Report:
    digest = _last_digest(source)
    if digest is not None:
        measurements = digest_measurements(digest)
        if _suffices(digest, measurements, source):
            return _from_digest(source.name, digest, measurements)
    rows = scan_rows(source)
    stated = _stated(rows)
    if not (rows.evals or rows.digest or rows.settings or rows.init):
        raise ReportError(
            source.name,
            "has neither a digest nor eval rows nor a scan's setup",
            "give a garak report, <prefix>.report.jsonl, not a hit log",
        )
    findings = find_disagreements(rows, stated)
    return _report(source.name, rows, stated, findings)


def _suffices(
    digest: Record, measurements: tuple[Measurement, ...], source: Source
) -> bool:
    """Whether no row could tell more than a digest, and the file's start agrees."""
    stated = settings_in(digest)
    meta = digest.child("meta", optional=True).values
    if not measurements or stated is None or not first_text(meta.get("garak_version")):
        return False
    if not all(entry.has_counts and entry.tier is not None for entry in measurements):
        return False
    row = parse_object(source.first_line())
    is_setup = row.get("entry_type") in SETUP_KINDS
    return not is_setup or not differing_settings(parse_settings(row), stated)


def hold_against_rows(report: Report) -> Report:
    """Return the report with its ``row_findings``.

    Reads the file once more if only its digest was read. That a row cannot be read
    is a finding too.
    """
    if report.row_findings is not None:
        return report
    parts = tuple(map(hold_against_rows, report.parts))
    if parts:
        findings = tuple(
            replace(finding, text=f"{part.source}: {finding.text}")
            for part in parts
            for finding in part.row_findings or ()
        )
        return replace(report, parts=parts, row_findings=findings)
    try:
        with open_source(report.source, report.limits) as source:
            rows = scan_rows(source)
        findings = find_disagreements(rows, _stated(rows))
    except ReportError as error:
        findings = (RowFinding(text=str(error)),)
    return replace(report, row_findings=findings)


def report_from_digest(digest: object, *, name: str) -> Report:
    """Read a digest that is already parsed, as garak's own module is given.

    Raises
    ------
    ReportError
        It is not a digest.
    """
    row = Record(digest, source=name, line=None, path="digest")
    return _from_digest(name, row, digest_measurements(row))


def _last_digest(source: Source) -> Record | None:
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
    digest = Record(row, source=source.name, line=None, path="digest")
    last_before = before.rstrip().rpartition(b"\n")[2]
    stated = settings_in(digest)
    complete = (
        not last_before
        or parse_object(last_before).get("entry_type") == "completion"
        or (stated is not None and stated.is_aggregation)
    )
    return digest if complete else None


def _stated(rows: ScannedRows) -> tuple[Measurement, ...]:
    return () if rows.digest is None else digest_measurements(rows.digest)


def _from_digest(
    name: str, digest: Record, measurements: tuple[Measurement, ...]
) -> Report:
    rows = ScannedRows(digest=digest, completed=True)
    return _report(name, rows, measurements, None)


def _report(
    name: str,
    rows: ScannedRows,
    stated: tuple[Measurement, ...],
    findings: tuple[RowFinding, ...] | None,
) -> Report:
    warnings: list[str] = []
    if rows.cut_line is not None:
        warnings.append(f"line {rows.cut_line} is cut off and was left out")
    digest = rows.digest
    settings = settings_in(digest) or rows.settings or parse_settings({})
    completed = rows.completed or (digest is not None and not rows.evals)
    if digest is not None and not stated and findings is not None:
        warnings.append("the digest has no results, so the eval rows were used")
        digest = None
    warnings += [each.text for each in findings or () if each.is_warning]
    empty = Record({}, source=name, line=None, path="digest")
    meta = (digest or empty).child("meta", optional=True)
    measurements = _with_counts(stated, rows.evals) if stated else tuple(rows.evals)
    others = {
        "garak_version": rows.init.get("garak_version"),
        "run_uuid": rows.init.get("run"),
        "start_time": rows.init.get("start_time"),
        "target_type": meta.values.get("model_type"),
        "target_name": meta.values.get("model_name"),
    }
    facts: dict[str, Any] = {
        fact: first_text(meta.values.get(fact), other, getattr(settings, fact))
        for fact, other in others.items()
    }
    return Report(
        source=name,
        origin=_origin(stated, rows.evals, findings),
        measurements=measurements,
        settings=settings,
        calibration=None if digest is None else _calibration(meta),
        tiers=rows.tiers,
        partial_reason=None if completed else _partial_reason(settings, measurements),
        warnings=tuple(warnings),
        row_findings=findings,
        **facts,
    )


def _origin(
    stated: tuple[Measurement, ...],
    evals: Sequence[Measurement],
    findings: tuple[RowFinding, ...] | None,
) -> str:
    if not stated and findings is not None:
        return FROM_EVALS
    counted = all(entry.has_counts for entry in stated)
    return FROM_BOTH if evals and not counted else FROM_DIGEST


def _with_counts(
    stated: tuple[Measurement, ...], evals: Sequence[Measurement]
) -> tuple[Measurement, ...]:
    """Give digest entries without counts those of their eval row."""
    counted = {row.pair_name: row for row in evals}
    completed: list[Measurement] = []
    for entry in stated:
        row = counted.get(entry.pair_name)
        if row is not None and not entry.has_counts:
            entry = replace(
                entry,
                passed=row.passed,
                total_evaluated=row.total_evaluated,
                nones=row.nones,
            )
        completed.append(entry)
    return tuple(completed)


def _calibration(meta: Record) -> CalibrationIdentity:
    stated = meta.child("calibration", optional=True)
    models = stated.values.get("model_list")
    return CalibrationIdentity(
        date=first_text(stated.values.get("calibration_date")),
        models=text_sha256(models) if isinstance(models, str) and models else None,
    )


def _partial_reason(
    settings: ScanSettings, measurements: tuple[Measurement, ...]
) -> str | None:
    if settings.is_aggregation:
        return None
    if settings.is_old:
        return "no completion row (garak 0.9 often wrote none)"
    reason = "no completion row: the scan was interrupted"
    selected = settings.selected_probes
    if not selected:
        return reason
    judged = selected & {entry.probe for entry in measurements}
    return f"{reason} with {len(judged)} of {len(selected)} probes judged"
