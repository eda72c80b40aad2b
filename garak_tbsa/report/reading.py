# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a report tells beyond its digest: one pass over its lines, and kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from garak_tbsa.errors import ReportError
from garak_tbsa.report.attempt_watch import AttemptWatch
from garak_tbsa.report.attempts import (
    OTHER_ROWS,
    Attempt,
    attempt_taker,
    read_attempts,
)
from garak_tbsa.report.opening import Source, open_source
from garak_tbsa.report.outcomes import OutcomeCount, Outcomes, why_not_read
from garak_tbsa.report.rows import ATTEMPT_START, LineTaker, ScannedRows
from garak_tbsa.unavailable import Unavailable


class Pass:
    """One pass over the lines of a report: attempts come by, the rest is kept.

    Parameters
    ----------
    source : Source
    with_rows : bool
        Whether rows that are no attempts are read too.
    counter : OutcomeCount, optional
        Takes each attempt.

    Attributes
    ----------
    rows : ScannedRows
    row_lines, attempt_lines : LineTaker
        They say what problem ended the rows, or the attempts.
    watch : AttemptWatch
        What attempts say of the target, and against the rows.
    """

    def __init__(
        self, source: Source, *, with_rows: bool, counter: OutcomeCount | None = None
    ) -> None:
        self.rows = ScannedRows(source=source.name)
        self._source, self._counter = source, counter
        self.row_lines = LineTaker(source, (ATTEMPT_START,), self.rows.add)
        self._takes_rows = with_rows
        # what the target said counts after a broken line too
        self.attempt_lines = attempt_taker(source, goes_on=True)
        self.watch = AttemptWatch()

    def attempts(self, *, strict: bool = False) -> Iterator[Attempt]:
        """Let the completed attempts come by, each once.

        Parameters
        ----------
        strict : bool
            Whether to end with the first row that is not what garak writes.

        Raises
        ------
        ReportError
            The source cannot be read; with ``strict``, nor its rows.
        """
        for number, line in self._source.lines(() if self._takes_rows else OTHER_ROWS):
            if self._takes_rows:
                self.row_lines.take(number, line)
                if strict and self.row_lines.problem is not None:
                    break
            attempt = self.attempt_lines.take(number, line)
            if attempt is not None:
                self.watch.add(attempt)
                if self._counter is not None:
                    self._counter.add(attempt)
                yield attempt
        self.attempt_lines.end()
        self.row_lines.end()
        self.rows.cut_line = self.row_lines.cut_line
        self.rows.broken = self.attempt_lines.broken
        last = self.attempt_lines.cut_line
        if last is not None and last != self.rows.cut_line:
            self.rows.broken.append(last)


class Reading:
    """The lines of a report, read when they are asked for; what they tell is kept.

    Parameters
    ----------
    name : str
        Path or address.
    threshold : float
        Scores of at least this are hits.
    rows : ScannedRows, optional
        Where they were read before.

    Attributes
    ----------
    rows : ScannedRows, ReportError or None
        All rows but the attempts, or why they cannot be read; None where nobody
        asked for them.
    watch : AttemptWatch
        What attempts say of the target, and against the rows; of none where nobody
        asked.
    """

    def __init__(
        self, name: str, threshold: float, rows: ScannedRows | None = None
    ) -> None:
        self.rows: ScannedRows | ReportError | None = rows
        self.watch = AttemptWatch()
        self._name, self._threshold = name, threshold
        self._outcomes: Outcomes | Unavailable | None = None

    def attempts(self, *, counted: bool = False) -> Iterator[Attempt]:
        """Let the completed attempts come by, each once.

        What else the pass tells is kept where all attempts are taken.

        Parameters
        ----------
        counted : bool
            Whether outcomes are counted on the way.

        Raises
        ------
        ReportError
            The report cannot be read, or a line other than the last is not JSON.
        """
        counted = counted and self._outcomes is None
        if self.rows is not None and not counted:
            yield from read_attempts(self._name)
            return
        counter = OutcomeCount(self._threshold) if counted else None
        failed: ReportError | None = None
        with open_source(self._name) as source:
            told = Pass(source, with_rows=self.rows is None, counter=counter)
            try:
                yield from told.attempts()
            except ReportError as error:
                failed = error
        if self.rows is None:
            self.rows = told.row_lines.problem or failed or told.rows
            self.watch = told.watch
        problem = told.attempt_lines.problem or failed
        if counter is not None:
            self._outcomes = (
                counter.outcomes(self._name)
                if problem is None
                else Unavailable(reason=str(problem))
            )
        if problem is not None:
            raise problem

    def read_rows(self) -> ScannedRows | ReportError:
        """Return all rows but the attempts, or why they cannot be read."""
        if self.rows is None:
            self._read(counted=False)
        assert self.rows is not None
        return self.rows

    @property
    def outcomes(self) -> Outcomes | Unavailable:
        """What the attempts say of each prompt, or why they are not read."""
        if self._outcomes is None:
            try:
                why_not = why_not_read(self._name)
            except ReportError as error:
                why_not = str(error)
            if why_not is not None:
                self._outcomes = Unavailable(reason=why_not)
            else:
                self._read(counted=True)
        assert self._outcomes is not None
        return self._outcomes

    def _read(self, *, counted: bool) -> None:
        try:
            deque(self.attempts(counted=counted), maxlen=0)
        except ReportError as error:
            # of the attempts alone, or the report cannot be opened
            self.rows = self.rows or error
            if counted:
                self._outcomes = self._outcomes or Unavailable(reason=str(error))
