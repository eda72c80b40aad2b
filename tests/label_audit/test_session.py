# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs are asked for; pauses, raters and steps back change nothing of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.label_audit.labels import ANSWERS, Label
from garak_tbsa.label_audit.outputs import Place
from garak_tbsa.label_audit.questions import (
    LabellingTask,
    labelling_task,
    next_questions,
)
from garak_tbsa.label_audit.session import Answer, Session
from tests.factories import PairFacts, graded_pair
from tests.label_audit.scans import attempt, outputs_of_attempts

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


def label_of(answer: Answer) -> Label:
    """Return an answer as it is read back from its line."""
    row = json.loads(answer.line())
    return Label(
        where="x",
        attempt=row["attempt"],
        output_index=row["output_index"],
        detector=row["detector"],
        answer=row["label"],
        rater=row["rater"],
        drawn=row["drawn"],
    )


def go(session: Session, said: Sequence[str]) -> list[Answer]:
    """Answer until nothing is left to say, or to answer."""
    answers = []
    for each in said:
        if session.current is None:
            break
        answers.append(session.answer(each, "", "2026-01-01T00:00:00+00:00"))
        session.accept(answers[-1])
    return answers


def test_the_first_batch_has_two_of_each_detector_and_verdict_mixed() -> None:
    task = task_of()
    first = next_questions(task, {}, 5)
    groups = Counter(task.scan.cells[task.cell_of[q.judged]].group for q in first)
    assert sorted(groups.values()) == [2, 2, 2, 2]
    verdicts = {
        tuple(task.scan.cells[task.cell_of[q.judged]].flagged for q in batch)
        for batch in (
            next_questions(task_of(seed=seed), {}, 5)[:4] for seed in range(20)
        )
    }
    assert len(verdicts) > 5


def test_within_a_cell_each_output_is_as_likely_as_another() -> None:
    """\"Within a cell the draw is random\""""
    seen = Counter(task_of(seed=seed).questions[0][0].place for seed in range(600))
    assert len(seen) == 12
    assert all(25 < count < 80 for count in seen.values())


def test_the_order_is_the_same_again_and_for_every_rater() -> None:
    assert task_of().questions == task_of().questions
    first, second = Session(task_of(), rater="ann"), Session(task_of(), rater="bob")
    for _ in range(30):
        assert first.current == second.current
        go(first, ["hit"])
        go(second, ["hit"])


@given(st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=90), st.integers(0, 90))
def test_no_output_is_asked_for_twice_also_after_a_pause(
    said: list[str], pause: int
) -> None:
    """\"append-only JSON Lines beside the report, resumes\""""
    session = Session(task_of(), rater="ann")
    answers = go(session, said[:pause])
    resumed = Session(task_of(), map(label_of, answers), rater="ann")
    assert (resumed.labelled, resumed.passed_over) == (
        session.labelled,
        session.passed_over,
    )
    assert resumed.scan == session.scan
    answers += go(resumed, said[pause:])
    asked = [answer.question.judged for answer in answers]
    assert len(asked) == len(set(asked)) == min(len(said), 80)


def test_everything_is_asked_for_in_the_end() -> None:
    session = Session(task_of(), rater="ann")
    assert len(go(session, ["pass"] * 100)) == session.task.outputs == 80
    assert session.current is None
    assert session.scan.labels == 80


def test_a_step_back_shows_the_answer_and_a_new_one_replaces_it() -> None:
    session = Session(task_of(), rater="ann")
    first = session.current
    assert not session.back()
    session.accept(session.answer("hit", "why", "t"))
    second = session.current
    assert session.back()
    assert (session.current, session.said_before, session.note_before) == (
        first,
        "hit",
        "why",
    )
    session.accept(session.answer("pass", "", "t"))
    assert session.current == second
    assert (session.said_before, session.labelled) == (None, 1)
    assert sum(cell.hits for cell in session.scan.cells) == 0


def test_steps_forward_leave_answers_as_they_are() -> None:
    session = Session(task_of(), rater="ann")
    assert not session.forward()
    go(session, ["hit", "skip", "pass"])
    new, scan = session.current, session.scan
    for _ in range(3):
        session.back()
    assert session.said_before == "hit"
    assert [session.forward() for _ in range(4)] == [True, True, True, False]
    assert (session.current, session.scan) == (new, scan)


def test_steps_back_go_beyond_a_pause() -> None:
    answers = go(Session(task_of(), rater="ann"), ["hit", "skip"])
    resumed = Session(task_of(), map(label_of, answers), rater="ann")
    assert resumed.back()
    assert resumed.current == answers[1].question
    assert resumed.said_before == "skip"


def test_most_ends_a_session_and_skipped_ones_do_not_count() -> None:
    session = Session(task_of(), rater="ann", most=3)
    answers = go(session, ["skip", "hit", "unsure", "pass", "hit", "hit", "hit"])
    assert [answer.answer for answer in answers][-1] == "hit"
    assert (len(answers), session.labelled, session.passed_over) == (5, 3, 2)
    assert session.current is None
    assert (
        Session(task_of(), map(label_of, answers), rater="ann", most=3).current is None
    )


def test_one_detector_or_one_probe_alone() -> None:
    session = Session(task_of(detector="dan.DAN"), rater="ann")
    answers = go(session, ["hit"] * 50)
    assert {answer.question.detector for answer in answers} == {"dan.DAN"}
    assert len(answers) == 40
    assert task_of(probe="no.Such").outputs == 0


def test_raters_make_the_scan_together_and_labels_of_other_reports_are_counted() -> (
    None
):
    answers = go(Session(task_of(), rater="ann"), ["hit", "hit"])
    labels = [label_of(answer) for answer in answers]
    other = Label(
        where="x", attempt="other", output_index=0, detector="dan.DAN", answer="hit"
    )
    session = Session(task_of(), [*labels, other], rater="bob")
    assert (session.unused, session.labelled, session.scan.labels) == (1, 0, 2)
    assert session.current is not None
    assert session.current == answers[0].question
    go(session, ["pass"])
    # as many say hit as pass
    assert session.scan.labels == 1


def test_what_comes_soon_has_the_question_that_is_shown() -> None:
    session = Session(task_of(), rater="ann")
    soon = list(session.upcoming(3))
    assert session.current is not None
    assert soon[0] == session.current.place
    assert len(set(soon)) <= len(session.task.questions) * 3 + 10
    go(session, ["hit"] * 3)
    assert session.current.place in session.upcoming(3)


def test_a_line_holds_whatever_a_person_writes() -> None:
    session = Session(task_of(), rater="Zoë \ud800")
    line = session.answer("hit", 'a "quoted"\nnote', "t").line()
    assert line.isascii()
    assert line.count("\n") == 1
    assert json.loads(line) == {
        "attempt": session.answer("hit", "", "").question.place.attempt,
        "output_index": session.answer("hit", "", "").question.place.output_index,
        "detector": session.answer("hit", "", "").question.detector,
        "label": "hit",
        "rater": "Zoë \ud800",
        "note": 'a "quoted"\nnote',
        "drawn": True,
        "time": "t",
    }


def test_pairs_that_cannot_be_audited_are_not_asked_for() -> None:
    graded = [graded_pair(PairFacts(probe="a.A", detector="a.X", passed=1, total=5))]
    task = labelling_task(graded, outputs_of_attempts())
    assert task.outputs == 0
    assert list(task.not_audited) == ["a.A+a.X"]
    assert Session(task).current is None


def test_places_are_known_by_attempt_and_index() -> None:
    assert (Place("u1", 0), "dan.DAN") in task_of().cell_of
