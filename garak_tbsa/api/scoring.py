# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A path -> a scored report, with what the installed garak knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from garak_tbsa.errors import ReportError, ReportMissingError
from garak_tbsa.garak_api.scoring import (
    find_calibration,
    installed_calibration,
    is_installed_calibration,
    tier_of,
)
from garak_tbsa.garak_files.calibration import Calibration, parse_calibration
from garak_tbsa.garak_files.merging import merge_reports
from garak_tbsa.garak_files.report import Report, load_report
from garak_tbsa.garak_files.source import DEFAULT_LIMITS, ReadLimits
from garak_tbsa.garak_files.tiers import ADVICE, LARGEST, parse_tiers
from garak_tbsa.tbsa.assessment import AS_IN_REPORT, Assessment, assess
from garak_tbsa.tbsa.score import DOCUMENTED
from garak_tbsa.unavailable import Unavailable

INSTALLED = "installed"
LARGEST_CALIBRATION = 64 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoringOptions:
    """How reports are scored.

    Attributes
    ----------
    formula : str
        ``documented`` or ``garak``.
    calibration : str
        ``report``, ``installed`` or a path.
    limits : ReadLimits
        How much of each report may be read.
    tiers : mapping of str to int
        Of probes that neither the report nor the installed garak knows.
    """

    formula: str = DOCUMENTED
    calibration: str = AS_IN_REPORT
    limits: ReadLimits = DEFAULT_LIMITS
    tiers: Mapping[str, int] = field(default_factory=dict)


def chosen_calibration(choice: str) -> Calibration | None:
    """Return the calibration to grade again with, None to keep the report's grades.

    Raises
    ------
    ReportError
        The path holds no calibration.
    GarakMissingError
        ``installed``, and no garak is.
    """
    if choice == AS_IN_REPORT:
        return None
    if choice == INSTALLED:
        return installed_calibration()
    content = _read_small(
        choice,
        LARGEST_CALIBRATION,
        "--calibration takes report, installed or a calibration's path",
        "give a garak calibration, such as garak/data/calibration/calibration.json",
    )
    # the installed file by its path must compare with the same one by its name
    trusted = is_installed_calibration(content)
    return parse_calibration(content, source=choice, trusted=trusted)


def given_tiers(path: str | None) -> Mapping[str, int]:
    """Return the tiers that a file gives, none without a file.

    Raises
    ------
    ReportError
        The file is none of tiers.
    """
    if path is None:
        return {}
    return parse_tiers(_read_small(path, LARGEST, ADVICE, ADVICE), source=path)


def _read_small(path: str, most: int, if_missing: str, if_large: str) -> bytes:
    try:
        with open(path, "rb") as handle:
            content = handle.read(most + 1)
    except OSError as error:
        raise ReportError(
            path, f"cannot be opened ({error.strerror})", if_missing
        ) from error
    if len(content) > most:
        raise ReportError(path, f"is larger than {most >> 20} MiB", if_large)
    return content


def assess_report(
    report: Report, options: ScoringOptions, calibration: Calibration | None
) -> Assessment:
    """Score one report with what the installed garak knows.

    Parameters
    ----------
    report : Report
    options : ScoringOptions
    calibration : Calibration or None
        From :func:`chosen_calibration`.

    Raises
    ------
    NotScorableError
        Nothing in it gives a score.
    ReportError
        It contradicts itself.
    """
    return assess(
        report,
        tier_of=tier_of,
        find_calibration=find_calibration,
        calibration=calibration,
        chosen=options.calibration,
        formula=options.formula,
        given_tiers=options.tiers,
    )


def assess_path(
    path: str, options: ScoringOptions, calibration: Calibration | None
) -> Assessment:
    """Read and score the report at a path; see :func:`assess_report`."""
    return assess_report(load_report(path, options.limits), options, calibration)


def assess_baseline(
    path: str,
    options: ScoringOptions,
    calibration: Calibration | None,
    *,
    optional: bool,
) -> Assessment | Unavailable:
    """Read and score the report that a scan is held against.

    Parameters
    ----------
    path : str
    options : ScoringOptions
    calibration : Calibration or None
    optional : bool
        Whether it may be missing, which is then the reason of the ``Unavailable``.

    Raises
    ------
    GarakTbsaError
        It cannot be scored; it is missing, and not optional.
    """
    try:
        return assess_path(path, options, calibration)
    except ReportMissingError:
        if not optional:
            raise
        return Unavailable(
            reason=f"no baseline yet, {path} does not exist; nothing was compared"
        )


def assess_merged(
    paths: Sequence[str], options: ScoringOptions, calibration: Calibration | None
) -> Assessment:
    """Read reports that hold parts of one scan, and score it.

    Raises
    ------
    ReportError
        They are not parts of one scan, or one cannot be read.
    NotScorableError
        Nothing in them gives a score.
    """
    if len(paths) == 1:
        return assess_path(paths[0], options, calibration)
    report = merge_reports([load_report(path, options.limits) for path in paths])
    return assess_report(report, options, calibration)
