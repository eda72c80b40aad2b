# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels as people gave them, whatever file they come from.

``garak-tbsa label`` appends a line for each answer:

    {"attempt": uuid, "output_index": 0, "detector": "dan.DAN", "label": "hit",
     "rater": "anna", "note": "", "drawn": true, "time": "2026-11-22T10:00:00+00:00"}

A rater's later answer about an output replaces the earlier one; ``undo`` takes it back.
Where an output was shown to the rater again, ``"look": 2`` marks the second answer: it
stands beside the first one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

HIT, PASS = "hit", "pass"
SKIP, UNSURE = "skip", "unsure"
JUDGEMENTS = (HIT, PASS)
ANSWERS = (HIT, PASS, SKIP, UNSURE)
UNDO = "undo"
"""In a log: the rater's answer about this output is taken back."""


@dataclass(frozen=True, kw_only=True)
class Label:
    """One rater's answer about one output and detector.

    Attributes
    ----------
    where : str
        File and row, for messages; empty for an answer that is being given.
    attempt : str
        The attempt's uuid.
    output_index : int
        From 0.
    detector : str or None
        None where the file names none: the labels are for the only detector of the
        outputs, or for the one that the command names.
    answer : str
        ``hit``, ``pass``, ``skip`` or ``unsure``; in a log ``undo`` too.
    rater : str
        Empty where the file names none.
    drawn : bool
        Whether the output was drawn at random by us, not picked by a person.
    note, time : str
        The time in ISO 8601, with its offset.
    look : int
        2 where the output was shown to the rater a second time, 3 for the third.
    """

    where: str
    attempt: str
    output_index: int
    detector: str | None
    answer: str
    rater: str = ""
    drawn: bool = True
    note: str = ""
    time: str = ""
    look: int = 1

    def line(self) -> str:
        """Return the line of a log, with its end."""
        document = {
            "attempt": self.attempt,
            "output_index": self.output_index,
            "detector": self.detector,
            "label": self.answer,
            "rater": self.rater,
            "note": self.note,
            "drawn": self.drawn,
            "time": self.time,
        } | ({"look": self.look} if self.look > 1 else {})
        # ASCII, since a text from elsewhere may hold lone surrogates
        return json.dumps(document, allow_nan=False) + "\n"


@dataclass(frozen=True, kw_only=True)
class LabelFile:
    """What a file of labels holds.

    Attributes
    ----------
    path : str
    labels : tuple of Label
        In the file's order; a later answer of a rater about an output replaces an
        earlier one where the file is a log (``replaces`` is true).
    blank : int
        Rows without an answer, as in a sheet that is half filled.
    problems : tuple of str
        ``file, row N: what is wrong; what to do``; such rows are not used.
    replaces : bool
    """

    path: str
    labels: tuple[Label, ...]
    blank: int = 0
    problems: tuple[str, ...] = ()
    replaces: bool = False


def counted(answers: Iterable[str]) -> tuple[int, int]:
    """Count the answers about one output: hits and passes."""
    counts = Counter(answers)
    return counts[HIT], counts[PASS]
