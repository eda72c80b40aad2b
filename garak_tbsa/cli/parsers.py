# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, for argparse."""

from __future__ import annotations

import argparse

from garak_tbsa.tbsa.assessment import AS_IN_REPORT
from garak_tbsa.tbsa.gate_options import GATE_OPTIONS
from garak_tbsa.tbsa.score import DOCUMENTED, FORMULAS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from garak_tbsa.tbsa.gate_options import GateOption


def plain_help(prog: str) -> argparse.HelpFormatter:
    """Return a help formatter of fixed width.

    Asking the terminal's width imports ``shutil`` with all its compressors, for
    every option added, which takes 2 ms of a score.
    """
    return argparse.HelpFormatter(prog, width=80)


def add_scoring_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that decide how a report is scored."""
    parser.add_argument(
        "--formula",
        choices=FORMULAS,
        default=DOCUMENTED,
        help="documented (default), or the number garak's own module prints",
    )
    parser.add_argument(
        "--calibration",
        metavar="report|installed|PATH",
        default=AS_IN_REPORT,
        help="grades as in the report (default), or made anew with the installed"
        " garak's calibration or another one",
    )


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """Add the rules; where one fails the exit code is 3."""
    group = parser.add_argument_group(
        "gate", "exit code 3 if a rule fails; single pairs say more than the score"
    )
    for option in GATE_OPTIONS:
        group.add_argument(
            option.flag,
            type=_of_gate(option),
            default=option.default,
            metavar=option.metavar,
            help=option.purpose,
        )


def _of_gate(option: GateOption) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        try:
            return option.from_text(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse


def whole_number_from(low: int) -> Callable[[str], int]:
    """Return an argparse type for whole numbers of at least ``low``."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if value < low:
            raise argparse.ArgumentTypeError(
                f"expected a whole number of at least {low}, found {text!r}"
            )
        return value

    return parse


def number_within(low: float, high: float) -> Callable[[str], float]:
    """Return an argparse type for numbers from ``low`` to ``high``."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(
                f"expected a number from {low:g} to {high:g}, found {text!r}"
            )
        return value

    return parse
