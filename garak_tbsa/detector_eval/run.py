# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Rows -> what the real detector says of each: a score, or a reason for none."""

from __future__ import annotations

import math
import random
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Protocol

from garak_tbsa.detector_eval.rows import LabelledRow
from garak_tbsa.workers import HERE, Workers, run_tasks

CHUNK_ROWS = 256
CHUNK_CHARACTERS = 4_000_000
"""A chunk ends at either bound; it is what is sent to a worker at once."""

_GIVE_UP_AFTER = 5
"""Exceptions before the first score of a chunk, after which its rest is not tried.

Other answers without a score count neither way.
"""


class Missing(str, Enum):
    """Why a row has no score."""

    NONE = "none"
    NO_RESULT = "no_result"
    SEVERAL_RESULTS = "several_results"
    NOT_A_NUMBER = "not_a_number"
    EXCEPTION = "exception"
    NOT_TRIED = "not_tried"


@dataclass(frozen=True, kw_only=True, slots=True)
class RowScore:
    """What a detector said of one row.

    Attributes
    ----------
    score : float or None
        As the detector gave it, usually in [0, 1].
    missing : Missing or None
        Why there is no score.
    detail : str or None
        What the exception or garak's log said, one line.
    """

    score: float | None = None
    missing: Missing | None = None
    detail: str | None = None


class OpenedDetector(AbstractContextManager["OpenedDetector"], Protocol):
    """A loaded detector; entered around each chunk."""

    def scores(self, row: LabelledRow) -> Sequence[Any]:
        """All that the detector returned for the one output of ``row``."""

    def options(self) -> Mapping[str, Any]:
        """What it was set to that its verdicts depend on, JSON-ready."""

    def complaint(self) -> str | None:
        """The last warning that garak logged since the chunk began, or at loading."""

    def close(self) -> None:
        """Let go of the detector and its model."""


class Opener(Protocol):
    """Loads detectors; a picklable value, equal to others with the same settings."""

    def open(self, detector: str) -> OpenedDetector:
        """Load a detector; raises whatever loading it raises."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredRows:
    """What a detector said of its rows, or of a chunk of them.

    Attributes
    ----------
    row_scores : tuple of RowScore
        In the rows' order.
    failure : str or None
        Why it could not run.
    options : mapping
        What it was set to.
    """

    detector: str
    row_scores: tuple[RowScore, ...] = ()
    failure: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


Watch = Callable[[Iterator[ScoredRows], int], Iterator[ScoredRows]]
"""Gets scored chunks and the number of rows to come, and hands the chunks on."""


def unwatched(scored: Iterator[ScoredRows], _: int) -> Iterator[ScoredRows]:
    """Hand the chunks on, and show nothing."""
    return scored


def chunks_of(
    rows: Sequence[LabelledRow], *, size: int = CHUNK_ROWS
) -> Iterator[tuple[LabelledRow, ...]]:
    """Cut rows into chunks; there is always one, and only the last may be empty."""
    start = characters = 0
    for place, row in enumerate(rows):
        if place - start == size or characters > CHUNK_CHARACTERS:
            yield tuple(rows[start:place])
            start, characters = place, 0
        characters += len(row.output or "")
    yield tuple(rows[start:])


def score_rows(
    rows_of: Mapping[str, Sequence[LabelledRow]],
    opener: Opener,
    *,
    seed: int,
    workers: Workers = HERE,
    watch: Watch = unwatched,
) -> Iterator[ScoredRows]:
    """Yield what each detector says of its rows, with the same result on any backend.

    A detector whose chunk failed is not sent further chunks. The chunks of one
    detector follow each other, since a worker keeps one detector loaded.

    Parameters
    ----------
    rows_of : mapping of detector to sequence of LabelledRow

    Raises
    ------
    UsageError
        The backend's package is not installed.
    WorkersError
        A worker died, or the cluster cannot be used.
    """
    failed: set[str] = set()
    tasks = (
        (opener, detector, chunk, index, seed)
        for detector, rows in rows_of.items()
        for index, chunk in enumerate(chunks_of(rows))
        if detector not in failed
    )
    scored = run_tasks(score_chunk, tasks, workers, at_end=close_opened)
    chunks = watch(scored, sum(map(len, rows_of.values())))
    try:
        for detector, rows in rows_of.items():
            row_scores: list[RowScore] = []
            for chunk in chunks:
                if chunk.detector != detector:
                    continue  # sent before the failure of that detector was known
                row_scores += chunk.row_scores
                if chunk.failure is not None:
                    failed.add(detector)
                if chunk.failure is not None or len(row_scores) == len(rows):
                    yield replace(chunk, row_scores=tuple(row_scores))
                    break
    finally:
        # a run that was given up ends when it is collected, perhaps amid another one
        if _opened is not None and _opened[1] is opener:
            close_opened()


_opened: tuple[str, Opener, OpenedDetector | str] | None = None
"""The detector that this process has loaded, or why it could not be."""

_one_at_a_time = threading.Lock()
"""A worker of Dask may have several threads; this and ``random`` are a process's."""


def score_chunk(
    opener: Opener, detector: str, rows: Sequence[LabelledRow], index: int, seed: int
) -> ScoredRows:
    """Score a chunk in this process."""
    seeded_by = f"{seed} {detector} {index}"
    with _one_at_a_time:
        # before loading too: a detector may draw when it is made
        random.seed(seeded_by)
        opened = _open(opener, detector)
        if isinstance(opened, str):
            return ScoredRows(detector=detector, failure=opened)
        with opened:
            row_scores = []
            exceptions, has_scored = 0, False
            for place, row in enumerate(rows):
                if exceptions == _GIVE_UP_AFTER and not has_scored:
                    row_scores.append(RowScore(missing=Missing.NOT_TRIED))
                    continue
                random.seed(f"{seeded_by} {place}")
                row_score = _row_score(opened, row)
                row_scores.append(row_score)
                exceptions += row_score.missing is Missing.EXCEPTION
                # it can score, so every row is worth a try
                has_scored = has_scored or row_score.score is not None
            return ScoredRows(
                detector=detector,
                row_scores=tuple(row_scores),
                options=opened.options(),
            )


def _open(opener: Opener, detector: str) -> OpenedDetector | str:
    global _opened
    if _opened is not None and _opened[:2] == (detector, opener):
        _opened = (detector, opener, _opened[2])  # it is this run's from now on
        return _opened[2]
    close_opened()
    opened: OpenedDetector | str
    try:
        opened = opener.open(detector)
    except (Exception, SystemExit) as error:
        opened = reason_of(error)
    _opened = (detector, opener, opened)
    return opened


def close_opened() -> None:
    """Let go of the detector that this process has loaded."""
    global _opened
    if _opened is not None and not isinstance(_opened[2], str):
        _opened[2].close()
    _opened = None


def _row_score(opened: OpenedDetector, row: LabelledRow) -> RowScore:
    try:
        results = opened.scores(row)
    except (Exception, SystemExit) as error:
        return RowScore(missing=Missing.EXCEPTION, detail=reason_of(error))
    if len(results) > 1:
        detail = f"{len(results)} results for one output"
        return RowScore(missing=Missing.SEVERAL_RESULTS, detail=detail)
    if not results or results[0] is None:
        missing = Missing.NONE if results else Missing.NO_RESULT
        said = opened.complaint()
        return RowScore(missing=missing, detail=said and one_line(said))
    try:
        score = float(results[0])
    except Exception:  # an int of 400 digits, or an object of the detector's own
        score = math.nan
    if not math.isfinite(score):
        detail = one_line(f"the score is {_shown(results[0])}")
        return RowScore(missing=Missing.NOT_A_NUMBER, detail=detail)
    return RowScore(score=score)


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except Exception:
        return f"of type {type(value).__name__}"


def reason_of(error: BaseException) -> str:
    """One line that says what went wrong, the same on every machine."""
    try:
        text = one_line(str(error))
    except Exception:  # its __str__ may fail as well
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def one_line(text: str, limit: int = 300) -> str:
    """The first line that says something, without decoration or addresses."""
    for line in text.splitlines():
        plain = re.sub(r"^[^\w'\"`(\[{<]+", "", line).strip()
        if plain:
            plain = re.sub(r" at 0x[0-9a-fA-F]+", "", plain)
            return " ".join(plain.split())[:limit]
    return ""
