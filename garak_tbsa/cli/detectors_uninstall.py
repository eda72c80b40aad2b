# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors uninstall``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.detectors_installation import install_place, uninstall
from garak_tbsa.errors import EXIT_DONE
from garak_tbsa.terminal import write_line


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = CommandParser(
        prog=prog,
        description="Restore the detector metrics that garak read before the first"
        " `evaluate --install`, byte for byte.",
        epilog="Exit codes: 0 done, 1 could not, 2 usage.",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="also if something else has changed the installed file since",
    )
    return parser


def run(argv: Sequence[str], *, prog: str = "garak-tbsa detectors uninstall") -> int:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        Nothing was installed, it was changed since, or the folder is not writable.
    """
    options = build_parser(prog).parse_args(argv)
    place = install_place()
    if uninstall(place, force=options.force):
        write_line(f"restored: {place.path}")
    else:
        write_line(f"removed: {place.path}; garak reads its own metrics again")
    return EXIT_DONE
