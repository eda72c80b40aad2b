# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors``: choose what to do with labelled data and summaries."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from importlib import import_module

from garak_tbsa.cli.command_parser import did_you_mean
from garak_tbsa.errors import EXIT_DONE, EXIT_USAGE, UsageError
from garak_tbsa.removed import REMOVED, removal
from garak_tbsa.terminal import write_line

COMMANDS = {
    "evaluate": "run detectors on labelled responses, write the metrics summary",
    "rank": "order the detectors of a summary by hit F1",
    "diff": "what changed between two summaries, and what of it exceeds noise",
    "uninstall": "take back what `evaluate --install` has given to garak",
    "explain": "where one detector is right and wrong, row by row",
    "sample": "draw responses of a garak report to label",
}


def run(argv: Sequence[str], *, prog: str = "garak-tbsa detectors") -> int:
    """Run one of the commands.

    Raises
    ------
    GarakTbsaError
        There is no such command, or it could not do what was asked.
    """
    name = argv[0] if argv else ""
    if name in ("-h", "--help", "help", ""):
        _show_help(prog)
        return EXIT_DONE if name else EXIT_USAGE
    if (words := f"detectors {name}") in REMOVED:
        raise UsageError(removal(words))
    if name not in COMMANDS:
        raise UsageError(
            f"{name!r} is not a command of {prog}; expected one of"
            f" {', '.join(COMMANDS)}"
            f"{did_you_mean([name], COMMANDS)}"
        )
    module = import_module(f"garak_tbsa.cli.detectors_{name}")
    command: Callable[..., int] = module.run
    raises = logging.raiseExceptions
    try:
        # where garak's log cannot be written, stderr is not for logging's tracebacks
        logging.raiseExceptions = False
        return command(argv[1:], prog=f"{prog} {name}")
    finally:
        logging.raiseExceptions = raises


def _show_help(prog: str) -> None:
    write_line(f"usage: {prog} COMMAND [OPTION ...]\n")
    write_line("How well garak's detectors tell a hit from a pass. Commands:")
    for name, purpose in COMMANDS.items():
        write_line(f"  {name:<11} {purpose}")
    write_line("\nEach command has its own --help.")
