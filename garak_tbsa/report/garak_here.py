# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The garak that is installed here, as its files tell: tiers, calibrations, plug-ins.

garak is found but not imported, which takes a fifth of the time of a quiet score. To
ask its list of plug-ins copies that list into the user's folder, and loads all of them
where a file of theirs is newer.
"""

from __future__ import annotations

import glob
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from garak_tbsa.errors import GarakMissingError, ReportError
from garak_tbsa.report.calibration import (
    Calibration,
    CalibrationIdentity,
    parse_calibration,
)
from garak_tbsa.unavailable import Unavailable

OLDEST, NEWEST = (0, 14), (0, 17)
"""The range of garak releases that the tests run, as minor versions."""

SUPPORTED, OLDER, NEWER, UNKNOWN = "supported", "older", "newer", "unknown"
USERS_METRICS = (0, 17)
"""The first garak that reads a user's detector metrics."""

METRICS = os.path.join("detectors_eval", "detector_metrics_summary.json")
CALIBRATION_IN_USE = "calibration.json"
NO_GARAK = Unavailable(reason="no garak is installed here")
NO_LIST = Unavailable(reason="the installed garak does not list its plugins")


def garak_folder() -> str | None:
    """Return the folder of the installed garak, None where there is none."""
    for finder in sys.meta_path:
        spec = finder.find_spec("garak", None)
        if spec is not None and spec.submodule_search_locations:
            return next(iter(spec.submodule_search_locations), None)
    return None


def has_garak() -> bool:
    """Whether a garak is installed here."""
    return garak_folder() is not None


def user_data_folder() -> str:
    """Return the folder in which a user overrides garak's data files."""
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(home, "garak", "data")


def origin_of(module: str) -> str | None:
    """Return the file that ``import`` would take a module of garak's from."""
    inside = os.path.join(garak_folder() or "", *module.split(".")[1:-1])
    specs = (finder.find_spec(module, [inside]) for finder in sys.meta_path)
    return next((spec.origin for spec in specs if spec is not None), None)


def _read(*path: str) -> bytes | None:
    """A file's bytes, None where it cannot be read."""
    try:
        with open(os.path.join(*path), "rb") as file:
            return file.read()
    except (OSError, ValueError):
        return None


def _member(content: bytes | None, name: str) -> dict[str, Any] | None:
    """An object within the object that a JSON file holds, None where there is none."""
    try:
        document = json.loads((content or b"").decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    found = document.get(name) if isinstance(document, dict) else None
    return found if isinstance(found, dict) else None


def plugins(category: str) -> Mapping[str, Mapping[str, Any]] | Unavailable:
    """Return what the installed garak says of its plug-ins, by ``module.Class``.

    Parameters
    ----------
    category : str
        ``probes`` or ``detectors``.
    """
    folder = garak_folder()
    return NO_GARAK if folder is None else _listed(folder, category)


@cache
def _listed(
    folder: str, category: str
) -> Mapping[str, Mapping[str, Any]] | Unavailable:
    found = _member(_read(folder, "resources", "plugin_cache.json"), category)
    if found is None:
        return NO_LIST
    return {
        name.removeprefix(f"{category}."): entry
        for name, entry in found.items()
        if isinstance(entry, dict)
    }


def tier_of(probe: str) -> int | None:
    """Return a probe's tier in the installed garak, None where it is unknown."""
    probes = plugins("probes")
    tier = (
        None if isinstance(probes, Unavailable) else probes.get(probe, {}).get("tier")
    )
    return tier if tier in (1, 2, 3, 9) else None


def find_calibration(identity: CalibrationIdentity | None) -> Calibration | None:
    """Return an installed calibration.

    Parameters
    ----------
    identity : CalibrationIdentity or None
        Date and models that a digest names; None for the one that the installed
        garak uses.

    Returns
    -------
    Calibration or None
        None where no garak is installed or it does not have that one.
    """
    for path in _calibration_files():
        found = _calibration(path)
        if found is None or (identity is not None and identity.date is None):
            continue
        own = found.identity
        if identity is None or (own.date, own.models) == (
            identity.date,
            identity.models,
        ):
            return found
    return None


def installed_calibration() -> Calibration:
    """Return the calibration that the installed garak uses.

    Raises
    ------
    GarakMissingError
        No garak is installed.
    """
    calibration = find_calibration(None)
    if calibration is None:
        raise GarakMissingError(
            "--calibration installed: no garak with a calibration is installed here;"
            " pip install garak, or give --calibration a path, which grades every pair"
            " again from its counts too"
        )
    return calibration


def is_installed_calibration(content: bytes) -> bool:
    """Whether these are the bytes of a calibration that garak itself would read."""
    return any(_read(path) == content for path in _calibration_files())


def _calibration_files() -> list[str]:
    """Calibration files, the one in use first; a user's file hides garak's."""
    package = garak_folder()
    paths: dict[str, str] = {}
    for data in (user_data_folder(), package and os.path.join(package, "data")):
        here = os.path.join(glob.escape(data or ""), "calibration", "calibration*.json")
        for path in sorted(glob.glob(here) if data else (), reverse=True):
            paths.setdefault(os.path.basename(path), path)
    ordered = sorted(paths, key=lambda name: name != CALIBRATION_IN_USE)
    return [paths[name] for name in ordered]


@cache
def _calibration(path: str) -> Calibration | None:
    try:
        return parse_calibration(_read(path) or b"", source=path, trusted=True)
    except ReportError:
        # a damaged calibration must not keep a digest's own grades from counting
        return None


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


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricsFiles:
    """Paths of detector metrics, of which garak reads the first that exists.

    Attributes
    ----------
    users : str
        The user's file.
    shipped : str or None
        None where the installed garak has no metrics of its own.
    """

    users: str
    shipped: str | None

    @property
    def in_use(self) -> str | None:
        """The file that garak reads now."""
        return self.users if os.path.isfile(self.users) else self.shipped


def metrics_files() -> MetricsFiles:
    """Return where the installed garak has detector metrics."""
    shipped = os.path.join(garak_folder() or "", "data", METRICS)
    return MetricsFiles(
        users=os.path.join(user_data_folder(), METRICS),
        shipped=shipped if os.path.isfile(shipped) else None,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricsInUse:
    """The metrics that garak corrects confidence intervals with.

    Attributes
    ----------
    path : str
    detectors : int
        How many it has metrics of.
    is_users : bool
        Whether it is the user's file, which garak reads in place of its own.
    """

    path: str
    detectors: int
    is_users: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Installation:
    """The garak that ``import garak`` would find, for ``status``.

    Attributes
    ----------
    folder : str
    version : str or None
        None where garak does not state it.
    support : str
        As of :func:`support_of`.
    calibration : Calibration or None
        What scans are graded with; None where garak has none that can be read.
    metrics : MetricsInUse or Unavailable
    """

    folder: str
    version: str | None
    support: str
    calibration: Calibration | None
    metrics: MetricsInUse | Unavailable


def installation() -> Installation | Unavailable:
    """Look at the garak that is installed here."""
    folder = garak_folder()
    if folder is None:
        return NO_GARAK
    source = (_read(folder, "__init__.py") or b"").decode("utf-8", "replace")
    found = re.search(r"""^__version__ *= *["']([^"']+)""", source, re.MULTILINE)
    version = None if found is None else found[1]
    return Installation(
        folder=folder,
        version=version,
        support=support_of(version or ""),
        calibration=find_calibration(None),
        metrics=_metrics_in_use(_release_of(version or "")),
    )


def _metrics_in_use(release: tuple[int, int] | None) -> MetricsInUse | Unavailable:
    files = metrics_files()
    reads_users = release is not None and release >= USERS_METRICS
    path = files.in_use if reads_users else files.shipped
    if path is None:
        return Unavailable(reason="this garak has none and makes no use of them")
    results = _member(_read(path), "results")
    if results is None:
        return Unavailable(reason=f"{path} cannot be read, expected garak's summary")
    is_users = path == files.users
    return MetricsInUse(path=path, detectors=len(results), is_users=is_users)
