# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors rank``."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from garak_tbsa.api.summary_place import default_summary
from garak_tbsa.cli.detectors_text import (
    COUNT_HEADER,
    UNDEFINED,
    count_cells,
    ratio_text,
    show_warnings,
    summary_line,
)
from garak_tbsa.cli.outputs import claim_outputs
from garak_tbsa.detector_eval.basis import LEAST_REAL_HITS
from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.metrics import ConfusionCounts, stress_shares
from garak_tbsa.detector_eval.ranking import RankedDetector, means_lines, rank
from garak_tbsa.detector_eval.summary_file import (
    TYPICAL,
    Summary,
    SummaryMetadata,
    read_summary,
    summary_text,
)
from garak_tbsa.earlier_outputs import require_replaceable
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.detectors import matches_strings
from garak_tbsa.outputs.columns import table
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
REAL_HEADER = "real hits"
REAL_NOTE = (
    "real hits: how many of the typical hits a model said; with fewer than"
    f" {LEAST_REAL_HITS}, sensitivity and F1 are those on written hits"
)
STRESS_HEADER = ("stress: catches", "wrongly flags")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "List the detectors of a metrics summary by hit F1 on typical rows,"
        " highest first, with tier, interval, counts and their results on stress rows;"
        " then those that were not evaluated."
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


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    DatasetError
        The file is missing or no summary.
    UsageError
        The output is the summary itself, or would replace another file.
    """
    file = options.file or default_summary()
    claim_outputs({"--json_output": options.json_output}, [file])
    if options.json_output is not None:
        require_replaceable("--json_output", options.json_output, "ranking")
    summary = read_summary(file)
    show_warnings(summary)
    ranked = rank(summary)
    names = [each.measured.detector for each in ranked]
    by_strings = {name for name in names if matches_strings(name)}
    unranked = {
        name: entry.unmeasurable or "no row is labelled hit"
        for name, entry in sorted(summary.measured.items())
        if entry.hit_f1 is None
    }
    if options.json_output is not None:
        document = {
            "ranking": [_entry(each, by_strings) for each in ranked],
            "metrics_rows": summary.metadata.metrics_rows,
            "unranked": list(unranked),
            "unranked_because": unranked,
            "not_evaluated": dict(sorted(summary.not_evaluated.items())),
        }
        write_whole(options.json_output, summary_text(document))
    write_lines(_lines(summary, ranked, by_strings, unranked))


def _lines(
    summary: Summary,
    ranked: Sequence[RankedDetector],
    by_strings: Collection[str],
    unranked: Mapping[str, str],
) -> Iterator[str]:
    yield summary_line(summary)
    has_stress = any(each.measured.stress is not None for each in ranked)
    has_basis = any(each.measured.basis is not None for each in ranked)
    rows = [_row(each, summary.metadata, by_strings) for each in ranked]
    left_out = (*STRESS_HEADER * (not has_stress), *(REAL_HEADER,) * (not has_basis))
    for row in rows:
        for name in left_out:
            del row[name]
    if rows:
        cells = [tuple(row.values()) for row in rows]
        yield from table([tuple(rows[0]), *cells], terminal_width())
    if has_basis:
        yield REAL_NOTE
        yield from means_lines(ranked)
    if has_stress:
        yield STRESS_NOTE
    yield from _listed("Not ranked", unranked)
    if by_strings:
        yield STRING_CAVEAT
    if any(each.is_jeffreys for each in ranked):
        yield JEFFREYS_NOTE
    yield from _listed("Not evaluated", dict(sorted(summary.not_evaluated.items())))


def _listed(title: str, reasons: Mapping[str, str]) -> Iterator[str]:
    if reasons:
        yield f"{title} ({len(reasons)}):"
    yield from (f"  {name}: {reason}" for name, reason in reasons.items())


def _row(
    each: RankedDetector, made: SummaryMetadata, by_strings: Collection[str]
) -> dict[str, str]:
    """A place in the table: what each column is called, and its cell."""
    measured, interval = each.measured, each.interval
    stress, basis = measured.stress or ConfusionCounts(), measured.basis
    mark = f" {STRING_MARK}" if measured.detector in by_strings else ""
    level = IntervalOptions().confidence if made.confidence is None else made.confidence
    span = UNDEFINED
    if interval is not None:
        span = f"{interval.lower:.3f} to {interval.upper:.3f}{' J' * each.is_jeffreys}"
    f1 = "typical F1" if made.metrics_rows == TYPICAL else "hit F1"
    real = (0, 0) if basis is None else (basis.hits.real, basis.hits.rows)
    shares = ((stress.tp, stress.hits), (stress.fp, stress.passes), real)
    return {
        "place": str(each.place),
        "detector": f"{measured.detector}{mark}",
        f1: ratio_text(each.hit_f1),
        f"{level * 100:g} % interval": span,
        "tier": each.tier,
        **dict(zip(COUNT_HEADER, count_cells(measured.counts), strict=True)),
        **{
            name: f"{part} of {whole}" if whole else UNDEFINED
            for name, (part, whole) in zip(
                (*STRESS_HEADER, REAL_HEADER), shares, strict=True
            )
        },
    }


def _entry(each: RankedDetector, by_strings: Collection[str]) -> dict[str, Any]:
    """A place as JSON."""
    interval, stress, basis = each.interval, each.measured.stress, each.measured.basis
    counted: dict[str, int] = {}
    for share in stress_shares(stress or ConfusionCounts()):
        counted |= {share.name: share.part, share.whole_name: share.whole}
    return {
        "place": each.place,
        "detector": each.measured.detector,
        "tier": each.tier,
        "hit_f1": each.hit_f1,
        "interval": None
        if interval is None
        else {
            "lower": interval.lower,
            "upper": interval.upper,
            "kind": "jeffreys" if each.is_jeffreys else "bootstrap",
        },
        "stress": None if stress is None else counted,
        "basis": None if basis is None else basis.as_json,
        "matches_strings": each.measured.detector in by_strings,
    }
