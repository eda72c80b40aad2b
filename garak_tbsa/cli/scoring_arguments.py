# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``parsers.add_scoring_options`` gives, for the public functions."""

from __future__ import annotations

import argparse
from typing import Any, Protocol

from garak_tbsa.api.scoring import INSTALLED
from garak_tbsa.api.stages import assess, load_report
from garak_tbsa.tbsa.assessment import AS_IN_REPORT, Assessment

SIZES = ("max_decoded_size", "max_line_size")
NAMES = ("formula", "calibration", "tiers", *SIZES)


class ReadingOptions(Protocol):
    """What ``parsers.add_reading_options`` gives."""

    calibration: str
    tiers: str | None
    max_decoded_size: int
    max_line_size: int


def scoring_arguments(options: argparse.Namespace | ReadingOptions) -> dict[str, Any]:
    """Return what the options say, by the names that :func:`garak_tbsa.score` has."""
    return {name: getattr(options, name) for name in NAMES if hasattr(options, name)}


def scoring_files(options: argparse.Namespace | ReadingOptions) -> list[str]:
    """Return the paths that ``--calibration`` and ``--tiers`` name."""
    named = (options.calibration, options.tiers)
    return [path for path in named if path not in (None, AS_IN_REPORT, INSTALLED)]


def assess_with(path: str, options: argparse.Namespace | ReadingOptions) -> Assessment:
    """Read and score a report as the options say."""
    arguments = scoring_arguments(options)
    sizes = {name: arguments.pop(name) for name in SIZES}
    return assess(load_report(path, **sizes), **arguments)
