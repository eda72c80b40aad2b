# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What attempts say against the results of their file, seen as they pass by."""

from __future__ import annotations

from collections.abc import Iterator

from garak_tbsa.report.answers import AnswerCount, Answers
from garak_tbsa.report.attempts import Attempt, Scores
from garak_tbsa.report.measurement import PAIR_SEPARATOR
from garak_tbsa.report.rows import ScannedRows
from garak_tbsa.report.settings import DEFAULT_THRESHOLD, ScanSettings

HIT, PASS = 1.0, 0.0
"""Scores from which on, and up to which, an output is one whatever the threshold."""


class AttemptWatch:
    """Counts what each completed attempt says."""

    def __init__(self) -> None:
        self._answers = AnswerCount()
        self._counts: dict[str, tuple[int, int]] = {}

    def add(self, attempt: Attempt) -> None:
        """Take an attempt."""
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
