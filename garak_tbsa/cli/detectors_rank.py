# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors rank``."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from garak_tbsa.api.summary_place import default_summary
from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.detectors_text import (
    COUNT_HEADER,
    UNDEFINED,
    count_cells,
    interval_text,
    ratio_text,
    show_warnings,
)
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.ranking import RankedDetector, rank
from garak_tbsa.detector_eval.stress import stress_shares
from garak_tbsa.detector_eval.summary import TYPICAL, summary_text
from garak_tbsa.detector_eval.summary_file import (
    MeasuredDetector,
    Summary,
    read_summary,
)
from garak_tbsa.errors import EXIT_DONE
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.detector_facts import matches_strings
from garak_tbsa.tbsa.outputs.text import table
from garak_tbsa.terminal import terminal_width, write_lines

STRING_MARK = "*"
STRING_CAVEAT = (
    f"{STRING_MARK} looks for given strings: a low F1 need not be a defect of a"
    " detector so designed; it shows hits that the strings do not cover, and where"
    " detection could go further (as garak's documentation of detector metrics says)"
)
JEFFREYS_NOTE = (
    "J Jeffreys interval: with so few rows, or if the detector is always right or"
    " always wrong on a label, a bootstrap interval would be too narrow"
)
STRESS_NOTE = (
    "hit F1 and counts are of typical rows; stress rows are written to break the"
    " detector: disguised hits that it catches, harmless look-alikes that it wrongly"
    " flags"
)
STRESS_HEADER = ("stress: catches", "wrongly flags")


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = CommandParser(
        prog=prog,
        description="List the detectors of a metrics summary by hit F1 on typical rows,"
        " highest first, with tier, interval, counts and their results on stress rows;"
        " then those that were not evaluated.",
        epilog="Tiers: Excellent above 0.8, Good above 0.6, Moderate above 0.4, Poor"
        " above 0.2, else Critical.",
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
    return parser


def run(argv: Sequence[str], *, prog: str = "garak-tbsa detectors rank") -> int:
    """Run the command.

    Raises
    ------
    DatasetError
        The file is missing or no summary.
    UsageError
        The output is the summary itself.
    """
    options = build_parser(prog).parse_args(argv)
    file = options.file or default_summary()
    claim_outputs({"--json_output": options.json_output}, [file])
    summary = read_summary(file)
    show_warnings(summary)
    ranked = rank(summary)
    by_strings = {
        each.measured.detector
        for each in ranked
        if matches_strings(each.measured.detector)
    }
    if options.json_output is not None:
        document = ranking_document(summary, ranked, by_strings)
        text = summary_text(document)
        write_whole(options.json_output, text)
    write_lines(ranking_lines(summary, ranked, by_strings))
    return EXIT_DONE


def ranking_lines(
    summary: Summary, ranked: Sequence[RankedDetector], by_strings: Collection[str]
) -> Iterator[str]:
    """The ranking for a terminal.

    Parameters
    ----------
    by_strings : collection of str
        The detectors that look for given strings.
    """
    yield summary_line(summary)
    if ranked:
        has_stress = any(each.measured.stress is not None for each in ranked)
        rows = [_cells(each, by_strings, has_stress) for each in ranked]
        yield from table([_header(summary, has_stress), *rows], terminal_width())
        if has_stress:
            yield STRESS_NOTE
    unranked = _unranked(summary)
    if unranked:
        yield f"Not ranked, because no row is labelled hit: {', '.join(unranked)}"
    if by_strings:
        yield STRING_CAVEAT
    if any(each.is_jeffreys for each in ranked):
        yield JEFFREYS_NOTE
    if summary.not_evaluated:
        yield f"Not evaluated ({len(summary.not_evaluated)}):"
        for name, reason in sorted(summary.not_evaluated.items()):
            yield f"  {name}: {reason}"


def summary_line(summary: Summary) -> str:
    """Which summary this is: file, date, garak's version."""
    garak = summary.metadata.versions.get("garak")
    date = (summary.metadata.evaluation_date or "")[:10] or "unknown date"
    return (
        f"{summary.source}: {len(summary.measured)} detectors evaluated, {date},"
        f" garak {garak or 'of unknown version'}"
    )


def _header(summary: Summary, has_stress: bool) -> tuple[str, ...]:
    stated = summary.metadata.confidence
    level = IntervalOptions.confidence if stated is None else stated
    interval = f"{level * 100:g} % interval"
    f1 = "typical F1" if summary.metadata.metrics_rows == TYPICAL else "hit F1"
    stress = STRESS_HEADER if has_stress else ()
    return ("place", "detector", f1, interval, "tier", *COUNT_HEADER, *stress)


def _cells(
    each: RankedDetector, by_strings: Collection[str], has_stress: bool
) -> tuple[str, ...]:
    measured = each.measured
    name = measured.detector
    return (
        str(each.place),
        f"{name} {STRING_MARK}" if name in by_strings else name,
        ratio_text(each.hit_f1),
        interval_text(each),
        each.tier,
        *count_cells(measured.counts),
        *(_stress_cells(measured) if has_stress else ()),
    )


def _stress_cells(measured: MeasuredDetector) -> tuple[str, ...]:
    counts = measured.stress
    if counts is None:
        return (UNDEFINED,) * len(STRESS_HEADER)
    return tuple(
        f"{flagged} of {rows}" if rows else UNDEFINED
        for flagged, rows in ((counts.tp, counts.hits), (counts.fp, counts.passes))
    )


def _unranked(summary: Summary) -> list[str]:
    return sorted(
        name for name, entry in summary.measured.items() if entry.hit_f1 is None
    )


def ranking_document(
    summary: Summary, ranked: Sequence[RankedDetector], by_strings: Collection[str]
) -> dict[str, Any]:
    """The ranking as a JSON-ready object."""
    return {
        "ranking": [
            {
                "place": each.place,
                "detector": each.measured.detector,
                "tier": each.tier,
                "hit_f1": each.hit_f1,
                "interval": _interval_entry(each),
                "stress": _stress_entry(each.measured),
                "matches_strings": each.measured.detector in by_strings,
            }
            for each in ranked
        ],
        "metrics_rows": summary.metadata.metrics_rows,
        "unranked": _unranked(summary),
        "not_evaluated": dict(sorted(summary.not_evaluated.items())),
    }


def _interval_entry(each: RankedDetector) -> dict[str, Any] | None:
    if each.interval is None:
        return None
    return {
        "lower": each.interval.lower,
        "upper": each.interval.upper,
        "kind": "jeffreys" if each.is_jeffreys else "bootstrap",
    }


def _stress_entry(measured: MeasuredDetector) -> dict[str, int] | None:
    if measured.stress is None:
        return None
    return {
        name: count
        for share in stress_shares(measured.stress)
        for name, count in ((share.name, share.part), (share.whole_name, share.whole))
    }
