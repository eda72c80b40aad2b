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

PTH = "garak_tbsa_register.pth"
REGISTER = "garak_tbsa.host._register"
ON = "scans end with their score, and gates in garak's configuration are judged"
OFF = (
    "scans do not end with their score, and gates in garak's configuration are not"
    " judged"
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
    is_active, hook = _hook(off)
    write_lines(lines(garak, hook, problem))
    return EXIT_DONE if is_active else EXIT_COULD_NOT


def _hook(off: str | None) -> tuple[bool, str]:
    """Whether scans have a score, and the line that says so; ``off`` is why not."""
    # importing the module would register it
    register = sys.modules.get(REGISTER)
    is_in_place = register is not None and any(
        isinstance(finder, register.Finder) for finder in sys.meta_path
    )
    place = f"the hook is {'' if is_in_place else 'not '}in place in this Python"
    if is_in_place and off is None:
        return True, f"✔️ {place}: {ON}"
    if is_in_place:
        return False, f"❌ {place}, but {off}: {OFF}"
    return False, f"❌ {place}: {OFF}; {_why_not_registered()}"


def _why_not_registered() -> str:
    folder = Path(garak_tbsa.__file__).parent.parent
    if sys.flags.no_site:
        return "Python runs with -S, so it reads no .pth files"
    if not folder.is_dir():
        return f"the package is in an archive ({folder}), where .pth files are not read"
    users = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    for place in (*site.getsitepackages(), *users):
        if os.path.isfile(os.path.join(place, PTH)):
            return (
                f"{PTH} in {place} failed; python -c 'import garak_tbsa.host._register'"
                " may show why"
            )
    if (folder / PTH).is_file():
        return (
            f"{folder} is not a site-packages folder of this Python, as with"
            " pip install --target, so its .pth files are not read"
        )
    return f"{PTH} is in no site-packages folder of this Python; pip install garak-tbsa"


def lines(
    garak: Installation | Unavailable, hook: str, problem: str | None
) -> Iterator[str]:
    """Yield what is found, one line each.

    Parameters
    ----------
    garak : Installation or Unavailable
    hook : str
        Whether scans end with their score.
    problem : str or None
        What is wrong with the settings in garak's site configuration.
    """
    package = Path(garak_tbsa.__file__).parent
    yield f"garak-tbsa {garak_tbsa.__version__} in {package}"
    yield f"   Python {sys.version.split()[0]}, {sys.executable}"
    yield hook
    if problem is not None:
        yield f"❌ site configuration: {problem}"
    if isinstance(garak, Unavailable):
        yield f"❌ garak: {garak.reason}; pip install garak"
        return
    for module in SERVED:
        file = origin_of(module)
        if file and Path(file).parent == package / "host":
            yield f"✔️ {module}: provided by garak-tbsa"
        else:
            answer = "is not there" if file is None else f"is provided by {file}"
            yield f"❌ {module} {answer}, not by garak-tbsa"
    yield from _garak_lines(garak)


def _garak_lines(garak: Installation) -> Iterator[str]:
    oldest, newest = (".".join(map(str, release)) for release in (OLDEST, NEWEST))
    said = f"garak {garak.version or 'of unknown version'} in {garak.folder}"
    if garak.support == SUPPORTED:
        yield f"✔️ {said}: supported"
    elif garak.support == OLDER:
        yield f"⚠️ {said}: not supported; the oldest is {oldest}"
    else:
        yield f"⚠️ {said}: not tested, {oldest} to {newest} are"
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
