# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs a rater is shown, and in which order.

Outputs of a cell come in an order that the seed, the attempt and the output's index
decide alone: it is random, the same for every rater, and the same after a pause.
Cells come in batches, each shuffled, so that the order tells no verdict.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from garak_tbsa.label_audit.cells import AuditedScan
from garak_tbsa.label_audit.choice import BATCH, FIRST_LABELS, next_cells
from garak_tbsa.label_audit.labels import HIT, JUDGEMENTS
from garak_tbsa.label_audit.matching import Judged, audit_input
from garak_tbsa.label_audit.outputs import Place, ScanOutputs
from garak_tbsa.label_audit.plan import planned_cells
from garak_tbsa.label_audit.score import GradeTable
from garak_tbsa.tbsa.grades import GradedPair


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
