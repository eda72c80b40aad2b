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
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.audited_truths import KINDS, Truth, invented
from benchmarks.timing import table
from garak_tbsa.detector_eval.report_labels import (
    HIT,
    PASS,
    Judged,
    Place,
    ReportLabels,
)
from garak_tbsa.labels.audit import label_warnings
from garak_tbsa.labels.label_files import SKIP
from garak_tbsa.labels.questions import Session
from garak_tbsa.labels.scan import Floats
from garak_tbsa.labels.score import draw_scores, score_if_right
from garak_tbsa.tbsa.score import score_pairs

RUNS, QUICK_RUNS = 10, 2
"""Of each kind of truth and rater."""

MISUSED = 8
"""Of each kind of truth and misuse."""

LABELS = (150, 300)
ASIDE = 2

Booleans = NDArray[np.bool_]
Generator = np.random.Generator


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


def audits(truth: Truth, rater: Rater, counts: Sequence[int], seed: int) -> list[float]:
    """Return what the audit says after so many answers.

    For each count: whether the range holds, its width, the error of the score; and
    whether the range holds that takes every label for right.
    """
    session, true = Session(truth.task), truth.tenths
    given = answers(truth, rater, session, np.random.default_rng([seed, 1]))
    found: list[float] = []
    for count in counts:
        next((n for n in given if n >= count), None)
        scan = session.scan
        score = draw_scores(scan, seed=seed + 1).score
        right = score_if_right(scan, seed=seed + 1)
        found += [
            score.lower <= true <= score.upper,
            (score.upper - score.lower) / 10,
            abs(score.value - true) / 10,
            right.lower <= true <= right.upper,
        ]
    return found + [np.nan] * (4 * (len(LABELS) - len(counts)))


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


HEADER = [
    *("truths", "rater", "runs (half of them go on to 300)", "bound: held, error"),
    *(
        f"{count} answers: {what}"
        for count in LABELS
        for what in ("held", "width", "error", "held if labels were right")
    ),
]


def rows_of(
    name: str, draw: Sequence[Callable[[int], Truth]], runs: int
) -> tuple[list[list[str]], Floats]:
    """Measure every rater: lines of the table, and held by rater and kind of truth."""
    scans = [[each(seed) for seed in range(runs)] for each in draw]
    unaudited = [
        abs(score_pairs(truth.task.scan.pairs).tenths - truth.tenths) / 10
        for own in scans
        for truth in own
    ]
    name = f"{name} (error unaudited {np.mean(unaudited):.2f})"
    rows, held = [], []
    for rater in RATERS:
        found = np.array(
            [
                [
                    # half of the runs go on
                    audits(truth, rater, LABELS[: 1 + (seed < runs / 2)], 99 * n + seed)
                    for seed, truth in enumerate(own)
                ]
                for n, own in enumerate(scans)
            ],
            dtype=float,
        )
        held.append(found[:, :, 0].mean(axis=1))
        means = np.nanmean(found, axis=(0, 1)).reshape(-1, 4)
        bound = f"{rater.held:.0%}, {rater.error:.2f}"
        rows.append([name, rater.name, str(found[:, :, 0].size), bound])
        for share, width, error, right in means:
            rows[-1] += [f"{share:.0%}", f"{width:.2f}", f"{error:.2f}", f"{right:.0%}"]
    return rows, np.array(held)


def main(quick: bool = False) -> str:
    """Simulate, and return the tables."""
    runs = QUICK_RUNS if quick else RUNS
    rows: list[list[str]] = []
    kinds_held: list[list[str]] = []
    warned: list[list[str]] = []
    for name, kinds in KINDS.items():
        for start, what in ((0, name), (len(kinds) - ASIDE, f"set aside, {name}")):
            chosen = kinds[start:] if start else kinds[:-ASIDE]
            draw = [partial(invented, kind) for kind in chosen]
            more, held = rows_of(what, draw, runs)
            rows += more
            kinds_held += [
                [what, ", ".join(map(str, kind)), *(f"{share:.0%}" for share in own)]
                for kind, own in zip(chosen, held.T, strict=True)
            ]
        shares = [
            [
                is_warned(invented(k, seed), how, seed)
                for k in kinds
                for seed in range(MISUSED)
            ]
            for how in MISUSE
        ]
        warned.append([name, *(f"{np.mean(each):.0%}" for each in shares)])
    names = [rater.name for rater in RATERS]
    return "\n\n".join(
        (
            table(HEADER, rows),
            "Held at 150 answers, by kind of truth (pairs, detectors, outputs of a"
            " pair, share of hits, its evenness, sensitivity, specificity):",
            table(["truths", "kind", *names], kinds_held),
            "Runs with a warning:",
            table(["truths", *MISUSE], warned),
        )
    )


if __name__ == "__main__":
    print(main())
