# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of Python callers, checked before a report is read.

On a command line argparse does this; the errors here name the argument as Python does.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from garak_tbsa.errors import ReportError, UsageError
from garak_tbsa.option import Option
from garak_tbsa.outputs.registry import MOST_HITS
from garak_tbsa.report.calibration import (
    GIVE_TIERS,
    LARGEST_TIERS,
    Calibration,
    parse_calibration,
    parse_tiers,
)
from garak_tbsa.report.garak_here import (
    find_calibration,
    installed_calibration,
    is_installed_calibration,
    tier_of,
)
from garak_tbsa.report.report import Report, load_report
from garak_tbsa.statistics.repeat_prompts import REPEATS
from garak_tbsa.tbsa.scan import AS_IN_REPORT, Scan, assess

PathLike = str | os.PathLike[str]
Paths = PathLike | Iterable[PathLike]
CalibrationName = Annotated[
    PathLike, Option(kind=object, metavar="report|installed|PATH")
]
Tiers = Annotated[PathLike | Mapping[str, int], Option(kind=object, metavar="FILE")]
Hits = Annotated[int | None, Option(kind=int, high=MOST_HITS, metavar="N")]
Metrics = Annotated[PathLike | None, Option(kind=object, metavar="PATH")]
Prompts = Annotated[str | None, Option(kind=str, choices=REPEATS)]

INSTALLED = "installed"
LARGEST_CALIBRATION = 64 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Scoring:
    """How reports are scored, with what the installed garak knows.

    Attributes
    ----------
    chosen : str
        The calibration as a user names it: ``report``, ``installed`` or a path.
    calibration : Calibration or None
        The one to grade again with; None keeps the report's grades.
    tiers : mapping of str to int
        Of probes that neither the report nor the installed garak knows.
    """

    chosen: str = AS_IN_REPORT
    calibration: Calibration | None = None
    tiers: Mapping[str, int] = field(default_factory=dict)

    def assess(self, report: Report) -> Scan:
        """Score a report.

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
            calibration=self.calibration,
            chosen=self.chosen,
            given_tiers=self.tiers,
        )

    def assess_path(self, path: str, *, whole: bool = False) -> Scan:
        """Read and score a report.

        Parameters
        ----------
        path : str
        whole : bool
            Whether all rows are read, which tell what was not measured.

        Raises
        ------
        ReportError
            It cannot be read, or contradicts itself.
        NotScorableError
            Nothing in it gives a score.
        """
        report = load_report(path)
        return self.assess(report.whole if whole else report)


def scoring_of(
    calibration: CalibrationName = AS_IN_REPORT,
    tiers: Tiers | None = None,
) -> Scoring:
    """Return how reports are to be scored.

    Parameters
    ----------
    calibration : {"report", "installed"} or path
        Use the grades of the report (default), or grade again with the installed
        garak's calibration or with that of a file.
    tiers : path or mapping of str to int, optional
        Tiers of probes that neither the report nor the installed garak knows:
        ``{"module.Class": 1, ...}`` or the plugin_cache.json of another garak.

    Raises
    ------
    UsageError
        An argument is not what it must be.
    ReportError
        The file of tiers or of the calibration is none.
    GarakMissingError
        ``installed``, and no garak is.
    """
    chosen = path_of("calibration", calibration)
    return Scoring(
        tiers=_tiers_of(tiers),
        chosen=chosen,
        calibration=_calibration_of(chosen),
    )


def _tiers_of(given: Tiers | None) -> Mapping[str, int]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        path = path_of("tiers", given)
        return parse_tiers(
            _read_small(path, LARGEST_TIERS, GIVE_TIERS, GIVE_TIERS), source=path
        )
    try:
        content = json.dumps(dict(given), allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise UsageError(f"tiers: expected numbers by probe name ({error})") from None
    return parse_tiers(content, source="tiers")


def _calibration_of(chosen: str) -> Calibration | None:
    """Return the calibration to grade again with, None to keep the report's grades."""
    if chosen == AS_IN_REPORT:
        return None
    if chosen == INSTALLED:
        return installed_calibration()
    content = _read_small(
        chosen,
        LARGEST_CALIBRATION,
        "--calibration takes report, installed or a calibration's path",
        "give a garak calibration, such as garak/data/calibration/calibration.json",
    )
    # the installed file by its path must compare with the same one by its name
    trusted = is_installed_calibration(content)
    return parse_calibration(content, source=chosen, trusted=trusted)


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


def path_of(name: str, value: PathLike) -> str:
    """Return a path as text.

    Raises
    ------
    UsageError
        It is none.
    """
    if isinstance(value, str | os.PathLike):
        found = os.fspath(value)
        if isinstance(found, str) and found:
            return found
    raise UsageError(f"{name}: expected a path, found {value!r}")


def paths_of(name: str, value: Paths, *, may_be_empty: bool = False) -> list[str]:
    """Return one path or several as a list of texts.

    Raises
    ------
    UsageError
        One is none, or there is none.
    """
    if isinstance(value, str | os.PathLike) or not isinstance(value, Iterable):
        return [path_of(name, value)]
    found = [path_of(name, each) for each in value]
    if not found and not may_be_empty:
        raise UsageError(f"{name}: expected at least one path, found none")
    return found
