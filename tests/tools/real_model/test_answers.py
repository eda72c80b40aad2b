# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The cache: what was answered is kept, and only that."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.errors import DatasetError
from tools.real_model.answers import Answer, AnswerCache, Key, keys_of, read_answers

KEY = Key(persona="plain", seed=1, prompt="Who?\ud800\n", occurrence=0, most_tokens=220)
OTHER = Key(persona="plain", seed=1, prompt="Who?", occurrence=1, most_tokens=220)
ANSWER = Answer(text="Nobody.\u2028é", tokens=3, cut=False)


def test_an_answer_is_read_back_as_it_was_put(tmp_path: Path) -> None:
    path = tmp_path / "new" / "answers.jsonl"
    with AnswerCache(path) as cache:
        cache.put(KEY, ANSWER)
        assert read_answers(path) == {KEY: ANSWER}


def test_only_what_is_missing_is_asked_again_and_once(tmp_path: Path) -> None:
    with AnswerCache(tmp_path / "answers.jsonl") as cache:
        cache.put(KEY, ANSWER)
        assert cache.missing([OTHER, KEY, OTHER]) == [OTHER]


def test_a_line_that_a_kill_cut_off_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with AnswerCache(path) as cache:
        cache.put(KEY, ANSWER)
        cache.put(OTHER, ANSWER)
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])
    with AnswerCache(path) as cache:
        assert list(cache.answers) == [KEY]
        cache.put(OTHER, ANSWER)
    assert path.read_bytes() == whole


def test_reading_does_not_change_a_file_that_is_being_written(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with AnswerCache(path) as cache:
        cache.put(KEY, ANSWER)
    torn = path.read_bytes() + b'{"persona": "pl'
    path.write_bytes(torn)
    assert list(read_answers(path)) == [KEY]
    assert path.read_bytes() == torn


@pytest.mark.parametrize(
    ("line", "kind"),
    [(b"{", "JSONDecodeError"), (b"{}", "KeyError"), (b"[]", "TypeError")],
)
def test_a_broken_line_is_named(tmp_path: Path, line: bytes, kind: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(line + b"\n")
    with pytest.raises(DatasetError) as caught:
        AnswerCache(path)
    assert str(caught.value) == (
        f"{path}:1: expected an answer of the model, found none ({kind});"
        " delete the line"
    )


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with AnswerCache(path), pytest.raises(DatasetError) as caught:
        AnswerCache(path)
    assert str(caught.value) == (
        f"{path}: another run is writing to it; wait until that has ended"
    )
    AnswerCache(path).__exit__(None, None, None)


def test_occurrences_of_a_prompt_are_numbered() -> None:
    keys = keys_of(["a", "b", "a"], "terse", 5, 220)
    assert [(key.prompt, key.occurrence) for key in keys] == [
        ("a", 0),
        ("b", 0),
        ("a", 1),
    ]
