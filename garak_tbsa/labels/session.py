# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What raters were asked of a scan and have answered; no page, no files."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import TypeAlias

from garak_tbsa.labels.choice import BATCH
from garak_tbsa.labels.label_files import HIT, JUDGEMENTS, UNDO, Label
from garak_tbsa.labels.matching import counted
from garak_tbsa.labels.questions import LabellingTask, Question
from garak_tbsa.labels.scan import AuditedScan, Judged, Place, Said

ONE_IN = 8
"""At most one answer in so many is a second or third look."""

LOOKS = 3

Asked: TypeAlias = tuple[Judged, int]
"""An output and how often the rater was shown it."""


class Session:
    """Raters' ways through a scan's outputs, each by a list of questions that grows.

    Where a label contradicts the detector's verdict, a slip of the rater would weigh
    most. Some of these outputs are shown again, at least a batch later and among
    others, and a third time where the two answers differ.

    Parameters
    ----------
    task : LabellingTask
    labels : iterable of Label
        Given before, by whichever raters; a later one replaces an earlier one.
    most : int or None
        A rater who has given as many labels is asked no more.
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
        self._said: defaultdict[str, dict[Asked, Label]] = defaultdict(dict)
        # in the order in which they were asked
        self._asked: defaultdict[str, dict[Asked, Question]] = defaultdict(dict)
        for label in labels:
            self.accept(label)

    @property
    def scan(self) -> AuditedScan:
        """The scan with the answers of all raters."""
        return self.task.scan.answered(_counted(self._said.values()))

    def labelled(self, rater: str) -> int:
        """Return how many times the rater has said hit or pass."""
        said = self._said[rater].values()
        return sum(each.answer in JUDGEMENTS for each in said)

    def passed_over(self, rater: str) -> int:
        """Return how many outputs the rater has skipped or was unsure of."""
        return len(self._said[rater]) - self.labelled(rater)

    def question(self, rater: str, at: int) -> Question | None:
        """Return the rater's question number ``at``, from 0; None after the last."""
        return next(islice(self._asked[rater].values(), at, None), None)

    def said(self, rater: str, question: Question) -> Label | None:
        """Return the rater's answer to a question; None where there is none."""
        return self._said[rater].get(question.asked)

    def open_from(self, rater: str, at: int = 0) -> int:
        """Return the number of the next question without an answer, from ``at`` on.

        After the last one the list grows by a batch, chosen by the labels so far;
        where nothing is left to ask, it is the number behind the last question.
        """
        said, asked = self._said[rater], list(self._asked[rater])
        end = len(asked)
        left = None if self.most is None else self.most - self.labelled(rater)
        if left is not None and left <= 0:
            return end
        for number in chain(range(at, end), range(min(at, end))):
            if asked[number] not in said:
                return number
        again = self._to_see_again(rater)[:left]
        batch = [
            *self.task.next(
                _counted([said]),
                BATCH - len(again),
                most=None if left is None else left - len(again),
            ),
            *again,
        ]
        if again:
            random.Random(self.task.seed + end).shuffle(batch)  # noqa: S311
        self._asked[rater].update((question.asked, question) for question in batch)
        return end

    def _to_see_again(self, rater: str) -> list[Question]:
        """Return what the rater is shown again in the next batch."""
        asked, said = self._asked[rater], self._said[rater]
        firsts = sum(look == 1 for _, look in asked)
        room = firsts // (ONE_IN - 1) - (len(asked) - firsts)
        if room <= 0:
            return []
        strata = self.task.scan.answered(
            {judged: counted([each.answer]) for (judged, _), each in said.items()}
        ).strata
        found: list[tuple[float, Question]] = []
        for question in list(asked.values())[:-BATCH]:
            judged, look = question.asked
            answer = said[judged, look].answer
            if answer not in JUDGEMENTS or look == LOOKS or (judged, look + 1) in asked:
                continue
            stratum = strata[self.task.scan.stratum_of[judged]]
            again = replace(question, look=look + 1)
            if look > 1:
                if said[judged, look - 1].answer != answer:
                    found.append((float("inf"), again))
            elif (answer == HIT) != stratum.flagged:
                others = (
                    stratum.labelled - stratum.hits if answer == HIT else stratum.hits
                )
                # outputs that a label speaks for, and how far others contradict it
                weight = stratum.outputs * (others + 1) / (stratum.labelled + 2) ** 2
                found.append((weight, again))
        found.sort(key=lambda each: -each[0])
        return [question for _, question in found[:room]]

    def accept(self, label: Label) -> None:
        """Take an answer that is on disk."""
        place, detector = Place(label.attempt, label.output_index), label.detector or ""
        stratum = self.task.scan.stratum_of.get((place, detector))
        if stratum is None:
            return
        probe = self.task.scan.pairs[self.task.scan.strata[stratum].pair].probe
        question = Question(
            place=place, probe=probe, detector=detector, look=label.look
        )
        self._asked[label.rater].setdefault(question.asked, question)
        self._said[label.rater].pop(question.asked, None)
        if label.answer != UNDO:
            self._said[label.rater][question.asked] = label

    def upcoming(self, rater: str, each: int) -> Iterator[Place]:
        """Yield outputs that may be shown soon: asked for, some of each stratum."""
        said = self._said[rater]
        yield from (q.place for q in self._asked[rater].values() if q.asked not in said)
        for questions in self.task.questions:
            unanswered = (q.place for q in questions if q.asked not in said)
            yield from islice(unanswered, each)


def _counted(given: Iterable[Mapping[Asked, Label]]) -> dict[Judged, Said]:
    """Count what raters said of each output, all looks together."""
    answers: defaultdict[Judged, list[str]] = defaultdict(list)
    for own in given:
        for (judged, _), label in own.items():
            answers[judged].append(label.answer)
    return {judged: counted(each) for judged, each in answers.items()}
