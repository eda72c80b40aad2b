# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One pass over a report's rows, for what its last line does not tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.fields import Record, parse_json
from garak_tbsa.garak_files.limits import MOST_PAIRS
from garak_tbsa.garak_files.measurement import (
    Measurement,
    bare_probe,
    check_number,
    eval_measurement,
)
from garak_tbsa.garak_files.settings import (
    InitFacts,
    ScanSettings,
    parse_init,
    parse_settings,
)
from garak_tbsa.garak_files.source import Source
from garak_tbsa.safe_text import shown

SETUP_KINDS = ("start_run setup", "config")
"""Of the row with a scan's setup; garak 0.9 calls it ``config``."""

ATTEMPT_START = b'{"entry_type": "attempt"'
"""How garak begins an attempt row; such rows are not parsed."""

WHOLE_FILE_LIMIT = 1 << 26
MOST_RUNS = 10
RUN_LENGTH = 40
ADVICE = "give a garak report, <prefix>.report.jsonl"


@dataclass(frozen=True, kw_only=True, slots=True)
class Broken:
    """A line that is no JSON.

    Attributes
    ----------
    line : int
        Its number, from 1.
    start : bytes
    error : ValueError
    is_last : bool
        Whether no row follows it, as where a scan was interrupted.
    """

    line: int
    start: bytes
    error: ValueError
    is_last: bool

    def problem(self, source: str) -> ReportError:
        """Return the error for a report with this line."""
        return _not_json(source, self.line, self.start, self.error)


def rows_of(
    source: Source,
    skip: tuple[bytes, ...],
    parse: Callable[[bytes], object] = parse_json,
) -> Iterator[tuple[int, object]]:
    """Yield each row with its number, and as the last one a Broken where there is one.

    Parameters
    ----------
    source : Source
    skip : tuple of bytes
        How rows begin that are not parsed.
    parse : callable
        It raises ValueError for what is no JSON.

    Raises
    ------
    ReportError
        As :meth:`~garak_tbsa.garak_files.source.Source.lines`.
    """
    broken: tuple[int, bytes, ValueError] | None = None
    number = 0
    for number, line in source.lines(skip=skip):
        if broken is not None:
            break
        try:
            row = parse(line)
        except ValueError as error:
            broken = (number, line[:200], error)
            continue
        yield number, row
    if broken is not None:
        at, start, reason = broken
        is_last = number == at and not source.ended_with_skipped
        yield at, Broken(line=at, start=start, error=reason, is_last=is_last)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScannedRows:
    """What the rows of a report hold.

    Attributes
    ----------
    digest : Record or None
        The last digest row.
    evals : tuple of Measurement
    settings : ScanSettings or None
        From the ``start_run setup`` row (0.9: ``config``).
    init : InitFacts or None
        From the ``init`` row.
    tiers : mapping of str to int
        Probe to tier, from ``plugin_cache`` rows.
    completed : bool
        Whether there is a ``completion`` row.
    cut_line : int or None
        Number of an incomplete last line.
    digests : int
        How many digest rows there are.
    setup_runs, init_runs : tuple of str
        Different ids of scans in these rows, in order.
    """

    digest: Record | None
    evals: tuple[Measurement, ...]
    settings: ScanSettings | None
    init: InitFacts | None
    tiers: Mapping[str, int]
    completed: bool
    cut_line: int | None
    digests: int
    setup_runs: tuple[str, ...]
    init_runs: tuple[str, ...]


class _Collector:
    """Gathers rows of the types that matter; others are passed over."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.digest: Record | None = None
        self.evals: list[Measurement] = []
        self.settings: ScanSettings | None = None
        self.init: InitFacts | None = None
        self.tiers: dict[str, int] = {}
        self.completed = False
        self.digests = 0
        # in the order of the rows
        self.setup_runs: dict[str, None] = {}
        self.init_runs: dict[str, None] = {}

    def add(self, value: object, line: int) -> None:
        row = Record(value, source=self.source, line=line, path="row")
        kind = row.values.get("entry_type")
        if not isinstance(kind, str):
            row.fail("entry_type", "the type of a garak row", kind)
        row.path = kind
        if kind == "eval":
            self.evals.append(eval_measurement(row))
            check_number(self.evals, row)
        elif kind == "digest":
            self.digest = row
            self.digests += 1
        elif kind in SETUP_KINDS:
            self.settings = parse_settings(row.values)
            self._add_run(self.setup_runs, self.settings.run_uuid)
        elif kind == "init":
            self.init = parse_init(row.values)
            self._add_run(self.init_runs, self.init.run_uuid)
        elif kind == "completion":
            self.completed = True
        elif kind == "plugin_cache":
            self._add_tiers(row)

    def _add_run(self, runs: dict[str, None], run: str | None) -> None:
        if run is not None and len(runs) < MOST_RUNS:
            runs[shown(run, RUN_LENGTH)] = None

    def _add_tiers(self, row: Record) -> None:
        probes = row.child_or_empty("plugin_cache").child_or_empty("probes")
        for name in probes.values:
            tier = probes.child(name).optional_tier("tier")
            if tier is not None:
                self.tiers[bare_probe(name)] = tier
        if len(self.tiers) > MOST_PAIRS:
            row.fail("", f"at most {MOST_PAIRS:,} probes in a report", "more")


def scan_rows(source: Source) -> ScannedRows:
    """Read every row but the attempts.

    Raises
    ------
    ReportError
        A row other than the last one is not JSON, or there is no row at all.
    """
    collector = _Collector(source.name)
    cut_line = None
    for number, row in rows_of(source, skip=(ATTEMPT_START,)):
        if not isinstance(row, Broken):
            collector.add(row, number)
        elif row.is_last and number > 1:
            cut_line = number
        else:
            whole = _bare_digest(source)
            if whole is None:
                raise row.problem(source.name)
            collector.add(whole, 1)
    return ScannedRows(
        digest=collector.digest,
        evals=tuple(collector.evals),
        settings=collector.settings,
        init=collector.init,
        tiers=collector.tiers,
        completed=collector.completed,
        cut_line=cut_line,
        digests=collector.digests,
        setup_runs=tuple(collector.setup_runs),
        init_runs=tuple(collector.init_runs),
    )


def _bare_digest(source: Source) -> object | None:
    """The one JSON object that a file spreads over several lines, if it does."""
    content = source.whole(WHOLE_FILE_LIMIT)
    if content is None:
        return None
    try:
        return parse_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return None


def _not_json(source: str, number: int, start: bytes, error: ValueError) -> ReportError:
    text = start.lstrip().lower()
    if number == 1 and text.startswith(b"version https://git-lfs"):
        return ReportError(
            source,
            "is a Git LFS pointer, not the report itself",
            "fetch it with: git lfs pull",
            line=number,
        )
    if number == 1 and text.startswith(b"<"):
        return ReportError(
            source,
            "is a web page or XML, expected JSON Lines",
            "give the .report.jsonl beside garak's .report.html",
            line=number,
        )
    reason = str(error).splitlines()[0]
    return ReportError(
        source, f"expected a JSON object, found no JSON ({reason})", ADVICE, line=number
    )
