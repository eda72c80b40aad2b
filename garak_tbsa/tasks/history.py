# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Many reports -> how each target developed, and how targets compare."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from garak_tbsa.garak_files.merging import PossiblePart, scans_in_parts
from garak_tbsa.tasks.history_work import (
    HistoryOptions,
    NotScored,
    chains,
    changes_along,
    needs_reading,
    possible_parts,
    score_chunk,
)
from garak_tbsa.tbsa.history import Scan, by_target, leagues, target_history
from garak_tbsa.tbsa.outputs.history import HistoryShown, below
from garak_tbsa.workers.backends import Workers, run_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from garak_tbsa.tbsa.history import Change
    from garak_tbsa.unavailable import Unavailable

    Paths = tuple[str, ...]
    Watch = Callable[[Iterator[Any], int, str], Iterator[Any]]

CHUNK = 16
"""Reports that a worker is sent at once; enough to be worth the sending."""

REASONS_SHOWN, EXAMPLES = 10, 3


def unwatched(results: Iterator[Any], _: int, __: str) -> Iterator[Any]:
    """Pass results on, and tell nobody."""
    return results


@dataclass(frozen=True, kw_only=True)
class ManyScored:
    """A history, and what is not in it.

    Attributes
    ----------
    shown : HistoryShown
        Its ``notes`` are those of the merging, then those of what was not scored.
    merging : tuple of str
        What to say of the joining of reports.
    unscored : tuple of NotScored
    """

    shown: HistoryShown
    merging: tuple[str, ...]
    unscored: tuple[NotScored, ...]


def history_of(
    paths: Sequence[str],
    options: HistoryOptions,
    *,
    workers: Workers,
    merge: bool,
    folder: str,
    watch: Watch = unwatched,
) -> ManyScored:
    """Score reports and compare those of one target along time.

    Parameters
    ----------
    paths : sequence of str
        Reports.
    options : HistoryOptions
    workers : Workers
        Where the work is done; the result is the same everywhere.
    merge : bool
        Join reports of one target, garak version and settings: the parts of a scan.
    folder : str
        What the reports are below, for how they are named.
    watch : callable, optional
        Passes on the results of a part of the work, given how many they are and what
        they are called, to tell how far it is.

    Raises
    ------
    WorkersError
        A worker died, or the cluster cannot be used.
    """
    crew = _Crew(workers, options)
    groups: Iterable[Paths] = ((path,) for path in paths)
    unscored: list[NotScored] = []
    merging: list[str] = []
    if merge:
        groups, merging = _joined(crew, paths, unscored)
    targets = by_target(crew.scored(groups, unscored, watch, len(paths)))
    changes = crew.compared(targets, watch)
    histories = [
        target_history(target, targets[target], changes[target]) for target in targets
    ]
    shown = HistoryShown(
        folder=folder,
        histories=histories,
        leagues=leagues(histories),
        tests=options.tests,
        alpha=options.alpha,
        notes=[*merging, *_reasons(unscored, len(paths), folder)],
    )
    return ManyScored(shown=shown, merging=tuple(merging), unscored=tuple(unscored))


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

    def scored(
        self,
        groups: Iterable[Paths],
        unscored: list[NotScored],
        watch: Watch,
        reports: int,
    ) -> list[Scan]:
        scans: list[Scan] = []
        results = self._results(score_chunk, _chunks(groups))
        for result in watch(results, reports, "reports"):
            if isinstance(result, NotScored):
                unscored.append(result)
            else:
                scans.append(result)
        return scans

    def compared(
        self, targets: Mapping[str, Sequence[Scan]], watch: Watch
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
        changes = sum(len(found[target]) for target in read)
        results = watch(results, changes, "changes")
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
