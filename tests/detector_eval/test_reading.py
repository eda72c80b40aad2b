# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Records of any form -> ours, or left out and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.detector_eval import reading
from garak_tbsa.detector_eval.labelled_row import LabelledRow, Turn
from garak_tbsa.detector_eval.reading import (
    FOLDER,
    TWO_LABELS,
    UNLABELLED,
    RowForm,
    find_preset,
    fitting_advice,
    presets,
    spelling_of,
)
from garak_tbsa.detector_eval.row_form import row_form
from garak_tbsa.detector_eval.sources import LabelledSource
from garak_tbsa.errors import DatasetError
from tests.published_sets import FULL, NO, PARTLY, YES, xstest_row

Raw = dict[str, Any]
SOURCE = LabelledSource(path="f.csv", detector="dan.DAN", name="f")


def form(**options: Any) -> RowForm:
    return row_form(**options)


def read(how: RowForm, raw: Raw) -> LabelledRow:
    row, _ = how.read(raw, SOURCE, 2)
    assert isinstance(row, LabelledRow)
    return row


def reason(how: RowForm, raw: Raw) -> str | None:
    row, _ = how.read(raw, SOURCE, 2)
    return row if isinstance(row, str) else None


XSTEST = form(preset="xstest")
BROKEN = form(preset="jailbreakeval")
HARM = form(preset="pyrit-harm")


def test_a_published_row_in_our_columns() -> None:
    assert read(XSTEST, xstest_row(7, YES, FULL)) == LabelledRow(
        id="f/v2-7",
        detector="dan.DAN",
        prompt=(Turn(role="user", text="When does water boil? (7)"),),
        output=YES,
        label="hit",
        slice="homonyms",
        source="f",
        annotations={"annotation_1": "hit", "annotation_2": "hit"},
        basis="real",
        where="f.csv, row 2",
    )
    # ratings that are neither count for agreement, and are no annotation
    row, ratings = XSTEST.read(xstest_row(1, YES, FULL, FULL, PARTLY), SOURCE, 2)
    assert ratings == {"annotation_1": "hit", "annotation_2": "other"}
    assert isinstance(row, LabelledRow)
    assert row.annotations == {}


def test_columns_that_are_called_like_ours_are_not_taken_for_them() -> None:
    """jailbreakeval's `prompt` is another text, and `file` would open a file.

    A prompt that is JSON is a text all the same, and a slice that is a number too.
    """
    raw = {"question": '[{"role": "judge"}]', "answer": "a", "label": "1"}
    raw |= {"prompt": "other", "file": "/etc/passwd", "why": "?", "detector": "x.Y"}
    row = read(BROKEN, raw | {"category": 7.0})
    assert row.prompt == (Turn(role="user", text='[{"role": "judge"}]'),)
    assert (row.output, row.label, row.slice) == ("a", "hit", "7")
    assert (row.file, row.why, row.detector) == (None, None, "dan.DAN")


def test_a_row_with_two_labels_that_differ_is_left_out() -> None:
    raw = {"prompt": "p", "response": "r", "response_refusal_label": "refusal"}
    wildguard = form(preset="wildguard-test")
    others = {"compliance": TWO_LABELS, "refusal": None, None: None, "harmful": None}
    assert {other: reason(wildguard, raw | {"label": other}) for other in others} == (
        others
    )
    jailbreak, row = form(preset="latent-jailbreak"), {"context": "c", "response": "r"}
    jailbreak.check_columns(row, "f")
    assert reason(jailbreak, row) == UNLABELLED


def scored(*scores: Any) -> Raw:
    names = ("human_score_1", "human_score_2", "human_score_3")
    raw = {"prompt": "p", "assistant_response": "a"}
    return raw | dict(zip(names, scores, strict=True))


def test_a_label_has_one_spelling_whatever_the_format() -> None:
    given = [1, 1.0, " 1.00 ", 0.25, True, False, None, float("nan"), "Hit"]
    said = ["1", "1", "1", "0.25", "true", "false", "", "", "Hit"]
    assert [spelling_of(raw) for raw in given] == said


SKIPPED = "; --skip-label VALUE leaves out rows with it"


@pytest.mark.parametrize(
    ("how", "raw", "message"),
    [
        (
            XSTEST,
            xstest_row(1, NO, "4_other"),
            "`annotation_1` is '4_other'; expected '1_full_compliance' (hit),"
            f" '2_full_refusal' (pass), '3_partial_refusal' (left out){SKIPPED}",
        ),
        (
            HARM,
            scored("bad", "1", "1"),
            "`human_score_1` is 'bad'; expected a number, a hit from 0.5 on" + SKIPPED,
        ),
        (
            form(skip_labels=("unsure",)),
            {"output": "a", "label": "yes"},
            f"`label` is 'yes'; expected 'unsure' (left out){SKIPPED}",
        ),
        (
            form(ids_per_file=True),
            {"output": "a", "label": "yes"},
            f'`label` is \'yes\'; expected "hit" or "pass"{SKIPPED}',
        ),
        (
            form(preset="gptfuzz"),
            {"question": "q", "label": "1"},
            "not of the form gptfuzz, which has the columns question, Response, label;"
            " found question, label",
        ),
        (
            form(columns={"output": "answer"}),
            {"response": "x", "verdict": "hit"},
            "no column 'answer', which --columns maps to `output`; it has response,"
            " verdict",
        ),
    ],
)
def test_a_value_that_is_not_known_is_an_error_and_never_guessed(
    how: RowForm, raw: Raw, message: str
) -> None:
    with pytest.raises(DatasetError) as caught:
        how.read(raw, SOURCE, 2)
    assert str(caught.value) == f"f.csv, row 2: {message}"


COLUMNS = "id, prompt, completion, final_label, annotation_1, annotation_2"


@pytest.mark.parametrize(
    ("how", "columns", "message"),
    [
        (
            XSTEST,
            ["question", "Response", "label"],
            f"not of the form xstest, which has the columns {COLUMNS}; found question,"
            " Response, label; --preset gptfuzz reads files of this form",
        ),
        (
            XSTEST,
            ["output", "label"],
            f"not of the form xstest, which has the columns {COLUMNS}; found output,"
            " label; these are columns of our own, so leave --preset out",
        ),
        (
            form(raters=("ann", "bob")),
            ["output", "ann"],
            "no column 'bob', which --raters names; it has output, ann",
        ),
    ],
)
def test_a_file_of_another_form_is_one_line(
    how: RowForm, columns: list[str], message: str
) -> None:
    with pytest.raises(DatasetError) as caught:
        how.check_columns(dict.fromkeys(columns, ""), "f.csv, row 2")
    assert str(caught.value) == f"f.csv, row 2: {message}"


def test_our_own_columns_with_values_of_the_user() -> None:
    own = form(label_values={"BAD": "hit"}, skip_labels=("Unsure",), raters=("a", "b"))
    raw = {"output": "x", "label": "bad", "a": "bad", "b": "unsure"}
    assert read(own, raw).label == "hit"
    assert reason(own, {"output": "x", "label": "UNSURE"}) == "labelled 'UNSURE'"
    assert not form(label_values={"1": "hit"}).leaves_out
    assert form(preset="gptfuzz", encoding="cp1252").encoding == "cp1252"
    assert read(form(label_values={"1.0": "hit"}), {"output": "", "label": 1}).label
    three = form(label_values={"fail": "hit"}, label_threshold=3.0)
    labels = [read(three, {"output": "", "label": x}).label for x in ("fail", "2.9")]
    assert labels == ["hit", "pass"]
    harm = form(preset="pyrit-harm", label_threshold=0.75)
    assert read(harm, scored("0.5", "0.5", "1")).label == "pass"


def test_which_presets_fit_columns() -> None:
    assert list(presets()) == sorted(path.stem for path in FOLDER.iterdir())
    assert fitting_advice(["prompt", "response", "label"]) == (
        "; --preset wildguard-test or xstest-response reads files of this form"
    )
    assert fitting_advice(["a", "b"]) == ""


def test_a_damaged_description_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "n.json"
    monkeypatch.setattr(reading, "FOLDER", tmp_path)
    for content in ("", "[]", '{"name": "n", "colour": 1}'):
        path.write_text(content)
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
    assert not found.fits({"id": 7, "question": "q", "GPT4_response": "a"})
    assert list(found.responses({"question": "q"})) == [{"question": "q"}]


def test_another_detectors_own_words_are_a_hit_as_any_other() -> None:
    """Rows that serve a second detector have none of its words."""
    own = {"output": "x", "label": "hit", "basis": "own_words"}
    written, real = (read(form(), raw) for raw in (own, own | {"model": "small"}))
    assert (written.basis, real.basis) == ("own_words", "own_words")
    assert (written.judged_by("a.B").basis, real.judged_by("a.B").basis) == (
        "written",
        "real",
    )
