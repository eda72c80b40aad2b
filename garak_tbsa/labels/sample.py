# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs of a report are drawn for labelling, for a score or for detectors.

Within a stratum, the outputs of a pair with one verdict, the draw is random. How many
come from which stratum is free: labels are weighted by their stratum.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from garak_tbsa.garak_files.attempts import Attempt
from garak_tbsa.garak_files.source import ReadLimits
from garak_tbsa.labels.matching import Judged
from garak_tbsa.labels.outputs import PairOutputs, ScanOutputs, wanted_attempts
from garak_tbsa.labels.questions import Question, labelling_task, planned_questions
from garak_tbsa.labels.strata import Said
from garak_tbsa.tbsa.grades import GradedPair


@dataclass(frozen=True, kw_only=True)
class StratumSize:
    """A stratum that outputs were drawn from.

    Attributes
    ----------
    probe, detector : str
    flagged : bool
    outputs : int
        How many it has.
    drawn : int
        How many of them were drawn.
    """

    probe: str
    detector: str
    flagged: bool
    outputs: int
    drawn: int


@dataclass(frozen=True, kw_only=True)
class DrawnSample:
    """Outputs drawn for labelling.

    Attributes
    ----------
    questions : tuple of Question
        In random order, so that a place in it tells no verdict.
    strata : tuple of StratumSize
        All strata that could be drawn from, by probe, detector and verdict.
    """

    questions: tuple[Question, ...]
    strata: tuple[StratumSize, ...]

    @property
    def available(self) -> int:
        """How many outputs could be drawn."""
        return sum(stratum.outputs for stratum in self.strata)


def draw_for_score(
    graded: Sequence[GradedPair],
    outputs: ScanOutputs,
    count: int,
    *,
    detector: str | None = None,
    seed: int = 1,
    said: Mapping[Judged, Said] | None = None,
) -> DrawnSample:
    """Draw from the strata whose labels narrow the audited score's range most.

    Parameters
    ----------
    graded : sequence of GradedPair
        The pairs that count.
    outputs : ScanOutputs
    count : int
        Fewer are drawn where there are fewer.
    detector : str or None
        Of this one alone.
    seed : int
    said : mapping of (Place, detector) to (int, int), optional
        What was said already, hits and passes: these are not drawn again, and what
        they tell decides where the others are drawn.
    """
    task = labelling_task(graded, outputs, seed=seed, detector=detector)
    questions = planned_questions(task, said or {}, count)
    audited = {task.scan.pairs[stratum.pair].name for stratum in task.scan.strata}
    pairs = [
        pair
        for name, pair in outputs.pairs.items()
        if name in audited and detector in (None, pair.detector)
    ]
    return DrawnSample(questions=questions, strata=_sizes(pairs, outputs, questions))


def draw_for_detectors(
    outputs: ScanOutputs,
    count: int,
    *,
    detector: str | None = None,
    seed: int = 1,
    known: Collection[Judged] = (),
) -> DrawnSample:
    """Draw as many outputs of each detector and verdict, as far as they have them.

    Within a detector and verdict every output is as likely, of whichever pair.

    Parameters
    ----------
    outputs : ScanOutputs
    count : int
        Fewer are drawn where there are fewer.
    detector : str or None
        Of this one alone.
    seed : int
    known : collection of (Place, detector)
        What is labelled already, and not drawn again.
    """
    chance = random.Random(seed)  # noqa: S311, drawn to be repeated
    pairs = [p for p in outputs.pairs.values() if detector in (None, p.detector)]
    groups: dict[tuple[str, bool], list[Question]] = {}
    for pair in pairs:
        for flagged in (True, False):
            own = groups.setdefault((pair.detector, flagged), [])
            own += (
                Question(place=place, probe=pair.probe, detector=pair.detector)
                for place in pair.of(flagged=flagged)
                if (place, pair.detector) not in known
            )
    names = sorted(groups)
    shares = even_shares([len(groups[name]) for name in names], count)
    drawn = [
        question
        for name, share in zip(names, shares, strict=True)
        for question in chance.sample(groups[name], share)
    ]
    chance.shuffle(drawn)
    questions = tuple(drawn)
    return DrawnSample(questions=questions, strata=_sizes(pairs, outputs, questions))


def even_shares(sizes: Sequence[int], count: int) -> list[int]:
    """Share ``count`` out evenly; what one group lacks, the others give."""
    shares = [0] * len(sizes)
    left = min(count, sum(sizes))
    open_ones = [place for place, size in enumerate(sizes) if size]
    while left:
        each = max(1, left // len(open_ones))
        for place in open_ones:
            given = min(each, sizes[place] - shares[place], left)
            shares[place] += given
            left -= given
        open_ones = [place for place in open_ones if shares[place] < sizes[place]]
    return shares


def _sizes(
    pairs: Sequence[PairOutputs], outputs: ScanOutputs, questions: Sequence[Question]
) -> tuple[StratumSize, ...]:
    chosen = {question.judged for question in questions}
    return tuple(
        StratumSize(
            probe=pair.probe,
            detector=pair.detector,
            flagged=flagged,
            outputs=len(own),
            drawn=sum((place, pair.detector) in chosen for place in own),
        )
        for pair in sorted(pairs, key=lambda each: (each.probe, each.detector))
        for flagged in (True, False)
        if (own := pair.of(flagged=flagged))
    )


@dataclass(frozen=True, kw_only=True)
class SampledOutput:
    """A drawn output with all that its labeller and its detector need.

    Attributes
    ----------
    question : Question
    attempt : Attempt
    """

    question: Question
    attempt: Attempt


def sampled_outputs(
    path: str, questions: Sequence[Question], limits: ReadLimits
) -> tuple[SampledOutput, ...]:
    """Read drawn outputs, in the order in which they were drawn.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    wanted = {question.place.attempt for question in questions}
    found = dict(wanted_attempts(path, wanted, limits))
    return tuple(
        SampledOutput(question=question, attempt=found[question.place.attempt])
        for question in questions
    )
