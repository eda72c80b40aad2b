# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Hits of any attempts: drawn by their order, readable, and shown as text."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.hits import CutText, Hit, HitCollector, PairHits, random_number
from garak_tbsa.outputs.explanation import attempt_lines
from garak_tbsa.report.attempts import WholeAttempt
from tests.factories import attempt_of

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
    max_leaves=5,
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
    """Cut and without control characters, as hits and as whole attempts."""
    pairs = [("m.P", "m.D"), ("m.P", "m.E")]
    collector = HitCollector(pairs, most=2, threshold=0.5)
    attempts = [attempt_of(row, line) for line, row in enumerate(rows, start=1)]
    assert list(collector.watch(attempts, "r")) == attempts
    for pair in collector.pairs.values():
        assert len(pair.drawn) == min(2, pair.count)
        for hit in pair.drawn:
            for text in (hit.prompt.text, hit.response.text, hit.attempt_uuid):
                assert is_harmless(text.replace("\n", ""))
        for passed, judged in pair.siblings.values():
            assert 0 <= passed <= judged <= pair.count
    for attempt in attempts:
        found = WholeAttempt(attempt=attempt, threshold=0.5)
        assert all(map(is_harmless, attempt_lines(found, "r")))


def hit(prompt: int, number: int) -> Hit:
    text = CutText(text=str(prompt), length=1)
    return Hit(
        attempt_uuid=f"{prompt}-{number}",
        report="r",
        line=1,
        output_index=number,
        prompt=text,
        response=text,
    )


def number_of(prompt: int, number: int) -> bytes:
    return random_number(f"{prompt}/{number}")


PLACES = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 9)), unique=True, max_size=40
)


@given(PLACES, st.integers(1, 12))
def test_the_draw_is_that_of_a_sorted_list(
    places: list[tuple[int, int]], count: int
) -> None:
    """By rank within the prompt, then by the prompt's number."""
    draw = PairHits(count)
    ranked = []
    for prompt, number in places:
        of_prompt = random_number(str(prompt))
        made = partial(hit, prompt, number)
        draw.offer(of_prompt, number_of(prompt, number), made)
        own = sorted(
            (each for each in places if each[0] == prompt), key=lambda e: number_of(*e)
        )
        ranked.append((own.index((prompt, number)), of_prompt, f"{prompt}-{number}"))
    expected = [name for _, _, name in sorted(ranked)[:count]]
    assert [each.attempt_uuid for each in draw.drawn] == expected


def test_texts_are_made_of_few_hits() -> None:
    made: list[int] = []

    def make(prompt: int) -> Hit:
        made.append(prompt)
        return hit(prompt, 0)

    draw = PairHits(3)
    for prompt in range(10_000):
        draw.offer(random_number(str(prompt)), b"", partial(make, prompt))
    assert len(made) < 100
