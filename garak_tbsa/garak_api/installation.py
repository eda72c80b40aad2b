# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The garak that is installed here, as its files tell; it is not imported."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass

from garak_tbsa.garak_api.scoring import (
    find_calibration,
    garak_folder,
    user_data_folder,
)
from garak_tbsa.unavailable import Unavailable

OLDEST, NEWEST = (0, 14), (0, 17)
"""The range of garak releases that the tests run, as minor versions."""
SUPPORTED, OLDER, NEWER, UNKNOWN = "supported", "older", "newer", "unknown"
NO_GARAK = Unavailable(reason="no garak is installed here")
USERS_METRICS = (0, 17)
"""The first garak that reads a user's detector metrics."""
METRICS = os.path.join("detectors_eval", "detector_metrics_summary.json")


@dataclass(frozen=True, kw_only=True)
class CalibrationInUse:
    """What garak grades scans with.

    Attributes
    ----------
    path : str
    date : str or None
        When garak's maintainers made it.
    pairs : int
        How many it covers.
    """

    path: str
    date: str | None
    pairs: int


@dataclass(frozen=True, kw_only=True)
class MetricsInUse:
    """What garak corrects its confidence intervals with.

    Attributes
    ----------
    path : str
    detectors : int
        How many have metrics.
    is_users : bool
        Whether it is in the user's data folder, and hides garak's own.
    """

    path: str
    detectors: int
    is_users: bool


@dataclass(frozen=True, kw_only=True)
class Installation:
    """An installed garak.

    Attributes
    ----------
    folder : str
    version : str or Unavailable
    support : str
        ``supported``, ``older`` or ``newer`` than what is, or ``unknown``.
    calibration : CalibrationInUse or Unavailable
    metrics : MetricsInUse or Unavailable
    """

    folder: str
    version: str | Unavailable
    support: str
    calibration: CalibrationInUse | Unavailable
    metrics: MetricsInUse | Unavailable


def support_of(version: str) -> str:
    """Return whether a release of garak is supported, older, newer or unknown."""
    release = _release_of(version)
    if release is None:
        return UNKNOWN
    if release < OLDEST:
        return OLDER
    return NEWER if release > NEWEST else SUPPORTED


def _release_of(version: str) -> tuple[int, int] | None:
    found = re.match(r"(\d{1,9})\.(\d{1,9})", version)
    return None if found is None else (int(found[1]), int(found[2]))


def installation() -> Installation | Unavailable:
    """Look at the garak that ``import garak`` would find."""
    folder = garak_folder()
    if folder is None:
        return NO_GARAK
    version = _version(folder)
    known = "" if isinstance(version, Unavailable) else version
    return Installation(
        folder=folder,
        version=version,
        support=support_of(known),
        calibration=_calibration(),
        metrics=_metrics(folder, _release_of(known)),
    )


def origin_of(module: str) -> str | None:
    """Return the file that ``import`` would take a module of garak's from."""
    folder = garak_folder()
    if folder is None:
        return None
    inside = os.path.join(folder, *module.split(".")[1:-1])
    for finder in sys.meta_path:
        spec = finder.find_spec(module, [inside])
        if spec is not None:
            return spec.origin
    return None


def _version(folder: str) -> str | Unavailable:
    try:
        with open(os.path.join(folder, "__init__.py"), encoding="utf-8") as file:
            found = re.search(r"""^__version__ *= *["']([^"']+)""", file.read(), re.M)
    except (OSError, ValueError):
        found = None
    return found[1] if found else Unavailable(reason="its files do not state it")


def _calibration() -> CalibrationInUse | Unavailable:
    found = find_calibration(None)
    if found is None:
        return Unavailable(reason="garak has none that can be read")
    return CalibrationInUse(
        path=found.source, date=found.identity.date, pairs=len(found.distributions)
    )


def _metrics(
    folder: str, release: tuple[int, int] | None
) -> MetricsInUse | Unavailable:
    """The file that garak reads: a user's hides its own."""
    users = os.path.join(user_data_folder(), METRICS)
    if release is not None and release >= USERS_METRICS and os.path.isfile(users):
        return _metrics_of(users, is_users=True)
    own = os.path.join(folder, "data", METRICS)
    if os.path.isfile(own):
        return _metrics_of(own, is_users=False)
    return Unavailable(reason="this garak has none and makes no use of them")


def _metrics_of(path: str, *, is_users: bool) -> MetricsInUse | Unavailable:
    try:
        with open(path, encoding="utf-8") as file:
            detectors = len(json.load(file)["results"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Unavailable(reason=f"{path} cannot be read, expected garak's summary")
    return MetricsInUse(path=path, detectors=detectors, is_users=is_users)
