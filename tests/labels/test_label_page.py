# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page to label on: its order, its identity, any text; the net has the rest."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.labels.label_page import page_text
from garak_tbsa.labels.outputs import Place
from garak_tbsa.labels.questions import (
    LabellingTask,
    Question,
    labelling_task,
    planned_questions,
)
from garak_tbsa.labels.texts import OutputText, Texts
from garak_tbsa.safe_text import readable
from tests.behaviour.pages import Source
from tests.factories import PairFacts, graded_pair
from tests.labels.reports import full_report
from tests.labels.scans import attempt, outputs_of_attempts
from tests.outputs.samples import HOSTILE


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return full_report(tmp_path / "x.report.jsonl")


def test_the_order_tells_no_verdict() -> None:
    """Over many seeds flagged outputs are where unflagged ones are."""
    places: dict[bool, list[int]] = {True: [], False: []}
    for seed in range(24):
        task = small_task(seed)
        for number, question in enumerate(planned_questions(task, {}, 20)):
            stratum = task.scan.strata[task.stratum_of[question.judged]]
            places[stratum.flagged].append(number)
    assert min(map(len, places.values())) > 80
    means = [statistics.mean(places[flagged]) for flagged in (True, False)]
    assert abs(means[0] - means[1]) < 1.5


def small_task(seed: int) -> LabellingTask:
    hits = {"dan.DAN": 12, "mitigation.Prefixes": 6}
    attempts = [
        attempt(f"u{n}", {name: [n < own, 0.0] for name, own in hits.items()})
        for n in range(20)
    ]
    graded = [
        graded_pair(
            PairFacts(probe="dan.DanInTheWild", detector=n, passed=40 - own, total=40)
        )
        for n, own in hits.items()
    ]
    return labelling_task(graded, outputs_of_attempts(*attempts), seed=seed)


def test_a_report_without_uuid_is_known_by_its_attempts(
    report: Path, tmp_path: Path
) -> None:
    task = small_task(1)
    questions: Sequence[Question] = ()
    texts = Texts(str(report))
    known = [
        Source(page_text("x", run, task, questions, texts)).data["report"]
        for run in ("run", None, None)
    ]
    assert known[0] == "run"
    assert re.fullmatch("[0-9a-f]{64}", known[1])
    assert known[1] == known[2]


class GivenTexts(Texts):
    """Texts that no report has to hold."""

    def __init__(self, text: str) -> None:
        super().__init__("")
        self.text = text

    def of(self, place: Place, upcoming: Iterable[Place]) -> OutputText:
        return OutputText(prompt=self.text, text=self.text, goal=self.text)


@settings(max_examples=40)
@given(text=st.text(max_size=40) | st.sampled_from(HOSTILE))
def test_every_string_of_a_report_is_text(text: str) -> None:
    """\"never markup, never script\", and ids come back as they are."""
    question = Question(place=Place(text, 0), probe=text, detector=text)
    parsed = Source(
        page_text(
            f"{text}.report.jsonl",
            text,
            small_task(1),
            [question],
            GivenTexts(text),
            text,
        )
    )
    plain = Source(page_text("x", "x", small_task(1), [question], GivenTexts("x"), "x"))
    assert parsed.tags == plain.tags
    assert {n: t for n, t in parsed.raw.items() if n != "data"} == {
        n: t for n, t in plain.raw.items() if n != "data"
    }
    (row,) = parsed.data["questions"]
    assert (row["attempt"], row["detector"]) == (text, text)
    assert row["text"] == row["goal"] == parsed.data["prompts"][0] == readable(text)
