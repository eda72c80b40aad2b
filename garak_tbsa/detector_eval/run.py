# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Rows -> what the real detector says of each: a score, or a reason for none."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Protocol

from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.seeding import random_of_this_thread
from garak_tbsa.unavailable import Unavailable
from garak_tbsa.workers.backends import HERE, Workers, run_tasks

CHUNK_ROWS = 256
CHUNK_CHARACTERS = 4_000_000
"""A chunk ends at either bound; with the read-ahead of a backend they bound memory."""

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

    def identity(self) -> Mapping[str, Any]:
        """All that decides what is loaded, as JSON can hold it."""


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """Consecutive rows of one detector, small enough to hold and to send."""

    detector: str
    rows: tuple[LabelledRow, ...]
    index: int
    is_last: bool


@dataclass(frozen=True, kw_only=True)
class ScoredChunk:
    """A chunk with a score for each row, or the reason why it could not run.

    Attributes
    ----------
    options : mapping
        What the detector was set to.
    """

    chunk: Chunk
    row_scores: tuple[RowScore, ...] = ()
    failure: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def chunks_of(
    detector: str, rows: Iterable[LabelledRow], *, size: int = CHUNK_ROWS
) -> Iterator[Chunk]:
    """Cut rows into chunks; the last one says so, and there is always one."""
    held: list[LabelledRow] = []
    characters = index = 0
    for row in rows:
        if held and (len(held) == size or characters > CHUNK_CHARACTERS):
            yield Chunk(detector=detector, rows=tuple(held), index=index, is_last=False)
            held, characters, index = [], 0, index + 1
        held.append(row)
        characters += len(row.output or "")
    yield Chunk(detector=detector, rows=tuple(held), index=index, is_last=True)


def score_chunks(
    chunks: Iterable[Chunk],
    opener: Opener,
    *,
    seed: int,
    workers: Workers = HERE,
) -> Iterator[ScoredChunk]:
    """Score chunks in order, on any backend with the same result.

    A detector whose chunk failed is not sent further chunks. Chunks of one
    detector must follow each other, since a worker keeps one detector loaded.

    Raises
    ------
    UsageError
        The backend's package is not installed.
    WorkersError
        A worker died, or the cluster cannot be used.
    Exception
        Whatever reading ``chunks`` raises.
    """
    failed: set[str] = set()
    sent: deque[Chunk] = deque()
    broken: list[BaseException] = []

    def tasks() -> Iterator[tuple[Opener, Chunk, int]]:
        try:
            for chunk in chunks:
                if chunk.detector not in failed:
                    sent.append(chunk)
                    yield opener, chunk, seed
        except Exception as error:
            # joblib may be reading ahead on a thread of its own, where it would be lost
            broken.append(error)

    try:
        for scored in run_tasks(
            score_chunk, tasks(), workers, at_end=close_opened, again=AGAIN
        ):
            chunk = sent.popleft()
            if chunk.detector in failed:
                continue
            if scored.failure is not None:
                failed.add(chunk.detector)
            yield replace(scored, chunk=chunk)
    finally:
        # a run that was given up ends when it is collected, perhaps amid another one
        if _opened is not None and _opened[1] is opener:
            close_opened()
    if broken:
        raise broken[0]


AGAIN = "the same command continues where it stopped"
_opened: tuple[str, Opener, OpenedDetector | Unavailable] | None = None
"""The detector that this process has loaded, or why it could not be."""


def score_chunk(opener: Opener, chunk: Chunk, seed: int) -> ScoredChunk:
    """Score one chunk in this process; the rows, which are known, are not sent back."""
    sent_back = replace(chunk, rows=())
    seeded_by = f"{seed} {chunk.detector} {chunk.index}"
    with random_of_this_thread() as seed_random:
        seed_random(
            seeded_by
        )  # before loading too: a detector may draw when it is made
        opened = _open(opener, chunk.detector)
        if isinstance(opened, Unavailable):
            return ScoredChunk(chunk=sent_back, failure=opened.reason)
        with opened:
            return ScoredChunk(
                chunk=sent_back,
                row_scores=tuple(_row_scores(opened, chunk, seed_random, seeded_by)),
                options=opened.options(),
            )


def _open(opener: Opener, detector: str) -> OpenedDetector | Unavailable:
    global _opened
    if _opened is not None and _opened[:2] == (detector, opener):
        _opened = (detector, opener, _opened[2])  # it is this run's from now on
        return _opened[2]
    close_opened()
    opened: OpenedDetector | Unavailable
    try:
        opened = opener.open(detector)
    except (Exception, SystemExit) as error:
        opened = Unavailable(reason=reason_of(error))
    _opened = (detector, opener, opened)
    return opened


def close_opened() -> None:
    """Let go of the detector that this process has loaded."""
    global _opened
    if _opened is not None and not isinstance(_opened[2], Unavailable):
        _opened[2].close()
    _opened = None


def _row_scores(
    opened: OpenedDetector, chunk: Chunk, seed_random: Callable[[str], None], seed: str
) -> Iterator[RowScore]:
    exceptions, has_scored = 0, False
    for place, row in enumerate(chunk.rows):
        if exceptions == _GIVE_UP_AFTER and not has_scored:
            yield RowScore(missing=Missing.NOT_TRIED)
            continue
        seed_random(f"{seed} {place}")
        row_score = _row_score(opened, row)
        exceptions += row_score.missing is Missing.EXCEPTION
        # it can score, so every row is worth a try
        has_scored = has_scored or row_score.score is not None
        yield row_score


def _row_score(opened: OpenedDetector, row: LabelledRow) -> RowScore:
    try:
        results = opened.scores(row)
    except (Exception, SystemExit) as error:
        return RowScore(missing=Missing.EXCEPTION, detail=reason_of(error))
    if len(results) == 1:
        return _from_result(results[0], opened.complaint)
    if results:
        detail = f"{len(results)} results for one output"
        return RowScore(missing=Missing.SEVERAL_RESULTS, detail=detail)
    return RowScore(missing=Missing.NO_RESULT, detail=_said(opened.complaint()))


def _from_result(result: Any, complaint: Callable[[], str | None]) -> RowScore:
    if result is None:
        return RowScore(missing=Missing.NONE, detail=_said(complaint()))
    try:
        score = float(result)
    except Exception:  # an int of 400 digits, or an object of the detector's own
        score = math.nan
    if not math.isfinite(score):
        detail = f"the score is {_shown(result)}"
        return RowScore(missing=Missing.NOT_A_NUMBER, detail=one_line(detail))
    return RowScore(score=score)


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except Exception:
        return f"of type {type(value).__name__}"


def _said(complaint: str | None) -> str | None:
    return None if complaint is None else one_line(complaint)


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
