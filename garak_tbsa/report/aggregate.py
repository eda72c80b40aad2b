# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An aggregate: what its checksum does not cover of the reports that it was made of.

garak's ``aggregate_reports`` keeps the setup row of the first of them alone, the lead,
and holds only the target and the version of the others against it. So the first row of
each report is read again, if the report still lies where the aggregate says.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from garak_tbsa.report.fields import parse_object
from garak_tbsa.report.opening import ADDRESS
from garak_tbsa.report.rows import SETUP_KINDS
from garak_tbsa.report.settings import (
    ScanSettings,
    differing_coverage,
    parse_settings,
)
from garak_tbsa.safe_text import printable, shown

MOST_READ = 1000
"""Reports of an aggregate whose first rows are read."""

LONGEST_SETUP = 1 << 20
NAMED, SHOWN_NAME = 3, 100


def not_covered(
    parts: Sequence[str], settings: ScanSettings, source: str
) -> str | None:
    """Return what the checksum of an aggregate may not cover.

    Parameters
    ----------
    parts : sequence of str
        The reports that it was made of, as it names them.
    settings : ScanSettings
        Its own, which the checksum covers.
    source : str
        Its path.

    Returns
    -------
    str or None
        In words; None where all reports are there and have these settings.
    """
    names: set[str] = set()
    differing, missing = [], []
    for part in parts[:MOST_READ]:
        found = _settings_of(part, os.path.dirname(source))
        if found is None:
            missing.append(part)
        elif others := differing_coverage(settings, found):
            names.update(others)
            differing.append(part)
    missing += parts[MOST_READ:]
    reasons = []
    if differing:
        verb = "differs" if len(names) == 1 else "differ"
        reasons.append(f"{', '.join(sorted(names))} {verb} in {_listed(differing)}")
    if missing:
        reasons.append(f"not found, or no report: {_listed(missing)}")
    if not parts:
        reasons.append("it does not name its reports")
    if not reasons:
        return None
    return (
        "an aggregate, whose checksum covers the settings of its lead report alone:"
        f" {'; '.join(reasons)}"
    )


def _listed(parts: Sequence[str]) -> str:
    names = (printable(shown(part, SHOWN_NAME)) for part in parts[:NAMED])
    named = ", ".join(names).replace("\n", "\\n")
    more = len(parts) - NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def _settings_of(part: str, folder: str) -> ScanSettings | None:
    """The settings in a report's first row; None where no such report is found."""
    # a report may be hostile: the machines that it names are not asked for anything
    if ADDRESS in part or part.replace("\\", "/").startswith("//"):
        return None
    below, beside = (os.path.join(folder, n) for n in (part, os.path.basename(part)))
    for path in (below, beside, part):
        row = parse_object(_first_line(path))
        if row.get("entry_type") in SETUP_KINDS:
            return parse_settings(row)
    return None


def _first_line(path: str) -> bytes:
    """The first line of an ordinary file, at most 1 MiB; empty of anything else."""
    try:
        status = os.stat(path)
        # pipes, devices and what the kernel calls an empty file may never end
        if not (stat.S_ISREG(status.st_mode) and status.st_size):
            return b""
        with open(path, "rb") as handle:
            return handle.readline(LONGEST_SETUP)
    except (OSError, ValueError):
        return b""
