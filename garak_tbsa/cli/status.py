# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa status``: whether scans are scored here, by what, and why not."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.installation import (
    NEWEST,
    OLDER,
    OLDEST,
    SUPPORTED,
    CalibrationInUse,
    Installation,
    MetricsInUse,
)
from garak_tbsa.garak_api.scan import site_settings
from garak_tbsa.host.status import Status, status
from garak_tbsa.terminal import write_lines
from garak_tbsa.unavailable import Unavailable

SCHEMA_VERSION = 1


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = CommandParser(
        prog="garak-tbsa status",
        description="Say whether garak scans with this Python end with their score. The"
        " exit code is 0 if so, and 1 if not, with the reason.",
    )
    parser.add_argument(
        "-j",
        "--json",
        "--json_output",
        dest="json",
        metavar="PATH",
        help="write the same as JSON",
    )
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command; 0 where scans end with their score, 1 where not."""
    options = build_parser().parse_args(argv)
    claim_outputs({"-j": options.json}, [])
    found = status(site_settings)
    write_lines(lines(found))
    if options.json:
        text = json.dumps(
            document(found), indent=2, ensure_ascii=False, allow_nan=False
        )
        write_whole(options.json, text + "\n")
    return EXIT_DONE if found.follows_scans else EXIT_COULD_NOT


def lines(found: Status) -> list[str]:
    """The status in words, one line each."""
    said = [
        f"garak-tbsa {found.version} in {found.package}",
        f"   Python {found.python}, {found.executable}",
        _hook_line(found),
    ]
    if found.settings_problem is not None:
        said.append(f"❌ site configuration: {found.settings_problem}")
    if isinstance(found.garak, Unavailable):
        return [*said, f"❌ garak: {found.garak.reason}; pip install garak"]
    served = [_served_line(found, module) for module in found.served]
    return [*said, *served, *_garak_lines(found.garak)]


def _served_line(found: Status, module: str) -> str:
    if found.is_ours(module):
        return f"✔️ {module}: provided by garak-tbsa"
    origin = found.served[module]
    answer = "is not there" if origin is None else f"is provided by {origin}"
    return f"❌ {module} {answer}, not by garak-tbsa"


def _hook_line(found: Status) -> str:
    if found.hook_off is not None:
        return f"❌ scans do not end with their score: {found.hook_off.reason}"
    if isinstance(found.garak, Unavailable):
        return "❌ scans do not end with their score: there is no garak"
    return "✔️ scans end with their score"


def _garak_lines(garak: Installation) -> list[str]:
    return [
        f"{'✔️' if garak.support == SUPPORTED else '⚠️'} {_garak_line(garak)}",
        _calibration_line(garak.calibration),
        _metrics_line(garak.metrics),
    ]


def _garak_line(garak: Installation) -> str:
    if isinstance(garak.version, Unavailable):
        return f"garak of unknown version in {garak.folder}: {garak.version.reason}"
    oldest, newest = (".".join(map(str, release)) for release in (OLDEST, NEWEST))
    said = f"garak {garak.version} in {garak.folder}"
    if garak.support == SUPPORTED:
        return f"{said}: supported"
    if garak.support == OLDER:
        return f"{said}: not supported; the oldest is {oldest}"
    return f"{said}: not tested, {oldest} to {newest} are"


def _calibration_line(calibration: CalibrationInUse | Unavailable) -> str:
    if isinstance(calibration, Unavailable):
        return f"⚠️ calibration: none, {calibration.reason}"
    date = (calibration.date or "")[:10] or "unknown date"
    return f"   calibration: of {date}, {calibration.pairs} pairs, {calibration.path}"


def _metrics_line(metrics: MetricsInUse | Unavailable) -> str:
    if isinstance(metrics, Unavailable):
        return f"   detector metrics: none, {metrics.reason}"
    whose = "the user's, in place of garak's own" if metrics.is_users else "garak's own"
    return (
        f"   detector metrics: {metrics.detectors} detectors, {whose}, {metrics.path}"
    )


def document(found: Status) -> dict[str, Any]:
    """The status as JSON; what is missing is null with a reason beside it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "follows_scans": found.follows_scans,
        "hook": {
            "active": found.hook_off is None,
            "off_because": None if found.hook_off is None else found.hook_off.reason,
        },
        "garak_tbsa": {"version": found.version, "folder": found.package},
        "python": {"version": found.python, "executable": found.executable},
        "served": {
            module: {"file": file, "ours": found.is_ours(module)}
            for module, file in found.served.items()
        },
        "site_settings_problem": found.settings_problem,
        "garak": _garak_document(found.garak),
    }


def _garak_document(garak: Installation | Unavailable) -> dict[str, Any]:
    if isinstance(garak, Unavailable):
        return {"installed": False, "missing_because": garak.reason}
    return {
        "installed": True,
        "folder": garak.folder,
        "version": _or_none(garak.version),
        "support": garak.support,
        "calibration": _members(garak.calibration),
        "detector_metrics": _members(garak.metrics),
    }


def _or_none(value: str | Unavailable) -> str | None:
    return None if isinstance(value, Unavailable) else value


def _members(value: object) -> dict[str, Any]:
    return (
        {"missing_because": value.reason}
        if isinstance(value, Unavailable)
        else dict(vars(value))
    )
