# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Many reports -> how each target developed, and how targets compare.

First each report is scored from its digest alone, which tells the scans of each
target. Then the attempts of each are read once, for its range and for what changed
since the scan before. A worker takes and gives back little, and holds the attempts of
two reports, so that many thousand reports cost no more memory than their table.

What is shown begins with the answer, one sentence for each target. Nothing is escaped
here: whoever shows a text escapes it as its form requires.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, zip_longest
from typing import TYPE_CHECKING, Annotated, Any

from msgspec.structs import replace

from garak_tbsa.api import arguments
from garak_tbsa.api.arguments import CalibrationName, Paths, Scoring, Tiers
from garak_tbsa.comparison_in_words import headline
from garak_tbsa.errors import GarakTbsaError, NotComparableError, ReportError
from garak_tbsa.gates.options import DEFAULT_ALPHA
from garak_tbsa.option import Option, checked
from garak_tbsa.outputs.columns import LEAST_NAME, table, total_width
from garak_tbsa.outputs.documents.history import Change, Scan
from garak_tbsa.outputs.html_page import filled
from garak_tbsa.outputs.json_text import json_lines, told
from garak_tbsa.outputs.said import DISCLAIMER, pairs_text, tbsa_text
from garak_tbsa.outputs.text import below
from garak_tbsa.report.places import find_reports, folder_of
from garak_tbsa.result import FLAG, NUMBER, TEXT, WHOLE, Result, frame
from garak_tbsa.safe_text import printable
from garak_tbsa.statistics.compare import (
    BETTER,
    BOTH_WAYS,
    NO_EVIDENCE,
    UNTESTED,
    WORSE,
    compare,
)
from garak_tbsa.statistics.exchange import needed_permutations
from garak_tbsa.statistics.repeat import repeat_of_scan
from garak_tbsa.tbsa.checksum import part_differences
from garak_tbsa.tbsa.rules import GRADES
from garak_tbsa.tbsa.scan import AS_IN_REPORT, over_common_pairs
from garak_tbsa.tbsa.scan import Scan as ScoredScan
from garak_tbsa.unavailable import Unavailable
from garak_tbsa.workers import BACKENDS, Workers, run_tasks

if TYPE_CHECKING:
    from pandas import DataFrame

Watch = Callable[[Iterator[Any], int, str], Iterator[Any]]

CHUNK = 16
"""Scans of a target that a worker follows at once; it reads the one before twice."""

WORTH_WORKERS = 40
"""Reports from which on other processes are started."""

NO_COMMON_PAIR = "no pair is in both scans with the same tier"
REASONS_SHOWN, EXAMPLES, MODULES_NAMED = 10, 3, 2

LESS_NEEDED = ("left out", "repeat", "garak", "pairs", "checksum")
"""Columns that go, in this order, where a terminal has no room for all."""

VERDICTS = {
    WORSE: ("worse", "than"),
    BETTER: ("better", "than"),
    BOTH_WAYS: ("both ways", "than"),
    NO_EVIDENCE: ("no evidence", "from"),
    UNTESTED: ("not tested", "against"),
}
"""Each verdict in a column, and what stands between it and the scan before."""

ROWS_SHOWN, POINTS_SHOWN, DATES_AT_MOST = 2000, 200, 5
"""Newest scans of a target in a table of the page and in its chart, and dates there."""

CHART_LEFT, CHART_RIGHT, TOP, BOTTOM = 60, 600, 24, 184

COLUMNS = {
    **dict.fromkeys(("target", "start_time"), TEXT),
    **dict.fromkeys(("tbsa", "lower", "upper", "difference"), NUMBER),
    "verdict": TEXT,
    **dict.fromkeys(("p_worse", "p_better"), NUMBER),
    "checksum": TEXT,
    **dict.fromkeys(("pairs", "left_out"), WHOLE),
    **dict.fromkeys(("partial", "latest", "best"), FLAG),
    **dict.fromkeys(("garak_version", "run_uuid", "source"), TEXT),
}
"""Of the data frame, in their order."""


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


@dataclass(frozen=True, kw_only=True, repr=False)
class HistoryResult(Result):
    """What :func:`garak_tbsa.history` returns.

    Attributes
    ----------
    folder : str
        What the reports are below.
    reports : int
        How many there are.
    scans : tuple of Scan
        All that have a score: targets by name, each oldest first.
    not_scored : tuple of NotScored
        The others, each with its problem and what to do.
    warnings : tuple of str
        What was left out of folders, one line each.
    """

    folder: str
    reports: int
    scans: tuple[Scan, ...]
    not_scored: tuple[NotScored, ...] = ()
    warnings: tuple[str, ...] = ()

    @cached_property
    def targets(self) -> dict[str, list[Scan]]:
        """The scans of each target."""
        return by_target(self.scans)

    @cached_property
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

    def to_json(self) -> str:
        """Return the JSON Lines that ``garak-tbsa history --jsonl`` writes."""
        return jsonl(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the objects of these lines as ``scans``, and ``not_scored``."""
        return {
            "scans": [json.loads(line) for line in self.to_json().splitlines()],
            "not_scored": [
                {"infile": each.path, "problem": each.problem, "advice": each.advice}
                for each in self.not_scored
            ],
        }

    def to_frame(self) -> DataFrame:
        """Return one row for each scan, with the change since the previous one."""
        rows = ({**(scan["change"] or {}), **scan} for scan in self.to_dict()["scans"])
        return frame(rows, COLUMNS)

    def _summary(self) -> str:
        scans, targets = len(self.scans), len(self.targets)
        missing = f", {len(self.not_scored)} not scored" if self.not_scored else ""
        noun = "target" if targets == 1 else "targets"
        return f"{scans} scan{'s' * (scans != 1)} of {targets} {noun}{missing}"

    def _lines(self) -> list[str]:
        lines = text_lines(self, width=None)
        return [*lines, *not_scored_lines(self), *self.warnings]


@checked
def history(
    paths: Paths,
    *,
    interval: bool = True,
    jobs: Annotated[int | None, Option(kind=int, low=1, metavar="N")] = 1,
    backend: Annotated[str | None, Option(kind=str, choices=BACKENDS)] = None,
    cluster: Annotated[str | None, Option(kind=str, metavar="ADDRESS")] = None,
    calibration: CalibrationName = AS_IN_REPORT,
    tiers: Tiers | None = None,
    watch: Watch | None = None,
) -> HistoryResult:
    """Score many reports: how each target developed, and how targets compare.

    Parameters
    ----------
    paths : path, or iterable of paths
        Reports, and folders or addresses whose reports are taken.
    interval : bool
        Read the attempts, compute what repeats would score and test changes, which
        takes long for many thousand reports.
    jobs : int or None
        Number of workers; None, and the default of the command, is one for each
        processor.
    backend : {"loky", "dask", "ray"}, optional
        Where reports are scored; the result is the same (default: this process for one
        job or fewer than 40 reports, else loky).
    cluster : str, optional
        Address of a Dask scheduler (tcp://host:8786) or of Ray (host:6379); default:
        DASK_SCHEDULER_ADDRESS, RAY_ADDRESS or `ray start`, else local workers.
    calibration, tiers
        As in :func:`score`.
    watch : callable, optional
        Passes on the results of a part of the work, given how many they are and what
        they are called, to tell how far it is.

    Returns
    -------
    HistoryResult
        Reports that cannot be scored are in ``not_scored``.

    Raises
    ------
    UsageError
        An argument is none of these.
    ReportError
        A folder has no report, or cannot be listed.
    WorkersError
        A worker died, or the cluster cannot be used.
    """
    scoring = arguments.scoring_of(calibration, tiers)
    given = arguments.paths_of("paths", paths)
    left_out: list[str] = []
    reports = find_reports(given, tell=left_out.append, must_exist=True)
    few = jobs == 1 or len(reports) < WORTH_WORKERS
    workers = Workers(
        backend=backend or (None if few else "loky"), jobs=jobs, cluster=cluster
    )
    watched: Watch = watch or (lambda results, total, unit: results)
    tasks = ((path, interval, scoring) for path in reports)
    results = run_tasks(scan_or_why_not, tasks, workers)
    scored = [*watched(results, len(reports), "reports")]
    targets = by_target(each for each in scored if isinstance(each, Scan))
    runs = (
        (interval, before, own, scoring)
        for scans in targets.values()
        for before, own in _chunks(scans)
    )
    followed = chain.from_iterable(run_tasks(follow, runs, workers))
    total = sum(map(len, targets.values()))
    targets = by_target(watched(followed, total, "scans"))
    return HistoryResult(
        folder=folder_of(given),
        reports=len(reports),
        scans=tuple(scan for own in targets.values() for scan in marked(own)),
        not_scored=tuple(each for each in scored if isinstance(each, NotScored)),
        warnings=tuple(left_out),
    )


def scan_or_why_not(path: str, whole: bool, scoring: Scoring) -> Scan | NotScored:
    """Return a scored scan without range and change, or why there is none."""
    try:
        scored = scoring.assess_path(path, whole=whole)
    except ReportError as error:
        return NotScored(path=error.source, problem=error.problem, advice=error.advice)
    except GarakTbsaError as error:
        problem, _, advice = str(error).removeprefix(f"{path}: ").partition("; ")
        return NotScored(path=path, problem=problem, advice=advice)
    modules = Counter(pair.probe.partition(".")[0] for pair in scored.graded)
    return told(
        Scan,
        scored.report,
        checksum=scored.checksum.text,
        tbsa=scored.tbsa,
        lower=None,
        upper=None,
        pairs=scored.contributing,
        left_out=len(scored.left_out),
        modules=[name for name, _ in modules.most_common()],
        partial=scored.report.is_partial,
        gaps=[*scored.gaps],
        latest=False,
        best=False,
        change=None,
        change_missing_because=None,
    )


def by_target(scans: Iterable[Scan]) -> dict[str, list[Scan]]:
    """Return scans by the names of targets, each oldest first."""
    found: dict[str, list[Scan]] = {}
    for scan in sorted(scans, key=lambda s: (s.target, s.start_time or "", s.source)):
        found.setdefault(scan.target, []).append(scan)
    return found


def _chunks(scans: Sequence[Scan]) -> Iterator[tuple[Scan | None, Sequence[Scan]]]:
    """The scans of a target in chunks, each with the one before."""
    for start in range(0, len(scans), CHUNK):
        before = scans[start - 1] if start else None
        yield before, scans[start : start + CHUNK]


def follow(
    interval: bool, before: Scan | None, scans: Sequence[Scan], scoring: Scoring
) -> list[Scan]:
    """Return scans of a target with their ranges, and what changed in each.

    Parameters
    ----------
    interval : bool
        Whether there are tests and ranges, for which attempts are read.
    before : Scan or None
        The one before the first.
    scans : sequence of Scan
        Oldest first, without ranges and changes.
    scoring : Scoring
    """
    found: list[Scan] = []
    last: ScoredScan | None = None
    for earlier, scan in pairwise([before, *scans]):
        assert scan is not None, "only the first may be none"
        known, now = scan, None
        try:
            # equal checksums without tests: the scores themselves tell the change
            if interval or (earlier and earlier.checksum != scan.checksum):
                now = scoring.assess_path(scan.source)
            if interval and now is not None:
                known = replace(known, **_range(now))
            if earlier is not None and now is not None:
                last = last or scoring.assess_path(earlier.source)
                known = replace(known, change=_change(last, now, tested=interval))
            elif earlier is not None:
                change = _untested(earlier.tbsa, scan.tbsa)
                known = replace(known, change=change)
        except NotComparableError:
            known = replace(known, change_missing_because=NO_COMMON_PAIR)
        except GarakTbsaError as error:  # the report went in between
            known = replace(known, change_missing_because=str(error))
        found.append(known)
        last = now
    return found


def _range(scored: ScoredScan) -> dict[str, float]:
    """The range of a repeat, where it is known."""
    repeat = repeat_of_scan(scored)
    if isinstance(repeat, Unavailable):
        return {}
    return dict(zip(("lower", "upper"), repeat.prediction_interval, strict=True))


def _change(last: ScoredScan, now: ScoredScan, *, tested: bool) -> Change:
    """What changed, by the tests of ``compare`` and over common pairs where need be.

    Raises
    ------
    NotComparableError
        No pair is in both with the same tier.
    """
    differences = part_differences(last.checksum, now.checksum)
    common = over_common_pairs(last, now) if differences else None
    one, two = (last, now) if common is None else (common.first, common.second)
    change = replace(
        _untested(one.tbsa, two.tbsa),
        common_pairs=common and len(common.names),
        differences=[f"{each.part} ({each.text})" for each in differences],
    )
    if not tested:
        return change
    found = compare(last, now, alpha=DEFAULT_ALPHA, common=common is not None)
    return replace(
        change,
        verdict=found.verdict,
        p_worse=found.p_worse,
        p_better=found.p_better,
        permutations=found.tests and needed_permutations(DEFAULT_ALPHA),
        pairs_by_attempts=len(found.exchange.pairs) - len(found.exchange.unmatched),
        because=headline(found),
    )


def _untested(before: float, after: float) -> Change:
    return Change(
        before=before,
        after=after,
        common_pairs=None,
        differences=[],
        verdict=None,
        p_worse=None,
        p_better=None,
        permutations=None,
        pairs_by_attempts=0,
        because=None,
        difference=round(after - before, 1),
    )


def marked(scans: Sequence[Scan]) -> list[Scan]:
    """Mark the latest of the scans of a target, and the best that compares with it."""
    best = best_of(scans, scans[-1].checksum)
    return [
        replace(scan, latest=scan is scans[-1], best=scan is best) for scan in scans
    ]


def best_of(scans: Sequence[Scan], checksum: str) -> Scan | None:
    """Return the highest score with a checksum, the newest of equals.

    Of scans that measured all, and that no test calls worse than a neighbour.
    """
    candidates = [
        scan
        for scan, after in zip_longest(scans, scans[1:])
        if scan.checksum == checksum
        and not (scan.partial or scan.gaps)
        and _verdict(scan) not in (WORSE, BOTH_WAYS)
        and (after is None or _verdict(after) != BETTER)
    ]
    return max(reversed(candidates), key=lambda scan: scan.tbsa, default=None)


def _verdict(scan: Scan) -> str | None:
    return None if scan.change is None else scan.change.verdict


def leagues(found: HistoryResult) -> dict[str, list[dict[str, str]]]:
    """Return targets ranked by their latest scans, where several share a checksum.

    By what these scans hold; each row by the names of its columns.
    """
    shared: dict[str, list[tuple[Scan, Scan | None]]] = {}
    for own in found.targets.values():
        for checksum, scan in {scan.checksum: scan for scan in own}.items():
            shared.setdefault(checksum, []).append((scan, best_of(own, checksum)))
    tables = {}
    for checksum, latest in sorted(shared.items()):
        latest.sort(key=lambda each: (-each[0].tbsa, each[0].target))
        scores = [scan.tbsa for scan, _ in latest]
        rows = [
            {
                "rank": str(1 + scores.index(scan.tbsa)),
                "TBSA": _score(scan),
                "repeat": _repeat(scan),
                "start": _when(scan),
                "best": "-" if best is None else tbsa_text(best.tbsa),
                "garak": scan.garak_version or "unknown",
                "target": scan.target,
            }
            for scan, best in latest
        ]
        if len(rows) > 1:
            tables[found.pair_sets[checksum]] = rows
    return tables


def rows_of(found: HistoryResult, scans: Sequence[Scan]) -> list[dict[str, str]]:
    """Return what the table of a target shows, each row by the names of its columns."""
    times = Counter(scan.checksum for scan in scans)
    return [
        {
            "start": _when(scan),
            "TBSA": _score(scan),
            "": _mark(scan, among=len(scans), same=times[scan.checksum]),
            "repeat": _repeat(scan),
            "change": _moved(scan),
            "verdict": _tested(scan),
            "pairs": found.pair_sets[scan.checksum],
            "left out": str(scan.left_out),
            "garak": scan.garak_version or "unknown",
            "checksum": scan.checksum,
            "report": below(scan.source, found.folder),
        }
        for scan in scans
    ]


def _held(scan: Scan) -> str:
    names, more = scan.modules[:MODULES_NAMED], len(scan.modules[MODULES_NAMED:])
    modules = ", ".join(names) + f" and {more} more" * (more > 0)
    return f"{modules}, {pairs_text(scan.pairs)}"


def _when(scan: Scan) -> str:
    return (scan.start_time or "unknown")[:16].replace("T", " ")


def _score(scan: Scan) -> str:
    return tbsa_text(scan.tbsa) + "*" * scan.partial


def _mark(scan: Scan, *, among: int, same: int) -> str:
    """The latest of several, and the best of several that compare."""
    marks = ["latest"] * (scan.latest and among > 1)
    return ", ".join(marks + ["best"] * (scan.best and same > 1))


def _repeat(scan: Scan) -> str:
    if scan.lower is None or scan.upper is None:
        return "unknown"
    return f"{tbsa_text(scan.lower)} to {tbsa_text(scan.upper)}"


def _moved(scan: Scan) -> str:
    if scan.change is None:
        return "not compared" if scan.change_missing_because else ""
    moved = f"{scan.change.difference:+.1f}" if scan.change.difference else "0.0"
    common = scan.change.common_pairs
    return moved if common is None else f"{moved} over {common}"


def _tested(scan: Scan) -> str:
    change = scan.change
    if change is None or change.verdict is None:
        return ""
    verdict, _ = VERDICTS[change.verdict]
    p_values = {WORSE: change.p_worse, BETTER: change.p_better}
    p_value = p_values.get(change.verdict)
    return verdict if p_value is None else f"{verdict}, p = {p_value:.3g}"


def answer(found: HistoryResult, scans: Sequence[Scan]) -> str:
    """Say how the latest scan of a target compares with the one before.

    If it compares with none, also how the newest does that was compared.
    """
    latest = scans[-1]
    said = f"{_named(latest, found.folder)}: "
    if len(scans) == 1:
        return f"{said}nothing to compare with, it is the only scan"
    if reason := latest.change_missing_because:
        said += f"nothing to compare with, {reason}"
    for before, scan in reversed([*pairwise(scans)]):
        if scan.change is not None:
            if scan is not latest:
                newest = _named(scan, found.folder)
                said += f". The newest that compares is {newest}: "
            return said + _against(scan.change, below(before.source, found.folder))
    return said


def _named(scan: Scan, folder: str) -> str:
    lacking = ["partial"] * scan.partial
    lacking += [gap.partition(";")[0] for gap in scan.gaps]
    name = below(scan.source, folder)
    said = f"{name} of {_when(scan)}, TBSA {tbsa_text(scan.tbsa)}"
    return said + (f" ({', '.join(lacking)})" if lacking else "")


def _against(change: Change, name: str) -> str:
    """The verdict against the scan of a name, the scores, and what it is due to."""
    scores = f"{name}, {tbsa_text(change.after)} after {tbsa_text(change.before)}"
    if change.common_pairs is not None:
        scores += f" over {pairs_text(change.common_pairs)} of both"
    if change.verdict is None:
        ways = {0: "as high as", 1: "higher than", -1: "lower than"}
        way = ways[(change.difference > 0) - (change.difference < 0)]
        return f"{way} {scores}, not tested"
    rest = (change.because or "").removeprefix(change.verdict)
    return f"{change.verdict} {VERDICTS[change.verdict][1]} {scores}{rest}"


def text_lines(
    found: HistoryResult, *, width: int | None, checksums: bool = False
) -> list[str]:
    """Return the answers, a table for each target, then one for those that compare.

    Parameters
    ----------
    found : HistoryResult
    width : int or None
        Columns of the terminal; None for any.
    checksums : bool
        Whether each scan is told with its checksum.
    """
    targets = found.targets.items()
    lines = [f"{target}: {answer(found, scans)}" for target, scans in targets]
    for target, scans in targets:
        many = "s" * (len(scans) > 1)
        rows = rows_of(found, scans)
        if not checksums:
            rows = [row | {"checksum": ""} for row in rows]
        lines += ["", f"Target {target}: {len(scans)} scan{many}"]
        lines += _fitting(rows, width)
    for pairs, rows in leagues(found).items():
        lines += ["", f"Targets by their latest scan of {pairs}"]
        lines += _fitting(rows, width)
    return [*lines, "", *legend(found), DISCLAIMER]


def _fitting(rows: Sequence[dict[str, str]], width: int | None) -> list[str]:
    """A table without columns that say nothing; less needed ones go where they must."""
    columns = {
        name: [printable(row[name]) for row in rows]
        for name in rows[0]
        if not {row[name] for row in rows} <= {"", "unknown"} or name == "report"
    }
    for name in LESS_NEEDED:
        widths = [max(map(len, (key, *own))) for key, own in columns.items()]
        if width is None or total_width([*widths[:-1], LEAST_NAME]) < width:
            break
        columns.pop(name, None)
    cells = zip(*((name, *own) for name, own in columns.items()), strict=True)
    return [f"  {line}" for line in table([*cells], width and width - 2)]


def legend(found: HistoryResult) -> Iterator[str]:
    """Say what marks and tests mean, as far as they are there."""
    scans = found.scans
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
    if any(name.endswith("(2)") for name in found.pair_sets.values()):
        yield (
            "(1), (2): as many pairs of the same modules with different checksums; they"
            " differ in garak's release, settings, calibration or pairs"
        )
    reasons = {scan.change_missing_because or "" for scan in scans} - {""}
    for reason in sorted(reasons)[:EXAMPLES]:
        yield f"not compared: {reason}"
    aggregates = [scan for scan in scans if scan.not_covered is not None]
    for scan in aggregates[:EXAMPLES]:
        yield f"{below(scan.source, found.folder)}: {scan.not_covered}"
    if more := len(aggregates[EXAMPLES:]):
        yield f"and {more} more aggregates; the JSON Lines have all"
    if any(change.verdict for change in changes):
        yield (
            "Changes are against the scan before, with the tests of compare by"
            f" attempts, else counts, at level {DEFAULT_ALPHA:g}"
            f" ({needed_permutations(DEFAULT_ALPHA):,} permutations)."
        )


def not_scored_lines(found: HistoryResult) -> list[str]:
    """Say for each reason how many reports have it, and name the first."""
    groups: dict[str, list[NotScored]] = {}
    for each in found.not_scored:
        # the problem without what differs from report to report
        kind = re.sub(r"[^\s;,]*[\d+/]+[^\s;,]*", "#", each.problem)
        groups.setdefault(kind, []).append(each)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].path))
    lines = []
    for group in ordered[:REASONS_SHOWN]:
        names = ", ".join(below(each.path, found.folder) for each in group[:EXAMPLES])
        if more := len(group[EXAMPLES:]):
            names += f" and {more} more"
        advice = f"; {group[0].advice}" if group[0].advice else ""
        count = f"{len(group)} of {found.reports} not scored"
        lines.append(f"{count} ({names}): {group[0].problem}{advice}")
    if left := sum(map(len, ordered[REASONS_SHOWN:])):
        lines.append(f"{left} of {found.reports} not scored for other reasons")
    return lines


def jsonl(found: HistoryResult) -> str:
    """Return one JSON object per scan and line, targets by name, oldest first."""
    return json_lines(found.scans)


def html(found: HistoryResult) -> str:
    """Return a page: the answers, targets that compare, then a chart for each."""
    values = {
        "folder": found.folder,
        "leagues": leagues(found),
        "notes": [*legend(found), *not_scored_lines(found)],
        "targets": [
            {
                "name": target,
                "latest": scans[-1],
                "answer": answer(found, scans),
                "chart": chart_of(scans) if len(scans) > 1 else None,
                "rows": [
                    *zip(
                        rows_of(found, scans)[-ROWS_SHOWN:],
                        scans[-ROWS_SHOWN:],
                        strict=True,
                    )
                ],
                "left_out": len(scans[:-ROWS_SHOWN]),
            }
            for target, scans in found.targets.items()
        ],
    }
    return filled("history.html", values, styles=["history.css"])


def chart_of(scans: Sequence[Scan]) -> dict[str, Any]:
    """Return the scores of a target over time, of two scans or more.

    Only scans that can be compared share a line.
    """
    newest = scans[-POINTS_SHOWN:]
    last = len(newest) - 1
    step = (CHART_RIGHT - CHART_LEFT) / last
    every = -(-len(newest) // DATES_AT_MOST)
    times = Counter(scan.checksum for scan in scans)
    points: list[dict[str, Any]] = []
    lines: dict[str, list[dict[str, Any]]] = {}
    for index, scan in enumerate(newest):
        mark = _mark(scan, among=len(scans), same=times[scan.checksum])
        is_end = index in (0, last)
        is_dated = is_end or (index % every == 0 and index + every <= last)
        highest = scan.tbsa if scan.upper is None else scan.upper
        point = {
            "x": round(CHART_LEFT + index * step, 1),
            "y": _height(scan.tbsa),
            "low": None if scan.lower is None else _height(scan.lower),
            "high": _height(highest),
            "grade": int(scan.tbsa),
            "day": _when(scan)[:10] if is_dated else "",
            "is_end": is_end,
            "anchor": "start" if index == 0 else "end" if is_end else "middle",
            "label_y": _height(highest) - 10,
            "mark": f"{mark} {tbsa_text(scan.tbsa)}" if mark else "",
            "said": f"{_when(scan)}: {tbsa_text(scan.tbsa)}",
        }
        points.append(point)
        lines.setdefault(scan.checksum, []).append(point)
    return {
        "label": f"TBSA over time: {', '.join(point['said'] for point in points)}",
        "grid": [{"y": _height(grade), "grade": grade} for grade in GRADES],
        "points": points,
        "lines": [ends for own in lines.values() for ends in pairwise(own)],
        "hidden": len(scans) - len(newest),
    }


def _height(tbsa: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * (tbsa - 1) / 4, 1)
