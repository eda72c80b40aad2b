# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where the metrics summary of this folder is: written, and then ranked."""

from __future__ import annotations

import os
from typing import Any

from garak_tbsa.detector_eval.shipped import shipped_folder
from garak_tbsa.detector_eval.summary_file import parse_summary, read_document
from garak_tbsa.errors import UsageError
from garak_tbsa.garak_api.detectors import garak_module, garak_version
from garak_tbsa.garak_files.places import METRICS_FILE, is_checkout, metrics_file_of
from garak_tbsa.unavailable import Unavailable

OUTSIDE_A_CHECKOUT = os.path.join("data", "detectors-eval", METRICS_FILE)


def _of_checkout() -> str | Unavailable | None:
    """Where a checkout of garak has its metrics; None if this folder is none."""
    if not is_checkout(os.curdir):
        return None
    place = metrics_file_of(os.curdir)
    return place if isinstance(place, Unavailable) else os.path.normpath(place)


def default_output() -> str:
    """Where ``evaluate`` writes: in a checkout of garak, where that keeps its file.

    Raises
    ------
    UsageError
        This is a checkout of a garak that keeps no metrics.
    """
    place = _of_checkout()
    if isinstance(place, Unavailable):
        raise UsageError(
            f"{os.getcwd()}: a checkout of a garak that keeps no detector metrics,"
            f" since {place.reason}; name a file with --output"
        )
    return place or OUTSIDE_A_CHECKOUT


def default_summary() -> str:
    """The summary of this folder, where ``evaluate`` writes it, else the shipped one.

    Raises
    ------
    DatasetError
        Neither is there.
    """
    place = _of_checkout() or OUTSIDE_A_CHECKOUT
    if isinstance(place, str) and os.path.isfile(place):
        return place
    return os.path.join(os.path.dirname(shipped_folder()), METRICS_FILE)


def checkout_note(output: str) -> str | None:
    """Why the summary is there; None outside a checkout, or where it was named."""
    if output != _of_checkout():
        return None
    return "where this checkout of garak keeps its metrics"


def metrics_before(output: str) -> dict[str, Any] | None:
    """The metrics that a checkout of garak has; None for an output that was named.

    Raises
    ------
    DatasetError
        The file is no summary.
    """
    if checkout_note(output) is None or not os.path.exists(output):
        return None
    document = read_document(output)
    parse_summary(document, output)
    return document


def other_garak(output: str) -> str | None:
    """What to say where a checkout gets metrics of detectors that are not its own."""
    if checkout_note(output) is None:
        return None
    package = os.path.dirname(str(garak_module("garak").__file__))
    if os.path.realpath(package) == os.path.realpath("garak"):
        return None
    return (
        f"{output}: made with the detectors of garak {garak_version()} in {package},"
        " not with those of this checkout; for those run `python -m"
        " garak.analyze.detector_eval` here"
    )
