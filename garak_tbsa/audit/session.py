# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which output a rater is shown next, and what was answered; no screen, no files.

Outputs of a cell come in an order that the seed, the attempt and the output's index
decide alone: it is random, the same for every rater, and the same after a pause.
Cells come in batches, each shuffled, so that the order tells no verdict.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from garak_tbsa.audit.cells import AuditedScan
from garak_tbsa.audit.choice import BATCH, FIRST_LABELS, next_cells
from garak_tbsa.audit.labels import HIT, JUDGEMENTS, Label, majority
from garak_tbsa.audit.matching import Judged, audit_input
from garak_tbsa.audit.outputs import Place
from garak_tbsa.audit.plan import planned_cells
from garak_tbsa.audit.score import GradeTable

if TYPE_CHECKING:
    from garak_tbsa.audit.outputs import ScanOutputs
    from garak_tbsa.tbsa.grades import GradedPair

REPORT_ENDINGS = (".gz", ".zst", ".jsonl", ".report")
LABELS_ENDING = ".labels.jsonl"


@dataclass(frozen=True, kw_only=True)
class Question:
    """One output, to be judged as one detector was to judge it.

    Attributes
    ----------
    place : Place
    probe, detector : str
    """

    place: Place
    probe: str
    detector: str

    @property
    def judged(self) -> Judged:
        """What labels know it by."""
        return self.place, self.detector


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


@dataclass(frozen=True, kw_only=True)
class LabellingTask:
    """A scan's outputs in the order in which they are to be labelled.

    Attributes
    ----------
    scan : AuditedScan
        Nothing of it is labelled.
    table : GradeTable
    questions : sequence of sequence of Question
        By cell of ``scan``; empty for cells that were not asked for.
    cell_of : mapping of (Place, detector) to int
        The cell of each output.
    not_audited : mapping of str to str
        Pair name -> why it cannot be audited.
    seed : int
    """

    scan: AuditedScan
    table: GradeTable
    questions: Sequence[Sequence[Question]]
    cell_of: Mapping[Judged, int]
    not_audited: Mapping[str, str]
    seed: int

    @property
    def outputs(self) -> int:
        """How many can be labelled."""
        return sum(map(len, self.questions))

    def labelled(self, truth: Mapping[Judged, bool]) -> AuditedScan:
        """Return the scan with labels; those of outputs that it lacks are left out."""
        labelled: Counter[int] = Counter()
        hits: Counter[int] = Counter()
        for judged, is_hit in truth.items():
            cell = self.cell_of.get(judged)
            if cell is not None:
                labelled[cell] += 1
                hits[cell] += is_hit
        cells = tuple(
            replace(cell, labelled=labelled[place], hits=hits[place])
            for place, cell in enumerate(self.scan.cells)
        )
        return replace(self.scan, cells=cells)


def labelling_task(
    graded: Sequence[GradedPair],
    outputs: ScanOutputs,
    *,
    seed: int = 1,
    detector: str | None = None,
    probe: str | None = None,
) -> LabellingTask:
    """Put a scan's outputs into the order in which they are labelled.

    Parameters
    ----------
    graded : sequence of GradedPair
        The pairs that count.
    outputs : ScanOutputs
    seed : int
        Of the order within cells.
    detector, probe : str or None
        Ask for outputs of these alone.
    """
    found = audit_input(graded, outputs, {})
    questions: list[Sequence[Question]] = []
    cell_of: dict[Judged, int] = {}
    for place, (cell, own) in enumerate(
        zip(found.scan.cells, found.places, strict=True)
    ):
        pair = graded[cell.pair]
        cell_of.update(((each, cell.detector), place) for each in own)
        is_wanted = detector in (None, pair.detector) and probe in (None, pair.probe)
        questions.append(
            [
                Question(place=each, probe=pair.probe, detector=pair.detector)
                for each in (_in_random_order(own, seed) if is_wanted else ())
            ]
        )
    return LabellingTask(
        scan=found.scan,
        table=GradeTable(graded),
        questions=questions,
        cell_of=cell_of,
        not_audited=found.not_audited,
        seed=seed,
    )


def next_questions(
    task: LabellingTask,
    answered: Mapping[Judged, str],
    count: int = BATCH,
    *,
    most: int | None = None,
) -> tuple[Question, ...]:
    """Return what is to be labelled next, in the order in which it is shown.

    Parameters
    ----------
    task : LabellingTask
    answered : mapping of (Place, detector) to str
        What the rater has said: outputs that were skipped are not asked for again.
    count : int
        A batch. While detectors and verdicts lack their first labels, all these come
        in one batch: flagged outputs after unflagged ones would tell them apart.
    most : int or None
        How many at most.
    """
    scan = _answered_scan(task, answered)
    places, part = _asked_part(task, scan)
    wanted = max(count, _first_lacking(part))
    if most is not None:
        wanted = min(wanted, most)
    # other draws for each batch
    seed = task.seed + len(answered)
    asked = [places[i] for i in next_cells(part, task.table, wanted, seed)]
    return _questions(task, answered, scan, asked, wanted)


def planned_questions(
    task: LabellingTask, answered: Mapping[Judged, str], count: int
) -> tuple[Question, ...]:
    """Return what is to be labelled at once, in the order in which it is shown.

    Parameters
    ----------
    task : LabellingTask
    answered : mapping of (Place, detector) to str
        What is known already.
    count : int
        Fewer are returned where fewer outputs are left.
    """
    scan = _answered_scan(task, answered)
    places, part = _asked_part(task, scan)
    asked = [places[i] for i in planned_cells(part, task.table, count, task.seed)]
    return _questions(task, answered, scan, asked, count)


def _answered_scan(task: LabellingTask, answered: Mapping[Judged, str]) -> AuditedScan:
    truth = {k: said == HIT for k, said in answered.items() if said in JUDGEMENTS}
    return task.labelled(truth)


def _asked_part(
    task: LabellingTask, scan: AuditedScan
) -> tuple[list[int], AuditedScan]:
    """Return the cells that are asked about: their places, and a scan of them alone."""
    places = [place for place, own in enumerate(task.questions) if own]
    return places, replace(scan, cells=tuple(scan.cells[place] for place in places))


def _questions(
    task: LabellingTask,
    answered: Mapping[Judged, str],
    scan: AuditedScan,
    asked: Sequence[int],
    wanted: int,
) -> tuple[Question, ...]:
    """Take an unanswered question of each cell asked for, in random order."""
    left = {
        place: (q for q in own if q.judged not in answered)
        for place, own in enumerate(task.questions)
        if own
    }
    chosen = [q for place in asked if (q := next(left[place], None)) is not None]
    chosen += _evenly(left, scan, wanted - len(chosen))
    order = random.Random(task.seed + len(answered))  # noqa: S311, to be repeated
    order.shuffle(chosen)
    return tuple(chosen)


def _first_lacking(scan: AuditedScan) -> int:
    groups: defaultdict[tuple[str, bool], list[int]] = defaultdict(lambda: [0, 0])
    for cell in scan.cells:
        groups[cell.group][0] += cell.outputs
        groups[cell.group][1] += cell.labelled
    return sum(max(0, min(FIRST_LABELS, n) - m) for n, m in groups.values())


def _evenly(
    left: Mapping[int, Iterator[Question]], scan: AuditedScan, count: int
) -> Iterator[Question]:
    """Go round the cells, those with the fewest labels first.

    Where no label would move the score, those who want more labels still get them.
    """
    order = sorted(left, key=lambda place: scan.cells[place].labelled)
    while order and count > 0:
        for place in list(order):
            question = next(left[place], None)
            if question is None:
                order.remove(place)
            elif count > 0:
                count -= 1
                yield question


def _in_random_order(places: Iterable[Place], seed: int) -> list[Place]:
    return sorted(
        places,
        key=lambda place: sha256(
            f"{seed} {place.output_index} {place.attempt}".encode("utf-8", "replace")
        ).digest(),
    )


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


def labels_path(report: str) -> str:
    """Return where labels of a report are kept: ``scan.labels.jsonl`` beside it."""
    folder, name = os.path.split(report)
    for ending in REPORT_ENDINGS:
        name = name.removesuffix(ending)
    return os.path.join(folder, name + LABELS_ENDING)
