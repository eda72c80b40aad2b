# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One pass over a report's rows, for what its last line does not tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.fields import Record, parse_json
from garak_tbsa.garak_files.measurement import (
    MOST_PAIRS,
    Measurement,
    bare_probe,
    check_number,
    digest_measurements,
    eval_measurement,
)
from garak_tbsa.garak_files.settings import (
    ScanSettings,
    differing_settings,
    first_text,
    parse_settings,
    settings_in,
)
from garak_tbsa.garak_files.source import BYTE_ORDER_MARK, Source, Watch
from garak_tbsa.safe_text import shown

SETUP_KINDS = ("start_run setup", "config")
"""Of the row with a scan's setup; garak 0.9 calls it ``config``."""

ATTEMPT_START = b'{"entry_type": "attempt"'
"""How garak begins an attempt row; such rows are not parsed."""

WHOLE_FILE_LIMIT = 1 << 26
MOST_PROBES = 100_000
"""Probes whose tier one file may tell."""

MOST_RUNS = 10
RUN_LENGTH = 40
ADVICE = "give a garak report, <prefix>.report.jsonl"


class NotJsonError(ReportError):
    """A line that is no JSON, and after which the report goes on."""


def rows_of(
    source: Source,
    skip: tuple[bytes, ...],
    parse: Callable[[bytes], object] = parse_json,
    watch: Watch = len,
) -> Iterator[tuple[int, object]]:
    """Yield each row with its number; of a cut last one, the source keeps the number.

    Parameters
    ----------
    source : Source
    skip : tuple of bytes
        How rows begin that are not parsed.
    parse : callable
        It raises ValueError for what is no JSON.
    watch : callable, optional
        Is given the lines that are not parsed.

    Raises
    ------
    NotJsonError
    ReportError
        As :meth:`~garak_tbsa.garak_files.source.Source.lines`.
    """
    problem: NotJsonError | None = None
    for number, line in source.lines(skip=skip, watch=watch):
        if problem is not None:
            raise problem
        try:
            row = parse(line)
        except ValueError as error:
            problem = _not_json(source.name, number, line[:200], error)
            continue
        yield number, row
    if problem is not None:
        if problem.line == 1 or problem.line != source.last_number:
            raise problem
        source.cut_line = problem.line


@dataclass(kw_only=True)
class ScannedRows:
    """What the rows of a report hold; rows of other types are passed over.

    Attributes
    ----------
    digest : Record or None
        The last digest row.
    evals : list of Measurement
    results : int
        How many eval rows there are.
    settings : ScanSettings or None
        From the ``start_run setup`` row (0.9: ``config``).
    init : mapping
        The ``init`` row, empty where there is none.
    tiers : dict of str to int
        Probe to tier, from ``plugin_cache`` rows.
    completed : bool
        Whether there is a ``completion`` row.
    cut_line : int or None
        Number of an incomplete last line.
    digests : int
        How many digest rows there are.
    runs : dict of str to (list of str)
        Different ids of scans in setup and ``init`` rows, in order.
    broken : list of int
        Numbers of attempts' lines, but for a cut one, that are no JSON.
    """

    digest: Record | None = None
    evals: list[Measurement] = field(default_factory=list)
    results: int = 0
    settings: ScanSettings | None = None
    init: Mapping[str, Any] = field(default_factory=dict)
    tiers: dict[str, int] = field(default_factory=dict)
    completed: bool = False
    cut_line: int | None = None
    digests: int = 0
    runs: dict[str, list[str]] = field(default_factory=dict)
    broken: list[int] = field(default_factory=list)

    def add(self, value: object, line: int, source: str) -> None:
        """Take a row.

        Raises
        ------
        ReportError
            It is not what garak writes.
        """
        row = Record(value, source=source, line=line, path="row")
        kind = row.values.get("entry_type")
        if not isinstance(kind, str):
            row.fail("entry_type", "the type of a garak row", kind)
        row.path = kind
        if kind == "eval":
            self.results += 1
            result = eval_measurement(row)
            if self.results <= MOST_PAIRS:
                self.evals.append(result)
        elif kind == "digest":
            self.digest = row
            self.digests += 1
        elif kind in SETUP_KINDS:
            self.settings = parse_settings(row.values)
            self._add_run("setup", self.settings.run_uuid)
        elif kind == "init":
            self.init = row.values
            self._add_run("init", first_text(row.values.get("run")))
        elif kind == "completion":
            self.completed = True
        elif kind == "plugin_cache":
            self._add_tiers(row)

    @cached_property
    def stated(self) -> tuple[Measurement, ...]:
        """The last digest's entries; empty where there is none."""
        return () if self.digest is None else digest_measurements(self.digest)

    @cached_property
    def setup(self) -> ScanSettings | None:
        """The setup that the last digest repeats; None where there is none."""
        return settings_in(self.digest)

    def _add_run(self, kind: str, run: str | None) -> None:
        runs = self.runs.setdefault(kind, [])
        name = None if run is None else shown(run, RUN_LENGTH)
        if name is not None and name not in runs and len(runs) < MOST_RUNS:
            runs.append(name)

    def _add_tiers(self, row: Record) -> None:
        cache = row.child("plugin_cache", optional=True)
        probes = cache.child("probes", optional=True)
        for name in probes.values:
            tier = probes.child(name).tier("tier")
            if tier is not None:
                self.tiers[bare_probe(name)] = tier
        if len(self.tiers) > MOST_PROBES:
            row.fail("", f"at most {MOST_PROBES:,} probes in a report", "more")


def scan_rows(source: Source, watch: Watch = len) -> ScannedRows:
    """Read every row but the attempts, whose lines are for ``watch``.

    An attempt is one however its line is written: who takes a row out with ``jq -c``
    writes no space after a colon.

    Parameters
    ----------
    source : Source
    watch : callable, optional
        Returns False for a line that is no JSON.

    Raises
    ------
    ReportError
        A row other than the last one is not JSON, or there is no row at all.
    """
    rows = ScannedRows()

    def watched(line: bytes) -> None:
        if watch(line) is False:
            rows.broken.append(source.last_number)

    def parsed(line: bytes) -> object:
        row = parse_json(line)
        if isinstance(row, dict) and row.get("entry_type") == "attempt":
            watched(line)
        return row

    try:
        for number, row in rows_of(source, (ATTEMPT_START,), parsed, watched):
            rows.add(row, number, source.name)
    except NotJsonError:
        # one JSON object may be spread over several lines
        whole = source.whole(WHOLE_FILE_LIMIT)
        try:
            digest = parse_json((whole or b"").removeprefix(BYTE_ORDER_MARK))
        except ValueError:
            digest = None
        if digest is None:
            raise
        rows.add(digest, 1, source.name)
    check_number(rows.results, source.name)
    rows.cut_line = source.cut_line
    if rows.cut_line in rows.broken:
        rows.broken.remove(rows.cut_line)
    return rows


def find_disagreements(rows: ScannedRows) -> list[str]:
    """Return what a digest and the rows of its file do not agree on, in words.

    Parameters
    ----------
    rows : ScannedRows
        All rows but the attempts.
    """
    found = several_scans(rows)
    found += settings_disagreement(rows)
    for entry in (*rows.stated, *rows.evals):
        found += entry.wrong_sums()
    if rows.stated:
        found += [*_pair_disagreements(rows.evals, rows.stated)]
        tiers = {entry.probe: entry.tier for entry in rows.stated}
        found += [
            f"{probe}: Tier {tier} in the digest, Tier {rows.tiers[probe]} in its"
            " plugin_cache row"
            for probe, tier in sorted(tiers.items())
            if None not in (tier, rows.tiers.get(probe)) and tier != rows.tiers[probe]
        ]
    return found


def several_scans(rows: ScannedRows) -> list[str]:
    """Return how rows show that scans were put together by hand, always a warning."""
    found = []
    several = next((runs for runs in rows.runs.values() if len(runs) > 1), None)
    if several is not None:
        found.append(
            f"the file holds rows of {len(several)} scans ({', '.join(several)})"
        )
    if rows.digests > 1:
        found.append(f"the file holds {rows.digests} digests")
    return found


def broken_lines(rows: ScannedRows) -> list[str]:
    """Return that attempts are broken within a file, always a warning."""
    if not rows.broken:
        return []
    which, is_no = f"line {rows.broken[0]}, an attempt,", "is no"
    if len(rows.broken) > 1:
        which = f"{len(rows.broken):,} lines of attempts, first line {rows.broken[0]},"
        is_no = "are no"
    return [f"{which} {is_no} JSON: the file is damaged, or was put together"]


def settings_disagreement(rows: ScannedRows) -> list[str]:
    """Return the line that says how two setups differ, which is always a warning."""
    if rows.setup is None or rows.settings is None:
        return []
    names = ", ".join(differing_settings(rows.settings, rows.setup))
    if not names:
        return []
    return [
        f"the digest's setup differs from the file's setup row in {names};"
        " the digest's was used"
    ]


def _pair_disagreements(
    evals: Sequence[Measurement], stated: Sequence[Measurement]
) -> Iterator[str]:
    if not evals:
        yield "the file has no eval rows to check its digest with"
        return
    rows = {entry.pair_name for entry in evals}
    in_digest = {entry.pair_name: entry for entry in stated}
    for name in sorted(rows - in_digest.keys()):
        yield f"{name}: has an eval row but is not in the digest"
    for name in sorted(in_digest.keys() - rows):
        yield f"{name}: is in the digest but has no eval row"
    for row in evals:
        entry = in_digest.get(row.pair_name)
        # up to 0.13.3 a digest has no counts, and nothing to disagree with
        if entry is None or not entry.has_counts:
            continue
        counts = [
            f"{each.passed} of {each.total_evaluated} passed" for each in (entry, row)
        ]
        if counts[0] == counts[1] and None not in (entry.nones, row.nones):
            counts = [f"{each.nones} nones" for each in (entry, row)]
        if counts[0] != counts[1]:
            del in_digest[row.pair_name]
            yield (
                f"{row.pair_name}: {counts[0]} in the digest, {counts[1]} in its eval"
                f" row at {row.where}"
            )


def _not_json(
    source: str, number: int, start: bytes, error: ValueError
) -> NotJsonError:
    text = start.lstrip().lower()
    problem = f"expected a JSON object, found no JSON ({str(error).splitlines()[0]})"
    advice = ADVICE
    if number == 1 and text.startswith(b"version https://git-lfs"):
        problem = "is a Git LFS pointer, not the report itself"
        advice = "fetch it with: git lfs pull"
    elif number == 1 and text.startswith(b"<"):
        problem = "is a web page or XML, expected JSON Lines"
        advice = "give the .report.jsonl beside garak's .report.html"
    return NotJsonError(source, problem, advice, line=number)
