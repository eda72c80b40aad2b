# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever an attempt's row holds, it gives hits or nothing, and can be shown."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.evidence.hits import HitCollector
from garak_tbsa.garak_files.attempts import WholeAttempt, parse_attempt
from garak_tbsa.outputs.whole_attempt import lines

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["\x1b[2J", "user", "turns", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["turns", "role", "content", "text", "lang", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
ROWS = st.fixed_dictionaries(
    {"uuid": JSON, "probe_classname": st.just("m.P") | JSON},
    optional={
        "prompt": JSON,
        "outputs": st.lists(JSON, max_size=3) | JSON,
        "detector_results": st.dictionaries(
            st.sampled_from(["m.D", "detector.m.E"]),
            st.lists(st.floats() | JSON, max_size=4) | JSON,
        )
        | JSON,
        "notes": JSON,
        "goal": JSON,
        "conversations": st.lists(JSON, max_size=3) | JSON,
        "messages": JSON,
        "reverse_translation_outputs": st.lists(JSON, max_size=3) | JSON,
    },
)


def is_harmless(text: str) -> bool:
    return all(char.isprintable() or char == "\ufe0f" for char in text)


@given(st.lists(ROWS, max_size=3))
def test_any_rows_give_readable_hits(rows: list[dict[str, Any]]) -> None:
    """It is cut and has no control characters."""
    pairs = [("m.P", "m.D"), ("m.P", "m.E")]
    collector = HitCollector(pairs, count=2, seed=1, threshold=0.5)
    attempts = [parse_attempt(row, line) for line, row in enumerate(rows, start=1)]
    assert list(collector.watch(attempts, "r")) == attempts
    for pair in pairs:
        hits = collector.hits(*pair)
        assert len(hits) == min(2, collector.hit_count(*pair))
        for hit in hits:
            for text in (hit.prompt.text, hit.response.text, hit.attempt_uuid):
                assert is_harmless(text.replace("\n", ""))
        for sibling in collector.siblings(*pair):
            assert 0 <= sibling.passed <= sibling.judged <= collector.hit_count(*pair)


@given(ROWS)
def test_any_row_is_shown_without_control_characters(row: dict[str, Any]) -> None:
    """Nothing of it reaches a terminal as more than text on a line of ours."""
    for line in lines(WholeAttempt(attempt=parse_attempt(row, 1), threshold=0.5), "r"):
        assert is_harmless(line)
