# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs are asked for; pauses, raters and steps back change nothing of it."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.detector_eval.report_labels import Place
from garak_tbsa.labels.label_files import ANSWERS, JUDGEMENTS, Label
from garak_tbsa.labels.questions import LabellingTask, Question, Session, labelling_task
from tests.factories import PairFacts, graded_pair
from tests.labels.scans import attempt, outputs_of_attempts

DETECTORS = {"dan.DAN": 12, "mitigation.Prefixes": 6}
"""Flagged outputs of each, out of 40."""


def task_of(**options: object) -> LabellingTask:
    attempts = [
        attempt(
            f"u{number}",
            {name: [number < hits, 0.0] for name, hits in DETECTORS.items()},
        )
        for number in range(20)
    ]
    graded = [
        graded_pair(
            PairFacts(
                probe="dan.DanInTheWild", detector=name, passed=40 - hits, total=40
            )
        )
        for name, hits in DETECTORS.items()
    ]
    return labelling_task(graded, outputs_of_attempts(*attempts), **options)  # type: ignore[arg-type]


def current(session: Session, rater: str = "ann") -> Question | None:
    return session.question(rater, session.open_from(rater))


def go(session: Session, said: Sequence[str], rater: str = "ann") -> list[Label]:
    """Answer until nothing is left to say, or to answer."""
    answers = []
    for each in said:
        question = current(session, rater)
        if question is None:
            break
        answers.append(question.answered(each, rater))
        session.accept(answers[-1])
    return answers


def judged(label: Label) -> object:
    return label.place, label.detector


def flags(task: LabellingTask, questions: Sequence[Question]) -> tuple[bool, ...]:
    return tuple(task.scan.flagged(question.judged) for question in questions)


def test_the_first_batch_has_two_of_each_detector_and_verdict_mixed() -> None:
    """It is the same again, and for every rater."""
    task = task_of()
    first = task.next({}, 5)
    groups = Counter(
        (q.detector, flag) for q, flag in zip(first, flags(task, first), strict=True)
    )
    assert sorted(groups.values()) == [2, 2, 2, 2]
    mixed = {flags(task, task_of(seed=seed).next({}, 5)[:4]) for seed in range(20)}
    assert len(mixed) > 5
    assert task_of().questions == task.questions
    session = Session(task)
    asked = [go(session, ["hit"] * 30, rater) for rater in ("ann", "bob")]
    assert [judged(x) for x in asked[0]] == [judged(x) for x in asked[1]]


def test_the_order_tells_no_verdict() -> None:
    """Over many seeds flagged outputs are where unflagged ones are."""
    places: dict[bool, list[int]] = {True: [], False: []}
    for seed in range(24):
        task = task_of(seed=seed)
        for number, flag in enumerate(flags(task, task.next({}, 20))):
            places[flag].append(number)
    assert min(map(len, places.values())) > 80
    means = [statistics.mean(places[flagged]) for flagged in (True, False)]
    assert abs(means[0] - means[1]) < 1.5


def test_within_a_stratum_each_output_is_as_likely_as_another() -> None:
    """\"Within a stratum the draw is random\""""
    seen = Counter(task_of(seed=seed).questions[0][0].place for seed in range(600))
    assert len(seen) == 12
    assert all(25 < count < 80 for count in seen.values())


@given(st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=90), st.integers(0, 90))
def test_no_question_is_asked_twice_also_after_a_pause(
    said: list[str], pause: int
) -> None:
    """\"append-only JSON Lines beside the report, resumes\""""
    session = Session(task_of())
    answers = go(session, said[:pause])
    resumed = Session(task_of(), answers)
    for each in (session, resumed):
        count = sum(answer.answer in JUDGEMENTS for answer in answers)
        assert each.labelled("ann") == count
        assert each.passed_over("ann") == len(answers) - count
    assert resumed.scan.strata == session.scan.strata
    answers += go(resumed, said[pause:])
    asked = [judged(answer) for answer in answers]
    firsts = [judged(answer) for answer in answers if answer.look == 1]
    assert len(firsts) == len(set(firsts))
    assert len(asked) == len(said) or len(firsts) == 80


def test_it_ends_when_all_or_the_most_is_labelled() -> None:
    """Skipped ones do not count; of all outputs, some are shown again."""
    session = Session(task_of())
    answers = go(session, ["pass"] * 100)
    firsts = {judged(answer) for answer in answers if answer.look == 1}
    assert len(firsts) == session.task.outputs == 80
    assert len(answers) == 80 + 80 // 7
    assert current(session) is None
    assert session.scan.labels == 80
    session = Session(task_of(), most=3)
    answers = go(session, ["skip", "hit", "unsure", "pass", "hit", "hit", "hit"])
    assert (len(answers), answers[-1].answer) == (5, "hit")
    assert (session.labelled("ann"), session.passed_over("ann")) == (3, 2)
    assert current(Session(task_of(), answers, most=3)) is None
    # one that was skipped is labelled later: there is no fourth question
    session.accept(replace(answers[0], answer="pass"))
    assert current(session) is None


def test_contradictions_are_shown_again_later_and_not_too_many() -> None:
    """\"At most one answer in eight, blind and at a distance.\""""
    session = Session(task_of())
    scan = session.task.scan
    said: dict[object, list[str]] = {}
    asked: list[Question] = []
    for _ in range(90):
        question = current(session)
        if question is None:
            break
        flagged = scan.flagged(question.judged)
        right = "hit" if flagged else "pass"
        # an odd one now and then, and another answer when it comes again
        wrong = "pass" if flagged else "hit"
        answer = wrong if question.look == 1 and len(asked) % 6 == 0 else right
        said.setdefault(question.judged, []).append(answer)
        asked.append(question)
        session.accept(question.answered(answer, "ann"))
        assert sum(each.look > 1 for each in asked) <= len(asked) / 8
    again = [(n, each) for n, each in enumerate(asked) if each.look > 1]
    assert {each.look for _, each in again} == {2, 3}
    for number, each in again:
        before = said[each.judged]
        assert before[0] != ("hit" if scan.flagged(each.judged) else "pass")
        earlier = asked.index(replace(each, look=each.look - 1))
        assert number - earlier >= 10
        if each.look == 3:
            assert before[0] != before[1]


def test_raters_make_the_scan_together_and_labels_of_other_reports_do_not() -> None:
    answers = go(Session(task_of()), ["hit", "hit"])
    other = Label(place=Place("other", 0), detector="dan.DAN", answer="hit")
    session = Session(task_of(), [*answers, other])
    assert (session.labelled("bob"), session.scan.labels) == (0, 2)
    first = current(session, "bob")
    assert first is not None
    assert judged(first.answered("hit", "bob")) == judged(answers[0])
    go(session, ["pass"], "bob")
    # as many say hit as pass
    assert (session.scan.labels, session.scan.answered_outputs) == (1, 2)
    for count in (0, 3):
        go(session, ["hit"] * count)
        question = current(session)
        soon = list(session.upcoming("ann", 3))
        assert question is not None
        assert soon[0] == question.place
        assert len(set(soon)) <= len(session.task.questions) * 3 + 10


def test_a_line_is_one_line_of_ascii_whatever_a_person_writes() -> None:
    question = current(Session(task_of()))
    assert question is not None
    answer = question.answered("hit", "Zoë \ud800", note='a "quoted"\nnote')
    assert answer.line().isascii()
    assert answer.line().count("\n") == 1
    row = json.loads(answer.line())
    assert (row["rater"], row["note"]) == (answer.rater, answer.note)
