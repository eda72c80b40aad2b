# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The command line of ``garak-tbsa score``: each option, and what it gives.

A new option is one ``add_argument`` in :func:`build_parser` and one attribute of
:class:`ScoreOptions` with its default; ``score`` reads the attributes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.parsers import (
    REPORTS_HELP,
    add_evidence_options,
    add_form_options,
    add_gate_options,
    add_scoring_options,
)
from garak_tbsa.garak_files.limits import DEFAULT_LIMITS
from garak_tbsa.statistics.kinds import REPEATS
from garak_tbsa.tasks.scoring import ScoringOptions, scoring_options
from garak_tbsa.tbsa.gate_options import (
    DEFAULT_ALPHA,
    GATE_NAMES,
    GateRules,
    alone,
    flag_of,
)
from garak_tbsa.tbsa.outputs.registry import DEFAULT_HITS, DEFAULT_HITS_SEED, FORMATS

EPILOG = "Exit codes: 0 done, 1 could not score, 2 usage, 3 a gate failed."


class ScoreOptions:
    """What was asked for; see ``--help`` for each option.

    argparse leaves an attribute alone that is there, so that the defaults are these.
    """

    verbose: bool = False
    nohash: bool = False
    quiet: bool = False
    formula: str = ScoringOptions().formula
    calibration: str = ScoringOptions().calibration
    tiers: str | None = None
    merge: bool = False
    explain_checksum: bool = False
    strict: bool = False
    no_interval: bool = False
    repeat: str | None = None
    fail_under: float | None = None
    sure: float | None = None
    require_tier1_grade: int | None = None
    min_coverage: float | None = None
    baseline: str | None = None
    no_evidence: bool = False
    hits: int = DEFAULT_HITS
    hits_seed: int = DEFAULT_HITS_SEED
    metrics: str | None = None
    baseline_optional: bool = False
    github: bool = False
    alpha: float = DEFAULT_ALPHA
    max_decoded_size: int = DEFAULT_LIMITS.decoded
    max_line_size: int = DEFAULT_LIMITS.line

    def __init__(self) -> None:
        self.reports: list[str] = []
        self.report_path: list[str] = []
        self._scoring: ScoringOptions | None = None

    @property
    def paths(self) -> list[str]:
        """Reports and folders, as given."""
        return [*self.report_path, *self.reports]

    @property
    def scoring(self) -> ScoringOptions:
        """How each report is scored; a file of tiers is read once.

        Raises
        ------
        ReportError
            The file of tiers is none.
        """
        if self._scoring is None:
            self._scoring = scoring_options(self)
        return self._scoring

    @property
    def rules(self) -> GateRules:
        """The gate."""
        return GateRules(
            fail_under=self.fail_under,
            sure=self.sure,
            require_tier1_grade=self.require_tier1_grade,
            min_coverage=self.min_coverage,
            alpha=self.alpha,
        )

    @property
    def outputs(self) -> dict[str, str | None]:
        """Path by the name of its form."""
        return {
            form.name: getattr(self, f"output_{form.name}", None) for form in FORMATS
        }


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser; the flags of garak's own module keep their meaning."""
    parser = CommandParser(
        prog=prog,
        description="Score garak reports: one TBSA from 1.0 to 5.0 for each.",
        epilog=EPILOG,
    )
    parser.add_argument("reports", nargs="*", metavar="REPORT", help=REPORTS_HELP)
    parser.add_argument(
        "-r",
        "--report_path",
        action="append",
        metavar="REPORT",
        help="the same, for compatibility with garak's own module",
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="say more: what the range rests on, every pair with its grades",
    )
    parser.add_argument("--nohash", action="store_true", help="hide hash and checksum")
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="print only pair count, hash and TBSA; with -j, print nothing",
    )
    add_scoring_options(parser)
    parser.add_argument(
        "--merge",
        action="store_true",
        help="the reports are parts of one scan: give one score for all; all parts must"
        " have the same target, garak version and settings, and no pair in common",
    )
    parser.add_argument(
        "--explain-checksum",
        action="store_true",
        help="print each part that the checksum covers",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit with 1 unless the scan is complete: for a partial scan, warnings,"
        " unmeasured pairs, unknown tiers",
    )
    parser.add_argument(
        "--no-interval",
        action="store_true",
        help="do not compute the repeat interval, for which attempts are read",
    )
    parser.add_argument(
        "--repeat",
        choices=REPEATS,
        help="which prompts a repeat has (default: the same ones if the scan's seed is"
        " set, else fresh ones)",
    )
    add_form_options(parser)
    parser.add_argument(
        "--no-evidence",
        action="store_true",
        help="leave hits out of page, Markdown and SARIF, for instance if others read"
        " them; attempts are then not read for hits",
    )
    add_evidence_options(parser, DEFAULT_HITS)
    add_gate_options(parser)
    return parser


def parse_options(argv: Sequence[str], prog: str) -> ScoreOptions:
    """Return what the arguments ask for; ends the process on a wrong one."""
    parser = build_parser(prog)
    options, rest = parser.parse_known_args(argv, namespace=ScoreOptions())
    # argparse takes positional arguments in one place only; reports may be anywhere
    unknown = [argument for argument in rest if argument[:1] == "-" != argument]
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    options.reports += rest
    lonely = alone({name: getattr(options, name) for name in GATE_NAMES})
    if lonely is not None:
        needed = " or ".join(map(flag_of, lonely.needs))
        parser.error(f"{lonely.flag} has no effect without {needed}; give that too")
    if not options.paths:
        parser.error("a report path is required (-r/--report_path)")
    return options
