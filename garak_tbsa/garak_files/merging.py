# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One scan that several reports hold, each with other pairs -> one report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.calibration import CalibrationIdentity
from garak_tbsa.garak_files.fields import canonical
from garak_tbsa.garak_files.measurement import Measurement
from garak_tbsa.garak_files.report import FROM_BOTH, FROM_EVALS, Report
from garak_tbsa.garak_files.settings import ScanSettings
from garak_tbsa.safe_text import shown

ADVICE = (
    "merge the reports of one scan: the same target, garak version and settings, each"
    " pair in one of them"
)
NAMED = 3
SHOWN_VALUE = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class PossiblePart:
    """What tells whether a report is part of a scan with others.

    Attributes
    ----------
    report : Report
        Without its measurements.
    pairs : frozenset of str
        Their names.
    """

    report: Report
    pairs: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class ScansInParts:
    """Which reports hold parts of one scan.

    Attributes
    ----------
    scans : tuple of tuple of int
        Indices of the reports of each scan, those of one report too.
    kept_apart : mapping of str to int
        Why reports of one target are not of one scan, in words, and how often.
    """

    scans: tuple[tuple[int, ...], ...]
    kept_apart: Mapping[str, int]


def possible_part(report: Report) -> PossiblePart:
    """Return what :func:`scans_in_parts` needs of a report, which is little."""
    pairs = frozenset(entry.pair_name for entry in report.measurements)
    return PossiblePart(
        report=replace(report, measurements=(), tiers={}, row_findings=None),
        pairs=pairs,
    )


def parts_are_disjoint(part: PossiblePart, others: Iterable[PossiblePart]) -> bool:
    """Whether a report holds no pair that one of others holds."""
    return not any(part.pairs & other.pairs for other in others)


def scans_in_parts(parts: Sequence[PossiblePart]) -> ScansInParts:
    """Join reports in the order of their start, until a pair comes again.

    Parameters
    ----------
    parts : sequence of PossiblePart
        Of any targets, in any order.
    """
    order = sorted(
        range(len(parts)),
        key=lambda index: (
            parts[index].report.start_time or "",
            parts[index].report.source,
        ),
    )
    scans: list[list[int]] = []
    open_scans: dict[str, list[list[int]]] = {}
    kept_apart: Counter[str] = Counter()
    for index in order:
        part = parts[index]
        of_target = open_scans.setdefault(part.report.target, [])
        reasons = {
            position: why_not_one_scan(parts[scan[0]].report, part.report)
            for position, scan in enumerate(of_target)
        }
        fitting = next((at for at, why in reasons.items() if why is None), None)
        if fitting is None:
            kept_apart.update(filter(None, [*reasons.values()][-1:]))
        elif parts_are_disjoint(part, (parts[i] for i in of_target[fitting])):
            of_target[fitting].append(index)
            continue
        else:
            del of_target[fitting]
        of_target.append([index])
        scans.append(of_target[-1])
    return ScansInParts(scans=tuple(map(tuple, scans)), kept_apart=kept_apart)


def merge_reports(reports: Sequence[Report]) -> Report:
    """Join the reports of one scan.

    Parameters
    ----------
    reports : sequence of Report
        At least one; of the same target, garak version, settings and calibration,
        with no pair in two of them.

    Returns
    -------
    Report
        With the pairs of all, and with the start and run id of the one that began
        first. Its checksum is that of a report of the whole scan.

    Raises
    ------
    ReportError
        They differ in what must be equal, or two hold the same pair; it names the
        first that does not fit, and what differs.
    """
    first, *others = reports
    if not others:
        return first
    for other in others:
        why = why_not_one_scan(first, other)
        if why is not None:
            raise _refused(first, other, why)
    _require_disjoint(reports)
    graded = [report for report in reports if report.has_digest_grades]
    is_mixed = 0 < len(graded) < len(reports)
    begun_first = min(reports, key=lambda report: report.start_time or "~")
    partial = [
        f"{report.source}: {report.partial_reason}"
        for report in reports
        if report.partial_reason is not None
    ]
    return replace(
        first,
        source=_joined(report.source for report in reports),
        run_uuid=begun_first.run_uuid,
        start_time=begun_first.start_time,
        origin=_origin(reports, is_mixed=is_mixed),
        measurements=tuple(
            _without_grades(entry, report) if is_mixed else entry
            for report in reports
            for entry in report.measurements
        ),
        settings=_settings(reports),
        calibration=None if is_mixed else _calibration(reports),
        tiers={probe: tier for each in reports for probe, tier in each.tiers.items()},
        partial_reason="; ".join(partial) or None,
        warnings=tuple(_warnings(reports, is_mixed=is_mixed)),
        row_findings=None,
        parts=tuple(reports),
    )


def why_not_one_scan(first: Report, other: Report) -> str | None:
    """Return what two reports of one scan would have in common and these do not.

    Returns
    -------
    str or None
        In words, with both values; None where they may be parts of one scan, unless
        they hold the same pair.
    """
    return next(_differences(first, other), None)


def _differences(first: Report, other: Report) -> Iterator[str]:
    if first.target != other.target:
        yield f"the target differs ({_both(first.target, other.target)})"
    versions = first.garak_version, other.garak_version
    if versions[0] != versions[1]:
        yield f"the garak version differs ({_both(*versions)})"
    one, two = first.settings.configuration, other.settings.configuration
    for key in sorted(one.keys() | two.keys()):
        if canonical(one.get(key)) != canonical(two.get(key)):
            yield f"{key} differs ({_both(one.get(key), two.get(key))})"
    calibrations = {_named(report.calibration) for report in (first, other)} - {None}
    if len(calibrations) > 1:
        dates = first.calibration, other.calibration
        yield f"the calibration differs ({_both(*(_date(each) for each in dates))})"
    for probe in sorted(first.tiers.keys() & other.tiers.keys()):
        if first.tiers[probe] != other.tiers[probe]:
            tiers = _both(first.tiers[probe], other.tiers[probe])
            yield f"the tier of {probe} differs ({tiers})"


def _require_disjoint(reports: Sequence[Report]) -> None:
    held_by: dict[str, Report] = {}
    for report in reports:
        again = [
            entry.pair_name
            for entry in report.measurements
            if held_by.setdefault(entry.pair_name, report) is not report
        ]
        if again:
            names = ", ".join(again[:NAMED])
            more = f" and {len(again) - NAMED} more" if len(again) > NAMED else ""
            raise _refused(held_by[again[0]], report, f"both hold {names}{more}")


def _refused(first: Report, other: Report, why: str) -> ReportError:
    return ReportError(
        other.source, f"is not part of the same scan as {first.source}: {why}", ADVICE
    )


def _both(one: object, two: object) -> str:
    return " and ".join(shown(str(value), SHOWN_VALUE) for value in (one, two))


def _named(calibration: CalibrationIdentity | None) -> CalibrationIdentity | None:
    """A calibration that a digest names; garak names none that covers no pair."""
    if calibration is None or calibration.date is None:
        return None
    return calibration


def _date(calibration: CalibrationIdentity | None) -> str | None:
    return None if calibration is None else calibration.date


def _calibration(reports: Sequence[Report]) -> CalibrationIdentity | None:
    named = [report.calibration for report in reports if _named(report.calibration)]
    return named[0] if named else reports[0].calibration


def _origin(reports: Sequence[Report], *, is_mixed: bool) -> str:
    origins = {report.origin for report in reports}
    if len(origins) == 1:
        return origins.pop()
    return FROM_EVALS if is_mixed else FROM_BOTH


def _without_grades(entry: Measurement, report: Report) -> Measurement:
    """An entry as an eval row gives it, so that all are graded in one way."""
    if not entry.has_counts:
        raise ReportError(
            report.source,
            f"its digest has no counts of {entry.pair_name}, which are needed to"
            " merge it with reports that have no digest",
            "score these reports one by one",
        )
    return replace(
        entry, pass_rate=None, z_score=None, pass_rate_grade=None, z_grade=None
    )


def _settings(reports: Sequence[Report]) -> ScanSettings:
    settings = [report.settings for report in reports]
    seeds = {each.seed for each in settings}
    return replace(
        settings[0],
        selected_probes=frozenset().union(*(each.selected_probes for each in settings)),
        is_aggregation=any(each.is_aggregation for each in settings),
        # parts with seeds of their own do not draw the prompts that one seed draws
        seed=seeds.pop() if len(seeds) == 1 else None,
    )


def _warnings(reports: Sequence[Report], *, is_mixed: bool) -> Iterator[str]:
    if is_mixed:
        without = [each.source for each in reports if not each.has_digest_grades]
        yield (
            f"{_joined(without)}: no digest, so all pairs were graded from their counts"
        )
    for report in reports:
        for warning in report.warnings:
            yield f"{report.source}: {warning}"


def _joined(sources: Iterator[str] | Sequence[str]) -> str:
    return " + ".join(sources)
