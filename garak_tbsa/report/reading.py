# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a report tells beyond its digest: one pass over its lines, and kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from garak_tbsa.errors import ReportError
from garak_tbsa.report.answers import AnswerCount, Answers
from garak_tbsa.report.attempts import (
    OTHER_ROWS,
    Attempt,
    AttemptParser,
    attempt_in,
    read_attempts,
)
from garak_tbsa.report.opening import open_source
from garak_tbsa.report.outcomes import OutcomeCount, Outcomes, why_not_read
from garak_tbsa.report.rows import RowScan, ScannedRows
from garak_tbsa.report.source import Source
from garak_tbsa.unavailable import Unavailable


class AttemptScan:
    """Counts what attempts tell as the lines of a report come by.

    A line that is no JSON ends the attempts and is kept as their problem.

    Parameters
    ----------
    source : Source
    counter : OutcomeCount or None
        Takes each attempt.
    """

    def __init__(self, source: Source, counter: OutcomeCount | None = None) -> None:
        self.problem: ReportError | None = None
        self._parser = AttemptParser(source)
        self._counter = counter
        self._answers = AnswerCount()

    @property
    def answers(self) -> Answers | None:
        """What the target said; None where there are no attempts."""
        return self._answers.answers

    def attempts(self, number: int, line: bytes) -> Iterator[Attempt]:
        """Take a line, and yield the attempt that is in it."""
        if self.problem is None:
            try:
                for attempt in self._parser.attempts(number, line):
                    self._answers.add(attempt)
                    if self._counter is not None:
                        self._counter.add(attempt)
                    yield attempt
            except ReportError as error:
                self.problem = error
        elif (later := attempt_in(number, line)) is not None:
            self._answers.add(later)

    def end(self) -> None:
        """Say that there are no more lines."""
        try:
            self._parser.end()
        except ReportError as error:
            self.problem = self.problem or error


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
    answers : Answers or None
        What the target said; None where nobody asked, or there are no attempts.
    """

    def __init__(
        self, name: str, threshold: float, rows: ScannedRows | None = None
    ) -> None:
        self.rows: ScannedRows | ReportError | None = rows
        self.answers: Answers | None = None
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
        with open_source(self._name) as source:
            rows = RowScan(source) if self.rows is None else None
            scan = AttemptScan(source, counter)
            try:
                for number, line in source.lines(OTHER_ROWS if rows is None else ()):
                    if rows is not None:
                        rows.add(number, line)
                    yield from scan.attempts(number, line)
            except ReportError as error:
                scan.problem = scan.problem or error
                if rows is not None:
                    rows.problem = rows.problem or error
        scan.end()
        if rows is not None:
            rows.end()
            self.rows = rows.problem or rows.rows
            self.answers = scan.answers
        if counter is not None:
            self._outcomes = (
                counter.outcomes(self._name)
                if scan.problem is None
                else Unavailable(reason=str(scan.problem))
            )
        if scan.problem is not None:
            raise scan.problem

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
