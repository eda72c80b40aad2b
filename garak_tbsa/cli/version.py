# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa version``."""

from __future__ import annotations

from garak_tbsa import __version__
from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.terminal import write_line
from garak_tbsa.errors import EXIT_DONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def build_parser() -> CommandParser:
    """Return the command's parser."""
    return CommandParser(
        prog="garak-tbsa version",
        description="Print the version; `garak-tbsa status` says more.",
    )


def run(argv: Sequence[str]) -> int:
    """Run the command."""
    build_parser().parse_args(argv)
    write_line(f"garak-tbsa {__version__}")
    return EXIT_DONE
