# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One raw record -> a labelled row, or one clear line."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from garak_tbsa.detector_eval.labelled_row import LabelledRow, Turn
from garak_tbsa.detector_eval.reading import row_form
from garak_tbsa.detector_eval.sources import LabelledSource
from garak_tbsa.errors import DatasetError
from tests.values import known


def parse(record: dict[str, Any], path: str = "rows.jsonl") -> LabelledRow:
    source = LabelledSource(path=path, detector="dan.DAN", name="rows")
    row, _ = row_form().read(record, source, 3)
    assert isinstance(row, LabelledRow)
    return row


def error_of(record: dict[str, Any], path: str = "rows.jsonl") -> str:
    with pytest.raises(DatasetError) as caught:
        parse(record, path)
    return str(caught.value)


CONVERSATION = (Turn(role="system", text="Be kind."), Turn(role="user", text="Hi"))


@pytest.mark.parametrize(
    "prompt",
    [
        {
            "turns": [
                {"role": "system", "content": {"text": "Be kind.", "lang": "en"}},
                {"role": "user", "content": {"text": "Hi"}},
            ]
        },
        [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hi"},
        ],
        '[{"role": "system", "content": "Be kind."},'
        ' {"role": "user", "content": "Hi"}]',
    ],
)
def test_conversations_as_garak_chat_apis_and_csv_write_them(
    prompt: dict[str, Any] | list[dict[str, str]] | str,
) -> None:
    assert parse({"prompt": prompt, "output": "", "label": "hit"}).prompt == (
        CONVERSATION
    )


def test_a_prompt_that_only_looks_like_json_stays_text() -> None:
    row = parse({"prompt": "[INST] hello", "output": "", "label": "hit"})
    assert row.prompt == (Turn(role="user", text="[INST] hello"),)


def test_notes_may_be_json_text_and_lose_what_parquet_filled_in() -> None:
    row = parse({"output": "", "label": "hit", "notes": '{"a": 1, "b": null}'})
    assert row.notes == {"a": 1}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {"output": "", "label": "hit", "notes": "triggers: x"},
            "rows.jsonl, line 3: `notes` cannot be used; expected an object such as"
            ' {"triggers": ["..."]}',
        ),
        (
            {"file": {"name": "x"}, "label": "hit"},
            "rows.jsonl, line 3: `file` is an object; expected a path, or"
            ' {"name": "x.pkl", "base64": "..."}',
        ),
        (
            {"file": 1.5, "label": "hit"},
            "rows.jsonl, line 3: `file` cannot be used; expected a path, or"
            ' {"name": "x.pkl", "base64": "..."}',
        ),
    ],
)
def test_bad_rows_are_told_in_one_line(record: dict[str, Any], message: str) -> None:
    """Others are in tests/behaviour/test_bad_rows.py."""
    assert error_of(record) == message


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
COLUMNS = ["id", "output", "label", "prompt", "notes", "goal", "lang", "file"]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from([*COLUMNS, "annotations"]), JSON_VALUES))
def test_any_record_is_a_row_or_a_clear_error(record: dict[str, Any]) -> None:
    """Parse once at the edge: a frozen row, or one line that says where and what."""
    told: str | None
    try:
        row = parse(record)
    except DatasetError as error:
        told = str(error)
    else:
        told = None
        assert row.label in ("hit", "pass")
        assert row.prompt
        # workers get rows by pickle
        assert pickle.loads(pickle.dumps(row)).id == row.id
    assert told is None or told.startswith("rows.jsonl, line 3: ")
    assert told is None or "\n" not in told


def test_a_link_does_not_reach_out_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    (tmp_path / "secret").write_text("mine")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "inside").write_text("")
    (folder / "alias").symlink_to(folder / "inside")
    path = str(folder / "rows.jsonl")
    assert error_of({"file": "link", "label": "hit"}, path) == (
        f"{path}, line 3: the file 'link' lies outside the folder of the labelled"
        " rows; put it below that folder"
    )
    row = parse({"file": "alias", "label": "hit"}, path)
    assert known(row.file).name == str(folder / "alias")


def test_rows_from_elsewhere_name_no_files() -> None:
    elsewhere = "hf://owner/name"
    assert error_of({"file": "README.md", "label": "hit"}, elsewhere) == (
        "hf://owner/name, row 3: the file 'README.md' is named by a row that comes from"
        ' elsewhere; expected {"name": "x.pkl", "base64": "..."}'
    )
    embedded = {"file": {"name": "x", "base64": ""}, "label": "hit"}
    assert known(parse(embedded, elsewhere).file).content == b""


def test_another_detectors_own_words_are_a_hit_as_any_other() -> None:
    """Rows that serve a second detector have none of its words."""
    own = {"output": "x", "label": "hit", "basis": "own_words"}
    written, real = parse(own), parse(own | {"model": "small"})
    assert (written.basis, real.basis) == ("own_words", "own_words")
    assert (written.judged_by("a.B").basis, real.judged_by("a.B").basis) == (
        "written",
        "real",
    )


def test_a_basis_is_one_of_three() -> None:
    assert error_of({"output": "x", "label": "hit", "basis": "mine"}) == (
        'rows.jsonl, line 3: `basis` cannot be used; expected "real", "written" or'
        ' "own_words"'
    )
