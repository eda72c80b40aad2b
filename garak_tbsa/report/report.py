# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a report's bytes to a :class:`Report`, whatever garak wrote it.

The digest at the end of the file is read alone where it says enough, and the setup
at the start does not contradict it; otherwise one pass over the rows fills in counts,
tiers and setup.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from msgspec import structs

from garak_tbsa.errors import ReportError
from garak_tbsa.report.attempts import (
    ATTEMPT_START,
    Attempt,
    AttemptWatch,
    read_attempts,
    read_lines,
)
from garak_tbsa.report.calibration import CalibrationIdentity, text_sha256
from garak_tbsa.report.opening import (
    ADDRESS,
    STANDARD_INPUT,
    Source,
    open_source,
    why_read_once,
)
from garak_tbsa.report.outcomes import OutcomeCount, Outcomes
from garak_tbsa.report.rows import (
    SETUP_KINDS,
    Measurement,
    Place,
    Rows,
    parse_object,
)
from garak_tbsa.report.settings import (
    ScanSettings,
    covered_by_checksum,
    differing,
    differing_settings,
    first_text,
    named_by,
    parse_settings,
    target_text,
)
from garak_tbsa.safe_text import printable, shown
from garak_tbsa.unavailable import Unavailable

FROM_DIGEST = "digest"
FROM_BOTH = "digest, counts from eval rows"
FROM_EVALS = "eval rows"
NO_DIGEST = Unavailable(reason="it holds no digest with results")
WHOLE_FILE_LIMIT = 1 << 26
MOST_PARTS, LONGEST_SETUP = 1000, 1 << 20
"""Reports of an aggregate whose first rows are read, and bytes of such a row."""

NAMED, SHOWN_NAME = 3, 100


class Reading:
    """The one pass over a report's lines, made when asked for; what it tells is kept.

    Parameters
    ----------
    name : str
        Path or address.

    Attributes
    ----------
    rows : Rows or None
        All rows but the attempts; None before the pass.
    watch : AttemptWatch
        What attempts say of the target, and against the rows.
    """

    def __init__(self, name: str) -> None:
        self.rows: Rows | None = None
        self.watch = AttemptWatch()
        self._name = name
        self._counter = OutcomeCount()

    def attempts(self) -> Iterator[Attempt]:
        """Let the completed attempts come by, each once.

        Raises
        ------
        ReportError
            The report cannot be read, or a line other than the last is not JSON.
        """
        if self.rows is not None:
            yield from read_attempts(self._name)
            return
        try:
            with open_source(self._name) as source:
                yield from self.attempts_in(source)
        except ReportError as error:
            self.rows = self.rows or Rows(source=self._name, problem=error)
            self.rows.attempts_problem = error
            raise

    def attempts_in(self, source: Source) -> Iterator[Attempt]:
        """Let the attempts of an open report come by, and keep what they tell."""
        rows, watch, counter = Rows(source=self._name), AttemptWatch(), OutcomeCount()
        try:
            for attempt in read_lines(source, rows):
                watch.add(attempt)
                counter.add(attempt, rows.threshold)
                yield attempt
        except ReportError as error:
            rows.problem = rows.problem or error
            rows.attempts_problem = rows.attempts_problem or error
        self.rows, self.watch, self._counter = rows, watch, counter
        if rows.attempts_problem is not None:
            raise rows.attempts_problem

    def read(self, source: Source | None = None) -> Rows:
        """Return all rows but the attempts."""
        if self.rows is None:
            attempts = self.attempts_in(source) if source else self.attempts()
            with suppress(ReportError):  # it is kept with the rows
                deque(attempts, maxlen=0)
        assert self.rows is not None
        return self.rows

    @cached_property
    def outcomes(self) -> Outcomes | Unavailable:
        """What the attempts say of each prompt, or why they are not read."""
        reason: object = why_read_once(self._name) or self.read().attempts_problem
        if reason is not None:
            return Unavailable(reason=str(reason))
        return self._counter.outcomes(self._name)


@dataclass(frozen=True, kw_only=True)
class Report:
    """A garak report: what its digest says, and on demand what only its rows do.

    Attributes
    ----------
    source : str
        Path as the user gave it.
    garak_version, run_uuid, start_time : str or None
    target_type, target_name : str or None
    origin : str
        What the measurements come from: ``"digest"``,
        ``"digest, counts from eval rows"`` or ``"eval rows"``.
    measurements : tuple of Measurement
        In the report's order, repetitions included.
    settings : ScanSettings
        How the scan was made.
    calibration : CalibrationIdentity or None
        The one whose Z-scores the digest has; None without digest.
    tiers : mapping of str to int
        Probe to tier as the report's ``plugin_cache`` rows say.
    partial_reason : str or None
        Why the scan may not have been finished; None for a complete one.
    warnings : tuple of str
        Oddities that do not change the score.
    not_covered : str or None
        What the checksum of an aggregate may not cover, which is a warning too.
    row_findings : tuple of str or None
        Where digest and rows disagree, in words; None where only the digest was read,
        see :attr:`whole`.
    constant_answer : str or None
        That the target said one thing to everything, in words; None where only the
        digest was read.
    own_run : str or None
        The id that the scan itself has; ``run_uuid`` may be that of the setup, which
        in an aggregate is the lead's.
    reading : Reading
        Reads the rest of the file, at most once.
    """

    source: str
    garak_version: str | None
    run_uuid: str | None
    start_time: str | None
    target_type: str | None
    target_name: str | None
    origin: str
    measurements: tuple[Measurement, ...]
    settings: ScanSettings
    calibration: CalibrationIdentity | None
    tiers: Mapping[str, int]
    partial_reason: str | None
    warnings: tuple[str, ...]
    not_covered: str | None = None
    row_findings: tuple[str, ...] | None = None
    constant_answer: str | None = None
    own_run: str | None = None
    reading: Reading = field(repr=False, compare=False)

    @cached_property
    def whole(self) -> Report:
        """The report with all that its digest does not say.

        That a row cannot be read is a finding too.
        """
        if self.row_findings is not None:
            return self
        try:
            return _report(self.source, self.reading.read(), self.reading)
        except ReportError as error:
            warnings = (*self.warnings, str(error))
            return replace(self, row_findings=(str(error),), warnings=warnings)

    @property
    def outcomes(self) -> Outcomes | Unavailable:
        """What the attempts say of each prompt, or why they are not read."""
        return self.reading.outcomes

    @cached_property
    def digest(self) -> Mapping[str, Any] | Unavailable:
        """The digest as it stands in the file."""
        reason = why_read_once(self.source)
        if not self.has_digest_grades or reason is not None:
            return NO_DIGEST if reason is None else Unavailable(reason=reason)
        rows = self.reading.read()
        if rows.problem is not None:
            return Unavailable(reason=str(rows.problem))
        return rows.digest or NO_DIGEST

    def released(self) -> Report:
        """Return the same report, which reads its file again if asked for more."""
        return replace(self, reading=Reading(self.source))

    @property
    def target(self) -> str:
        """The target's type and name, as far as they are known."""
        return target_text(self.target_type, self.target_name)

    @property
    def is_partial(self) -> bool:
        """Whether the scan may have been interrupted."""
        return self.partial_reason is not None

    @property
    def silent_probes(self) -> list[str]:
        """Selected probes, or families, that left no result.

        None where garak does not say which it was to run, before 0.16.
        """
        names = named_by({each.probe for each in self.measurements})
        return sorted(self.settings.selected_probes - names)

    @property
    def has_digest_grades(self) -> bool:
        """Whether garak's own grades are there to be used."""
        return self.origin != FROM_EVALS

    @property
    def dialect(self) -> str:
        """The garak release that fixes the file's form, such as ``0.14``."""
        return ".".join((self.garak_version or "unknown").split(".")[:2])


def load_report(name: str) -> Report:
    """Read a report.

    Parameters
    ----------
    name : str
        Path, ``-`` or an fsspec address; see
        :func:`~garak_tbsa.report.opening.open_source`.

    Raises
    ------
    ReportError
        It cannot be read, or is not a garak report.
    """
    reading = Reading(name)
    with open_source(name) as source:
        alone = _digest_that_suffices(source)
        if alone is not None:
            return _report(name, alone)
        # what the target said is counted on the way: a pipe can be read only once
        rows = reading.read(source)
        if rows.problem is not None and rows.problem.line == 1:
            # one JSON object may be spread over several lines
            whole = parse_object(source.whole(WHOLE_FILE_LIMIT))
            if whole:
                reading.rows = rows = Rows(source=name)
                rows.add(whole, 1)
    if not (rows.problem or rows.results or rows.digest or rows.settings or rows.init):
        raise ReportError(
            name,
            "has neither a digest nor eval rows nor a scan's setup",
            "give a garak report, <prefix>.report.jsonl, not a hit log",
        )
    return _report(name, rows, reading)


def report_from_digest(digest: object, *, name: str) -> Report:
    """Read a digest that is already parsed, as garak's own module is given.

    Raises
    ------
    ReportError
        It is not a digest.
    """
    row = Place(source=name, path="digest").checked(digest, dict[str, Any])
    return _report(name, Rows(source=name, digest=row, completed=True))


def why_same_run(one: Report, other: Report) -> str | None:
    """Return why two reports are of one and the same run, None where they are not."""
    if one.own_run is not None and one.own_run == other.own_run:
        return f"both reports are of run {one.own_run}"
    sources = one.source, other.source
    if any(ADDRESS in name or name == STANDARD_INPUT for name in sources):
        return None
    same = len({*map(os.path.realpath, sources)}) == 1
    return "both reports are one file" if same else None


def _digest_that_suffices(source: Source) -> Rows | None:
    """The digest on the last line, where no row could tell more than it does.

    The scan is known to be complete: a completion row is right before it, or no row
    is, or scans were put together. All pairs have counts and tiers, and the setup at
    the file's start is the digest's own.
    """
    if not source.seekable:
        return None
    line, before = source.last_line()
    row = {} if line.startswith(ATTEMPT_START) else parse_object(line)
    if row.get("entry_type") != "digest":
        return None
    rows = Rows(source=source.name, digest=row, completed=True)
    last_before = before.rstrip().rpartition(b"\n")[2]
    is_complete = (
        not last_before
        or parse_object(last_before).get("entry_type") == "completion"
        or (rows.setup is not None and rows.setup.is_aggregation)
    )
    version = first_text(rows.in_digest("meta").get("garak_version"))
    if not (is_complete and rows.setup and rows.stated and version):
        return None
    if not all(entry.has_counts and entry.tier is not None for entry in rows.stated):
        return None
    first = parse_object(source.first_line())
    is_setup = first.get("entry_type") in SETUP_KINDS
    if is_setup and differing_settings(parse_settings(first), rows.setup):
        return None
    return rows


def _report(name: str, rows: Rows, reading: Reading | None = None) -> Report:
    """Make a report of a digest alone, or of all rows where their reading is given."""
    if rows.problem is not None:
        raise rows.problem
    rows.require_few()
    stated = rows.stated
    setups = [each for each in (rows.setup, rows.settings) if each is not None]
    settings = setups[0] if setups else parse_settings({})
    parts = next((each.aggregated_from for each in setups if each.is_aggregation), None)
    warnings = [*rows.put_together(), *rows.broken_lines()]
    if rows.cut_line is not None:
        warnings.append(f"line {rows.cut_line} is cut off and was left out")
    has_results = bool(stated) or reading is None
    if rows.digest is not None and not has_results:
        warnings.append("the digest has no results, so the eval rows were used")
    warnings += rows.differing_setups()
    uncovered = None if parts is None else _not_covered(parts, settings, name)
    warnings += [] if uncovered is None else [uncovered]
    origin = FROM_DIGEST if has_results else FROM_EVALS
    if rows.evals and not all(entry.has_counts for entry in stated):
        origin = FROM_BOTH
    meta = rows.in_digest("meta") if has_results else {}
    measurements = _with_counts(stated, rows.evals) or tuple(rows.evals)
    is_digest_alone = rows.digest is not None and not rows.evals
    completed = rows.completed or parts is not None or is_digest_alone
    facts: dict[str, Any] = {
        name: first_text(meta.get(name), other, getattr(settings, name))
        for name, other in (
            ("garak_version", rows.init.get("garak_version")),
            ("run_uuid", rows.init.get("run")),
            ("start_time", rows.init.get("start_time")),
            ("target_type", meta.get("model_type")),
            ("target_name", meta.get("model_name")),
        )
    }
    calibration = None
    if has_results and rows.digest is not None:
        made = rows.in_digest("meta", "calibration")
        models = made.get("model_list")
        calibration = CalibrationIdentity(
            date=first_text(made.get("calibration_date")),
            models=text_sha256(models) if isinstance(models, str) and models else None,
        )
    findings = constant = None
    if reading is not None:
        findings = (*rows.disagreements(), *reading.watch.disagreements(rows))
        constant = reading.watch.constant_answer
    return Report(
        source=name,
        **facts,
        origin=origin,
        measurements=measurements,
        settings=settings,
        calibration=calibration,
        tiers=rows.tiers,
        partial_reason=None if completed else _partial_reason(settings, measurements),
        warnings=tuple(dict.fromkeys(warnings)),
        not_covered=uncovered,
        row_findings=findings,
        constant_answer=constant,
        own_run=first_text(rows.init.get("run"), meta.get("run_uuid")),
        reading=reading or Reading(name),
    )


def _with_counts(
    stated: Sequence[Measurement], evals: Sequence[Measurement]
) -> tuple[Measurement, ...]:
    """Give digest entries what they lack of the counts of their eval row."""
    counted = {row.pair_name: row for row in evals}

    def filled(entry: Measurement) -> Measurement:
        row = counted.get(entry.pair_name, entry)
        one = entry if entry.has_counts else row
        nones = row.nones if one.nones is None else one.nones
        passed, total = one.passed, one.total_evaluated
        return structs.replace(entry, passed=passed, total_evaluated=total, nones=nones)

    return tuple(map(filled, stated))


def _partial_reason(
    settings: ScanSettings, measurements: tuple[Measurement, ...]
) -> str:
    if settings.is_old:
        return "no completion row (garak 0.9 often wrote none)"
    reason = "no completion row: the scan was interrupted"
    selected = settings.selected_probes
    if not selected:
        return reason
    judged = selected & named_by({entry.probe for entry in measurements})
    return f"{reason} with {len(judged)} of {len(selected)} probes judged"


def _not_covered(
    parts: Sequence[str], settings: ScanSettings, source: str
) -> str | None:
    """Return what the checksum of an aggregate may not cover, in words.

    garak's ``aggregate_reports`` keeps the setup row of the first report alone, and
    holds only the target and the version of the others against it. So the first row
    of each is read again, if the report still lies where the aggregate says. None
    where all are there and have these settings.
    """
    names: set[str] = set()
    unlike, missing = [], []
    for part in parts[:MOST_PARTS]:
        found = _settings_of(part, os.path.dirname(source))
        if found is None:
            missing.append(part)
        elif others := differing(*map(covered_by_checksum, (settings, found))):
            names.update(others)
            unlike.append(part)
    missing += parts[MOST_PARTS:]
    reasons = []
    if unlike:
        verb = "differs" if len(names) == 1 else "differ"
        reasons.append(f"{', '.join(sorted(names))} {verb} in {_listed(unlike)}")
    if missing:
        reasons.append(f"not found, or no report: {_listed(missing)}")
    if not parts:
        reasons.append("it does not name its reports")
    if not reasons:
        return None
    return (
        "an aggregate, whose checksum covers the settings of its lead report alone:"
        f" {'; '.join(reasons)}"
    )


def _listed(parts: Sequence[str]) -> str:
    names = (printable(shown(part, SHOWN_NAME)) for part in parts[:NAMED])
    named = ", ".join(names).replace("\n", "\\n")
    more = len(parts) - NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def _settings_of(part: str, folder: str) -> ScanSettings | None:
    """The settings in a report's first row; None where no such report is found."""
    # a report may be hostile: the machines that it names are not asked for anything
    if ADDRESS in part or part.replace("\\", "/").startswith("//"):
        return None
    below, beside = (os.path.join(folder, n) for n in (part, os.path.basename(part)))
    for path in (below, beside, part):
        try:
            status = os.stat(path)
            # pipes, devices and what the kernel calls an empty file may never end
            if not (stat.S_ISREG(status.st_mode) and status.st_size):
                continue
            with open(path, "rb") as handle:
                row = parse_object(handle.readline(LONGEST_SETUP))
        except (OSError, ValueError):
            continue
        if row.get("entry_type") in SETUP_KINDS:
            return parse_settings(row)
    return None
