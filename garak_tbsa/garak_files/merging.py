# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One scan that several reports hold, each with other pairs -> one report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from garak_tbsa.errors import ReportError
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
    """What tells whether a report is part of a scan with others, which is little.

    Attributes
    ----------
    report : Report
        Without its measurements.
    pairs : frozenset of str
        Their names.
    """

    report: Report
    pairs: frozenset[str]


def possible_part(report: Report) -> PossiblePart:
    """Return what :func:`scans_in_parts` needs of a report."""
    pairs = frozenset(entry.pair_name for entry in report.measurements)
    return PossiblePart(
        report=replace(report, measurements=(), tiers={}, row_findings=None),
        pairs=pairs,
    )


def scans_in_parts(
    parts: Iterable[PossiblePart],
) -> tuple[list[list[PossiblePart]], Counter[str]]:
    """Join reports in the order of their start, until a pair comes again.

    Parameters
    ----------
    parts : iterable of PossiblePart
        Of any targets, in any order.

    Returns
    -------
    scans : list of list of PossiblePart
        The reports of each scan, those of one report too.
    not_joined : Counter
        Why reports of one target are not of one scan, in words, and how often.
    """
    scans: list[list[PossiblePart]] = []
    open_scans: dict[str, list[list[PossiblePart]]] = {}
    not_joined: Counter[str] = Counter()
    for part in sorted(
        parts, key=lambda part: (part.report.start_time or "", part.report.source)
    ):
        of_target = open_scans.setdefault(part.report.target, [])
        whys = [why_not_one_scan(scan[0].report, part.report) for scan in of_target]
        if None in whys:
            fitting = of_target[whys.index(None)]
            if all(part.pairs.isdisjoint(other.pairs) for other in fitting):
                fitting.append(part)
                continue
            of_target.remove(fitting)
        else:
            not_joined.update(filter(None, whys[-1:]))
        scans.append([part])
        of_target.append(scans[-1])
    return scans, not_joined


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
    without = [report.source for report in reports if not report.has_digest_grades]
    is_mixed = 0 < len(without) < len(reports)
    warnings = [f"{each.source}: {text}" for each in reports for text in each.warnings]
    if is_mixed:
        warnings.insert(
            0,
            f"{' + '.join(without)}: no digest, so all pairs were graded from their"
            " counts",
        )
    partial = [
        f"{report.source}: {report.partial_reason}"
        for report in reports
        if report.partial_reason is not None
    ]
    origins = {report.origin for report in reports}
    origin = FROM_EVALS if is_mixed else FROM_BOTH
    begun_first = min(reports, key=lambda report: report.start_time or "~")
    # a digest names none where none covers a pair
    stated = [each.calibration for each in reports]
    named = [each for each in stated if each is not None and each.date is not None]
    return replace(
        first,
        source=" + ".join(report.source for report in reports),
        run_uuid=begun_first.run_uuid,
        start_time=begun_first.start_time,
        origin=origins.pop() if len(origins) == 1 else origin,
        measurements=tuple(
            _without_grades(entry, report) if is_mixed else entry
            for report in reports
            for entry in report.measurements
        ),
        settings=_settings(reports),
        calibration=None if is_mixed else (named or stated)[0],
        tiers={probe: tier for each in reports for probe, tier in each.tiers.items()},
        partial_reason="; ".join(partial) or None,
        warnings=tuple(warnings),
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
    for name, *values in _in_common(first, other):
        one, two = values
        if canonical(one) != canonical(two):
            both = " and ".join(shown(str(value), SHOWN_VALUE) for value in values)
            return f"{name} differs ({both})"
    return None


def _in_common(first: Report, other: Report) -> Iterator[tuple[str, object, object]]:
    """What reports of one scan have in common: its name, and both values."""
    yield "the target", first.target, other.target
    yield "the garak version", first.garak_version, other.garak_version
    one, two = first.settings.configuration, other.settings.configuration
    for key in sorted({*one, *two}):
        yield key, one.get(key), two.get(key)
    dates = [each.calibration and each.calibration.date for each in (first, other)]
    if None not in dates:
        yield "the calibration", dates[0], dates[1]
        yield "the calibration", str(first.calibration), str(other.calibration)
    for probe in sorted(first.tiers.keys() & other.tiers.keys()):
        yield f"the tier of {probe}", first.tiers[probe], other.tiers[probe]


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


def _without_grades(entry: Measurement, report: Report) -> Measurement:
    """An entry as an eval row gives it, so that all are graded in one way."""
    if not entry.has_counts:
        raise ReportError(
            report.source,
            f"its digest has no counts of {entry.pair_name}, which are needed to"
            " merge it with reports that have no digest",
            "score these reports one by one",
        )
    return structs.replace(
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
