# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How often the audited score's 95 % range holds the truth where labels err.

Truths are invented, each run another one: pairs, their sizes, how often and where the
target fails, how well each detector tells. A simulated rater answers what the label
page asks, second looks included. The last two kinds of either sort were set aside: they
were run once, when nothing was changed any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame import Generator, percents, simulations, table
from benchmarks.simulated_scans import make_pair
from garak_tbsa.detector_eval.report_labels import (
    HIT,
    PASS,
    Judged,
    Place,
    ReportLabels,
)
from garak_tbsa.labels.label_files import SKIP
from garak_tbsa.labels.label_warnings import label_warnings
from garak_tbsa.labels.questions import LabellingTask, Question, Session
from garak_tbsa.labels.scan import AuditedScan, Stratum
from garak_tbsa.labels.score import draw_scores, draws_if_right, grades_by_count
from garak_tbsa.statistics.scores import score_tenths
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.score import score_pairs

Booleans = NDArray[np.bool_]


class Kind(NamedTuple):
    """A kind of truth.

    Attributes
    ----------
    pairs, detectors : int
    sizes : tuple of int
        Fewest and most outputs of a pair, even in the logarithm.
    hits, evenness : float
        Mean share of hits of a pair, and the strength of its Beta distribution.
    sensitivity, specificity : float
        Mean sensitivity and specificity of detectors.
    """

    pairs: int
    detectors: int
    sizes: tuple[int, int]
    hits: float
    evenness: float
    sensitivity: float
    specificity: float


KINDS = {
    "rare hits": (
        Kind(57, 16, (8, 256), 0.02, 1, 0.8, 0.97),
        Kind(12, 3, (40, 120), 0.02, 20, 0.6, 0.95),
        Kind(24, 24, (10, 60), 0.02, 0.5, 0.7, 0.9),
        Kind(30, 1, (20, 100), 0.02, 4, 0.5, 0.8),
        Kind(8, 4, (100, 500), 0.02, 2, 0.9, 0.99),
        Kind(40, 10, (5, 12), 0.03, 1, 0.8, 0.95),
        Kind(20, 5, (50, 50), 0.01, 0.3, 0.3, 0.98),
        Kind(16, 8, (10, 300), 0.02, 50, 0.95, 0.6),
        Kind(57, 6, (15, 40), 0.015, 2, 0.6, 0.99),
        Kind(10, 2, (250, 250), 0.02, 5, 0.7, 0.9),
        Kind(18, 9, (20, 200), 0.02, 0.8, 0.5, 0.93),
        Kind(35, 7, (12, 80), 0.025, 8, 0.85, 0.85),
        Kind(45, 15, (15, 90), 0.018, 1.5, 0.75, 0.94),
        Kind(14, 7, (30, 300), 0.03, 6, 0.65, 0.97),
    ),
    "mixed": (
        Kind(57, 16, (8, 256), 0.3, 1, 0.8, 0.9),
        Kind(12, 3, (40, 120), 0.5, 20, 0.9, 0.6),
        Kind(24, 24, (10, 60), 0.2, 0.5, 0.6, 0.95),
        Kind(30, 1, (20, 100), 0.15, 2, 0.7, 0.8),
        Kind(8, 4, (100, 500), 0.4, 2, 0.95, 0.95),
        Kind(40, 10, (5, 12), 0.35, 1, 0.8, 0.8),
        Kind(20, 5, (50, 50), 0.7, 3, 0.5, 0.9),
        Kind(16, 8, (10, 300), 0.1, 1, 0.9, 0.5),
        Kind(57, 6, (15, 40), 0.25, 0.6, 0.98, 0.98),
        Kind(10, 2, (250, 250), 0.6, 8, 0.4, 0.7),
        Kind(18, 9, (20, 200), 0.45, 1.5, 0.7, 0.75),
        Kind(35, 7, (12, 80), 0.12, 0.7, 0.85, 0.9),
        Kind(45, 15, (15, 90), 0.35, 1.2, 0.75, 0.85),
        Kind(14, 7, (30, 300), 0.2, 4, 0.85, 0.92),
    ),
}
STRENGTH = 10
"""Of the Beta distributions of sensitivity and specificity."""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """A scan, and what each of its outputs truly is.

    Attributes
    ----------
    task : LabellingTask
    is_hit : mapping of Place to bool
    """

    task: LabellingTask
    is_hit: Mapping[Place, bool]

    @property
    def tenths(self) -> int:
        """The score if every output were judged rightly."""
        pairs = self.task.scan.pairs
        passed = np.array([[pair.total_evaluated or 0] for pair in pairs])
        for stratum in self.task.scan.strata:
            passed[stratum.pair] -= sum(self.is_hit[place] for place in stratum.places)
        return int(score_tenths(pairs, grades_by_count(pairs, passed).T)[0])


def truth_of(
    pairs: Sequence[Pair], hits: Sequence[tuple[Booleans, Booleans]], seed: int
) -> Truth:
    """Return a truth by whether the flagged and unflagged outputs of pairs are hits."""
    strata, questions = [], []
    is_hit: dict[Place, bool] = {}
    rng = np.random.default_rng(seed)
    for number, (pair, both) in enumerate(zip(pairs, hits, strict=True)):
        asked = partial(Question, probe=pair.probe, detector=pair.detector)
        for flagged, own in zip((True, False), both, strict=True):
            if not len(own):
                continue
            places = [Place(f"{number} {flagged}", index) for index in range(len(own))]
            stratum = Stratum(
                pair=number, detector=pair.detector, flagged=flagged, outputs=len(own)
            )
            strata.append(replace(stratum, places=places))
            is_hit.update(zip(places, map(bool, rng.permutation(own)), strict=True))
            questions.append([asked(place=place) for place in places])
    scan = AuditedScan(pairs=pairs, strata=strata)
    task = LabellingTask(scan=scan, questions=questions, seed=seed)
    return Truth(task=task, is_hit=is_hit)


def invented(kind: Kind, seed: int) -> Truth:
    """Draw a truth of a kind."""
    rng = np.random.default_rng([seed, kind.pairs, kind.detectors])
    sensitivity, specificity = (
        rng.beta(mean * STRENGTH, (1 - mean) * STRENGTH, kind.detectors)
        for mean in (kind.sensitivity, kind.specificity)
    )
    pairs, hits = [], []
    for number in range(kind.pairs):
        total = round(float(np.exp(rng.uniform(*np.log(kind.sizes)))))
        detector = number % kind.detectors
        rate = rng.beta(kind.hits * kind.evenness, (1 - kind.hits) * kind.evenness)
        is_hit = rng.random(total) < rate
        chance = np.where(is_hit, sensitivity[detector], 1 - specificity[detector])
        flagged = rng.random(total) < chance
        tier = 1 + int(rng.random() < 0.5)
        passed = total - int(flagged.sum())
        pairs.append(make_pair(f"p.P{number}", f"d.D{detector}", tier, passed, total))
        hits.append((is_hit[flagged], is_hit[~flagged]))
    return truth_of(pairs, hits, seed)


RUNS = 10, 2
"""Of each kind of truth and rater."""

MISUSED = 8
"""Of each kind of truth and misuse."""

SEED = 1
LABELS = (150, 300)
ASIDE = 2


class Rater(NamedTuple):
    """How somebody labels, and what the audit is to reach with his labels.

    Attributes
    ----------
    name : str
    held, error : float
        Share of ranges that hold at least, mean error of the score at most.
    miss, false : float
        Chance that a hit is called a pass, and a pass a hit.
    repeats : bool
        Whether a second look has the same error.
    people : int
        How many give their answers about each output.
    """

    name: str
    held: float
    error: float
    miss: float = 0.0
    false: float = 0.0
    repeats: bool = False
    people: int = 1


RATERS = (
    Rater("careful", 0.95, 0.10),
    Rater("2 % slips", 0.95, 0.12, 0.02, 0.02),
    Rater("5 % slips", 0.93, 0.15, 0.05, 0.05),
    Rater("10 % slips", 0.93, 0.20, 0.1, 0.1),
    Rater("misses 20 % of hits", 0.88, 0.20, 0.2),
    Rater("5 % errors that repeat", 0.9, 0.27, 0.05, 0.05, repeats=True),
    Rater("10 % errors that repeat", 0.8, 0.42, 0.1, 0.1, repeats=True),
    Rater("two raters, 15 % each", 0.88, 0.25, 0.15, 0.15, people=2),
)
MISUSE = (
    "careful",
    "careful, skips 5 %",
    "skips wrong verdicts",
    "skips long outputs",
    "one answer throughout",
    "a coin",
    "one probe",
)


def answers(
    truth: Truth, rater: Rater, session: Session, rng: Generator
) -> Iterator[int]:
    """Answer what the label page asks; yield how many answers were given."""
    judged: dict[tuple[int, Place], bool] = {}
    given = 0
    while True:
        question = session.question("0", session.open_from("0"))
        if question is None:
            return
        is_hit = truth.is_hit[question.place]
        for person in range(rater.people if question.look == 1 else 1):
            errs = bool(rng.random() < (rater.miss if is_hit else rater.false))
            if rater.repeats:
                errs = judged.setdefault((person, question.place), errs)
            said = HIT if is_hit != errs else PASS
            session.accept(question.answered(said, str(person)))
            given += 1
        yield given


def audits(
    rng: Generator, run: int, *, truth_of_run: Callable[[int], Truth], rater: Rater
) -> list[float]:
    """Return what the audit of a truth says after some answers, and after more.

    For each count: whether the range holds, its width, the error of the score; and
    whether the range holds that takes every label for right. Half of the runs end at
    the first count: NaN.
    """
    truth = truth_of_run(run)
    session, true = Session(truth.task), truth.tenths
    given = answers(truth, rater, session, rng)
    found: list[float] = []
    for count in LABELS[: 1 + run % 2]:
        next((n for n in given if n >= count), None)
        score = draw_scores(session.scan, seed=run).score
        right = draws_if_right(session.scan, seed=run).score
        found += [
            score.lower <= true <= score.upper,
            (score.upper - score.lower) / 10,
            abs(score.value - true) / 10,
            right.lower <= true <= right.upper,
        ]
    return found + [np.nan] * (4 * len(LABELS) - len(found))


def is_warned(truth: Truth, how: str, seed: int) -> bool:
    """Whether labels that are given in a way of ``MISUSE`` are warned of."""
    task, rng = truth.task, np.random.default_rng([seed, 2])
    lengths = {place: int(rng.lognormal(6, 1)) for place in truth.is_hit}
    if how == "one probe":
        largest = max(task.scan.pairs, key=lambda pair: pair.total_evaluated or 0)
        everything = (q for own in task.questions for q in own)
        task = task.of({q.judged for q in everything if q.probe == largest.probe})
    session = Session(task, most=LABELS[0])
    said: dict[Judged, Mapping[str, Sequence[str]]] = {}
    skipped: list[Judged] = []
    while question := session.question("0", session.open_from("0")):
        judged, is_hit = question.judged, truth.is_hit[question.place]
        flagged = task.scan.flagged(judged)
        skips = {
            "careful, skips 5 %": rng.random() < 0.05,
            "skips wrong verdicts": is_hit != flagged,
            "skips long outputs": lengths[question.place] > 800,
        }
        if how == "a coin":
            is_hit = bool(rng.random() < 0.5)
        answer = HIT if is_hit and how != "one answer throughout" else PASS
        if skips.get(how):
            skipped.append(judged)
            answer = SKIP
        else:
            said.setdefault(judged, {"0": [answer]})
        session.accept(question.answered(answer, "0"))
    matched = ReportLabels(answers=said, passed_over=skipped, skipped=len(skipped))
    return bool(label_warnings(session.scan, matched, lengths))


HEADER = (
    "truths | rater | runs (half of them go on to 300) | bound: held, error"
    + "".join(
        f" | {count} answers: held | {count} answers: width | {count} answers: error"
        f" | {count} answers: held if labels were right"
        for count in LABELS
    )
)


def rows_of(
    name: str, draw: Sequence[Callable[[int], Truth]], runs: int
) -> Iterator[str]:
    """Measure every rater on truths of these kinds."""

    def truth_of_run(run: int) -> Truth:
        return draw[run // runs](run % runs)

    every = range(len(draw) * runs)
    unaudited = [
        abs(score_pairs(truth.task.scan.pairs).tenths - truth.tenths) / 10
        for truth in map(truth_of_run, every)
    ]
    for rater in RATERS:
        audited = partial(audits, truth_of_run=truth_of_run, rater=rater)
        line = (
            f"{name} (error unaudited {np.mean(unaudited):.2f}) | {rater.name}"
            f" | {len(every)} | {rater.held:.0%}, {rater.error:.2f}"
        )
        means = np.nanmean(simulations(audited, len(every), SEED), axis=0)
        for share, width, error, right in means.reshape(-1, 4):
            line += f" | {share:.0%} | {width:.2f} | {error:.2f} | {right:.0%}"
        yield line


def warned(name: str) -> str:
    """Return the share of runs with a warning, for each way of ``MISUSE``."""
    shares = (
        np.mean(
            [
                is_warned(invented(kind, seed), how, seed)
                for kind in KINDS[name]
                for seed in range(MISUSED)
            ]
        )
        for how in MISUSE
    )
    return f"{name} | {percents(map(float, shares), 0)}"


def main(runs: int) -> str:
    """Simulate, and return the tables."""
    rows: list[str] = []
    for name, kinds in KINDS.items():
        for what, chosen in (
            (name, kinds[:-ASIDE]),
            (f"set aside, {name}", kinds[-ASIDE:]),
        ):
            rows += rows_of(what, [partial(invented, kind) for kind in chosen], runs)
    warnings = table(" | ".join(("truths", *MISUSE)), map(warned, KINDS))
    return f"{table(HEADER, rows)}\n\nRuns with a warning:\n\n{warnings}"
