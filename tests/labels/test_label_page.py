# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Each text of a report on the page to label on, as people may read it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from garak_tbsa.detector_eval.report_labels import Place
from garak_tbsa.labels.label_page import Texts
from garak_tbsa.labels.questions import Question
from garak_tbsa.safe_text import readable
from tests.outputs.samples import HOSTILE, write
from tests.report_rows import PairFacts, attempt_row, report_rows


@settings(max_examples=8)
@given(st.lists(st.text(max_size=40), min_size=5, max_size=5, unique=True))
@example([*HOSTILE, "", "a\tb", "\r\n", "e" + "\u0301" * 5])
def test_every_text_of_a_report_is_shown_as_it_is_or_by_its_escapes(
    tmp_path_factory: pytest.TempPathFactory, given_texts: list[str]
) -> None:
    """A report in which an attempt has each text wherever it can be.

    An attempt without an id is known by its line.
    """
    pairs = [
        PairFacts(probe=f"p{n}.{text}", detector=f"d{n}.{text}", passed=0, total=1)
        for n, text in enumerate(given_texts)
    ]
    attempts = [
        attempt_row(
            facts,
            prompt=text,
            scores=[1.0],
            outputs=[text],
            goal=text,
            uuid=text or None,
        )
        for facts, text in zip(pairs, given_texts, strict=True)
    ]
    rows = report_rows(pairs, attempts=attempts)
    texts = Texts(write(tmp_path_factory.mktemp("any"), "any", rows))
    for number, (facts, text) in enumerate(zip(pairs, given_texts, strict=True)):
        # the rows of setup, start and tiers come first
        place = Place(text or f"line {number + 4}", 0)
        asked = Question(place=place, probe=facts.probe, detector=facts.detector)
        shown = texts.of(asked, ())["question"]
        assert shown["text"] == shown["goal"] == shown["prompt"] == readable(text)
        assert shown["probe_shown"] == readable(facts.probe)
        assert shown["detector_shown"] == readable(facts.detector)
