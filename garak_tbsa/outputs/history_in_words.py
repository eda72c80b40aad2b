# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is said of scans over time, each sentence once.

Nothing is escaped: whoever shows a text escapes it as its form requires.
"""

from __future__ import annotations

from collections.abc import Iterator

from garak_tbsa.gates.options import DEFAULT_ALPHA
from garak_tbsa.outputs import wording
from garak_tbsa.outputs.history import Change, History, NotScored, Scan, TargetHistory
from garak_tbsa.outputs.text import below
from garak_tbsa.statistics import compare
from garak_tbsa.statistics.exchange import needed_permutations
from garak_tbsa.unavailable import Unavailable

REASONS_SHOWN, EXAMPLES = 10, 3


NOT_COMPARED_SHOWN = AGGREGATES_SHOWN = 3


SHORT_VERDICTS = {
    compare.WORSE: "worse",
    compare.BETTER: "better",
    compare.BOTH_WAYS: "both ways",
    compare.NO_EVIDENCE: "no evidence",
    compare.UNTESTED: "not tested",
}


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


def moved_text(scan: Scan) -> str:
    """Say by how much the score moved, and over which pairs if not over all."""
    change = scan.change
    if not isinstance(change, Change):
        return "" if change is None else "not compared"
    moved = f"{change.difference:+.1f}" if change.difference else "0.0"
    common = change.common_pairs
    return moved if common is None else f"{moved} over {common}"


def verdict_text(scan: Scan) -> str:
    """Return the verdict on a change, with the p-value that it rests on."""
    change = scan.change
    if not isinstance(change, Change) or change.verdict is None:
        return ""
    verdict = SHORT_VERDICTS[change.verdict]
    p_values = {compare.WORSE: change.p_worse, compare.BETTER: change.p_better}
    p_value = p_values.get(change.verdict)
    return verdict if p_value is None else f"{verdict}, p = {p_value:.3g}"


def rescored_text(scan: Scan) -> str:
    """Return the scores of common pairs, where only these compare."""
    change = scan.change
    if not isinstance(change, Change) or change.common_pairs is None:
        return ""
    before, after = map(wording.tbsa_text, (change.before, change.after))
    return f"{before} to {after} over {wording.pairs_text(change.common_pairs)}"


def differences_text(scan: Scan) -> str:
    """Say what differs between the checksums, where only common pairs compare."""
    change = scan.change
    return "; ".join(change.differences) if isinstance(change, Change) else ""


def not_compared(scan: Scan) -> str:
    """Say why a scan was not compared with the one before; empty where it was."""
    return scan.change.reason if isinstance(scan.change, Unavailable) else ""


def latest_change(target: TargetHistory) -> str | None:
    """Return the verdict on the latest change and what it is due to."""
    change = target.latest.change
    return change.because if isinstance(change, Change) else None


def legend(history: History) -> Iterator[str]:
    """Say what marks and tests mean, as far as they are there."""
    scans = history.scans
    changes = [scan.change for scan in scans if isinstance(scan.change, Change)]
    if any(scan.partial for scan in scans):
        yield "* partial: the scan was interrupted"
    if any(scan.lower is not None for scan in scans):
        yield "repeat: what 95 % of repeats of that scan would score"
    if any(change.common_pairs for change in changes):
        yield (
            "over N: the checksums differ, so both scans were scored again over the N"
            " pairs that both measured with the same tier"
        )
    best = [each.best for each in history.targets if "best" in each.mark(each.best)]
    if any(verdict_text(scan).startswith("worse") for scan in best):
        yield (
            "worse and best: the score is the highest with this checksum, and yet"
            " outputs pass less often than in the scan before, by more than chance"
        )
    for reason in sorted({*map(not_compared, scans)} - {""})[:NOT_COMPARED_SHOWN]:
        yield f"not compared: {reason}"
    aggregates = [scan for scan in scans if scan.not_covered is not None]
    for scan in aggregates[:AGGREGATES_SHOWN]:
        yield f"{below(scan.source, history.folder)}: {scan.not_covered}"
    if more := len(aggregates[AGGREGATES_SHOWN:]):
        yield f"and {more} more aggregates; the JSON Lines have all"
    if any(change.verdict for change in changes):
        yield (
            "Changes are against the scan before, with the tests of compare by"
            f" attempts, else counts, at level {DEFAULT_ALPHA:g}"
            f" ({needed_permutations(DEFAULT_ALPHA):,} permutations)."
        )


def not_scored_lines(history: History) -> list[str]:
    """Say for each reason how many reports have it, and name the first."""
    groups: dict[str, list[NotScored]] = {}
    for each in history.not_scored:
        groups.setdefault(each.kind, []).append(each)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].path))
    lines = []
    for group in ordered[:REASONS_SHOWN]:
        names = [below(each.path, history.folder) for each in group[:EXAMPLES]]
        more = len(group) - len(names)
        named = ", ".join(names) + (f" and {more} more" if more else "")
        advice = f"; {group[0].advice}" if group[0].advice else ""
        lines.append(
            f"{len(group)} of {history.reports} not scored ({named}):"
            f" {group[0].problem}{advice}"
        )
    left = sum(map(len, ordered[REASONS_SHOWN:]))
    if left:
        lines.append(f"{left} of {history.reports} not scored for other reasons")
    return lines
