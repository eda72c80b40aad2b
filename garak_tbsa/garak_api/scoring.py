# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Tiers and calibrations of the installed garak, read from its files.

garak is found but not imported: importing it takes longer than a score.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from garak_tbsa.errors import GarakMissingError, ReportError
from garak_tbsa.garak_files.calibration import (
    Calibration,
    CalibrationIdentity,
    parse_calibration,
)

NEWEST = "calibration.json"
KNOWN_TIERS = (1, 2, 3, 9)


def garak_folder() -> str | None:
    """Return the folder of the installed garak, None where there is none."""
    for finder in sys.meta_path:
        spec = finder.find_spec("garak", None)
        if spec is not None and spec.submodule_search_locations:
            return next(iter(spec.submodule_search_locations), None)
    return None


def user_data_folder() -> str:
    """Return the folder in which a user overrides garak's data files."""
    home = os.environ.get("XDG_DATA_HOME") or os.path.join(
        os.path.expanduser("~"), ".local", "share"
    )
    return os.path.join(home, "garak", "data")


def tier_of(probe: str) -> int | None:
    """Return a probe's tier in the installed garak, None where it is unknown."""
    folder = garak_folder()
    return None if folder is None else _read_tiers(folder).get(f"probes.{probe}")


@cache
def _read_tiers(folder: str) -> Mapping[str, int]:
    try:
        return {
            name: probe["tier"]
            for name, probe in listed_plugins(folder)["probes"].items()
            if probe.get("tier") in KNOWN_TIERS
        }
    except (KeyError, TypeError, AttributeError):
        return {}


def listed_plugins(folder: str) -> Mapping[str, Any]:
    """Return garak's own list of its plugins, empty where it cannot be read."""
    try:
        with open(os.path.join(folder, "resources", "plugin_cache.json"), "rb") as file:
            listed = json.loads(file.read().decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return listed if isinstance(listed, dict) else {}


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
    if identity is not None and identity.date is None:
        return None
    for path in _calibration_files():
        calibration = _read(path)
        if calibration is None:
            continue
        if identity is None or _same(calibration.identity, identity):
            return calibration
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
    return any(_content(path) == content for path in _calibration_files())


def _same(found: CalibrationIdentity, wanted: CalibrationIdentity) -> bool:
    return (found.date, found.models) == (wanted.date, wanted.models)


def _calibration_files() -> list[str]:
    """Calibration files, the one in use first; a user's file hides garak's."""
    package = garak_folder()
    folders = [user_data_folder()]
    if package is not None:
        folders.append(os.path.join(package, "data"))
    paths: dict[str, str] = {}
    for folder in folders:
        directory = os.path.join(folder, "calibration")
        try:
            names = os.listdir(directory)
        except OSError:
            continue
        for name in sorted(names, reverse=True):
            if name.startswith("calibration") and name.endswith(".json"):
                paths.setdefault(name, os.path.join(directory, name))
    ordered = sorted(paths, key=lambda name: name != NEWEST)
    return [paths[name] for name in ordered]


@cache
def _read(path: str) -> Calibration | None:
    try:
        content = _content(path)
        if content is None:
            return None
        return parse_calibration(content, source=path, trusted=True)
    except ReportError:
        # a damaged calibration must not keep a digest's own grades from counting
        return None


def _content(path: str) -> bytes | None:
    """A calibration file's bytes, None where they cannot be read."""
    try:
        with open(path, "rb") as file:
            content = file.read()
        # Windows checks a symbolic link out as a file that holds its target's name
        if content.startswith(b"calibration") and b"/" not in content:
            target = content.decode("ascii").strip()
            with open(os.path.join(os.path.dirname(path), target), "rb") as file:
                content = file.read()
    except (OSError, ValueError):
        return None
    return content
