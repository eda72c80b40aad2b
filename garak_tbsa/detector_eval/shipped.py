# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The labelled data that comes with the package, and which detectors it serves."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from garak_tbsa.errors import DatasetError

SERVED_BY = "served_by.json"
"""Detector -> stem of the data file whose rows judge it, for those without own rows."""


def shipped_folder() -> str:
    """The folder of labelled rows: inside the wheel, or a checkout's.

    Raises
    ------
    DatasetError
        Neither is there.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for base in (package, os.path.dirname(package)):
        folder = os.path.join(base, "data", "detectors-eval", "labelled")
        if os.path.isdir(folder):
            return folder
    raise DatasetError(
        f"{package}: the labelled data is not installed; reinstall garak-tbsa,"
        " or give data with --data"
    )


def served_by(folder: str) -> Mapping[str, str]:
    """Read the mapping in ``folder`` or beside it; empty where none does.

    Raises
    ------
    DatasetError
        The file is no object of strings.
    """
    for place in (folder, os.path.dirname(os.path.abspath(folder))):
        path = os.path.join(place, SERVED_BY)
        if os.path.isfile(path):
            try:
                content = Path(path).read_bytes()
                return msgspec.json.decode(content, type=dict[str, str])
            except (OSError, msgspec.MsgspecError):
                raise DatasetError(
                    f"{path}: expected an object of detector -> data file without its"
                    " ending"
                ) from None
    return {}
