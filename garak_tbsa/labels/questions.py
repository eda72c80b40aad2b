# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs a rater is shown, and in which order.

Outputs of a stratum come in an order that the seed, the attempt and the output's index
decide alone: it is random, the same for every rater, and the same after a pause.
Strata come in batches, each shuffled, so that the order tells no verdict.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from garak_tbsa.labels.choice import BATCH, FIRST_LABELS, next_strata
from garak_tbsa.labels.matching import AuditInput, Judged, audit_input
from garak_tbsa.labels.outputs import Place, ScanOutputs
from garak_tbsa.labels.plan import planned_strata
from garak_tbsa.labels.score import GradeTable
from garak_tbsa.labels.strata import AuditedScan, Said
from garak_tbsa.tbsa.grades import GradedPair


@dataclass(frozen=True, kw_only=True)
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

    @property
    def asked(self) -> tuple[Judged, int]:
        """What a rater's answers know it by."""
        return self.judged, self.look


@dataclass(frozen=True, kw_only=True)
class LabellingTask(AuditInput):
    """A scan's outputs in the order in which they are to be labelled.

    Attributes
    ----------
    table : GradeTable
    questions : sequence of sequence of Question
        By stratum of ``scan``; empty for strata that were not asked for.
    seed : int
    """

    table: GradeTable
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
        Of the order within strata.
    detector, probe : str or None
        Ask for outputs of these alone.
    """
    found = audit_input(graded, outputs)
    questions: list[Sequence[Question]] = []
    for stratum, own in zip(found.scan.strata, found.places, strict=True):
        pair = graded[stratum.pair]
        is_wanted = detector in (None, pair.detector) and probe in (None, pair.probe)
        questions.append(
            [
                Question(place=each, probe=pair.probe, detector=pair.detector)
                for each in (_in_random_order(own, seed) if is_wanted else ())
            ]
        )
    return LabellingTask(
        scan=found.scan,
        places=found.places,
        not_audited=found.not_audited,
        table=GradeTable(graded),
        questions=questions,
        seed=seed,
    )


def next_questions(
    task: LabellingTask,
    said: Mapping[Judged, Said],
    count: int = BATCH,
    *,
    most: int | None = None,
) -> tuple[Question, ...]:
    """Return what is to be labelled next, in the order in which it is shown.

    Parameters
    ----------
    task : LabellingTask
    said : mapping of (Place, detector) to (int, int)
        The rater's answers, hits and passes; outputs that were skipped have neither,
        and are not asked for again.
    count : int
        A batch. While detectors and verdicts lack their first labels, all these come
        in one batch: flagged outputs after unflagged ones would tell them apart.
    most : int or None
        How many at most.
    """
    scan = task.answered(said)
    places, part = _asked_part(task, scan)
    wanted = max(count, _first_lacking(part))
    if most is not None:
        wanted = min(wanted, most)
    # other draws for each batch
    seed = task.seed + len(said)
    asked = [places[i] for i in next_strata(part, task.table, wanted, seed)]
    return _questions(task, said, scan, asked, wanted)


def planned_questions(
    task: LabellingTask, said: Mapping[Judged, Said], count: int
) -> tuple[Question, ...]:
    """Return what is to be labelled at once, in the order in which it is shown.

    Parameters
    ----------
    task : LabellingTask
    said : mapping of (Place, detector) to (int, int)
        What is known already, hits and passes.
    count : int
        Fewer are returned where fewer outputs are left.
    """
    scan = task.answered(said)
    places, part = _asked_part(task, scan)
    asked = [places[i] for i in planned_strata(part, task.table, count, task.seed)]
    return _questions(task, said, scan, asked, count)


def _asked_part(
    task: LabellingTask, scan: AuditedScan
) -> tuple[list[int], AuditedScan]:
    """Return the strata that are asked about: places, and a scan of them alone."""
    places = [place for place, own in enumerate(task.questions) if own]
    return places, replace(scan, strata=tuple(scan.strata[place] for place in places))


def _questions(
    task: LabellingTask,
    said: Mapping[Judged, Said],
    scan: AuditedScan,
    asked: Sequence[int],
    wanted: int,
) -> tuple[Question, ...]:
    """Take an unanswered question of each stratum asked for, in random order."""
    left = {
        place: (q for q in own if q.judged not in said)
        for place, own in enumerate(task.questions)
        if own
    }
    chosen = [q for place in asked if (q := next(left[place], None)) is not None]
    chosen += _evenly(left, scan, wanted - len(chosen))
    order = random.Random(task.seed + len(said))  # noqa: S311, to be repeated
    order.shuffle(chosen)
    return tuple(chosen)


def _first_lacking(scan: AuditedScan) -> int:
    groups: defaultdict[tuple[str, bool], list[int]] = defaultdict(lambda: [0, 0])
    for stratum in scan.strata:
        groups[stratum.group][0] += stratum.outputs
        groups[stratum.group][1] += stratum.asked
    return sum(max(0, min(FIRST_LABELS, n) - m) for n, m in groups.values())


def _evenly(
    left: Mapping[int, Iterator[Question]], scan: AuditedScan, count: int
) -> Iterator[Question]:
    """Go round the strata, those with the fewest labels first.

    Where no label would move the score, those who want more labels still get them.
    """
    order = sorted(left, key=lambda place: scan.strata[place].asked)
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
