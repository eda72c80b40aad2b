# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of published sets: parsed and checked once."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.detector_eval import preset
from garak_tbsa.detector_eval.preset import (
    FOLDER,
    find_preset,
    fitting_advice,
    presets,
)
from garak_tbsa.errors import DatasetError

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
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(NAMES)


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


def test_which_presets_fit_columns() -> None:
    assert fitting_advice(["question", "Response", "label"]) == (
        "; --preset gptfuzz reads files of this form"
    )
    assert fitting_advice(["prompt", "response", "label"]) == (
        "; --preset wildguard-test or xstest-response reads files of this form"
    )
    assert fitting_advice(["a", "b"]) == ""


def test_each_can_be_read_by_what_it_says() -> None:
    for found in presets().values():
        assert "output" in found.columns
        assert "label" in found.columns or found.raters
        assert not found.models or len(found.columns["id"]) == 1
        values = [value for values in found.labels.values() for value in values]
        assert values == [value.lower() for value in values]
        assert len(set(values)) == len(values)
        both = found.values("hit") and found.values("pass")
        assert both or found.threshold is not None


@pytest.mark.parametrize("content", [b"", b"[]", b'{"name": "n", "colour": 1}'])
def test_a_damaged_description_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    path = tmp_path / "n.json"
    path.write_bytes(content)
    monkeypatch.setattr(preset, "FOLDER", tmp_path)
    with pytest.raises(DatasetError) as caught:
        presets.__wrapped__()
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).endswith("; reinstall garak-tbsa")


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
