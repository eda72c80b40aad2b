# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Records of any form -> ours, or left out and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.detector_eval import published
from garak_tbsa.errors import DatasetError
from tests.behaviour.labelled import (
    evaluated,
    refused,
    write_lines,
    write_parquet,
)
from tests.behaviour.product import rows_of
from tests.published_sets import ASKED, FULL, NO, PARTLY, RATERS, YES, xstest_row

Raw = dict[str, Any]
XSTEST = "--preset xstest"
HARM = "--preset pyrit-harm"


def read(folder: Path, how: str, *rows: Raw) -> tuple[list[Raw], Raw]:
    """The rows that count, as they are saved, and what is said of the reading."""
    path = write_lines(folder / "f.jsonl", rows)
    saved = folder / "saved"
    given = ("--data", path, "--detectors", "dan.DAN", "--save-datasets", saved)
    summary = evaluated(folder, *given, *how.split())
    return rows_of(saved / "dan.DAN.jsonl"), summary["metadata"].get("reading", {})


def labels(folder: Path, how: str, *rows: Raw) -> list[str]:
    return [row["label"] for row in read(folder, how, *rows)[0]]


def asked(text: str) -> Raw:
    return {"turns": [{"role": "user", "content": {"text": text}}]}


def test_a_published_row_in_our_columns(tmp_path: Path) -> None:
    """Ratings that are neither hit nor pass are no annotation."""
    rows = xstest_row(7, YES, FULL), xstest_row(1, YES, FULL, FULL, PARTLY)
    (first, second), _ = read(tmp_path, XSTEST, *rows)
    assert first == {
        "id": "f/v2-7",
        "detector": "dan.DAN",
        "prompt": asked(f"{ASKED} (7)"),
        "output": YES,
        "label": "hit",
        "slice": "homonyms",
        "source": "f",
        "annotations": {"annotation_1": "hit", "annotation_2": "hit"},
        "basis": "real",
        "where": f"{tmp_path}/f.jsonl, line 1",
        "score": 0.0,
        "predicted": "pass",
    }
    assert (second["id"], second.get("annotations")) == ("f/v2-1", None)


def test_columns_that_are_called_like_ours_are_not_taken_for_them(
    tmp_path: Path,
) -> None:
    """jailbreakeval's `prompt` is another text, and `file` would open a file.

    A prompt that is JSON is a text all the same, and a slice that is a number too.
    """
    text = '[{"role": "judge"}]'
    raw = {"question": text, "answer": "a", "label": "1", "category": 7.0}
    raw |= {"prompt": "other", "file": "/etc/passwd", "why": "?", "detector": "x.Y"}
    ((row,), _) = read(tmp_path, "--preset jailbreakeval", raw)
    assert row["prompt"] == asked(text)
    assert (row["output"], row["label"], row["slice"]) == ("a", "hit", "7")
    assert (row["detector"], {"file", "why"} & set(row)) == ("dan.DAN", set())


def test_a_row_with_two_labels_that_differ_is_left_out(tmp_path: Path) -> None:
    """Nor does a row count that lacks its label."""
    raw = {"prompt": "p", "response": "r", "response_refusal_label": "refusal"}
    others = ("compliance", "refusal", None, "harmful")
    rows: list[Raw] = [raw | {"prompt": f"p {x}", "label": x} for x in others]
    rows.append({"prompt": "none", "response": "r", "response_refusal_label": None})
    found, said = read(tmp_path, "--preset wildguard-test", *rows)
    assert [row["prompt"] for row in found] == [asked(f"p {x}") for x in others[1:]]
    assert said["left_out"] == {"with two labels that differ": 1, "without a label": 1}
    unlabelled = {"context": "c", "response": "r"}
    labelled = unlabelled | {"context": "d", "safety": "safe"}
    _, said = read(tmp_path, "--preset latent-jailbreak", unlabelled, labelled)
    assert said["left_out"] == {"without a label": 1}


def test_a_label_has_one_spelling_whatever_the_format(tmp_path: Path) -> None:
    said = [1, 1.0, " 1.00 ", 0.25, True, False, "Hit", None]
    rows = [{"output": f"{n}", "label": label} for n, label in enumerate(said)]
    words = "hit=1,hit=true,pass=0.25,pass=false,skip=nothing"
    values = f"--label-values {words}"
    found, counted = read(tmp_path, values, *rows)
    assert [row["label"] for row in found] == [
        *("hit", "hit", "hit", "pass", "hit", "pass", "hit"),
    ]
    assert counted["left_out"] == {"without a label": 1}


def test_a_label_that_is_not_a_number_is_no_label(tmp_path: Path) -> None:
    """As pandas writes a column of numbers where one is missing."""
    rows = [{"output": f"{x}", "label": x} for x in (1.0, float("nan"), 0.25)]
    path = write_parquet(tmp_path / "f.parquet", rows)
    given = ("--data", path, "--detectors", "dan.DAN")
    values = ("--label-values", "hit=1,pass=0.25,skip=nothing")
    summary = evaluated(tmp_path, *given, *values)
    assert summary["metadata"]["reading"]["left_out"] == {"without a label": 1}
    assert sum(summary["results"]["dan.DAN"]["counts"].values()) == 2


FORM = "not of the form xstest, which has the columns id, prompt, completion,"
FORM += " final_label, annotation_1, annotation_2; found"
SCORED = {"category": "c", "user_message": "p", "assistant_response": "a"}
REFUSED: list[tuple[str, Raw, str]] = [
    (
        XSTEST,
        xstest_row(1, NO, "4_other"),
        "`annotation_1` is '4_other'; expected '1_full_compliance' (hit),"
        " '2_full_refusal' (pass), '3_partial_refusal' (left out); xstest has no other"
        " values; correct this one",
    ),
    (
        HARM,
        SCORED | dict(zip(RATERS, ("bad", "1", "1"), strict=True)),
        "`human_score_1` is 'bad'; expected a number, a hit from 0.5 on; pyrit-harm has"
        " no other values; correct this one",
    ),
    (
        "--label-values skip=?",
        {"output": "a", "label": "yes"},
        "`label` is 'yes'; expected '?' (left out); other spellings can be mapped with"
        " --label-values hit=...,pass=...",
    ),
    (
        "--preset gptfuzz",
        {"question": "q", "label": "1"},
        "not of the form gptfuzz, which has the columns question, Response, label;"
        " found question, label",
    ),
    (
        "--columns output=answer",
        {"response": "x", "verdict": "hit"},
        "no column 'answer', which --columns maps to `output`; it has response,"
        " verdict",
    ),
    (
        XSTEST,
        {"question": "q", "Response": "r", "label": "1"},
        f"{FORM} question, Response, label; --preset gptfuzz reads files of this form",
    ),
    (
        XSTEST,
        {"output": "a", "label": "hit"},
        f"{FORM} output, label; these are columns of our own, so leave --preset out",
    ),
    (
        "--columns output=a",
        {"prompt": "p", "response": "r", "label": "x"},
        "no column 'a', which --columns maps to `output`; it has prompt, response,"
        " label; --preset wildguard-test or xstest-response reads files of this form",
    ),
]


@pytest.mark.parametrize(("how", "raw", "message"), REFUSED)
def test_what_is_not_known_is_an_error_and_never_guessed(
    tmp_path: Path, how: str, raw: Raw, message: str
) -> None:
    """A value, or a file of another form."""
    path = write_lines(tmp_path / "dan.DAN.jsonl", [raw])
    given = ("--data", path, "--detectors", "dan.DAN", *how.split())
    assert refused(*given) == f"{path}, line 1: {message}"


def test_our_own_columns_with_values_of_the_user(tmp_path: Path) -> None:
    words = "--label-values hit=BAD,skip=Unsure"
    said_of_it = {"a": "bad", "b": "unsure"}
    raw = {"output": "x", "label": "bad", "annotations": said_of_it}
    left_out = {"output": "y", "label": "UNSURE", "annotations": {"a": "", "b": ""}}
    found, said = read(tmp_path, words, raw, left_out)
    assert [row["label"] for row in found] == ["hit"]
    assert said["left_out"] == {"labelled 'UNSURE'": 1}
    number = {"output": "", "label": 1}
    assert labels(tmp_path, "--label-values hit=1.0", number) == ["hit"]


def test_a_damaged_description_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "n.json"
    monkeypatch.setattr(published, "FOLDER", tmp_path)
    for content in ("", "[]", '{"name": "n", "colour": 1}'):
        path.write_text(content)
        with pytest.raises(DatasetError) as caught:
            published.presets.__wrapped__()
        assert str(caught.value).startswith(f"{path}: ")
        assert str(caught.value).endswith("; reinstall garak-tbsa")


def test_a_row_with_the_responses_of_several_models_is_several(tmp_path: Path) -> None:
    raw = {"id": 7, "question": "q", "GPT4_response": "a", "GPT4_harmful": 0}
    raw |= {"vicuna-7b_response": "b", "vicuna-7b_harmful": 1, "risk_area": "c"}
    found, _ = read(tmp_path, "--preset do-not-answer", raw)
    assert [(row["id"], row["output"], row["label"]) for row in found] == [
        ("7/GPT4", "a", "pass"),
        ("7/vicuna-7b", "b", "hit"),
    ]
    del raw["GPT4_harmful"], raw["vicuna-7b_response"]
    path = write_lines(tmp_path / "f.jsonl", [raw])
    given = ("--preset", "do-not-answer", "--data", path, "--detectors", "dan.DAN")
    assert "not of the form do-not-answer" in refused(*given)
