# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The options of ``garak-tbsa score``."""

from __future__ import annotations

import argparse

from garak_tbsa.cli.parsers import add_gate_options, add_scoring_options, plain_help

EPILOG = "Exit codes: 0 done, 1 could not score, 2 usage, 3 a gate failed."
OUTPUTS = {
    "html": "one self-contained page",
    "markdown": "Markdown, as for a GitHub step summary",
    "junit": "JUnit XML, gate rules and pairs as tests",
    "sarif": "SARIF of the pairs at DEFCON 1 and 2",
}
REPORT_HELP = (
    "garak's .report.jsonl (also .gz, .zst, - for standard input, scheme://...),"
    " or a folder of them"
)


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser; the flags of garak's own module keep their meaning."""
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Score garak reports: one TBSA from 1.0 to 5.0 for each.",
        epilog=EPILOG,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
        formatter_class=plain_help,
    )
    parser.add_argument("reports", nargs="*", metavar="REPORT", help=REPORT_HELP)
    parser.add_argument(
        "-r",
        "--report_path",
        action="append",
        metavar="REPORT",
        help="the same, as garak's own module takes it",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show every pair with its grades"
    )
    parser.add_argument("--nohash", action="store_true", help="hide hash and checksum")
    parser.add_argument(
        "-j", "--json_output", metavar="PATH", help="write the result as JSON"
    )
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="print pair count, hash and TBSA only; nothing together with -j",
    )
    add_scoring_options(parser)
    parser.add_argument(
        "--explain-checksum",
        action="store_true",
        help="print each part that the checksum covers",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit 1 on anything short of a complete scan: partial, warnings,"
        " unmeasured pairs, unknown tiers",
    )
    parser.add_argument(
        "--no-interval", action="store_true", help="do not work out the repeat interval"
    )
    for name, content in OUTPUTS.items():
        parser.add_argument(f"--{name}", metavar="PATH", help=f"write {content}")
    add_gate_options(parser)
    return parser
