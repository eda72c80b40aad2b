# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A history of scans as its forms show it, as tables, and as JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.columns import LEAST_NAME, marked, table, total_width
from garak_tbsa.outputs.text import below
from garak_tbsa.safe_text import printable
from garak_tbsa.statistics import compare
from garak_tbsa.statistics.exchange import needed_permutations
from garak_tbsa.tbsa.history import (
    Change,
    ManyScored,
    NotScored,
    Scan,
    TargetHistory,
    rows_of,
)
from garak_tbsa.unavailable import Unavailable

HEADER = (
    *("start", "TBSA", "", "repeat", "change", "verdict"),
    *("checksum", "pairs", "left out", "garak", "report"),
)
LEAGUE_HEADER = ("rank", "TBSA", "repeat", "start", "best", "garak", "target")
LESS_NEEDED = ("left out", "pairs", "repeat", "garak", "checksum")
"""Columns that go, in this order, where a terminal has no room for all."""

INDENT = "  "
REASONS_SHOWN, EXAMPLES = 10, 3

SHORT_VERDICTS = {
    compare.WORSE: "worse",
    compare.BETTER: "better",
    compare.BOTH_WAYS: "both ways",
    compare.NO_EVIDENCE: "no evidence",
    compare.UNTESTED: "not tested",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ScanRow:
    """One scan of a target, with what is said of it.

    Attributes
    ----------
    scan : Scan
    change : Change or None
        From the scan before it; None where there is none, or none was compared.
    not_compared : str
        Why it was not compared with the one before; empty where it was.
    mark : str
        Whether it is the latest of its target, and the best of its checksum; empty for
        the only scan of a target.
    source : str
        Where it is below the folder, its first part where it has several.
    """

    scan: Scan
    change: Change | None
    not_compared: str
    mark: str
    source: str

    @property
    def moved(self) -> str:
        """By how much the score moved, and over which pairs if not over all."""
        if self.change is None:
            return "not compared" if self.not_compared else ""
        moved = f"{self.change.difference:+.1f}" if self.change.difference else "0.0"
        common = self.change.common_pairs
        return moved if common is None else f"{moved} over {common}"

    @property
    def verdict(self) -> str:
        """The verdict with the p-value that it rests on."""
        change = self.change
        if change is None or change.verdict is None:
            return ""
        verdict = SHORT_VERDICTS[change.verdict]
        p_values = {compare.WORSE: change.p_worse, compare.BETTER: change.p_better}
        p_value = p_values.get(change.verdict)
        return verdict if p_value is None else f"{verdict}, p = {p_value:.3g}"

    @property
    def differences(self) -> str:
        """What differs between the checksums, where only common pairs compare."""
        return "" if self.change is None else "; ".join(self.change.differences)

    @property
    def rescored(self) -> str:
        """The scores of common pairs, where only these compare."""
        change = self.change
        if change is None or change.common_pairs is None:
            return ""
        before, after = map(wording.tbsa_text, (change.before, change.after))
        return f"{before} to {after} over {wording.pairs_text(change.common_pairs)}"


def shown_rows(history: TargetHistory, folder: str) -> list[ScanRow]:
    """Return the scans of a target, oldest first.

    Parameters
    ----------
    history : TargetHistory
    folder : str
        Paths are told from here on.
    """
    rows = []
    for scan, change in rows_of(history):
        marks = ["latest"] * (scan is history.latest and len(history.scans) > 1)
        # of several that can be compared
        if scan is history.best and sum(map(scan.compares_with, history.scans)) > 1:
            marks.append("best")
        more = f" and {len(scan.paths) - 1} more" if len(scan.paths) > 1 else ""
        rows.append(
            ScanRow(
                scan=scan,
                change=change if isinstance(change, Change) else None,
                not_compared=change.reason if isinstance(change, Unavailable) else "",
                mark=", ".join(marks),
                source=below(scan.paths[0], folder) + more,
            )
        )
    return rows


def text_lines(shown: ManyScored, *, width: int | None) -> list[str]:
    """Return a table for each target, then one for targets that compare.

    Parameters
    ----------
    shown : ManyScored
    width : int or None
        Columns of the terminal; None for any.
    """
    lines: list[str] = []
    for history in shown.targets:
        checksums = len({scan.checksum for scan in history.scans})
        head = f"Target {history.target}: {len(history.scans)} scan"
        head += "s" * (len(history.scans) > 1)
        head += f" under {checksums} checksums" * (checksums > 1)
        rows = [_cells(row) for row in shown_rows(history, shown.folder)]
        lines += [head, *_fitting(HEADER, rows, width)]
        because = latest_change(history)
        lines += [*marked("Latest change: ", because), ""]
    for league in shown.leagues:
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
    return [*lines, *legend(shown), wording.DISCLAIMER]


def _cells(row: ScanRow) -> tuple[str, ...]:
    scan = row.scan
    return (
        *(when(scan), score_text(scan), row.mark, range_text(scan)),
        *(row.moved, row.verdict, scan.checksum, str(scan.pairs)),
        *(str(scan.left_out), scan.garak_version or "unknown", row.source),
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


def legend(shown: ManyScored) -> Iterator[str]:
    """Say what marks and tests mean, as far as they are there."""
    rows = [row for each in shown.targets for row in shown_rows(each, shown.folder)]
    changes = [row.change for row in rows if row.change is not None]
    if any(row.scan.partial for row in rows):
        yield "* partial: the scan was interrupted"
    if any(row.scan.lower is not None for row in rows):
        yield "repeat: what 95 % of repeats of that scan would score"
    if any(change.common_pairs for change in changes):
        yield (
            "over N: the checksums differ, so both scans were scored again over the N"
            " pairs that both measured with the same tier"
        )
    if any("best" in r.mark and r.verdict.startswith("worse") for r in rows):
        yield (
            "worse and best: the score is the highest with this checksum, and yet"
            " outputs pass less often than in the scan before, by more than chance"
        )
    for reason in sorted({row.not_compared for row in rows} - {""})[:3]:
        yield f"not compared: {reason}"
    if any(change.verdict for change in changes):
        yield (
            "Changes are against the scan before, with the tests of compare by"
            f" attempts, else counts, at level {shown.alpha:g}"
            f" ({needed_permutations(shown.alpha):,} permutations)."
        )


def not_scored_lines(shown: ManyScored) -> list[str]:
    """Say for each reason how many reports have it, and name the first."""
    groups: dict[str, list[NotScored]] = {}
    for each in shown.not_scored:
        groups.setdefault(each.kind, []).append(each)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].path))
    lines = []
    for group in ordered[:REASONS_SHOWN]:
        names = [below(each.path, shown.folder) for each in group[:EXAMPLES]]
        more = len(group) - len(names)
        named = ", ".join(names) + (f" and {more} more" if more else "")
        advice = f"; {group[0].advice}" if group[0].advice else ""
        lines.append(
            f"{len(group)} of {shown.reports} not scored ({named}):"
            f" {group[0].problem}{advice}"
        )
    left = sum(map(len, ordered[REASONS_SHOWN:]))
    if left:
        lines.append(f"{left} of {shown.reports} not scored for other reasons")
    return lines


def when(scan: Scan) -> str:
    """Return when a scan began, to the minute."""
    return (scan.start_time or "unknown")[:16].replace("T", " ")


def score_text(scan: Scan) -> str:
    """Return the score, with a mark where it is that of a part."""
    return wording.tbsa_text(scan.tbsa) + "*" * scan.partial


def range_text(scan: Scan) -> str:
    """Return the range of a repeat."""
    if scan.lower is None or scan.upper is None:
        return "unknown"
    return f"{wording.tbsa_text(scan.lower)} to {wording.tbsa_text(scan.upper)}"


def latest_change(target: TargetHistory) -> str | None:
    """Return the verdict on the latest change and what it is due to."""
    latest = target.changes[-1]
    return latest.because if isinstance(latest, Change) else None


def json_lines(histories: Iterable[TargetHistory]) -> str:
    """Return one JSON object per scan and line, targets by name, oldest first."""
    documents = (
        {
            **asdict(row.scan),
            "latest": row.scan is history.latest,
            "best": row.scan is history.best,
            "change": row.change
            and {**asdict(row.change), "difference": row.change.difference},
            "change_missing_because": row.not_compared or None,
        }
        for history in histories
        for row in shown_rows(history, "")
    )
    return "".join(
        json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"
        for document in documents
    )
