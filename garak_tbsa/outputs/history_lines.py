# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A history as tables for a terminal, and as JSON Lines."""

from __future__ import annotations

from collections.abc import Sequence

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.columns import LEAST_NAME, marked, table, total_width
from garak_tbsa.outputs.documents import history as documents
from garak_tbsa.outputs.history import History, Scan, TargetHistory
from garak_tbsa.outputs.history_in_words import (
    latest_change,
    legend,
    moved_text,
    range_text,
    score_text,
    verdict_text,
    when,
)
from garak_tbsa.outputs.json_text import json_lines, told
from garak_tbsa.outputs.text import below
from garak_tbsa.safe_text import printable
from garak_tbsa.unavailable import Unavailable

HEADER = (
    *("start", "TBSA", "", "repeat", "change", "verdict"),
    *("checksum", "pairs", "left out", "garak", "report"),
)
LEAGUE_HEADER = ("rank", "TBSA", "repeat", "start", "best", "garak", "target")
LESS_NEEDED = ("left out", "pairs", "repeat", "garak", "checksum")
"""Columns that go, in this order, where a terminal has no room for all."""

INDENT = "  "


def text_lines(history: History, *, width: int | None) -> list[str]:
    """Return a table for each target, then one for targets that compare.

    Parameters
    ----------
    history : History
    width : int or None
        Columns of the terminal; None for any.
    """
    lines: list[str] = []
    for target in history.targets:
        checksums = len({scan.checksum for scan in target.scans})
        head = f"Target {target.target}: {len(target.scans)} scan"
        head += "s" * (len(target.scans) > 1)
        head += f" under {checksums} checksums" * (checksums > 1)
        rows = [_cells(scan, target, history.folder) for scan in target.scans]
        lines += [head, *_fitting(HEADER, rows, width)]
        lines += [*marked("Latest change: ", latest_change(target)), ""]
    for league in history.leagues:
        ranked = [
            (
                *(str(each.rank), score_text(each.latest), range_text(each.latest)),
                *(when(each.latest), wording.tbsa_text(each.best.tbsa)),
                *(each.latest.garak_version or "unknown", each.latest.target),
            )
            for each in league.standings
        ]
        lines.append(f"Targets by their latest scan with checksum {league.checksum}")
        lines += [*_fitting(LEAGUE_HEADER, ranked, width), ""]
    return [*lines, *legend(history), wording.DISCLAIMER]


def _cells(scan: Scan, target: TargetHistory, folder: str) -> tuple[str, ...]:
    return (
        *(when(scan), score_text(scan), target.mark(scan), range_text(scan)),
        *(moved_text(scan), verdict_text(scan), scan.checksum, str(scan.pairs)),
        *(str(scan.left_out), scan.garak_version or "unknown"),
        below(scan.source, folder),
    )


def _fitting(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None
) -> list[str]:
    """A table without columns that say nothing; less needed ones go where they must."""
    columns = {
        name: [printable(cell) for cell in cells]
        for name, *cells in zip(header, *rows, strict=True)
        if not {*cells} <= {"", "unknown"} or name == header[-1]
    }
    for name in LESS_NEEDED:
        widths = [max(map(len, (key, *own))) for key, own in columns.items()]
        if width is None or total_width([*widths[:-1], LEAST_NAME]) < width:
            break
        columns.pop(name, None)
    found = [(name, *cells) for name, cells in columns.items()]
    room = None if width is None else width - len(INDENT)
    return [INDENT + line for line in table([*zip(*found, strict=True)], room)]


def render(history: History) -> str:
    """Return one JSON object per scan and line, targets by name, oldest first."""
    return json_lines(
        document(scan, target) for target in history.targets for scan in target.scans
    )


def document(scan: Scan, target: TargetHistory) -> documents.Scan:
    """Return the document of one scan."""
    change, reason = None, None
    if isinstance(scan.change, Unavailable):
        reason = scan.change.reason
    elif scan.change is not None:
        change = told(documents.Change, scan.change)
    return told(
        documents.Scan,
        scan,
        latest=scan is target.latest,
        best=scan is target.best and not scan.gaps,
        change=change,
        change_missing_because=reason,
    )
