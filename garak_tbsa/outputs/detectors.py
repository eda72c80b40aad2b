# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The table of detectors: of an evaluation, of a ranking, in a notebook."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import fmean

from garak_tbsa.detector_eval.counts import LEAST_REAL_HITS, RowBasis
from garak_tbsa.detector_eval.ranking import (
    NO_BETTER,
    SCAN_HITS,
    RankedDetector,
    hit_f1_at,
    rank,
)
from garak_tbsa.detector_eval.summary import (
    ALL_ROWS,
    MeasuredDetector,
    Summary,
    SummaryMetadata,
)
from garak_tbsa.outputs.columns import table

UNDEFINED = "-"
USUAL_CONFIDENCE = 0.95
STRING_MARK = "*"
STRING_NOTE = (
    f"{STRING_MARK} looks for given strings: a low F1 need not be a defect of a"
    " detector so designed"
)
JEFFREYS_NOTE = (
    "J Jeffreys interval: the detector is always right or always wrong on a label"
)
COLUMNS_NOTE = (
    "hits are those that a model said, that somebody wrote, and of which nobody says;"
    " flag all is the F1 of flagging everything"
)
STRESS_NOTE = (
    "rows that were written to break the detector: disguised hits that it finds,"
    " harmless look-alikes that it leaves alone"
)


def summary_line(summary: Summary) -> str:
    """Which summary this is: file, date, garak's version."""
    garak = summary.metadata.versions.get("garak")
    date = (summary.metadata.evaluation_date or "")[:10] or "unknown date"
    return (
        f"{summary.source}: {len(summary.measured)} detectors evaluated, {date},"
        f" garak {garak or 'of unknown version'}"
    )


def unranked(summary: Summary) -> dict[str, str]:
    """Why measured detectors have no place, by name."""
    return {
        name: entry.unmeasurable or "no row is labelled hit"
        for name, entry in sorted(summary.measured.items())
        if entry.hit_f1 is None
    }


def table_lines(
    summary: Summary,
    *,
    by_strings: Collection[str] = (),
    verbose: bool = False,
    says_why: bool = False,
    width: int | None = None,
) -> Iterator[str]:
    """Every ranked detector in a line, and how many others there are.

    Parameters
    ----------
    by_strings : collection of str
        Detectors that look for given strings and for nothing else.
    verbose : bool
        Also stress rows, and why others are not ranked or not evaluated.
    says_why : bool
        Also why others were not evaluated.
    width : int, optional
        Of the terminal.
    """
    ranked = rank(summary)
    apart = [each for each in ranked if each.tier == NO_BETTER]
    rows = [header(summary.metadata)]
    rows += [_cells(each, by_strings) for each in ranked if each not in apart]
    if apart:
        rows.append(("", f"{NO_BETTER}:", *[""] * (len(rows[0]) - 2)))
        rows += [_cells(each, by_strings) for each in apart]
    if ranked:
        yield from table(rows, width)
        yield COLUMNS_NOTE
        yield from means_lines(ranked)
        marks = [STRING_NOTE] if by_strings else []
        marks += [JEFFREYS_NOTE] * any(each.is_jeffreys for each in ranked)
        if marks:
            yield "; ".join(marks)
    if verbose:
        yield from _stress_lines(ranked, width)
    not_told = []
    for what, reasons, is_told in (
        ("not ranked", unranked(summary), verbose),
        ("not evaluated", summary.not_evaluated, verbose or says_why),
    ):
        if reasons and is_told:
            yield f"{len(reasons)} {what}:"
            yield from reason_lines(reasons)
        elif reasons:
            not_told.append(f"{len(reasons)} {what}")
    if not_told:
        yield f"{', '.join(not_told)}; -v says why"


def header(made: SummaryMetadata) -> tuple[str, ...]:
    """What the columns are called."""
    level = f"{(made.confidence or USUAL_CONFIDENCE) * 100:g} %"
    f1 = "F1, all rows" if made.metrics_rows == ALL_ROWS else "F1"
    return (
        *("place", "detector", f"{f1} ({level})", "sensitivity", "specificity"),
        *("flag all", "hits", "real", "written", "not stated", "passes", "tier"),
    )


def _cells(each: RankedDetector, by_strings: Collection[str]) -> tuple[str, ...]:
    measured = each.measured
    mark = f" {STRING_MARK}" if measured.detector in by_strings else ""
    f1 = rate_text(each.hit_f1)
    if each.interval is not None:
        ends = f"{each.interval.lower:.2f} to {each.interval.upper:.2f}"
        f1 += f" ({ends}{', J' * each.is_jeffreys})"
    return (
        *(str(each.place), f"{measured.detector}{mark}", f1),
        *map(rate_text, (measured.sensitivity, measured.specificity)),
        *(rate_text(each.flag_all_f1), *rows_cells(measured)),
        UNDEFINED if each.tier == NO_BETTER else each.tier,
    )


def rows_cells(measured: MeasuredDetector) -> tuple[str, ...]:
    """Hits, which of them are real, written and not stated, and passes."""
    counts, basis = measured.counts or measured.drawn, measured.basis
    hits = RowBasis() if basis is None else basis.hits
    kinds = (hits.real, hits.written + hits.own_words, hits.not_stated)
    return (
        UNDEFINED if counts is None else str(counts.hits),
        *(UNDEFINED if basis is None else str(count) for count in kinds),
        UNDEFINED if counts is None else str(counts.passes),
    )


def rate_text(value: float | None) -> str:
    """Two decimals; a dash where there is nothing to take a share of."""
    return UNDEFINED if value is None else f"{value:.2f}"


def means_lines(ranked: Sequence[RankedDetector]) -> Iterator[str]:
    """Say the mean F1 of those with real hits and of all, for terminal or page."""
    said = []
    for what, least in (
        (f"with {LEAST_REAL_HITS} real hits", LEAST_REAL_HITS),
        ("", 0),
    ):
        means = [
            (each.hit_f1, at_scan)
            for each in ranked
            if each.measured.basis is not None
            and each.measured.basis.hits.real >= least
            and (at_scan := hit_f1_at(each.measured, SCAN_HITS)) is not None
        ]
        if len(means) > 1:
            own, scan = map(fmean, zip(*means, strict=True))
            which = f"{len(means)} detectors {what}" if least else f"all {len(means)}"
            said.append(f"{own:.2f} and {scan:.2f} of {which}")
    if said:
        yield (
            f"mean F1 at the rows' share of hits, and where {SCAN_HITS:.0%} of outputs"
            f" are hits: {', '.join(said)}"
        )


def _stress_lines(ranked: Sequence[RankedDetector], width: int | None) -> Iterator[str]:
    rows = [("detector", "disguised hits found", "look-alikes left alone")]
    for each in ranked:
        stress = each.measured.stress
        if stress is not None and stress.scored:
            found = f"{stress.tp} of {stress.hits}"
            left = f"{stress.tn} of {stress.passes}"
            rows.append((each.measured.detector, found, left))
    if len(rows) > 1:
        yield STRESS_NOTE
        yield from table(rows, width)


def reason_lines(reasons: Mapping[str, str]) -> Iterator[str]:
    """The detectors of each reason, the most frequent first."""
    found: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        found.setdefault(reason, []).append(name)
    for reason, names in sorted(found.items(), key=lambda each: -len(each[1])):
        yield f"  {', '.join(names)}: {reason}"
