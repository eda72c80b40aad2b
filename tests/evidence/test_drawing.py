# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.evidence.drawing import HitDraw, random_number
from garak_tbsa.tbsa.evidence import CutText, Hit

Places = list[tuple[int, int]]


def hit(prompt: int, number: int) -> Hit:
    text = CutText(text=str(prompt), length=1, is_cut=False)
    return Hit(
        attempt_uuid=f"{prompt}-{number}",
        report="r",
        line=1,
        output_index=number,
        prompt=text,
        response=text,
    )


def of_hit(prompt: int, number: int) -> bytes:
    return random_number(1, f"{prompt}/{number}")


def drawn(places: Places, count: int, seed: int = 1) -> list[str]:
    """Draw from hits that are each a prompt and a number within it."""
    draw = HitDraw(count)
    for prompt, number in places:
        draw.offer(
            random_number(seed, str(prompt)),
            random_number(seed, f"{prompt}/{number}"),
            partial(hit, prompt, number),
        )
    return [each.attempt_uuid for each in draw.hits()]


PLACES = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 9)), unique=True, max_size=40
)


@given(PLACES, st.integers(1, 12))
def test_the_draw_is_that_of_a_sorted_list(places: Places, count: int) -> None:
    """By rank within the prompt, then by the prompt's number."""
    ranked = []
    for prompt in {prompt for prompt, _ in places}:
        own = sorted(
            (number for each, number in places if each == prompt),
            key=partial(of_hit, prompt),
        )
        ranked += [
            (rank, random_number(1, str(prompt)), f"{prompt}-{number}")
            for rank, number in enumerate(own)
        ]
    assert drawn(places, count) == [name for _, _, name in sorted(ranked)[:count]]


def test_texts_are_made_of_few_hits() -> None:
    made: list[int] = []

    def make(prompt: int) -> Hit:
        made.append(prompt)
        return hit(prompt, 0)

    draw = HitDraw(3)
    for prompt in range(10_000):
        draw.offer(random_number(1, str(prompt)), b"", partial(make, prompt))
    assert len(made) < 100
