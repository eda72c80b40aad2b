# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs raters are shown next, in which order, and what they have answered.

Outputs of a stratum come in an order that the seed, the attempt and the output's index
decide alone: it is random, the same for every rater, and the same after a pause.
Strata come in batches, each shuffled, so that the order tells no verdict.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain, islice, zip_longest
from math import inf

from garak_tbsa.detector_eval.report_labels import HIT, Judged, Place, Said, counted
from garak_tbsa.labels.label_files import JUDGEMENTS, UNDO, Label
from garak_tbsa.labels.scan import AuditedScan, ScanOutputs, audited_scan
from garak_tbsa.labels.score import BATCH, first_labels, next_strata, planned_strata
from garak_tbsa.tbsa.pairs import Pair

ONE_IN = 8
"""At most one answer in so many is a second or third look."""

LOOKS = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One output, to be judged as one detector was to judge it.

    Attributes
    ----------
    place : Place
    probe, detector : str
    look : int
        2 where the rater has seen it before, 3 for the third time.
    """

    place: Place
    probe: str
    detector: str
    look: int = 1

    @property
    def judged(self) -> Judged:
        """What labels know it by."""
        return self.place, self.detector

    def answered(
        self, answer: str, rater: str, note: str = "", time: str = ""
    ) -> Label:
        """Return what a rater says of it."""
        return Label(
            place=self.place,
            detector=self.detector,
            answer=answer,
            rater=rater,
            look=self.look,
            note=note,
            time=time,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LabellingTask:
    """A scan's outputs in the order in which they are to be labelled.

    Attributes
    ----------
    scan : AuditedScan
        Of which nothing is labelled.
    questions : sequence of sequence of Question
        By stratum of ``scan``; empty for strata that were not asked for.
    seed : int
    """

    scan: AuditedScan
    questions: Sequence[Sequence[Question]]
    seed: int

    @property
    def outputs(self) -> int:
        """How many can be labelled."""
        return sum(map(len, self.questions))

    def of(self, wanted: Collection[Judged]) -> LabellingTask:
        """Return the task of labelling these outputs alone."""
        questions = [[q for q in own if q.judged in wanted] for own in self.questions]
        return replace(self, questions=questions)

    def next(
        self,
        said: Mapping[Judged, Said],
        count: int = BATCH,
        *,
        most: int | None = None,
    ) -> list[Question]:
        """Return what is to be labelled next, in the order in which it is shown.

        Parameters
        ----------
        said : mapping of (Place, detector) to (int, int)
            The rater's answers, hits and passes; outputs that were skipped have
            neither, and are not asked for again.
        count : int
            A batch. While detectors and verdicts lack their first labels, all these
            come in one batch: flagged outputs after unflagged ones would tell them
            apart.
        most : int or None
            How many at most.
        """
        count = max(count, len(first_labels(self._part_with_questions(said)[1].strata)))
        if most is not None:
            count = min(count, most)
        # other draws for each batch
        return self._chosen(said, count, next_strata, self.seed + len(said))

    def at_once(self, count: int) -> list[Question]:
        """Return what is to be labelled before any label is known.

        Parameters
        ----------
        count : int
            Fewer are returned where there are fewer outputs.
        """
        return self._chosen({}, count, planned_strata, self.seed)

    def _part_with_questions(
        self, said: Mapping[Judged, Said]
    ) -> tuple[list[int], AuditedScan]:
        """Return the strata that are asked about: places, and a scan of them alone."""
        scan = self.scan.answered(said)
        places = [place for place, own in enumerate(self.questions) if own]
        return places, replace(scan, strata=[scan.strata[place] for place in places])

    def _chosen(
        self,
        said: Mapping[Judged, Said],
        count: int,
        choose: Callable[[AuditedScan, int, int], list[int]],
        seed: int,
    ) -> list[Question]:
        """Take an unanswered question of each stratum that is chosen, and mix them."""
        places, part = self._part_with_questions(said)
        left = [
            (each for each in self.questions[place] if each.judged not in said)
            for place in places
        ]
        taken = (next(left[place], None) for place in choose(part, count, seed))
        chosen = [question for question in taken if question is not None]
        # where no label would move the score, those who want more still get them
        order = sorted(
            range(len(left)), key=lambda place: part.strata[place].answered_outputs
        )
        turns = zip_longest(*(left[place] for place in order))
        more = (each for turn in turns for each in turn if each is not None)
        chosen += islice(more, count - len(chosen))
        random.Random(self.seed + len(said)).shuffle(chosen)  # noqa: S311, repeatable
        return chosen


def labelling_task(
    graded: Sequence[Pair],
    outputs: ScanOutputs,
    *,
    seed: int = 1,
    detector: str | None = None,
    probe: str | None = None,
) -> LabellingTask:
    """Put a scan's outputs into the order in which they are labelled.

    Parameters
    ----------
    graded : sequence of Pair
        The pairs that count.
    outputs : ScanOutputs
    seed : int
        Of the order within strata.
    detector, probe : str or None
        Ask for outputs of these alone.
    """
    scan = audited_scan(graded, outputs)
    questions: list[Sequence[Question]] = []
    for stratum in scan.strata:
        probe_of, judge = graded[stratum.pair].probe, stratum.detector
        is_wanted = detector in (None, judge) and probe in (None, probe_of)
        places = _in_random_order(stratum.places, seed) if is_wanted else ()
        questions.append(
            [Question(place=each, probe=probe_of, detector=judge) for each in places]
        )
    return LabellingTask(scan=scan, questions=questions, seed=seed)


def _in_random_order(places: Iterable[Place], seed: int) -> list[Place]:
    return sorted(
        places,
        key=lambda place: sha256(
            f"{seed} {place.output_index} {place.attempt}".encode("utf-8", "replace")
        ).digest(),
    )


def why_nothing(
    task: LabellingTask, detector: str | None = None, probe: str | None = None
) -> str:
    """Say why there is nothing to label, and what to do."""
    pairs = task.scan.pairs
    for option, wanted, known in (
        ("--detector", detector, {pair.detector for pair in pairs}),
        ("--probe", probe, {pair.probe for pair in pairs}),
    ):
        if wanted is not None and wanted not in known:
            names = ", ".join(sorted(known))
            return f"{option} {wanted}: not in this report; it has {names}"
    if not task.scan.not_audited:
        return (
            f"no output of --probe {probe} was judged by --detector {detector}; leave"
            " one of them out"
        )
    return task.scan.why_none


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
        A rater who has labelled as many outputs is asked no more.
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
        # answers of each rater in the order in which they were asked for
        self._given: defaultdict[str, dict[Question, Label | None]] = defaultdict(dict)
        for label in labels:
            self.accept(label)

    @property
    def scan(self) -> AuditedScan:
        """The scan with the answers of all raters."""
        return self.task.scan.answered(_counted(self._given.values()))

    def labelled(self, rater: str) -> int:
        """Return how many outputs the rater has labelled, as an audit counts them."""
        said = _counted([self._given[rater]])
        return sum(hits != passes for hits, passes in said.values())

    def passed_over(self, rater: str) -> int:
        """Return how many outputs the rater has skipped or was unsure of."""
        labels = self._labels(rater)
        return sum(label.answer not in JUDGEMENTS for label in labels)

    def _labels(self, rater: str) -> list[Label]:
        return [label for label in self._given[rater].values() if label is not None]

    def question(self, rater: str, at: int) -> Question | None:
        """Return the rater's question number ``at``, from 0; None after the last."""
        return next(islice(self._given[rater], at, None), None)

    def said(self, rater: str, question: Question) -> Label | None:
        """Return the rater's answer to a question; None where there is none."""
        return self._given[rater].get(question)

    def open_from(self, rater: str, at: int = 0) -> int:
        """Return the number of the next question without an answer, from ``at`` on.

        After the last one the list grows by a batch, chosen by the labels so far;
        where nothing is left to ask, it is the number behind the last question.
        """
        given = self._given[rater]
        questions, end = list(given), len(given)
        left = None if self.most is None else self.most - self.labelled(rater)
        if left is not None and left <= 0:
            return end
        for number in chain(range(at, end), range(min(at, end))):
            if given[questions[number]] is None:
                return number
        again = self._to_see_again(given)[:left]
        batch = self.task.next(
            _counted([given]),
            BATCH - len(again),
            most=left,
        )
        if again:
            batch += again
            random.Random(self.task.seed + end).shuffle(batch)  # noqa: S311, repeatable
        given.update(dict.fromkeys(batch))
        return end

    def _to_see_again(self, given: Mapping[Question, Label | None]) -> list[Question]:
        """Return what a rater, who has answered everything, is shown again."""
        firsts = sum(question.look == 1 for question in given)
        room = firsts // (ONE_IN - 1) - (len(given) - firsts)
        if room <= 0:
            return []
        answers = {q: label.answer for q, label in given.items() if label is not None}
        scan = self.task.scan.answered(
            {question.judged: counted([said]) for question, said in answers.items()}
        )
        found: list[tuple[float, Question]] = []
        for question in list(given)[:-BATCH]:
            answer, look = answers[question], question.look
            again = replace(question, look=look + 1)
            if answer not in JUDGEMENTS or look == LOOKS or again in given:
                continue
            stratum = scan.strata[scan.stratum_of[question.judged]]
            if look > 1:
                if answers[replace(question, look=look - 1)] != answer:
                    found.append((inf, again))
            elif (answer == HIT) != stratum.flagged:
                hits = stratum.hits
                others = stratum.labelled - hits if answer == HIT else hits
                # outputs that a label speaks for, and how far others contradict it
                weight = stratum.outputs * (others + 1) / (stratum.labelled + 2) ** 2
                found.append((weight, again))
        found.sort(key=lambda each: -each[0])
        return [question for _, question in found[:room]]

    def accept(self, label: Label) -> None:
        """Take an answer that is on disk."""
        place, detector, scan = label.place, label.detector or "", self.task.scan
        number = scan.stratum_of.get((place, detector))
        if number is not None:
            probe, look = scan.pairs[scan.strata[number].pair].probe, label.look
            question = Question(place=place, probe=probe, detector=detector, look=look)
            answer = None if label.answer == UNDO else label
            self._given[label.rater][question] = answer

    def upcoming(self, rater: str, each: int) -> Iterator[Place]:
        """Yield outputs that may be shown soon: asked for, some of each stratum."""
        given = self._given[rater]
        yield from (q.place for q, label in given.items() if label is None)
        for questions in self.task.questions:
            unanswered = (q.place for q in questions if given.get(q) is None)
            yield from islice(unanswered, each)


def _counted(
    given: Iterable[Mapping[Question, Label | None]],
) -> dict[Judged, Said]:
    """Count what raters said of each output, all looks together."""
    answers: defaultdict[Judged, list[str]] = defaultdict(list)
    for own in given:
        for question, label in own.items():
            if label is not None:
                answers[question.judged].append(label.answer)
    return {judged: counted(each) for judged, each in answers.items()}
