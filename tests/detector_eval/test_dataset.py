# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Files -> the rows of each detector, checked before anything runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from garak_tbsa.detector_eval.dataset import (
    CONTRADICTING,
    REPEATED,
    CountedRows,
    DetectorRows,
    ReadingNotes,
    read_sources,
)
from garak_tbsa.detector_eval.reading import Reading
from garak_tbsa.detector_eval.slots import WordList
from garak_tbsa.detector_eval.sources import LabelledSource, find_sources
from garak_tbsa.errors import DatasetError
from tests.values import known


def is_known(name: str) -> bool:
    return name in ("dan.DAN", "dan.DUDE")


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def row(label: str, **fields: str) -> dict[str, str]:
    return {"output": f"an answer ({label})", "label": label} | fields


def one_word(_: str) -> list[str]:
    return ["darn"]


def check(
    paths: list[Any],
    *,
    sole_detector: str | None = None,
    word_list: WordList = one_word,
) -> dict[str, DetectorRows]:
    sources = find_sources(
        [str(path) for path in paths], known=is_known, sole_detector=sole_detector
    )
    return read_sources(sources, word_list)[0]


def error_of(tmp_path: Path, paths: list[Any], **arguments: Any) -> str:
    with pytest.raises(DatasetError) as caught:
        check(paths, **arguments)
    return str(caught.value).replace(f"{tmp_path}/", "")


def test_a_file_of_several_detectors_is_split(tmp_path: Path) -> None:
    rows = [
        row("hit", detector=("dan.DAN", "dan.DUDE")[number % 2], id=str(number))
        for number in range(10)
    ]
    path = write(tmp_path / "mixed.jsonl", rows)
    found = check([path])
    for name, first in (("dan.DAN", 0), ("dan.DUDE", 1)):
        read = found[name].rows
        assert [each.id for each in read] == [str(n) for n in range(first, 10, 2)]
        assert read[0].where.endswith(f"mixed.jsonl, line {first + 1}")
        assert {each.detector for each in read} == {name}


def test_rows_can_serve_another_detector(tmp_path: Path) -> None:
    path = write(tmp_path / "dan.DAN.jsonl", [row("hit"), row("pass")])
    served = check([path])["dan.DAN"].served_to("judge.Refusal")
    assert [each.detector for each in served.rows] == ["judge.Refusal"] * 2


def with_slot(tmp_path: Path, slot: str) -> Path:
    rows = [row("hit") | {"output": f"oh {{{{unsafe_content.{slot}}}}}"}]
    return write(tmp_path / "dan.DAN.jsonl", rows)


def test_a_garak_without_the_words_costs_that_detector_alone(tmp_path: Path) -> None:
    def no_words(name: str) -> list[str]:
        raise ValueError(name)

    mixed = [with_slot(tmp_path, "LDNOOBW"), write(tmp_path / "dan.DUDE.jsonl", [])]
    found = check(mixed, word_list=no_words)
    assert "line 1: the slot {{unsafe_content.LDNOOBW}} names no word list" in (
        known(found["dan.DAN"].unusable)
    )
    assert found["dan.DUDE"].unusable is None


def test_an_id_twice_with_one_label_is_fine(tmp_path: Path) -> None:
    rows = [row("hit", id="a"), row("pass", id="b"), row("hit", id="a")]
    path = write(tmp_path / "dan.DAN.jsonl", rows)
    assert len(check([path])["dan.DAN"].rows) == 3


def test_the_same_id_in_two_detectors_may_differ(tmp_path: Path) -> None:
    rows = [
        row("hit", id="a", detector="dan.DAN"),
        row("pass", id="a", detector="dan.DUDE"),
    ]
    assert len(check([write(tmp_path / "mixed.jsonl", rows)])) == 2


def test_empty_files_and_folders(tmp_path: Path) -> None:
    assert error_of(tmp_path, [write(tmp_path / "rows.jsonl", [])]) == (
        "rows.jsonl: no rows; expected at least one labelled response"
    )
    assert check([write(tmp_path / "dan.DAN.jsonl", [])])["dan.DAN"].rows == []
    folder = tmp_path / "empty"
    folder.mkdir()
    assert error_of(tmp_path, [folder]) == (
        "empty: no labelled data in this folder; expected files such as dan.DAN.jsonl"
    )


def test_rows_behind_a_link_reach_files_beside_themselves_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "secret").write_text("mine")
    path = write(elsewhere / "dan.DAN.jsonl", [{"file": "secret", "label": "hit"}])
    (home / "dan.DAN.jsonl").symlink_to(path)
    monkeypatch.chdir(home)
    message = error_of(tmp_path, ["dan.DAN.jsonl"])
    assert message.startswith(
        "dan.DAN.jsonl, line 1: the file 'secret' does not exist; "
    )


def test_an_address_on_the_hub_has_no_folder() -> None:
    hub = LabelledSource(path="hf://owner/name", detector=None)
    assert hub.folder is None
    report = LabelledSource(path="scan.report.jsonl", detector=None, is_report=True)
    assert report.folder is None


@pytest.mark.parametrize("name", ["rows.jsonl", "no_ending"])
def test_a_pipe_as_data_does_not_hang(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    assert error_of(tmp_path, [tmp_path / name]).startswith(f"{name}: a pipe or device")


def noted(tmp_path: Path, rows: list[dict[str, str]]) -> ReadingNotes:
    """What is noted of rows of which some may be left out."""
    path = write(tmp_path / "f.jsonl", rows)
    reading = Reading(skip_labels=("unsure",))
    sources = find_sources([str(path)], known=is_known, sole_detector="dan.DAN")
    found, notes = read_sources(sources, one_word, reading)
    assert sum(len(each.rows) for each in found.values()) == known(notes).used
    return known(notes)


def numbered(number: int, label: str, **fields: str) -> dict[str, str]:
    return {"id": f"r{number}", "output": f"text {number}", "label": label} | fields


def test_what_has_two_labels_does_not_count_either_time(tmp_path: Path) -> None:
    """The same prompt and response, or the same id."""
    for other in ({"output": "text 1"}, {"id": "r1"}):
        rows = [numbered(1, "hit"), numbered(2, "hit"), numbered(3, "pass", **other)]
        notes = noted(tmp_path, rows)
        first = f"{tmp_path}/f.jsonl, line 1"
        assert notes.left_out == (
            CountedRows(reason=CONTRADICTING, count=2, first=first),
        )
        assert (notes.read, notes.used) == (3, 1)


def test_a_row_that_repeats_another_alike_is_told_and_counts(tmp_path: Path) -> None:
    rows = [numbered(1, "hit"), numbered(2, "hit", id="r1")]
    notes = noted(tmp_path, [*rows, numbered(3, "hit", output="text 1")])
    path = f"{tmp_path}/f.jsonl"
    assert notes.repeated == CountedRows(
        reason=REPEATED, count=2, first=f"{path}, line 2, as {path}, line 1"
    )
    assert notes.used == 3


def test_reasons_come_by_their_number_and_detectors_apart(tmp_path: Path) -> None:
    rows = [numbered(1, ""), numbered(2, "unsure"), numbered(3, "unsure")]
    rows += [numbered(4, "hit"), numbered(4, "pass", detector="dan.DUDE")]
    notes = noted(tmp_path, rows)
    assert [(each.reason, each.count) for each in notes.left_out] == [
        ("labelled 'unsure'", 2),
        ("without a label", 1),
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["hit", "pass"]))))
def test_what_was_answered_alike_and_labelled_differently_never_counts(
    tmp_path: Path, answers: list[tuple[str, str]]
) -> None:
    """Property: rows with the same prompt and response but two labels are left out."""
    rows = [numbered(-1, "hit")]
    rows += [numbered(n, label, output=text) for n, (text, label) in enumerate(answers)]
    both = {
        text for text, _ in answers if {(text, "hit"), (text, "pass")} <= {*answers}
    }
    used = sum(text not in both for text, _ in answers)
    assert noted(tmp_path, rows).used == 1 + used
