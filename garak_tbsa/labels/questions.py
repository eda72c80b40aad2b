# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs a rater is shown next, and in which order.

Outputs of a stratum come in an order that the seed, the attempt and the output's index
decide alone: it is random, the same for every rater, and the same after a pause.
Strata come in batches, each shuffled, so that the order tells no verdict.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice

from garak_tbsa.labels.choice import BATCH, first_labels, next_strata, planned_strata
from garak_tbsa.labels.scan import (
    AuditedScan,
    Judged,
    Place,
    Said,
    ScanOutputs,
    audited_scan,
)
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
        count = max(count, len(first_labels(self._asked_part(said)[1].strata)))
        if most is not None:
            count = min(count, most)
        # other draws for each batch
        return self._chosen(said, count, next_strata, self.seed + len(said))

    def at_once(self, said: Mapping[Judged, Said], count: int) -> list[Question]:
        """Return what is to be labelled before any of these labels is known.

        Parameters
        ----------
        said : mapping of (Place, detector) to (int, int)
            What is known already, hits and passes.
        count : int
            Fewer are returned where fewer outputs are left.
        """
        return self._chosen(said, count, planned_strata, self.seed)

    def _asked_part(self, said: Mapping[Judged, Said]) -> tuple[list[int], AuditedScan]:
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
        places, part = self._asked_part(said)
        left = [
            (
                question
                for question in self.questions[place]
                if question.judged not in said
            )
            for place in places
        ]
        taken = (next(left[place], None) for place in choose(part, count, seed))
        chosen = [question for question in taken if question is not None]
        # where no label would move the score, those who want more still get them
        order = sorted(range(len(left)), key=lambda place: part.strata[place].asked)
        chosen += islice(
            _in_turns([left[place] for place in order]), count - len(chosen)
        )
        random.Random(self.seed + len(said)).shuffle(chosen)  # noqa: S311, repeatable
        return chosen


def _in_turns(questions: Sequence[Iterator[Question]]) -> Iterator[Question]:
    """Yield one of each until all are empty."""
    left = list(questions)
    while left:
        for own in list(left):
            question = next(own, None)
            if question is None:
                left.remove(own)
            else:
                yield question


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
    scan = audited_scan(graded, outputs)
    questions: list[Sequence[Question]] = []
    for stratum in scan.strata:
        pair = graded[stratum.pair]
        is_wanted = detector in (None, pair.detector) and probe in (None, pair.probe)
        questions.append(
            [
                Question(place=each, probe=pair.probe, detector=pair.detector)
                for each in (
                    _in_random_order(stratum.places, seed) if is_wanted else ()
                )
            ]
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
