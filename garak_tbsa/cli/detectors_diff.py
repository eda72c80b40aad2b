# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors diff``."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence

from garak_tbsa.cli.parsers import number
from garak_tbsa.detector_eval.diff import (
    REGRESSIONS,
    TYPICAL,
    Change,
    ChangeKind,
    changed_settings,
    diff,
)
from garak_tbsa.detector_eval.summary import read_summary
from garak_tbsa.errors import GateFailedError
from garak_tbsa.outputs.columns import table
from garak_tbsa.outputs.detectors import UNDEFINED, summary_line
from garak_tbsa.terminal import write_error, write_lines

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
        type=number(float, 0.0, 1.0),
        default=0.95,
        metavar="P",
        help="confidence at which a change exceeds noise (default: 0.95)",
    )


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
    for warning in (*old.warnings, *new.warnings):
        write_error(f"warning: {warning}")
    changes = diff(old, new, confidence=options.confidence)
    settings = (
        f"{name}: {' -> '.join('not stated' if v is None else str(v) for v in both)}"
        for name, both in changed_settings(old, new).items()
    )
    write_lines(
        [summary_line(old), summary_line(new), *settings, *change_lines(changes)]
    )
    regressed: dict[str, list[str]] = {}
    for each in changes:
        if each.kind in REGRESSIONS:
            said = f"{each.block} {each.kind.value}"
            regressed.setdefault(each.detector, []).append(said)
    if options.fail_on_regression and regressed:
        named = [f"{name} ({', '.join(said)})" for name, said in regressed.items()]
        more = len(named) - NAMED_IN_ERROR
        raise GateFailedError(
            f"{options.new}: {', '.join(named[:NAMED_IN_ERROR])}"
            f"{f' and {more} more' if more > 0 else ''};"
            " `garak-tbsa detectors evaluate --detectors DETECTOR -v` lists the rows"
        )


def change_lines(changes: Sequence[Change]) -> Iterator[str]:
    """The difference for a terminal: what changed, and how many of each kind."""
    changed = [each for each in changes if each.kind is not ChangeKind.UNCHANGED]
    rows = [
        (
            *(each.detector, each.block, each.was, each.now),
            *(_probability(each.probability_worse), each.kind.value),
        )
        for each in changed
    ]
    if rows:
        yield from table([HEADER, *rows])
    for each in changed:
        if each.reason is not None:
            yield f"  {each.detector}: {each.reason}"
    counted: dict[str, Counter[ChangeKind]] = {}
    for each in changes:
        counted.setdefault(each.block, Counter())[each.kind] += 1
    for block, kinds in counted.items():
        counted_kinds = (
            f"{kinds[kind]} {kind.value}" for kind in ChangeKind if kinds[kind]
        )
        yield f"{block}: {', '.join(counted_kinds)}"
    if not counted:
        yield "neither summary has a detector"
    elif set(counted) == {TYPICAL}:
        yield "stress: no rows that both summaries state"
    yield from _notes(changed)


def _probability(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.3f}"


def _notes(changed: Sequence[Change]) -> Iterator[str]:
    others = dict.fromkeys(each.detector for each in changed if each.same_rows is False)
    if others:
        yield (
            f"{len(others)} of the changed detectors were measured on other rows:"
            f" {', '.join(others)}"
        )
    if any(each.kind is ChangeKind.NOT_COMPARABLE for each in changed):
        yield (
            "Not comparable: one summary made its metrics from typical rows, the other"
            " from stress rows too; make the older one again"
        )
    if any(each.same_rows for each in changed):
        yield (
            "On the same rows every changed count is a change of the detector;"
            " P(worse) tells whether it would show on other rows"
        )
