# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors rank``."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import Any

from msgspec import to_builtins

from garak_tbsa.api.metrics import load_summary
from garak_tbsa.cli.outputs import claim_outputs
from garak_tbsa.cli.parsers import add_switches
from garak_tbsa.detector_eval.counts import stress_shares
from garak_tbsa.detector_eval.ranking import RankedDetector
from garak_tbsa.detector_eval.summary import summary_text
from garak_tbsa.earlier_outputs import require_replaceable
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.detectors import matches_strings
from garak_tbsa.outputs.detectors import summary_line, table_lines, unranked
from garak_tbsa.terminal import terminal_width, write_error, write_lines

SWITCHES = {
    "-v, --verbose": "show results on stress rows too, and why detectors are not ranked"
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "List the detectors of a metrics summary by F1 on typical rows, highest first,"
        " with what it rests on; those that do no better than flagging everything stand"
        " apart."
    )
    parser.epilog = (
        "Tiers: Excellent above 0.8, Good above 0.6, Moderate above 0.4, Poor"
        " above 0.2, else Critical."
    )
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="detector_metrics_summary.json, of `detectors evaluate` or of garak"
        " (default: the one that `detectors evaluate` writes in this folder, else the"
        " shipped one)",
    )
    parser.add_argument(
        "-j", "--json_output", metavar="PATH", help="write the ranking as JSON"
    )
    add_switches(parser, SWITCHES)


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    DatasetError
        The file is missing or no summary.
    UsageError
        The output is the summary itself, or would replace another file.
    """
    result = load_summary(options.file)
    summary, ranked = result.summary, result.ranking
    claim_outputs({"--json_output": options.json_output}, [summary.source])
    for warning in result.warnings:
        write_error(f"warning: {warning}")
    names = [each.measured.detector for each in ranked]
    by_strings = {name for name in names if matches_strings(name)}
    if options.json_output is not None:
        require_replaceable("--json_output", options.json_output, "ranking")
        reasons = unranked(summary)
        document = {
            "ranking": [_entry(each, by_strings) for each in ranked],
            "metrics_rows": summary.metadata.metrics_rows,
            "unranked": list(reasons),
            "unranked_because": reasons,
            "not_evaluated": dict(sorted(summary.not_evaluated.items())),
        }
        write_whole(options.json_output, summary_text(document))
    verbose, width = options.verbose, terminal_width()
    lines = table_lines(summary, by_strings=by_strings, verbose=verbose, width=width)
    write_lines([summary_line(summary), *lines])


def _entry(each: RankedDetector, by_strings: Collection[str]) -> dict[str, Any]:
    """A place as JSON."""
    measured, interval = each.measured, each.interval
    stress: dict[str, int] | None = None
    if measured.stress is not None:
        stress = {}
        for share in stress_shares(measured.stress):
            stress |= {share.name: share.part, share.whole_name: share.whole}
    ends = None
    if interval is not None:
        kind = "jeffreys" if each.is_jeffreys else "bootstrap"
        ends = {"lower": interval.lower, "upper": interval.upper, "kind": kind}
    return {
        "place": each.place,
        "detector": measured.detector,
        "tier": each.tier,
        "hit_f1": each.hit_f1,
        "interval": ends,
        "stress": stress,
        "basis": to_builtins(measured.basis),
        "matches_strings": measured.detector in by_strings,
    }
