# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors diff``."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence

from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.detectors_rank import summary_line
from garak_tbsa.cli.detectors_text import (
    UNDEFINED,
    count_cells,
    ratio_text,
    show_warnings,
)
from garak_tbsa.cli.parsers import number_within
from garak_tbsa.detector_eval.diff import (
    REGRESSIONS,
    TYPICAL_BLOCK,
    Change,
    ChangeKind,
    Difference,
    diff,
)
from garak_tbsa.detector_eval.stress import StressShare
from garak_tbsa.detector_eval.summary_file import MeasuredDetector, read_summary
from garak_tbsa.errors import EXIT_DONE, GateFailedError
from garak_tbsa.tbsa.outputs.text import table
from garak_tbsa.terminal import write_lines

HEADER = ("detector", "rows", "was", "is", "P(worse)", "change")
NAMED_IN_ERROR = 5


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = CommandParser(
        prog=prog,
        description="Say what changed between two metrics summaries, in hit F1 on"
        " typical rows and in both shares of stress rows, and which changes exceed"
        " noise.",
        epilog="Exit codes: 0 done, 1 could not, 2 usage; with --fail-on-regression, 3"
        " if a detector became worse on typical or on stress rows, is no longer"
        " evaluated or cannot be compared.",
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
    parser.add_argument(
        "--seed", type=int, default=42, help="of random draws (default: 42)"
    )
    return parser


def run(argv: Sequence[str], *, prog: str = "garak-tbsa detectors diff") -> int:
    """Run the command.

    Raises
    ------
    GateFailedError
        A detector regressed, and that was to fail.
    DatasetError
        A file is missing or no summary.
    """
    parser = build_parser(prog)
    options = parser.parse_args(argv)
    if options.seed < 0:
        parser.error("--seed takes a whole number of at least 0")
    old, new = read_summary(options.old), read_summary(options.new)
    show_warnings(old, new)
    difference = diff(old, new, confidence=options.confidence, seed=options.seed)
    write_lines([summary_line(old), summary_line(new), *difference_lines(difference)])
    regressed = difference.of(*REGRESSIONS)
    if options.fail_on_regression and regressed:
        named = ", ".join(
            f"{change.detector} ({_regressions(change)})"
            for change in regressed[:NAMED_IN_ERROR]
        )
        more = len(regressed) - NAMED_IN_ERROR
        raise GateFailedError(
            f"{options.new}: {named}{f' and {more} more' if more > 0 else ''};"
            " `garak-tbsa detectors explain DETECTOR` shows the rows"
        )
    return EXIT_DONE


def difference_lines(difference: Difference) -> Iterator[str]:
    """The difference for a terminal: settings, changed detectors, how many of each."""
    for name, (before, after) in difference.settings.items():
        yield f"{name}: {_said(before)} -> {_said(after)}"
    changed = [change for change in difference.changes if change.is_changed]
    if changed:
        rows = [row for change in changed for row in _rows(change)]
        yield from table([HEADER, *rows])
    for change in changed:
        if change.reason is not None:
            yield f"  {change.detector}: {change.reason}"
    yield from _counted(difference.changes)
    yield from _notes(changed)


def _counted(changes: Sequence[Change]) -> Iterator[str]:
    """How many verdicts of each kind, a line for each block."""
    counted: dict[str, Counter[ChangeKind]] = {}
    for change in changes:
        for block, kind in change.verdicts.items():
            counted.setdefault(block, Counter())[kind] += 1
    for block, kinds in counted.items():
        said = (f"{kinds[kind]} {kind.value}" for kind in ChangeKind if kinds[kind])
        yield f"{block}: {', '.join(said)}"
    if not counted:
        yield "neither summary has a detector"
    elif set(counted) == {TYPICAL_BLOCK}:
        yield "stress: no rows that both summaries state"


def _regressions(change: Change) -> str:
    return ", ".join(
        f"{block} {kind.value}"
        for block, kind in change.verdicts.items()
        if kind in REGRESSIONS
    )


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
        yield (
            change.detector,
            TYPICAL_BLOCK,
            _f1(change.old),
            _f1(change.new),
            _probability(change.probability_worse),
            change.kind.value,
        )
    for block in change.stress:
        if block.kind is not ChangeKind.UNCHANGED:
            yield (
                change.detector,
                block.block,
                _share(block.old),
                _share(block.new),
                _probability(block.probability_worse),
                block.kind.value,
            )


def _probability(worse: float | None) -> str:
    return UNDEFINED if worse is None else f"{worse:.3f}"


def _share(share: StressShare) -> str:
    return f"{share.part} of {share.whole}"


def _f1(measured: MeasuredDetector | None) -> str:
    """Hit F1, and what it is of."""
    if measured is None:
        return UNDEFINED
    if measured.counts is None:
        return f"F1 {ratio_text(measured.hit_f1)}"
    cells = " ".join(count_cells(measured.counts))
    return f"F1 {ratio_text(measured.hit_f1)} ({cells})"


def _said(value: object) -> str:
    return "not stated" if value is None else str(value)
