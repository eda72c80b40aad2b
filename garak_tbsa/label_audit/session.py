# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a rater was asked and has answered; no screen, no files."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from garak_tbsa.label_audit.cells import AuditedScan
from garak_tbsa.label_audit.labels import JUDGEMENTS, Label, majority
from garak_tbsa.label_audit.matching import Judged
from garak_tbsa.label_audit.outputs import Place
from garak_tbsa.label_audit.questions import LabellingTask, Question, next_questions


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a rater said of a question.

    Attributes
    ----------
    question : Question
    answer : str
        ``hit``, ``pass``, ``skip`` or ``unsure``.
    rater : str
    note : str
    time : str
        ISO 8601, with its offset.
    """

    question: Question
    answer: str
    rater: str
    note: str
    time: str

    def line(self) -> str:
        """Return the line of a labels file, with its end."""
        place = self.question.place
        document = {
            "attempt": place.attempt,
            "output_index": place.output_index,
            "detector": self.question.detector,
            "label": self.answer,
            "rater": self.rater,
            "note": self.note,
            "drawn": True,
            "time": self.time,
        }
        # ASCII, since a text from a terminal may hold lone surrogates
        return json.dumps(document, allow_nan=False) + "\n"


class Session:
    """One rater's way through a scan's outputs.

    Parameters
    ----------
    task : LabellingTask
    labels : iterable of Label
        Given before, by whichever raters; a later one replaces an earlier one.
    rater : str
    most : int or None
        End when this rater has labelled as many.

    Attributes
    ----------
    unused : int
        Labels of outputs that the scan lacks.
    """

    def __init__(
        self,
        task: LabellingTask,
        labels: Iterable[Label] = (),
        *,
        rater: str = "",
        most: int | None = None,
    ) -> None:
        self.task = task
        self.rater = rater
        self.most = most
        self.unused = 0
        self._said: defaultdict[Judged, dict[str, str]] = defaultdict(dict)
        self._notes: dict[Judged, str] = {}
        self._questions: list[Question] = []
        for label in labels:
            self._remember(label)
        self._at = len(self._questions)
        self._fill()

    @property
    def current(self) -> Question | None:
        """The question that is shown; None where nothing is left."""
        if self._at < len(self._questions):
            return self._questions[self._at]
        return None

    @property
    def said_before(self) -> str | None:
        """What this rater said of the question that is shown."""
        question = self.current
        if question is None:
            return None
        return self._said.get(question.judged, {}).get(self.rater)

    @property
    def note_before(self) -> str:
        """The note of the question that is shown."""
        return "" if self.current is None else self._notes.get(self.current.judged, "")

    @property
    def labelled(self) -> int:
        """Outputs that this rater has called hit or pass."""
        return sum(said in JUDGEMENTS for said in self._own().values())

    @property
    def passed_over(self) -> int:
        """Outputs that this rater has skipped or was unsure of."""
        return len(self._own()) - self.labelled

    @property
    def scan(self) -> AuditedScan:
        """The scan with the labels of all raters, their majority where they differ."""
        truth = {judged: majority(said.values()) for judged, said in self._said.items()}
        return self.task.labelled(
            {k: each for k, each in truth.items() if each is not None}
        )

    def answer(self, said: str, note: str, time: str) -> Answer:
        """Return the answer to the question that is shown, for the file."""
        assert self.current is not None
        return Answer(
            question=self.current, answer=said, rater=self.rater, note=note, time=time
        )

    def accept(self, answer: Answer) -> None:
        """Take an answer that is on disk, and go on to the next question."""
        self._said[answer.question.judged][self.rater] = answer.answer
        self._notes[answer.question.judged] = answer.note
        self._at += 1
        self._fill()

    def back(self) -> bool:
        """Show the question before; False where there is none."""
        if self._at == 0:
            return False
        self._at -= 1
        return True

    def forward(self) -> bool:
        """Leave an answer as it was, and go on; False where there is none."""
        if self.said_before is None:
            return False
        self._at += 1
        self._fill()
        return True

    def upcoming(self, each: int) -> Iterator[Place]:
        """Yield outputs that may be shown soon: those asked for, some of each cell."""
        yield from (question.place for question in self._questions[self._at :])
        own = self._own()
        for questions in self.task.questions:
            unanswered = (q.place for q in questions if q.judged not in own)
            yield from (
                place for _, place in zip(range(each), unanswered, strict=False)
            )

    def _own(self) -> dict[Judged, str]:
        return {
            judged: said[self.rater]
            for judged, said in self._said.items()
            if self.rater in said
        }

    def _remember(self, label: Label) -> None:
        place = Place(label.attempt, label.output_index)
        cell = self.task.cell_of.get((place, label.detector or ""))
        if cell is None or label.detector is None:
            self.unused += 1
            return
        judged = place, label.detector
        is_first = self.rater not in self._said[judged]
        self._said[judged][label.rater] = label.answer
        if label.rater == self.rater and is_first:
            probe = self.task.scan.pairs[self.task.scan.cells[cell].pair].probe
            self._questions.append(
                Question(place=place, probe=probe, detector=label.detector)
            )

    def _fill(self) -> None:
        """Choose the next batch when the last one is used up."""
        if self._at < len(self._questions):
            return
        most = None if self.most is None else self.most - self.labelled
        if most is None or most > 0:
            self._questions += next_questions(self.task, self._own(), most=most)
