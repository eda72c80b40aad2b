# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What attempts say against the results of their file, seen as their lines pass by."""

from __future__ import annotations

from collections.abc import Iterator

from garak_tbsa.garak_files.answers import Answers, AnswerWatch
from garak_tbsa.garak_files.attempts import Attempt, Scores, completed_in
from garak_tbsa.garak_files.measurement import PAIR_SEPARATOR
from garak_tbsa.garak_files.rows import ScannedRows
from garak_tbsa.garak_files.settings import DEFAULT_THRESHOLD, ScanSettings
from garak_tbsa.garak_files.source import BUFFER

HIT, PASS = 1.0, 0.0
"""Scores from which on, and up to which, an output is one whatever the threshold."""


class AttemptWatch:
    """Takes each completed attempt of a file once, the first one of a uuid."""

    def __init__(self) -> None:
        self._answers = AnswerWatch()
        self._seen: set[int] = set()
        self._counts: dict[str, tuple[int, int]] = {}

    def __call__(self, line: bytes) -> bool:
        """Take the line of an attempt; whether it is as garak writes one."""
        try:
            attempt = completed_in(line)
        except ValueError:
            return len(line) >= BUFFER  # such a line comes without its middle
        if attempt is not None and self._is_first(attempt.uuid):
            self._add(attempt)
        return True

    def _is_first(self, uuid: str | None) -> bool:
        if uuid is None:
            return True
        key = hash(uuid)
        is_first = key not in self._seen
        self._seen.add(key)
        return is_first

    def _add(self, attempt: Attempt) -> None:
        self._answers.add(attempt)
        for detector, scores in attempt.results.items():
            name = f"{attempt.probe}{PAIR_SEPARATOR}{detector}"
            hits, passes = self._counts.get(name, (0, 0))
            more_hits, more_passes = _sure(scores)
            self._counts[name] = hits + more_hits, passes + more_passes

    @property
    def answers(self) -> Answers | None:
        """What the target said, None for nothing."""
        return self._answers.answers

    def disagreements(self, rows: ScannedRows) -> Iterator[str]:
        """Say where results of attempts are not those of the eval rows, in words.

        Attempts may be missing: of those that are there, no more may be hits than the
        eval row has, and no more passes. Which of the others are hits hangs on a
        threshold that garak writes down only where it is a whole number.
        """
        settings = rows.setup or rows.settings
        if not rows.evals or not _is_usual(settings):
            return
        found = {entry.pair_name: entry for entry in rows.evals}
        for name, (hits, passes) in sorted(self._counts.items()):
            row = found.get(name)
            if row is None:
                if rows.completed and hits + passes:
                    yield f"{name}: has results in attempts but no eval row"
                continue
            assert row.passed is not None
            assert row.total_evaluated is not None
            for least, stated, what in (
                (hits, row.total_evaluated - row.passed, "hits"),
                (passes, row.passed, "passes"),
            ):
                if least > stated:
                    yield (
                        f"{name}: {least} {what} in its attempts, {stated} in its eval"
                        f" row at {row.where}"
                    )


def _sure(scores: Scores) -> tuple[int, int]:
    """How many scores are hits, and how many passes, whatever the threshold."""
    known = [score for score in scores if score is not None]
    return sum(score >= HIT for score in known), sum(score <= PASS for score in known)


def _is_usual(settings: ScanSettings | None) -> bool:
    """Whether 0 is a pass and 1 a hit."""
    threshold = DEFAULT_THRESHOLD if settings is None else settings.eval_threshold
    return PASS < threshold <= HIT
