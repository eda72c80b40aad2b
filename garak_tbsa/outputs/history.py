# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans of each target over time: what is said of them, as text and JSON Lines.

First the answer, one sentence for each target, then the tables behind it. Nothing is
escaped here: whoever shows a text escapes it as its form requires.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest

from msgspec.structs import replace

from garak_tbsa.gates.options import DEFAULT_ALPHA
from garak_tbsa.outputs import said as wording
from garak_tbsa.outputs.columns import LEAST_NAME, table, total_width
from garak_tbsa.outputs.documents.history import Change, Scan
from garak_tbsa.outputs.json_text import json_lines
from garak_tbsa.outputs.text import below
from garak_tbsa.safe_text import printable
from garak_tbsa.statistics import compare
from garak_tbsa.statistics.exchange import needed_permutations

REASONS_SHOWN, EXAMPLES = 10, 3
NOT_COMPARED_SHOWN = AGGREGATES_SHOWN = 3
MODULES_NAMED = 2
"""Modules of probes that name a set of pairs; the others are counted."""

HEADER = (
    *("start", "TBSA", "", "repeat", "change", "verdict"),
    *("pairs", "left out", "garak", "checksum", "report"),
)
LEAGUE_HEADER = ("rank", "TBSA", "repeat", "start", "best", "garak", "target")
LESS_NEEDED = ("left out", "repeat", "garak", "pairs", "checksum")
"""Columns that go, in this order, where a terminal has no room for all."""

INDENT = "  "

VERDICTS = {
    compare.WORSE: ("worse", "than"),
    compare.BETTER: ("better", "than"),
    compare.BOTH_WAYS: ("both ways", "than"),
    compare.NO_EVIDENCE: ("no evidence", "from"),
    compare.UNTESTED: ("not tested", "against"),
}
"""Each verdict in a column, and what stands between it and the scan before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NotScored:
    """A report without a score.

    Attributes
    ----------
    path : str
    problem : str
        What is wrong, without the path.
    advice : str
        What to do; empty where the problem says it.
    """

    path: str
    problem: str
    advice: str

    @property
    def kind(self) -> str:
        """The problem without what differs from report to report."""
        return re.sub(r"[^\s;,]*[\d+/]+[^\s;,]*", "#", self.problem)


@dataclass(frozen=True, kw_only=True, slots=True)
class TargetHistory:
    """The scans of one target.

    Attributes
    ----------
    target : str
    scans : tuple of Scan
        At least one, oldest first.
    """

    target: str
    scans: tuple[Scan, ...]

    @property
    def changes(self) -> tuple[Change | None, ...]:
        """What changed in each scan against the one before; None where unknown."""
        return tuple(scan.change for scan in self.scans)

    @property
    def latest(self) -> Scan:
        """The scan that began last."""
        return self.scans[-1]

    def mark(self, scan: Scan) -> str:
        """Say whether a scan is the latest, and the best of several that compare."""
        comparable = sum(scan.checksum == other.checksum for other in self.scans)
        marks = ["latest"] * (scan.latest and len(self.scans) > 1)
        return ", ".join(marks + ["best"] * (scan.best and comparable > 1))


def by_target(scans: Iterable[Scan]) -> tuple[TargetHistory, ...]:
    """Group scans by target, each group oldest first and marked, targets by name."""
    ordered = sorted(
        scans, key=lambda scan: (scan.target, scan.start_time or "", scan.source)
    )
    groups = groupby(ordered, key=lambda scan: scan.target)
    return tuple(
        TargetHistory(target=target, scans=_marked([*own])) for target, own in groups
    )


def _marked(scans: Sequence[Scan]) -> tuple[Scan, ...]:
    best = best_of(scans, scans[-1].checksum)
    return tuple(
        replace(scan, latest=scan is scans[-1], best=scan is best) for scan in scans
    )


def best_of(scans: Sequence[Scan], checksum: str) -> Scan | None:
    """Return the highest score with a checksum, the newest of equals.

    Of scans that measured all, and that no test calls worse than a neighbour.
    """
    candidates = [
        scan
        for scan, after in zip_longest(scans, scans[1:])
        if scan.checksum == checksum
        and not (scan.partial or scan.gaps)
        and _verdict(scan) not in (compare.WORSE, compare.BOTH_WAYS)
        and (after is None or _verdict(after) != compare.BETTER)
    ]
    return max(reversed(candidates), key=lambda scan: scan.tbsa, default=None)


def _verdict(scan: Scan) -> str | None:
    return None if scan.change is None else scan.change.verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """A target's place among those that have scans with the same checksum.

    Attributes
    ----------
    rank : int
        From 1; equal scores share one.
    latest : Scan
        Of the target, with that checksum.
    best : Scan or None
    """

    rank: int
    latest: Scan
    best: Scan | None


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """All that is known of many reports.

    Attributes
    ----------
    folder : str
        What the reports are below.
    reports : int
        How many there are.
    targets : tuple of TargetHistory
        Each target with its scans, by name.
    not_scored : tuple of NotScored
        The reports without a score, each with its problem and what to do.
    warnings : tuple of str
        What was left out of folders, one line each.
    """

    folder: str
    reports: int
    targets: tuple[TargetHistory, ...]
    not_scored: tuple[NotScored, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def scans(self) -> tuple[Scan, ...]:
        """All scans, targets by name, each oldest first."""
        return tuple(scan for target in self.targets for scan in target.scans)

    @property
    def leagues(self) -> dict[str, tuple[Standing, ...]]:
        """Targets ranked by their latest scans, for each checksum that several have."""
        found: dict[str, list[tuple[Scan, Scan | None]]] = {}
        for target in self.targets:
            for checksum, scan in {
                scan.checksum: scan for scan in target.scans
            }.items():
                best = best_of(target.scans, checksum)
                found.setdefault(checksum, []).append((scan, best))
        return {
            checksum: _standings(own)
            for checksum, own in sorted(found.items())
            if len(own) > 1
        }

    @property
    def pair_sets(self) -> dict[str, str]:
        """Each checksum by what its scans hold, as ``web_injection, 9 pairs``.

        Those that hold the same are numbered.
        """
        held = {scan.checksum: _held(scan) for scan in self.scans}
        times, seen = Counter(held.values()), Counter[str]()
        for checksum, name in held.items():
            seen[name] += 1
            if times[name] > 1:
                held[checksum] = f"{name} ({seen[name]})"
        return held


def _standings(found: Sequence[tuple[Scan, Scan | None]]) -> tuple[Standing, ...]:
    ordered = sorted(found, key=lambda each: (-each[0].tbsa, each[0].target))
    scores = [scan.tbsa for scan, _ in ordered]
    return tuple(
        Standing(rank=1 + scores.index(scan.tbsa), latest=scan, best=best)
        for scan, best in ordered
    )


def _held(scan: Scan) -> str:
    names, more = scan.modules[:MODULES_NAMED], len(scan.modules[MODULES_NAMED:])
    modules = ", ".join(names) + f" and {more} more" * (more > 0)
    return f"{modules}, {wording.pairs_text(scan.pairs)}"


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


def best_text(best: Scan | None) -> str:
    """Return the best score, if any scan may be called so."""
    return "-" if best is None else wording.tbsa_text(best.tbsa)


def moved_text(scan: Scan) -> str:
    """Say by how much the score moved, and over which pairs if not over all."""
    if scan.change is None:
        return "not compared" if scan.change_missing_because else ""
    moved = f"{scan.change.difference:+.1f}" if scan.change.difference else "0.0"
    common = scan.change.common_pairs
    return moved if common is None else f"{moved} over {common}"


def verdict_text(scan: Scan) -> str:
    """Return the verdict on a change, with the p-value that it rests on."""
    change = scan.change
    if change is None or change.verdict is None:
        return ""
    verdict, _ = VERDICTS[change.verdict]
    p_values = {compare.WORSE: change.p_worse, compare.BETTER: change.p_better}
    p_value = p_values.get(change.verdict)
    return verdict if p_value is None else f"{verdict}, p = {p_value:.3g}"


def rescored_text(scan: Scan) -> str:
    """Return the scores of common pairs, where only these compare."""
    change = scan.change
    if change is None or change.common_pairs is None:
        return ""
    before, after = map(wording.tbsa_text, (change.before, change.after))
    return f"{before} to {after} over {wording.pairs_text(change.common_pairs)}"


def answer(target: TargetHistory, folder: str) -> str:
    """Say how the latest scan of a target compares with the one before.

    If it compares with none, also how the newest does that was compared.
    """
    said = f"{_named(target.latest, folder)}: "
    if len(target.scans) == 1:
        return f"{said}nothing to compare with, it is the only scan"
    if reason := target.latest.change_missing_because:
        said += f"nothing to compare with, {reason}"
    for before, scan in reversed([*pairwise(target.scans)]):
        if scan.change is not None:
            if scan is not target.latest:
                said += f". The newest that compares is {_named(scan, folder)}: "
            return said + _against(scan.change, below(before.source, folder))
    return said


def _named(scan: Scan, folder: str) -> str:
    lacking = ["partial"] * scan.partial
    lacking += [gap.partition(";")[0] for gap in scan.gaps]
    name, score = below(scan.source, folder), wording.tbsa_text(scan.tbsa)
    said = f"{name} of {when(scan)}, TBSA {score}"
    return said + (f" ({', '.join(lacking)})" if lacking else "")


def _against(change: Change, name: str) -> str:
    """The verdict against the scan of a name, the scores, and what it is due to."""
    before, after = map(wording.tbsa_text, (change.before, change.after))
    scores = f"{name}, {after} after {before}"
    if change.common_pairs is not None:
        scores += f" over {wording.pairs_text(change.common_pairs)} of both"
    if change.verdict is None:
        ways = {0: "as high as", 1: "higher than", -1: "lower than"}
        way = ways[(change.difference > 0) - (change.difference < 0)]
        return f"{way} {scores}, not tested"
    rest = (change.because or "").removeprefix(change.verdict)
    return f"{change.verdict} {VERDICTS[change.verdict][1]} {scores}{rest}"


def answers(history: History) -> list[str]:
    """Return the answer for each target, by name."""
    return [
        f"{target.target}: {answer(target, history.folder)}"
        for target in history.targets
    ]


def text_lines(
    history: History, *, width: int | None, checksums: bool = False
) -> list[str]:
    """Return the answers, a table for each target, then one for those that compare.

    Parameters
    ----------
    history : History
    width : int or None
        Columns of the terminal; None for any.
    checksums : bool
        Whether each scan is told with its checksum.
    """
    lines = [*answers(history), ""]
    sets = history.pair_sets
    for target in history.targets:
        scans = target.scans
        lines.append(
            f"Target {target.target}: {len(scans)} scan" + "s" * (len(scans) > 1)
        )
        rows = [
            (
                *(when(scan), score_text(scan), target.mark(scan), range_text(scan)),
                *(moved_text(scan), verdict_text(scan), sets[scan.checksum]),
                *(str(scan.left_out), scan.garak_version or "unknown"),
                *(
                    scan.checksum if checksums else "",
                    below(scan.source, history.folder),
                ),
            )
            for scan in scans
        ]
        lines += [*_fitting(HEADER, rows, width), ""]
    for checksum, standings in history.leagues.items():
        ranked = [
            (
                *(str(each.rank), score_text(each.latest), range_text(each.latest)),
                *(when(each.latest), best_text(each.best)),
                *(each.latest.garak_version or "unknown", each.latest.target),
            )
            for each in standings
        ]
        lines.append(f"Targets by their latest scan of {sets[checksum]}")
        lines += [*_fitting(LEAGUE_HEADER, ranked, width), ""]
    return [*lines, *legend(history), wording.DISCLAIMER]


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


def legend(history: History) -> Iterator[str]:
    """Say what marks and tests mean, as far as they are there."""
    scans = history.scans
    changes = [scan.change for scan in scans if scan.change is not None]
    if any(scan.partial for scan in scans):
        yield "* partial: the scan was interrupted"
    if any(scan.lower is not None for scan in scans):
        yield "repeat: what 95 % of repeats of that scan would score"
    if any(change.common_pairs for change in changes):
        yield (
            "over N: the checksums differ, so both scans were scored again over the N"
            " pairs that both measured with the same tier"
        )
    if any(name.endswith("(2)") for name in history.pair_sets.values()):
        yield (
            "(1), (2): as many pairs of the same modules with different checksums; they"
            " differ in garak's release, settings, calibration or pairs"
        )
    reasons = {scan.change_missing_because or "" for scan in scans} - {""}
    for reason in sorted(reasons)[:NOT_COMPARED_SHOWN]:
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


def render(history: History) -> str:
    """Return one JSON object per scan and line, targets by name, oldest first."""
    return json_lines(history.scans)
