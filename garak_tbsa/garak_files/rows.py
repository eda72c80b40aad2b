# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One pass over a report's rows, for what its last line does not tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.fields import TIER, Record, parse_json
from garak_tbsa.garak_files.limits import MOST_PAIRS, MOST_PROBES
from garak_tbsa.garak_files.measurement import (
    Measurement,
    bare_probe,
    check_number,
    eval_measurement,
)
from garak_tbsa.garak_files.settings import (
    ScanSettings,
    first_text,
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


class NotJsonError(ReportError):
    """A line that is no JSON, and after which the report goes on."""


def rows_of(
    source: Source,
    skip: tuple[bytes, ...],
    parse: Callable[[bytes], object] = parse_json,
) -> Iterator[tuple[int, object]]:
    """Yield each row with its number; of a cut last one, the source keeps the number.

    Parameters
    ----------
    source : Source
    skip : tuple of bytes
        How rows begin that are not parsed.
    parse : callable
        It raises ValueError for what is no JSON.

    Raises
    ------
    NotJsonError
    ReportError
        As :meth:`~garak_tbsa.garak_files.source.Source.lines`.
    """
    broken: tuple[int, NotJsonError] | None = None
    for number, line in source.lines(skip=skip):
        if broken is not None:
            raise broken[1]
        try:
            row = parse(line)
        except ValueError as error:
            broken = number, _not_json(source.name, number, line[:200], error)
            continue
        yield number, row
    if broken is not None:
        source.cut_line, problem = broken
        if source.ended_with_skipped or source.cut_line == 1:
            raise problem


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
    runs: dict[str, list[str]] = field(
        default_factory=lambda: {"setup": [], "init": []}
    )

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
            self._add_result(eval_measurement(row))
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

    def _add_result(self, result: Measurement) -> None:
        self.results += 1
        if self.results <= MOST_PAIRS:
            self.evals.append(result)

    def _add_run(self, kind: str, run: str | None) -> None:
        runs = self.runs[kind]
        name = None if run is None else shown(run, RUN_LENGTH)
        if name is not None and name not in runs and len(runs) < MOST_RUNS:
            runs.append(name)

    def _add_tiers(self, row: Record) -> None:
        cache = row.child("plugin_cache", optional=True)
        probes = cache.child("probes", optional=True)
        for name in probes.values:
            tier = probes.child(name).optional("tier", TIER)
            if tier is not None:
                self.tiers[bare_probe(name)] = tier
        if len(self.tiers) > MOST_PROBES:
            row.fail("", f"at most {MOST_PROBES:,} probes in a report", "more")


def scan_rows(source: Source) -> ScannedRows:
    """Read every row but the attempts.

    Raises
    ------
    ReportError
        A row other than the last one is not JSON, or there is no row at all.
    """
    rows = ScannedRows()
    try:
        for number, row in rows_of(source, skip=(ATTEMPT_START,)):
            rows.add(row, number, source.name)
    except NotJsonError:
        whole = _bare_digest(source)
        if whole is None:
            raise
        rows.add(whole, 1, source.name)
    check_number(rows.results, source.name)
    rows.cut_line = source.cut_line
    return rows


def _bare_digest(source: Source) -> object | None:
    """The one JSON object that a file spreads over several lines, if it does."""
    content = source.whole(WHOLE_FILE_LIMIT)
    if content is None:
        return None
    try:
        return parse_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return None


def _not_json(
    source: str, number: int, start: bytes, error: ValueError
) -> NotJsonError:
    text = start.lstrip().lower()
    if number == 1 and text.startswith(b"version https://git-lfs"):
        return NotJsonError(
            source,
            "is a Git LFS pointer, not the report itself",
            "fetch it with: git lfs pull",
            line=number,
        )
    if number == 1 and text.startswith(b"<"):
        return NotJsonError(
            source,
            "is a web page or XML, expected JSON Lines",
            "give the .report.jsonl beside garak's .report.html",
            line=number,
        )
    reason = str(error).splitlines()[0]
    return NotJsonError(
        source, f"expected a JSON object, found no JSON ({reason})", ADVICE, line=number
    )
