# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of published sets: parsed and checked once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.detector_eval import preset
from garak_tbsa.detector_eval.preset import (
    FOLDER,
    find_preset,
    fitting_advice,
    presets,
    read_preset,
)
from garak_tbsa.errors import DatasetError, UsageError

NAMES = [
    "do-not-answer",
    "gptfuzz",
    "jailbreakeval",
    "latent-jailbreak",
    "pyrit-harm",
    "pyrit-refusal",
    "wildguard-test",
    "xstest",
    "xstest-response",
]


def test_all_are_there_by_the_names_of_their_files() -> None:
    assert list(presets()) == NAMES
    assert sorted(path.stem for path in Path(FOLDER).iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_says_what_the_user_must_know(name: str) -> None:
    found = find_preset(name)
    assert found.detectors
    assert found.licence
    assert found.source.startswith("https://")
    assert found.caveat.endswith(".")


def test_a_harmful_answer_and_a_compliant_one_are_told_apart_by_each_caveat() -> None:
    for found in presets().values():
        words = found.caveat.lower()
        assert "harm" in words or "neither refuses nor" in words or "toxic" in words


def test_an_unknown_name() -> None:
    with pytest.raises(UsageError) as caught:
        find_preset("xtest")
    assert str(caught.value) == (
        f"--preset 'xtest': no preset of this name; expected one of {', '.join(NAMES)}"
    )


def test_which_presets_fit_columns() -> None:
    assert fitting_advice(["question", "Response", "label"]) == (
        "; --preset gptfuzz reads files of this form"
    )
    assert fitting_advice(["prompt", "response", "label"]) == (
        "; --preset wildguard-test or xstest-response reads files of this form"
    )
    assert fitting_advice(["a", "b"]) == ""


GOOD = {
    "name": "n",
    "title": "t",
    "licence": "MIT",
    "source": "s",
    "caveat": "c",
    "columns": {"output": "text", "label": ["a", "b"]},
    "labels": {"hit": "YES", "pass": ["no", "never"]},
    "detectors": ["dan.DAN"],
}


def test_a_text_is_a_list_of_one_and_labels_are_read_in_lower_case(
    tmp_path: Path,
) -> None:
    path = tmp_path / "n.json"
    path.write_text(json.dumps(GOOD))
    found = read_preset(str(path))
    assert found.columns == {"output": ("text",), "label": ("a", "b")}
    assert found.labels["hit"] == ("yes",)
    assert found.form == "text, a or b"
    assert not found.ids_per_file
    assert found.hub is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": 1}, "`colour`: expected one of caveat, columns, detectors"),
        ({"title": 3}, "`title`: expected a text"),
        ({"hub": ""}, "`hub`: expected a text"),
        ({"raters": [1]}, "`raters`: expected a text or a list of texts"),
        ({"ids_per_file": "yes"}, "`ids_per_file`: expected true or false"),
        ({"threshold": True}, "`threshold`: expected a number"),
        ({"columns": {"answer": "x"}}, "`columns`: expected an object with keys of id"),
        ({"models": ["m"]}, "`columns`: expected one `id` among them, to tell models"),
        ({"columns": {"label": "x"}}, "`columns`: expected `output` among them"),
        ({"columns": {"output": "x"}}, "`columns`: expected `label` among them, or"),
        ({"labels": {"hit": "1"}}, "`labels`: expected values for `hit` and `pass`"),
        ({"labels": {"maybe": "1"}}, "`labels`: expected an object with keys of hit"),
    ],
)
def test_a_damaged_description_is_one_line(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "n.json"
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(DatasetError) as caught:
        read_preset(str(path))
    assert str(caught.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize("content", ["", "[]", "{"])
def test_no_description_at_all(tmp_path: Path, content: str) -> None:
    path = tmp_path / "n.json"
    path.write_text(content)
    with pytest.raises(DatasetError) as caught:
        read_preset(str(path))
    assert str(caught.value) == (
        f"{path}: expected one JSON object that describes a published set"
    )


def test_without_the_folder_there_is_no_preset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preset, "FOLDER", str(tmp_path / "none"))
    assert presets.__wrapped__() == {}


def test_a_row_with_the_responses_of_several_models_is_several() -> None:
    found = find_preset("do-not-answer")
    raw = {"id": 7, "question": "q", "GPT4_response": "a", "GPT4_harmful": 0}
    raw |= {"vicuna-7b_response": "b", "vicuna-7b_harmful": 1}
    first, second = found.responses(raw)
    assert (first["id"], second["id"]) == ("7/GPT4", "7/vicuna-7b")
    assert (first["{model}_response"], second["{model}_harmful"]) == ("a", 1)
    assert found.fits(raw)
    other = {"id": 7, "question": "q", "GPT4_response": "a"}
    assert not found.fits(other)
    assert list(found.responses({"question": "q"})) == [{"question": "q"}]
