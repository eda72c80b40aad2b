# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Many scored reports over time, in series that compare."""

from __future__ import annotations

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.interval import distribution_of
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from garak_tbsa.tbsa.assessment import Assessment


@record
class Scan:
    """One report of a history.

    Attributes
    ----------
    source : str
    run_uuid : str or None
    target : str
        Type and name.
    start_time : str or None
        As garak wrote it (ISO 8601).
    checksum : str
    garak_version : str or None
    tbsa : float
        1.0-5.0.
    lower, upper : float or None
        Range of a repeat (95 %); None where it is not known.
    pairs, left_out : int
    partial : bool
    """

    source: str
    run_uuid: str | None
    target: str
    start_time: str | None
    checksum: str
    garak_version: str | None
    tbsa: float
    lower: float | None
    upper: float | None
    pairs: int
    left_out: int
    partial: bool


@record
class Series:
    """Scans of one target under one checksum, oldest first.

    Attributes
    ----------
    target, checksum : str
    scans : tuple of Scan
    """

    target: str
    checksum: str
    scans: tuple[Scan, ...]


def to_scan(assessment: Assessment) -> Scan:
    """Return what a history keeps of a scored report."""
    report = assessment.report
    repeat = distribution_of(assessment)
    lower, upper = (
        (None, None) if isinstance(repeat, Unavailable) else repeat.prediction_interval
    )
    return Scan(
        source=report.source,
        run_uuid=report.run_uuid,
        target=report.target,
        start_time=report.start_time,
        checksum=assessment.checksum.text,
        garak_version=report.garak_version,
        tbsa=assessment.tbsa,
        lower=lower,
        upper=upper,
        pairs=assessment.contributing,
        left_out=len(assessment.left_out),
        partial=report.is_partial,
    )


def in_series(scans: Iterable[Scan]) -> tuple[Series, ...]:
    """Group scans by target and checksum, each group oldest first."""
    groups: dict[tuple[str, str], list[Scan]] = {}
    for scan in scans:
        groups.setdefault((scan.target, scan.checksum), []).append(scan)
    return tuple(
        Series(
            target=target,
            checksum=checksum,
            scans=tuple(
                sorted(members, key=lambda scan: (scan.start_time or "", scan.source))
            ),
        )
        for (target, checksum), members in sorted(groups.items())
    )
