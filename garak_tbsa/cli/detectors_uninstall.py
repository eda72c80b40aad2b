# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors uninstall``."""

from __future__ import annotations

import argparse

from garak_tbsa.cli.detectors_installation import uninstall
from garak_tbsa.garak_api.metrics_files import metrics_files
from garak_tbsa.terminal import write_line


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Restore the detector metrics that garak read before the first"
        " `evaluate --install`, byte for byte."
    )
    parser.epilog = "Exit codes: 0 done, 1 could not, 2 usage."
    parser.add_argument(
        "--force",
        action="store_true",
        help="also if something else has changed the installed file since",
    )


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        Nothing was installed, it was changed since, or the folder is not writable.
    """
    place = metrics_files()
    if uninstall(place, force=options.force):
        write_line(f"restored: {place.users}")
    else:
        write_line(f"removed: {place.users}; garak reads its own metrics again")
