# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What raters were asked of a scan and have answered; no page, no files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

from garak_tbsa.label_audit.cells import AuditedScan
from garak_tbsa.label_audit.labels import JUDGEMENTS, UNDO, Label, majority
from garak_tbsa.label_audit.matching import Judged
from garak_tbsa.label_audit.outputs import Place
from garak_tbsa.label_audit.questions import LabellingTask, Question, next_questions


class Session:
    """Raters' ways through a scan's outputs, each by a list of questions that grows.

    Parameters
    ----------
    task : LabellingTask
    labels : iterable of Label
        Given before, by whichever raters; a later one replaces an earlier one.
    most : int or None
        A rater who has labelled as many is asked no more.
    """

    def __init__(
        self,
        task: LabellingTask,
        labels: Iterable[Label] = (),
        *,
        most: int | None = None,
    ) -> None:
        self.task = task
        self.most = most
        self._said: defaultdict[str, dict[Judged, Label]] = defaultdict(dict)
        self._asked: defaultdict[str, list[Question]] = defaultdict(list)
        for label in labels:
            self.accept(label)

    @property
    def scan(self) -> AuditedScan:
        """The scan with the labels of all raters, their majority where they differ."""
        answers: defaultdict[Judged, list[str]] = defaultdict(list)
        for own in self._said.values():
            for judged, said in own.items():
                answers[judged].append(said.answer)
        truth = {judged: majority(said) for judged, said in answers.items()}
        return self.task.labelled(
            {judged: each for judged, each in truth.items() if each is not None}
        )

    def labelled(self, rater: str) -> int:
        """Return how many outputs the rater has called hit or pass."""
        said = self._said[rater].values()
        return sum(each.answer in JUDGEMENTS for each in said)

    def passed_over(self, rater: str) -> int:
        """Return how many outputs the rater has skipped or was unsure of."""
        return len(self._said[rater]) - self.labelled(rater)

    def question(self, rater: str, at: int) -> Question | None:
        """Return the rater's question number ``at``, from 0; None after the last."""
        asked = self._asked[rater]
        return asked[at] if at < len(asked) else None

    def said(self, rater: str, question: Question) -> Label | None:
        """Return the rater's answer to a question; None where there is none."""
        return self._said[rater].get(question.judged)

    def open_from(self, rater: str, at: int = 0) -> int:
        """Return the number of the next question without an answer, from ``at`` on.

        After the last one the list grows by a batch, chosen by the labels so far;
        where nothing is left to ask, it is the number behind the last question.
        """
        asked = self._asked[rater]
        end = len(asked)
        left = None if self.most is None else self.most - self.labelled(rater)
        if left is not None and left <= 0:
            return end
        for number in chain(range(at, end), range(min(at, end))):
            if asked[number].judged not in self._said[rater]:
                return number
        answered = {k: said.answer for k, said in self._said[rater].items()}
        asked += next_questions(self.task, answered, most=left)
        return end

    def accept(self, label: Label) -> None:
        """Take an answer that is on disk."""
        question = self._question_of(label)
        if question is None:
            return
        if question not in self._asked[label.rater]:
            self._asked[label.rater].append(question)
        self._said[label.rater].pop(question.judged, None)
        if label.answer != UNDO:
            self._said[label.rater][question.judged] = label

    def upcoming(self, rater: str, each: int) -> Iterator[Place]:
        """Yield outputs that may be shown soon: those asked for, some of each cell."""
        said = self._said[rater]
        yield from (q.place for q in self._asked[rater] if q.judged not in said)
        for questions in self.task.questions:
            unanswered = (q.place for q in questions if q.judged not in said)
            yield from (
                place for _, place in zip(range(each), unanswered, strict=False)
            )

    def _question_of(self, label: Label) -> Question | None:
        place, detector = Place(label.attempt, label.output_index), label.detector or ""
        cell = self.task.cell_of.get((place, detector))
        if cell is None:
            return None
        probe = self.task.scan.pairs[self.task.scan.cells[cell].pair].probe
        return Question(place=place, probe=probe, detector=detector)
