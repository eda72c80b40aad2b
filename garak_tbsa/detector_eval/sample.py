# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A garak report -> responses to label, drawn evenly over a detector's scores.

Drawn at random, most responses would be easy ones with the score 0. So scores are
cut into strata of equal width, and each stratum gives as many as the others, as far
as it has them. The report is read once; each stratum holds no more than it may give.
"""

from __future__ import annotations

import csv
import io
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from garak_tbsa.detector_eval.spreadsheet import MARK, MARK_COLUMN, safe_cell
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.attempts import read_attempts

if TYPE_CHECKING:
    from typing import Any

    from garak_tbsa.garak_files.attempts import Attempt

STRATA = 4
"""[0, 0.25), [0.25, 0.5), [0.5, 0.75), [0.75, 1]: garak's threshold is an edge."""

COLUMNS = (
    "label",
    "score",
    "output",
    "prompt",
    "detector",
    "id",
    "attempt",
    "output_index",
    "notes",
    "goal",
    "probe",
    "lang",
    "slice",
    "source",
    MARK_COLUMN,
)


@dataclass(frozen=True, kw_only=True)
class ScoredOutput:
    """One output of a report with the score that the scan gave it."""

    attempt: Attempt
    index: int
    score: float

    @property
    def stratum(self) -> int:
        """0 to ``STRATA - 1``, by the score."""
        return min(STRATA - 1, max(0, math.floor(self.score * STRATA)))


@dataclass(frozen=True, kw_only=True)
class DrawnSample:
    """Responses drawn from a report.

    Attributes
    ----------
    drawn : tuple of ScoredOutput
        In random order, so that a labeller cannot guess the score from the place.
    available : int
        Scored outputs that the report has of this detector.
    unscored : int
        Outputs without a score, which cannot be drawn.
    """

    detector: str
    drawn: tuple[ScoredOutput, ...]
    available: int
    unscored: int


@dataclass(kw_only=True)
class _Stratum:
    """A uniform sample of what has come by (Vitter 1985, doi:10.1145/3147.3165)."""

    size: int
    random: random.Random
    held: list[ScoredOutput] = field(default_factory=list)
    seen: int = 0

    def offer(self, scored: ScoredOutput) -> None:
        self.seen += 1
        if len(self.held) < self.size:
            self.held.append(scored)
            return
        place = self.random.randrange(self.seen)
        if place < self.size:
            self.held[place] = scored


def draw(path: str, detector: str, count: int, *, seed: int = 42) -> DrawnSample:
    """Draw ``count`` responses of a report, or all where it has fewer.

    Parameters
    ----------
    path : str
        A garak report: a path, ``-``, compressed or not, or an fsspec address.
    detector : str
        As in the report: ``dan.DAN``.

    Raises
    ------
    DatasetError
        The report has no outputs scored by this detector.
    ReportError
        The report cannot be read.
    """
    chance = random.Random(f"{seed} {detector}")  # noqa: S311, drawn to be repeated
    strata = [_Stratum(size=count, random=chance) for _ in range(STRATA)]
    others: set[str] = set()
    unscored = 0
    for scored in _outputs(path, detector, others):
        if scored is None:
            unscored += 1
        else:
            strata[scored.stratum].offer(scored)
    available = sum(stratum.seen for stratum in strata)
    if not available:
        raise DatasetError(f"{path}: {_nothing(detector, others, unscored)}")
    drawn = [
        scored
        for stratum, share in zip(strata, _shares(strata, count), strict=True)
        for scored in chance.sample(stratum.held, share)
    ]
    chance.shuffle(drawn)
    return DrawnSample(
        detector=detector, drawn=tuple(drawn), available=available, unscored=unscored
    )


def _nothing(detector: str, others: set[str], unscored: int) -> str:
    if unscored:
        return f"{detector} gave no score to any of its {unscored} outputs"
    known = ", ".join(sorted(others)) or "none"
    return f"no output scored by {detector}; it has {known}"


def _outputs(
    path: str, detector: str, others: set[str]
) -> Iterator[ScoredOutput | None]:
    """Each output that the detector judged; None where it gave no score."""
    for attempt in read_attempts(path):
        others.update(attempt.scores)
        scores = attempt.scores.get(detector, ())
        for index, score in enumerate(scores[: len(attempt.outputs)]):
            if score is not None and math.isfinite(score):
                yield ScoredOutput(attempt=attempt, index=index, score=score)
            else:
                yield None


def _shares(strata: Sequence[_Stratum], count: int) -> list[int]:
    """How many each stratum gives: evenly, what one lacks shared by the others."""
    shares = [0] * len(strata)
    left = min(count, sum(len(stratum.held) for stratum in strata))
    while left:
        open_ones = [
            index
            for index, stratum in enumerate(strata)
            if shares[index] < len(stratum.held)
        ]
        # the highest scores first, where a single one more is to be given
        for index in reversed(open_ones):
            if left:
                shares[index] += 1
                left -= 1
    return shares


def sheet(sample: DrawnSample) -> str:
    """The sample as CSV with an empty label column, which ``evaluate`` reads back."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for scored in sample.drawn:
        cells = _cells(scored, sample.detector)
        writer.writerow([safe_cell(cells[column]) for column in COLUMNS[:-1]] + [MARK])
    return text.getvalue()


def _cells(scored: ScoredOutput, detector: str) -> dict[str, str]:
    attempt = scored.attempt
    output = attempt.outputs[scored.index]
    uuid = attempt.uuid or ""
    return {
        "label": "",
        "score": f"{scored.score:.6g}",
        "output": _text(output.text),
        "prompt": _text(attempt.prompt),
        "detector": detector,
        "id": f"{uuid or f'line {attempt.line}'}/{scored.index}",
        "attempt": uuid,
        "output_index": str(scored.index),
        "notes": _text(attempt.notes),
        "goal": _text(attempt.goal),
        "probe": _text(attempt.probe),
        "lang": _text(output.lang),
        "slice": _text(attempt.probe),
        "source": "garak report",
    }


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
