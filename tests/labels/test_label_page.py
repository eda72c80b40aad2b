# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page to label on: its order, its identity, any text; the net has the rest."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.detector_eval.report_labels import Place
from garak_tbsa.labels.label_page import Texts, page_text
from garak_tbsa.labels.questions import LabellingTask, Question, labelling_task
from garak_tbsa.safe_text import readable
from tests.factories import PairFacts, graded_pair
from tests.labels.scans import attempt, outputs_of_attempts
from tests.outputs.samples import HOSTILE
from tests.page_parser import Page


def small_task() -> LabellingTask:
    facts = PairFacts(probe="dan.DanInTheWild", passed=1, total=2)
    outputs = outputs_of_attempts(attempt("u", {"dan.DAN": [1.0, 0.0]}))
    return labelling_task([graded_pair(facts)], outputs)


@settings(max_examples=40)
@given(text=st.text(max_size=40) | st.sampled_from(HOSTILE))
def test_every_string_of_a_report_is_text(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    """\"never markup, never script\", and ids come back as they are."""
    folder = tmp_path_factory.mktemp("any")

    def parsed_with(said: str) -> Page:
        row = {
            "entry_type": "attempt",
            "status": 2,
            "uuid": said or None,
            "prompt": said,
            "outputs": [said],
            "goal": said,
        }
        path = folder / "x.report.jsonl"
        path.write_text(json.dumps(row))
        place = Place(said or "line 1", 0)
        asked = [Question(place=place, probe=said, detector=said)]
        texts = Texts(str(path))
        return Page(page_text(said, said, small_task(), asked, texts, said))

    parsed, plain = parsed_with(text), parsed_with("x")
    assert parsed.tags == plain.tags
    assert {n: t for n, t in parsed.raw.items() if n != "data"} == {
        n: t for n, t in plain.raw.items() if n != "data"
    }
    (row,) = parsed.data["questions"]
    assert (row["attempt"], row["detector"]) == (text or "line 1", text)
    assert row["text"] == row["goal"] == parsed.data["prompts"][0] == readable(text)
