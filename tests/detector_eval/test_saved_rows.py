# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``--save-datasets``: whole files only, whoever else writes there."""

from __future__ import annotations

import errno
import json
import os
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from garak_tbsa.detector_eval.run import Chunk, RowScore, ScoredChunk
from garak_tbsa.detector_eval.saved_rows import SavedRows
from garak_tbsa.errors import DatasetError
from tests.detector_eval.rows import labelled
from tests.values import known


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "saved")


def chunk(
    *ids: str,
    is_last: bool = True,
    failure: str | None = None,
    **fields: Any,
) -> ScoredChunk:
    return ScoredChunk(
        chunk=Chunk(
            detector="dan.DAN",
            rows=tuple(labelled(id=each, **fields) for each in ids),
            index=0,
            is_last=is_last,
        ),
        row_scores=tuple(RowScore(score=1.0) for _ in ids),
        failure=failure,
    )


def ids_in(folder: str) -> list[str]:
    with open(os.path.join(folder, "dan.DAN.jsonl")) as handle:
        return [json.loads(line)["id"] for line in handle]


def test_two_evaluations_at_once_do_not_mix(folder: str) -> None:
    with closing(SavedRows(folder, 0.5)) as one, closing(SavedRows(folder, 0.5)) as two:
        one.add(chunk("a1", is_last=False))
        two.add(chunk("b1", is_last=False))
        one.add(chunk("a2"))
        assert ids_in(folder) == ["a1", "a2"]
        two.add(chunk("b2"))
        assert ids_in(folder) == ["b1", "b2"]
    assert os.listdir(folder) == ["dan.DAN.jsonl"]


def test_what_a_killed_evaluation_left_is_removed(folder: str) -> None:
    os.mkdir(folder)
    left = os.path.join(folder, "dan.DAN.jsonl.4711.0123abcd.part")
    other = os.path.join(folder, "a file of mine.part")
    for path in (left, other):
        with open(path, "w"):
            pass
    with closing(SavedRows(folder, 0.5)) as saved:
        saved.add(chunk("a"))
    assert sorted(os.listdir(folder)) == ["a file of mine.part", "dan.DAN.jsonl"]


def test_rows_that_a_full_disk_does_not_take_are_dropped(folder: str) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with closing(SavedRows(folder, 0.5)) as saved:
        saved.add(chunk("a", is_last=False))
        (part,) = os.listdir(folder)
        known(saved._handle).close()
        broken: Any = SimpleNamespace(name=os.path.join(folder, part), close=full)
        saved._handle = broken
    assert os.listdir(folder) == []


def test_a_detector_that_fails_leaves_the_rows_of_before(folder: str) -> None:
    with closing(SavedRows(folder, 0.5)) as saved:
        saved.add(chunk("a"))
        saved.add(chunk("b", is_last=False))
        saved.add(chunk(failure="no model"))
    assert ids_in(folder) == ["a"]
    assert os.listdir(folder) == ["dan.DAN.jsonl"]


def test_a_row_is_saved_as_it_was_written(folder: str) -> None:
    written = labelled(id="a", output="{{unsafe_content.LDNOOBW}}")
    with closing(SavedRows(folder, 0.5)) as saved:
        saved.add(chunk("a", output="darn", as_written=written))
    with open(os.path.join(folder, "dan.DAN.jsonl")) as handle:
        assert json.load(handle)["output"] == written.output


def test_what_json_has_no_form_for_is_one_line(folder: str) -> None:
    unwritable = chunk("a", notes={"x": float("nan")})
    saved = SavedRows(folder, 0.5)
    with closing(saved), pytest.raises(DatasetError) as caught:
        saved.add(unwritable)
    assert str(caught.value) == (
        "f, line 1: holds NaN or an infinite number, which JSON has no form for; write"
        " a number or null"
    )
    assert os.listdir(folder) == []


def test_a_part_that_another_removes_before_it_is_locked_is_begun_again(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = []

    def lock(descriptor: int) -> Any:
        locked.append(descriptor)
        if len(locked) == 1:
            (part,) = os.listdir(folder)
            os.unlink(os.path.join(folder, part))
        return True

    monkeypatch.setattr("garak_tbsa.files.lock", lock)
    with closing(SavedRows(folder, 0.5)) as saved:
        saved.add(chunk("a"))
    assert ids_in(folder) == ["a"]
    assert len(locked) == 2
