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
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain, pairwise, zip_longest
from typing import TYPE_CHECKING, Annotated, Any

from msgspec.structs import replace

from garak_tbsa.api import arguments
from garak_tbsa.api.arguments import CalibrationName, Paths, Scoring, Tiers
from garak_tbsa.comparison_in_words import headline, named
from garak_tbsa.errors import GarakTbsaError, NotComparableError, ReportError
from garak_tbsa.gates.options import DEFAULT_ALPHA
from garak_tbsa.option import Option, checked
from garak_tbsa.outputs.columns import LEAST_NAME, table, total_width
from garak_tbsa.outputs.documents.history import Change, Scan
from garak_tbsa.outputs.html_page import filled
from garak_tbsa.outputs.json_text import json_lines
from garak_tbsa.outputs.said import DISCLAIMER, pairs_text, tbsa_text
from garak_tbsa.outputs.text import below
from garak_tbsa.report.places import find_reports, folder_of
from garak_tbsa.result import FLAG, NUMBER, TEXT, WHOLE, Result, frame
from garak_tbsa.safe_text import printable
from garak_tbsa.statistics import compare as statistics
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

SHORT = {statistics.NO_EVIDENCE: "no evidence", statistics.BOTH_WAYS: "both ways"}
"""Verdicts that a column has no room for."""

AGAINST = {statistics.NO_EVIDENCE: "from", statistics.UNTESTED: "against"}
"""What stands between a verdict and the scan before, "than" after the others."""

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
    infile : str
    problem : str
        What is wrong, without the path.
    advice : str
        What to do; empty where the problem says it.
    """

    infile: str
    problem: str
    advice: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TargetHistory:
    """The scans of one target, oldest first."""

    target: str
    scans: tuple[Scan, ...]

    @property
    def changes(self) -> tuple[Change | None, ...]:
        """What changed in each scan against the one before; None where unknown."""
        return tuple(scan.change for scan in self.scans)


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
    def targets(self) -> tuple[TargetHistory, ...]:
        """Each target with its scans, by name."""
        found = by_target(self.scans).items()
        return tuple(TargetHistory(target=t, scans=(*own,)) for t, own in found)

    @cached_property
    def pair_sets(self) -> dict[str, str]:
        """Each checksum by what its scans hold, as ``web_injection, 9 pairs``.

        Those that hold the same are numbered.
        """
        held = {}
        for scan in self.scans:
            modules = named(scan.modules, MODULES_NAMED)
            held[scan.checksum] = f"{modules}, {pairs_text(scan.pairs)}"
        times, seen = Counter(held.values()), Counter[str]()
        for checksum, name in held.items():
            seen[name] += 1
            if times[name] > 1:
                held[checksum] = f"{name} ({seen[name]})"
        return held

    def to_json(self) -> str:
        """Return the JSON Lines that ``garak-tbsa history --jsonl`` writes."""
        return json_lines(self.scans)

    def to_dict(self) -> dict[str, Any]:
        """Return the objects of these lines as ``scans``, and ``not_scored``."""
        return {
            "scans": [json.loads(line) for line in self.to_json().splitlines()],
            "not_scored": [asdict(each) for each in self.not_scored],
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
        # each chunk with the scan before it
        (interval, scans[at - 1] if at else None, scans[at : at + CHUNK], scoring)
        for scans in targets.values()
        for at in range(0, len(scans), CHUNK)
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
        return NotScored(
            infile=error.source, problem=error.problem, advice=error.advice
        )
    except GarakTbsaError as error:
        problem, _, advice = str(error).removeprefix(f"{path}: ").partition("; ")
        return NotScored(infile=path, problem=problem, advice=advice)
    report = scored.report
    modules = Counter(pair.probe.partition(".")[0] for pair in scored.graded)
    return Scan(
        source=report.source,
        run_uuid=report.run_uuid,
        target=report.target,
        start_time=report.start_time,
        checksum=scored.checksum.text,
        garak_version=report.garak_version,
        tbsa=scored.tbsa,
        pairs=scored.contributing,
        left_out=len(scored.left_out),
        modules=[name for name, _ in modules.most_common()],
        partial=report.is_partial,
        gaps=[*scored.gaps],
        not_covered=report.not_covered,
    )


def by_target(scans: Iterable[Scan]) -> dict[str, list[Scan]]:
    """Return scans by the names of targets, each oldest first."""
    found: dict[str, list[Scan]] = {}
    for scan in sorted(scans, key=lambda s: (s.target, s.start_time or "", s.source)):
        found.setdefault(scan.target, []).append(scan)
    return found


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
                known = _with_range(scan, now)
            if earlier is not None and now is None:
                change = _change(earlier.tbsa, scan.tbsa)
                known = replace(known, change=change)
            elif earlier is not None and now is not None:
                last = last or scoring.assess_path(earlier.source)
                known = replace(known, change=_compared(last, now, tested=interval))
        except NotComparableError:
            known = replace(known, change_missing_because=NO_COMMON_PAIR)
        except GarakTbsaError as error:  # the report went in between
            known = replace(known, change_missing_because=str(error))
        found.append(known)
        last = now
    return found


def _with_range(scan: Scan, scored: ScoredScan) -> Scan:
    """A scan with the range of a repeat, where it is known."""
    repeat = repeat_of_scan(scored)
    if isinstance(repeat, Unavailable):
        return scan
    lower, upper = repeat.prediction_interval
    return replace(scan, lower=lower, upper=upper)


def _compared(last: ScoredScan, now: ScoredScan, *, tested: bool) -> Change:
    """What changed, by the tests of ``compare`` and over common pairs where need be.

    Raises
    ------
    NotComparableError
        No pair is in both with the same tier.
    """
    differences = part_differences(last.checksum, now.checksum)
    found = common = None
    if tested:
        found = statistics.compare(
            last, now, alpha=DEFAULT_ALPHA, common=bool(differences)
        )
        common = found.common
    elif differences:
        common = over_common_pairs(last, now)
    one, two = (last, now) if common is None else (common.first, common.second)
    change = _change(
        one.tbsa,
        two.tbsa,
        common_pairs=common and len(common.names),
        differences=[f"{each.part} ({each.text})" for each in differences],
    )
    if found is None:
        return change
    return replace(
        change,
        verdict=found.verdict,
        p_worse=found.p_worse,
        p_better=found.p_better,
        permutations=found.tests and needed_permutations(DEFAULT_ALPHA),
        pairs_by_attempts=len(found.exchange.pairs) - len(found.exchange.unmatched),
        because=headline(found),
    )


def _change(before: float, after: float, **others: Any) -> Change:
    difference = round(after - before, 1)
    return Change(before=before, after=after, difference=difference, **others)


def marked(scans: Sequence[Scan]) -> list[Scan]:
    """Mark the latest of the scans of a target, and the best that compares with it.

    That is the highest score, the newest of equals, of scans that measured all, and
    that no test calls worse than a neighbour.
    """
    candidates = [
        scan
        for scan, after in zip_longest(scans, scans[1:])
        if scan.checksum == scans[-1].checksum
        and not (scan.partial or scan.gaps)
        and _verdict(scan) not in (statistics.WORSE, statistics.BOTH_WAYS)
        and (after is None or _verdict(after) != statistics.BETTER)
    ]
    best = max(reversed(candidates), key=lambda scan: scan.tbsa, default=None)
    return [
        replace(scan, latest=scan is scans[-1], best=scan is best) for scan in scans
    ]


def _verdict(scan: Scan) -> str | None:
    return None if scan.change is None else scan.change.verdict


def leagues(found: HistoryResult) -> dict[str, list[dict[str, str]]]:
    """Return targets ranked by their latest scans, where several share a checksum.

    By what these scans hold; each row by the names of its columns.
    """
    shared: dict[str, list[Scan]] = {}
    for target in found.targets:
        for checksum, scan in {scan.checksum: scan for scan in target.scans}.items():
            shared.setdefault(checksum, []).append(scan)
    tables = {}
    for checksum, latest in sorted(shared.items()):
        latest.sort(key=lambda scan: (-scan.tbsa, scan.target))
        scores = [scan.tbsa for scan in latest]
        rows = [
            {
                "rank": str(1 + scores.index(scan.tbsa)),
                "TBSA": _score(scan),
                "repeat": _repeat(scan),
                "start": _when(scan),
                "target": scan.target,
            }
            for scan in latest
        ]
        if len(rows) > 1:
            tables[found.pair_sets[checksum]] = rows
    return tables


def rows_of(found: HistoryResult, scans: Sequence[Scan]) -> list[dict[str, str]]:
    """Return what the table of a target shows, each row by the names of its columns."""
    return [
        {
            "start": _when(scan),
            "TBSA": _score(scan),
            "": mark,
            "repeat": _repeat(scan),
            "change": _moved(scan),
            "verdict": _tested(scan.change),
            "pairs": found.pair_sets[scan.checksum],
            "left out": str(scan.left_out),
            "garak": scan.garak_version or "unknown",
            "checksum": scan.checksum,
            "report": below(scan.source, found.folder),
        }
        for scan, mark in zip(scans, _marks(scans), strict=True)
    ]


def _marks(scans: Sequence[Scan]) -> list[str]:
    """The latest of several scans, and the best of several that compare."""
    times = Counter(scan.checksum for scan in scans)
    return [
        ", ".join(
            ["latest"] * (scan.latest and len(scans) > 1)
            + ["best"] * (scan.best and times[scan.checksum] > 1)
        )
        for scan in scans
    ]


def _when(scan: Scan) -> str:
    return (scan.start_time or "unknown")[:16].replace("T", " ")


def _score(scan: Scan) -> str:
    return tbsa_text(scan.tbsa) + "*" * scan.partial


def _repeat(scan: Scan) -> str:
    if scan.lower is None or scan.upper is None:
        return "unknown"
    return f"{tbsa_text(scan.lower)} to {tbsa_text(scan.upper)}"


def _moved(scan: Scan) -> str:
    if scan.change is None:
        return "not compared" if scan.change_missing_because else ""
    common = scan.change.common_pairs
    return f"{scan.change.difference:+.1f}" + (f" over {common}" if common else "")


def _tested(change: Change | None) -> str:
    if change is None or change.verdict is None:
        return ""
    p_values = {"worse": change.p_worse, "better": change.p_better}
    p_value, said = p_values.get(change.verdict), SHORT.get(change.verdict)
    return said or change.verdict + ("" if p_value is None else f", p = {p_value:.3g}")


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
    than = AGAINST.get(change.verdict, "than")
    return f"{change.verdict} {than} {scores}{rest}"


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
    lines = [f"{each.target}: {answer(found, each.scans)}" for each in found.targets]
    for target in found.targets:
        count = len(target.scans)
        rows = rows_of(found, target.scans)
        if not checksums:
            rows = [row | {"checksum": ""} for row in rows]
        lines += ["", f"Target {target.target}: {count} scan{'s' * (count > 1)}"]
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


def legend(found: HistoryResult) -> list[str]:
    """Say what marks and tests mean, as far as they are there."""
    scans, permutations = found.scans, needed_permutations(DEFAULT_ALPHA)
    changes = [scan.change for scan in scans if scan.change is not None]
    known = {
        "* partial: the scan was interrupted": any(scan.partial for scan in scans),
        "repeat: what 95 % of repeats of that scan would score": any(
            scan.lower is not None for scan in scans
        ),
        "over N: the checksums differ, so both scans were scored again over the N pairs"
        " that both measured with the same tier": any(e.common_pairs for e in changes),
        "(1), (2): as many pairs of the same modules with different checksums; they"
        " differ in garak's release, settings, calibration or pairs": any(
            name.endswith("(2)") for name in found.pair_sets.values()
        ),
        "Changes are against the scan before, with the tests of compare by attempts,"
        f" else counts, at level {DEFAULT_ALPHA:g} ({permutations:,} permutations).": (
            any(each.verdict for each in changes)
        ),
    }
    reasons = sorted({scan.change_missing_because or "" for scan in scans} - {""})
    aggregates = [scan for scan in scans if scan.not_covered is not None]
    return [
        *(text for text, is_there in known.items() if is_there),
        *(f"not compared: {reason}" for reason in reasons[:EXAMPLES]),
        *(
            f"{below(scan.source, found.folder)}: {scan.not_covered}"
            for scan in aggregates[:EXAMPLES]
        ),
    ]


def not_scored_lines(found: HistoryResult) -> list[str]:
    """Say for each reason how many reports have it, and name the first."""
    groups: dict[str, list[NotScored]] = {}
    for each in found.not_scored:
        # the problem without what differs from report to report
        kind = re.sub(r"[^\s;,]*[\d+/]+[^\s;,]*", "#", each.problem)
        groups.setdefault(kind, []).append(each)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].infile))
    lines = []
    for group in ordered[:REASONS_SHOWN]:
        names = named([below(each.infile, found.folder) for each in group], EXAMPLES)
        advice = f"; {group[0].advice}" if group[0].advice else ""
        count = f"{len(group)} of {found.reports} not scored"
        lines.append(f"{count} ({names}): {group[0].problem}{advice}")
    if left := sum(map(len, ordered[REASONS_SHOWN:])):
        lines.append(f"{left} of {found.reports} not scored for other reasons")
    return lines


def jsonl(found: HistoryResult) -> str:
    """Return one JSON object per scan and line."""
    return found.to_json()


def html(found: HistoryResult) -> str:
    """Return a page: the answers, targets that compare, then a chart for each."""
    targets = [
        {
            "name": each.target,
            "latest": each.scans[-1],
            "answer": answer(found, each.scans),
            "chart": chart_of(each.scans) if len(each.scans) > 1 else None,
            "rows": [*zip(rows_of(found, each.scans), each.scans, strict=True)][
                -ROWS_SHOWN:
            ],
            "left_out": len(each.scans[:-ROWS_SHOWN]),
        }
        for each in found.targets
    ]
    values = {
        "folder": found.folder,
        "leagues": leagues(found),
        "notes": [*legend(found), *not_scored_lines(found)],
        "targets": targets,
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
    points: list[dict[str, Any]] = []
    lines: dict[str, list[dict[str, Any]]] = {}
    marks = _marks(scans)[-POINTS_SHOWN:]
    for index, (scan, mark) in enumerate(zip(newest, marks, strict=True)):
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
