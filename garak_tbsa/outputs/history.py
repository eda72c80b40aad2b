# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A history of scans as tables that fit their terminal, and as JSON Lines."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.text import below, table
from garak_tbsa.safe_text import printable
from garak_tbsa.statistics.compare import (
    BETTER,
    BOTH_WAYS,
    NO_EVIDENCE,
    UNTESTED,
    WORSE,
)
from garak_tbsa.statistics.exchange import needed_permutations
from garak_tbsa.tbsa.history import (
    Change,
    League,
    ManyScored,
    NotScored,
    Scan,
    TargetHistory,
    rows_of,
)
from garak_tbsa.unavailable import Unavailable

HEADER = (
    "start",
    "TBSA",
    "",
    "repeat",
    "change",
    "verdict",
    "checksum",
    "pairs",
    "left out",
    "garak",
    "report",
)
LEAGUE_HEADER = ("rank", "TBSA", "repeat", "start", "best", "garak", "target")
LESS_NEEDED = ("left out", "pairs", "repeat", "garak", "checksum")
"""Columns that go, in this order, where a terminal has no room for all."""

LEAST_LAST = 24
"""Characters that the last column, a path or a name, keeps at least."""

INDENT = "  "
START, UNKNOWN = "start", "unknown"
DATE = 10
"""Characters of a date; the time of day goes where there is little room."""

REASONS_SHOWN, EXAMPLES = 10, 3

BASIS = "repeat: what 95 % of repeats of that scan would score"
SHORT_VERDICTS = {
    WORSE: "worse",
    BETTER: "better",
    BOTH_WAYS: "both ways",
    NO_EVIDENCE: "no evidence",
    UNTESTED: "not tested",
}


def text_lines(shown: ManyScored, *, width: int | None) -> list[str]:
    """Return a table for each target, then one for targets that compare.

    Parameters
    ----------
    shown : ManyScored
    width : int or None
        Columns of the terminal, which no line exceeds; None for no limit.
    """
    lines: list[str] = []
    for history in shown.targets:
        lines += _target_lines(history, shown, width)
    for league in shown.leagues:
        lines += _league_lines(league, width)
    for note in legend(shown):
        lines += _folded(note, width)
    return [*lines, *_folded(wording.DISCLAIMER, width)]


def legend(shown: ManyScored) -> Iterator[str]:
    """Say what marks and tests mean, as far as they are there."""
    changes = [
        change for history in shown.targets for change in history.changes if change
    ]
    if any(scan.partial for each in shown.targets for scan in each.scans):
        yield "* partial: the scan was interrupted"
    if any(s.lower is not None for each in shown.targets for s in each.scans):
        yield BASIS
    if any(isinstance(each, Change) and each.common_pairs for each in changes):
        yield (
            "over N: the checksums differ, so both scans were scored again over the N"
            " pairs that both measured with the same tier"
        )
    if any(
        is_best(scan, history)
        and isinstance(change, Change)
        and change.verdict == WORSE
        for history in shown.targets
        for scan, change in rows_of(history)
    ):
        yield (
            "worse and best: the score is the highest with this checksum, and yet"
            " outputs pass less often than in the scan before, by more than chance"
        )
    reasons = {each.reason for each in changes if isinstance(each, Unavailable)}
    for reason in sorted(reasons)[:3]:
        yield f"not compared: {reason}"
    if any(isinstance(each, Change) and each.verdict for each in changes):
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


def _target_lines(
    history: TargetHistory, shown: ManyScored, width: int | None
) -> list[str]:
    scans = history.scans
    checksums = len({scan.checksum for scan in scans})
    head = f"Target {history.target}: {len(scans)} scan{'s' * (len(scans) > 1)}"
    if checksums > 1:
        head += f" under {checksums} checksums"
    rows = [
        _cells(scan, change, history, shown.folder) for scan, change in rows_of(history)
    ]
    lines = [_cut(printable(head), width), *_table(HEADER, rows, width)]
    because = latest_change(history)
    if because is not None:
        lines += _folded(f"Latest change: {because}", width)
    return [*lines, ""]


def _cells(
    scan: Scan,
    change: Change | Unavailable | None,
    history: TargetHistory,
    folder: str,
) -> tuple[str, ...]:
    return (
        when(scan),
        wording.tbsa_text(scan.tbsa) + ("*" if scan.partial else ""),
        mark(scan, history),
        range_text(scan),
        change_text(change),
        verdict_text(change),
        scan.checksum,
        str(scan.pairs),
        str(scan.left_out),
        scan.garak_version or "unknown",
        source_text(scan, folder),
    )


def _league_lines(league: League, width: int | None) -> list[str]:
    rows = [
        (
            str(each.rank),
            wording.tbsa_text(each.latest.tbsa) + ("*" if each.latest.partial else ""),
            range_text(each.latest),
            when(each.latest),
            wording.tbsa_text(each.best.tbsa),
            each.latest.garak_version or "unknown",
            each.latest.target,
        )
        for each in league.standings
    ]
    head = f"Targets by their latest scan with checksum {league.checksum}"
    return [_cut(head, width), *_table(LEAGUE_HEADER, rows, width), ""]


def when(scan: Scan) -> str:
    """Return when a scan began, to the minute."""
    return (scan.start_time or "unknown")[:16].replace("T", " ")


def mark(scan: Scan, history: TargetHistory) -> str:
    """Say whether a scan is the latest of its target, and the best of its checksum.

    Nothing for the only scan of a target.
    """
    if len(history.scans) == 1:
        return ""
    marks = ["latest"] * (scan is history.latest)
    return ", ".join([*marks, *["best"] * is_best(scan, history)])


def is_best(scan: Scan, history: TargetHistory) -> bool:
    """Whether a scan is the best of several that can be compared."""
    return scan is history.best and sum(map(scan.compares_with, history.scans)) > 1


def range_text(scan: Scan) -> str:
    """Return the range of a repeat."""
    if scan.lower is None or scan.upper is None:
        return "unknown"
    return f"{wording.tbsa_text(scan.lower)} to {wording.tbsa_text(scan.upper)}"


def change_text(change: Change | Unavailable | None) -> str:
    """Return by how much the score moved, and over which pairs if not over all."""
    if change is None:
        return ""
    if isinstance(change, Unavailable):
        return "not compared"
    moved = f"{change.difference:+.1f}" if change.difference else "0.0"
    over = "" if change.common_pairs is None else f" over {change.common_pairs}"
    return moved + over


def verdict_text(change: Change | Unavailable | None) -> str:
    """Return the verdict with the p-value that it rests on."""
    if not isinstance(change, Change) or change.verdict is None:
        return ""
    verdict = SHORT_VERDICTS[change.verdict]
    p_value = {WORSE: change.p_worse, BETTER: change.p_better}.get(change.verdict)
    return verdict if p_value is None else f"{verdict}, p = {p_value:.3g}"


def rescored_text(change: Change | Unavailable | None) -> str:
    """Return the scores of common pairs, where only these compare."""
    if not isinstance(change, Change) or change.common_pairs is None:
        return ""
    before, after = map(wording.tbsa_text, (change.before, change.after))
    return f"{before} to {after} over {wording.pairs_text(change.common_pairs)}"


def differences_text(change: Change | Unavailable | None) -> str:
    """Return what differs between the checksums of two scans."""
    return "; ".join(change.differences) if isinstance(change, Change) else ""


def why_not(change: Change | Unavailable | None) -> str:
    """Return why two scans were not compared."""
    return change.reason if isinstance(change, Unavailable) else ""


def latest_change(target: TargetHistory) -> str | None:
    """Return the verdict on the latest change and what it is due to."""
    latest = target.changes[-1]
    return latest.because if isinstance(latest, Change) else None


def source_text(scan: Scan, folder: str) -> str:
    """Return where a scan is below the folder, its first part where it has several."""
    first, *others = scan.paths
    more = f" and {len(others)} more" if others else ""
    return below(first, folder) + more


def _table(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None
) -> list[str]:
    """Align columns within a width: less needed ones go, then the last is cut."""
    *columns, last = (
        [printable(cell) for cell in column]
        for column in zip(header, *rows, strict=True)
    )
    columns = [column for column in columns if not {*column[1:]} <= {"", UNKNOWN}]
    if width is not None:
        for name in LESS_NEEDED:
            if _room(columns, width) >= LEAST_LAST:
                break
            columns = [column for column in columns if column[0] != name]
        else:
            columns = [
                [cell[:DATE] for cell in column] if column[0] == START else column
                for column in columns
            ]
        last = [_middle_cut(cell, max(1, _room(columns, width))) for cell in last]
    lines = table(list(zip(*columns, last, strict=True)))
    return [_cut(f"{INDENT}{line}", width) for line in lines]


def _room(columns: Sequence[Sequence[str]], width: int) -> int:
    """Return what other columns leave for the last one."""
    taken = sum(max(map(len, column)) + len(INDENT) for column in columns)
    return width - len(INDENT) - taken


def _middle_cut(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    end = (room - 1) // 2
    return f"{text[: room - 1 - end]}…{text[len(text) - end :]}"


def _cut(line: str, width: int | None) -> str:
    if width is None or len(line) <= width:
        return line
    return f"{line[: width - 1]}…"


def _folded(text: str, width: int | None) -> list[str]:
    text = printable(text)
    return [text] if width is None else textwrap.wrap(text, width)


def json_lines(histories: Iterable[TargetHistory]) -> str:
    """Return one JSON object per scan and line, targets by name, oldest first."""
    return "".join(
        json.dumps(_document(history, *row), ensure_ascii=False, allow_nan=False) + "\n"
        for history in histories
        for row in rows_of(history)
    )


def _document(
    history: TargetHistory, scan: Scan, change: Change | Unavailable | None
) -> dict[str, object]:
    return {
        **asdict(scan),
        "latest": scan is history.latest,
        "best": scan is history.best,
        "change": {**asdict(change), "difference": change.difference}
        if isinstance(change, Change)
        else None,
        "change_missing_because": why_not(change) or None,
    }
