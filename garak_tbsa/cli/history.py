# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa history``."""

from __future__ import annotations

import argparse
import itertools
import os
from typing import TYPE_CHECKING, Any

from garak_tbsa.cli.finding import ADDRESS, find_reports, may_be_report
from garak_tbsa.cli.history_work import (
    BY_COUNTS,
    NO_TESTS,
    TESTS,
    HistoryOptions,
    NotScored,
    chains,
    changes_along,
    needs_reading,
    possible_parts,
    score_chunk,
)
from garak_tbsa.cli.parsers import (
    add_alpha,
    add_scoring_options,
    add_worker_options,
    asked_workers,
    plain_help,
)
from garak_tbsa.cli.scoring import (
    chosen_calibration,
    scoring_files,
    scoring_options,
)
from garak_tbsa.cli.terminal import terminal_width, write_error, write_line, write_lines
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE, ReportError
from garak_tbsa.files import require_distinct, write_whole
from garak_tbsa.garak_files.merging import PossiblePart, scans_in_parts
from garak_tbsa.tbsa.history import Scan, by_target, leagues, target_history
from garak_tbsa.tbsa.outputs.history import HistoryShown, json_lines, text_lines
from garak_tbsa.workers.backends import IN_PROCESS, LOKY, Workers, run_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from garak_tbsa.tbsa.history import Change
    from garak_tbsa.unavailable import Unavailable

    Paths = tuple[str, ...]

WORTH_WORKERS = 40
CHUNK = 16
"""Reports that a worker is sent at once; enough to be worth the sending."""

REASONS_SHOWN, EXAMPLES = 10, 3


def build_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = argparse.ArgumentParser(
        prog="garak-tbsa history",
        description="Every report below a folder: how each target developed, and how"
        " targets compare.",
        allow_abbrev=False,
        formatter_class=plain_help,
    )
    parser.add_argument(
        "folder",
        help="where reports are looked for (*.report.jsonl, *report*.jsonl, also .gz"
        " and .zst); a folder, or an address such as s3://bucket/runs",
    )
    parser.add_argument("--jsonl", metavar="PATH", help="write one JSON object a scan")
    parser.add_argument("--html", metavar="PATH", help="write a page with charts")
    parser.add_argument(
        "--merge",
        action="store_true",
        help="join reports of one target, garak version and settings, in the order of"
        " their start, until a pair comes again: a scan in parts is one scan",
    )
    parser.add_argument(
        "--no-interval",
        action="store_true",
        help="do not work out what repeats would score, nor test changes unless"
        " --tests asks for it; for folders of many thousand reports",
    )
    parser.add_argument(
        "--tests",
        choices=TESTS,
        help="test each change as compare does, from counts (default), or prompt by"
        " prompt from the attempts, which takes as long as reading them",
    )
    add_alpha(parser, of="verdicts")
    add_worker_options(
        parser,
        jobs="workers (default: one a processor)",
        backend="where reports are scored; the result is the same (default: loky,"
        f" in-process for fewer than {WORTH_WORKERS} reports)",
    )
    add_scoring_options(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    """Run the command; reports that cannot be scored are counted, not the end.

    Raises
    ------
    ReportError
        The folder is none, or holds no report.
    UsageError
        An output would replace a report.
    WorkersError
        A worker died, or the cluster cannot be used.
    """
    asked = build_parser().parse_args(argv)
    if ADDRESS not in asked.folder and not os.path.isdir(asked.folder):
        raise ReportError(asked.folder, "is not a folder", "name a folder of reports")
    paths = find_reports([asked.folder], may_be_report)
    require_distinct(
        {"--jsonl": asked.jsonl, "--html": asked.html},
        [*paths, *scoring_files(asked)],
    )
    scoring = scoring_options(asked)
    options = HistoryOptions(
        scoring=scoring,
        calibration=chosen_calibration(scoring.calibration),
        with_interval=not asked.no_interval,
        tests=asked.tests or (NO_TESTS if asked.no_interval else BY_COUNTS),
        alpha=asked.alpha,
    )
    crew = _Crew(_workers(asked, len(paths)), options)
    groups: Iterable[Paths] = ((path,) for path in paths)
    unscored: list[NotScored] = []
    merging: list[str] = []
    if asked.merge:
        groups, merging = _joined(crew, paths, unscored)
    scans = crew.scored(groups, unscored)
    targets = by_target(scans)
    changes = crew.compared(targets)
    histories = [
        target_history(target, targets[target], changes[target]) for target in targets
    ]
    shown = HistoryShown(
        folder=asked.folder,
        histories=histories,
        leagues=leagues(histories),
        tests=options.tests,
        alpha=options.alpha,
        notes=[*merging, *_reasons(unscored, len(paths), asked.folder)],
    )
    _tell(shown, merging, unscored, len(paths))
    if asked.jsonl:
        write_whole(asked.jsonl, json_lines(histories))
    if asked.html:
        from garak_tbsa.tbsa.outputs.history_page import to_page

        write_whole(asked.html, to_page(shown))
    return EXIT_DONE if scans else EXIT_COULD_NOT


def _tell(
    shown: HistoryShown,
    merging: Sequence[str],
    unscored: Sequence[NotScored],
    reports: int,
) -> None:
    write_lines(text_lines(shown, width=terminal_width()))
    for line in merging:
        write_line(line)
    if unscored:
        write_line(f"{len(unscored)} of {reports} reports could not be scored")
    for line in shown.notes[len(merging) :]:
        write_error(line)


def _workers(asked: argparse.Namespace, reports: int) -> Workers:
    few = reports < WORTH_WORKERS or asked.jobs == 1
    return asked_workers(asked, otherwise=IN_PROCESS if few else LOKY)


class _Crew:
    """The workers, and what they are to do."""

    def __init__(self, workers: Workers, options: HistoryOptions) -> None:
        self._workers = workers
        self._options = options

    def _results(
        self, function: Callable[..., list[Any]], chunks: Iterable[Sequence[Any]]
    ) -> Iterator[Any]:
        tasks = ((chunk, self._options) for chunk in chunks)
        for results in run_tasks(function, tasks, self._workers):
            yield from results

    def parts(self, paths: Sequence[str]) -> Iterator[PossiblePart | NotScored]:
        return self._results(possible_parts, _chunks(paths))

    def scored(self, groups: Iterable[Paths], unscored: list[NotScored]) -> list[Scan]:
        scans: list[Scan] = []
        for result in self._results(score_chunk, _chunks(groups)):
            if isinstance(result, NotScored):
                unscored.append(result)
            else:
                scans.append(result)
        return scans

    def compared(
        self, targets: Mapping[str, Sequence[Scan]]
    ) -> dict[str, list[Change | Unavailable | None]]:
        """One for each two consecutive scans; None where only their scores differ."""
        read = [
            target
            for target, scans in targets.items()
            if needs_reading(scans, self._options)
        ]
        results = self._results(
            changes_along,
            (chain for target in read for chain in chains(targets[target], CHUNK)),
        )
        found: dict[str, list[Change | Unavailable | None]] = {
            target: [None] * (len(scans) - 1) for target, scans in targets.items()
        }
        for target in read:
            found[target] = list(itertools.islice(results, len(found[target])))
        return found


def _chunks(items: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    remaining = iter(items)
    while chunk := tuple(itertools.islice(remaining, CHUNK)):
        yield chunk


def _joined(
    crew: _Crew, paths: Sequence[str], unscored: list[NotScored]
) -> tuple[list[Paths], list[str]]:
    """The reports of each scan, and what to say of the joining."""
    parts: list[PossiblePart] = []
    for found in crew.parts(paths):
        if isinstance(found, NotScored):
            unscored.append(found)
        else:
            parts.append(found)
    joined = scans_in_parts(parts)
    groups = [
        tuple(parts[index].report.source for index in scan) for scan in joined.scans
    ]
    lines = [f"--merge: {len(parts)} reports hold {len(groups)} scans"]
    ordered = sorted(joined.kept_apart.items(), key=lambda item: (-item[1], item[0]))
    lines += [
        f"  not joined, {times} times: {why}" if times > 1 else f"  not joined: {why}"
        for why, times in ordered[:REASONS_SHOWN]
    ]
    if len(ordered) > REASONS_SHOWN:
        lines.append(f"  and {len(ordered) - REASONS_SHOWN} more reasons")
    return groups, lines


def _reasons(unscored: Sequence[NotScored], reports: int, folder: str) -> list[str]:
    """Say for each reason how many reports have it, and name the first."""
    from garak_tbsa.tbsa.outputs.history import below

    groups: dict[str, list[NotScored]] = {}
    for each in unscored:
        groups.setdefault(each.kind, []).append(each)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].path))
    lines = []
    for group in ordered[:REASONS_SHOWN]:
        names = [below(each.path, folder) for each in group[:EXAMPLES]]
        more = len(group) - len(names)
        named = ", ".join(names) + (f" and {more} more" if more else "")
        advice = f"; {group[0].advice}" if group[0].advice else ""
        lines.append(
            f"{len(group)} of {reports} not scored ({named}):"
            f" {group[0].problem}{advice}"
        )
    left = sum(map(len, ordered[REASONS_SHOWN:]))
    if left:
        lines.append(f"{left} of {reports} not scored for other reasons")
    return lines
