# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors diff``."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence

from garak_tbsa.cli.detectors_text import (
    UNDEFINED,
    count_cells,
    ratio_text,
    show_warnings,
    summary_line,
)
from garak_tbsa.cli.parsers import add_seed, number_within
from garak_tbsa.detector_eval.diff import (
    REGRESSIONS,
    TYPICAL_BLOCK,
    Change,
    ChangeKind,
    Difference,
    StressChange,
    diff,
)
from garak_tbsa.detector_eval.summary_file import MeasuredDetector, read_summary
from garak_tbsa.errors import GateFailedError
from garak_tbsa.outputs.columns import table
from garak_tbsa.terminal import write_lines

HEADER = ("detector", "rows", "was", "is", "P(worse)", "change")
NAMED_IN_ERROR = 5


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Say what changed between two metrics summaries, in hit F1 on"
        " typical rows and in both shares of stress rows, and which changes exceed"
        " noise."
    )
    parser.epilog = (
        "Exit codes: 0 done, 1 could not, 2 usage; with --fail-on-regression, 3"
        " if a detector became worse on typical or on stress rows, is no longer"
        " evaluated or cannot be compared."
    )
    parser.add_argument("old", metavar="OLD", help="the summary before")
    parser.add_argument("new", metavar="NEW", help="the summary after")
    parser.add_argument(
        "--fail-on-regression",
        action="store_true",
        help="exit with 3 if a detector became worse by more than noise, or is no"
        " longer evaluated",
    )
    parser.add_argument(
        "--confidence",
        type=number_within(0.0, 1.0),
        default=0.95,
        metavar="P",
        help="confidence at which a change exceeds noise (default: 0.95)",
    )
    add_seed(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    GateFailedError
        A detector regressed, and that was to fail.
    DatasetError
        A file is missing or no summary.
    """
    old, new = read_summary(options.old), read_summary(options.new)
    show_warnings(old, new)
    difference = diff(old, new, confidence=options.confidence, seed=options.seed)
    write_lines([summary_line(old), summary_line(new), *difference_lines(difference)])
    regressed = difference.of(*REGRESSIONS)
    if options.fail_on_regression and regressed:
        named = ", ".join(map(_regression, regressed[:NAMED_IN_ERROR]))
        more = len(regressed) - NAMED_IN_ERROR
        raise GateFailedError(
            f"{options.new}: {named}{f' and {more} more' if more > 0 else ''};"
            " `garak-tbsa detectors explain DETECTOR` shows the rows"
        )


def _regression(change: Change) -> str:
    blocks = ", ".join(
        f"{block} {kind.value}"
        for block, kind in change.verdicts.items()
        if kind in REGRESSIONS
    )
    return f"{change.detector} ({blocks})"


def difference_lines(difference: Difference) -> Iterator[str]:
    """The difference for a terminal: settings, changed detectors, how many of each."""
    for name, (before, after) in difference.settings.items():
        yield f"{name}: {_said(before)} -> {_said(after)}"
    changed = [change for change in difference.changes if change.is_changed]
    if changed:
        yield from table(
            [HEADER, *(row for change in changed for row in _rows(change))]
        )
    for change in changed:
        if change.reason is not None:
            yield f"  {change.detector}: {change.reason}"
    counted: dict[str, Counter[ChangeKind]] = {}
    for change in difference.changes:
        for block, kind in change.verdicts.items():
            counted.setdefault(block, Counter())[kind] += 1
    for block, kinds in counted.items():
        said = (f"{kinds[kind]} {kind.value}" for kind in ChangeKind if kinds[kind])
        yield f"{block}: {', '.join(said)}"
    if not counted:
        yield "neither summary has a detector"
    elif set(counted) == {TYPICAL_BLOCK}:
        yield "stress: no rows that both summaries state"
    yield from _notes(changed)


def _notes(changed: Sequence[Change]) -> Iterator[str]:
    other_rows = [change.detector for change in changed if change.same_rows is False]
    if other_rows:
        yield (
            f"{len(other_rows)} of the changed detectors were measured on other rows:"
            f" {', '.join(other_rows)}"
        )
    if any(change.kind is ChangeKind.NOT_COMPARABLE for change in changed):
        yield (
            "Not comparable: one summary made its metrics from typical rows, the other"
            " from stress rows too; make the older one again"
        )
    if any(change.same_rows for change in changed):
        yield (
            "On the same rows every changed count is a change of the detector;"
            " P(worse) tells whether it would show on other rows"
        )


def _rows(change: Change) -> Iterator[tuple[str, ...]]:
    """A row for each block that differs."""
    if change.kind is not ChangeKind.UNCHANGED:
        values = (_f1(change.old), _f1(change.new))
        yield (change.detector, TYPICAL_BLOCK, *values, *_verdict(change))
    for each in change.stress:
        if each.kind is not ChangeKind.UNCHANGED:
            shares = (
                f"{share.part} of {share.whole}" for share in (each.old, each.new)
            )
            yield (change.detector, each.block, *shares, *_verdict(each))


def _verdict(change: Change | StressChange) -> tuple[str, str]:
    return ratio_text(change.probability_worse), change.kind.value


def _f1(measured: MeasuredDetector | None) -> str:
    """Hit F1, and what it is of."""
    if measured is None:
        return UNDEFINED
    counts = "" if measured.counts is None else " ".join(count_cells(measured.counts))
    return f"F1 {ratio_text(measured.hit_f1)}{f' ({counts})' if counts else ''}"


def _said(value: object) -> str:
    return "not stated" if value is None else str(value)
