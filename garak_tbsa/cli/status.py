# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa status``: whether scans are scored here, by what, and why not."""

from __future__ import annotations

import argparse
import os
import site
import sys
from collections.abc import Iterator
from pathlib import Path

import garak_tbsa
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE, UsageError
from garak_tbsa.garak_api.config_files import read_config_files, site_files
from garak_tbsa.garak_api.scan import settings_in_files
from garak_tbsa.host.environment import what_turns_off
from garak_tbsa.host.lost_settings import lost_settings
from garak_tbsa.host.settings import read_settings
from garak_tbsa.report.garak_here import (
    NEWEST,
    OLDER,
    OLDEST,
    SUPPORTED,
    Installation,
    installation,
    origin_of,
)
from garak_tbsa.terminal import write_lines
from garak_tbsa.unavailable import Unavailable

PACKAGE = Path(garak_tbsa.__file__).parent
PTH = "garak_tbsa_register.pth"
REGISTER = "garak_tbsa.host._register"
JUDGED = "scans end with their score, and gates in garak's configuration are judged"
NOT_JUDGED = (
    "scans do not end with their score, and gates in garak's configuration are not"
    " judged"
)
NOT_READ = (
    f"this Python has read no {PTH}, as it does not with -S, from an archive, or below"
    " pip install --target; pip install garak-tbsa puts it into site-packages"
)
SERVED = ("garak.analyze.tbsa", "garak.analyze.detector_eval")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Say whether garak scans with this Python end with their score, and whether"
        " gates in garak's configuration are judged. The exit code is 0 if so, and 1 if"
        " not, with the reason."
    )


def run(_: argparse.Namespace) -> int:
    """Run the command; 0 where scans end with their score, 1 where not."""
    garak = installation()
    enabled, problem = True, None
    if not isinstance(garak, Unavailable):
        problem = next(lost_settings(read_config_files(site_files())), None)
        try:
            enabled = read_settings(settings_in_files()).enabled
        except UsageError as error:
            problem = problem or str(error)
    off = None
    if (variable := what_turns_off()) is not None:
        off = f"{variable} is set in the environment"
    elif not enabled:
        off = "reporting.tbsa.enabled is false in garak's site configuration"
    elif isinstance(garak, Unavailable):
        off = "there is no garak"
    why_not = _why_not_in_place()
    write_lines(
        [
            f"garak-tbsa {garak_tbsa.__version__} in {PACKAGE}",
            f"   Python {sys.version.split()[0]}, {sys.executable}",
            _hook(why_not, off),
            *([] if problem is None else [f"❌ site configuration: {problem}"]),
            *_garak_lines(garak),
        ]
    )
    return EXIT_DONE if why_not is None and off is None else EXIT_COULD_NOT


def _why_not_in_place() -> str | None:
    """Why garak's modules are not followed in this process; None where they are."""
    # importing the module would register it
    register = sys.modules.get(REGISTER)
    if register and any(isinstance(each, register.Finder) for each in sys.meta_path):
        return None
    users = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    for place in (*site.getsitepackages(), *users):
        if os.path.isfile(os.path.join(place, PTH)) and not sys.flags.no_site:
            return (
                f"{PTH} in {place} failed; python -c 'import {REGISTER}' may show why"
            )
    return NOT_READ


def _hook(why_not: str | None, off: str | None) -> str:
    if why_not is not None:
        return f"❌ the hook is not in place in this Python: {NOT_JUDGED}; {why_not}"
    place = "the hook is in place in this Python"
    return (
        f"✔️ {place}: {JUDGED}"
        if off is None
        else f"❌ {place}, but {off}: {NOT_JUDGED}"
    )


def _garak_lines(garak: Installation | Unavailable) -> Iterator[str]:
    if isinstance(garak, Unavailable):
        yield f"❌ garak: {garak.reason}; pip install garak"
        return
    for module in SERVED:
        file = origin_of(module)
        if file and Path(file).parent == PACKAGE / "host":
            yield f"✔️ {module}: provided by garak-tbsa"
        else:
            answer = "is not there" if file is None else f"is provided by {file}"
            yield f"❌ {module} {answer}, not by garak-tbsa"
    oldest, newest = (".".join(map(str, release)) for release in (OLDEST, NEWEST))
    mark, how = {
        SUPPORTED: ("✔️", "supported"),
        OLDER: ("⚠️", f"not supported; the oldest is {oldest}"),
    }.get(garak.support, ("⚠️", f"not tested, {oldest} to {newest} are"))
    version = garak.version or "of unknown version"
    yield f"{mark} garak {version} in {garak.folder}: {how}"
    graded, metrics = garak.calibration, garak.metrics
    if graded is None:
        yield "⚠️ calibration: none, garak has none that can be read"
    else:
        date = (graded.identity.date or "")[:10] or "unknown date"
        pairs = len(graded.distributions)
        yield f"   calibration: of {date}, {pairs} pairs, {graded.source}"
    if isinstance(metrics, Unavailable):
        yield f"   detector metrics: none, {metrics.reason}"
    else:
        whose = "the user's, in place of " * metrics.is_users + "garak's own"
        count = f"{metrics.detectors} detectors"
        yield f"   detector metrics: {count}, {whose}, {metrics.path}"
