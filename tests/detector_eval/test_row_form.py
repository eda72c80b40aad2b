# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Published records -> ours, or left out and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.detector_eval.labelled_row import Turn, parse_row
from garak_tbsa.detector_eval.row_form import (
    TWO_LABELS,
    UNLABELLED,
    FormedRow,
    Reading,
    RowForm,
    renamed,
    spelling_of,
)
from garak_tbsa.errors import DatasetError
from tests.published_sets import (
    FULL,
    NO,
    PARTLY,
    YES,
    xstest_row,
)
from tests.values import known

if TYPE_CHECKING:
    pass

Raw = dict[str, Any]


def read(form: RowForm, raw: Raw) -> FormedRow:
    return form.read(raw, where="f.csv, row 2", file_name="f")


def asked(text: str) -> Raw:
    return {"turns": [{"role": "user", "content": {"text": text}}]}


def reason(form: RowForm, raw: Raw) -> str | None:
    return read(form, raw).left_out


def own(**options: Any) -> RowForm:
    return known(Reading(**options).form())


XSTEST = own(preset="xstest")


def test_a_row_in_our_columns() -> None:
    formed = read(XSTEST, xstest_row(7, YES, FULL))
    assert formed.record == {
        "id": "f/v2-7",
        "prompt": asked("When does water boil? (7)"),
        "output": YES,
        "slice": "homonyms",
        "source": "f",
        "basis": "real",
        "label": "hit",
        "annotations": {"annotation_1": "hit", "annotation_2": "hit"},
    }


def test_ratings_that_are_neither_count_for_agreement_and_are_no_annotation() -> None:
    formed = read(XSTEST, xstest_row(1, YES, FULL, FULL, PARTLY))
    assert formed.ratings == {"annotation_1": "hit", "annotation_2": "other"}
    assert "annotations" not in formed.record


def test_columns_that_are_called_like_ours_are_not_taken_for_them() -> None:
    """jailbreakeval's `prompt` is another text, and `file` would open a file."""
    raw = {"question": "q", "answer": "a", "label": "1"}
    raw |= {"prompt": "other", "file": "/etc/passwd", "why": "?", "detector": "x.Y"}
    record = read(own(preset="jailbreakeval"), raw).record
    ours = {"prompt": asked("q"), "output": "a", "label": "hit", "source": "f"}
    assert record == ours | {"basis": "real"}


def test_a_prompt_that_is_json_is_a_text_all_the_same() -> None:
    raw = {"question": '[{"role": "judge"}]', "answer": "a", "label": "1"}
    formed = read(own(preset="jailbreakeval"), raw)
    row = parse_row(
        formed.record, where="f", fallback_id="f-1", detector="dan.DAN", folder=None
    )
    assert row.prompt == (Turn(role="user", text='[{"role": "judge"}]'),)


def test_a_slice_that_is_a_number_is_a_text() -> None:
    raw = {"question": "q", "answer": "a", "label": 0, "category": 7.0}
    record = read(own(preset="jailbreakeval"), raw).record
    assert record["slice"] == "7"


@pytest.mark.parametrize(
    ("other", "expected"),
    [("compliance", TWO_LABELS), ("refusal", None), (None, None), ("harmful", None)],
)
def test_a_row_with_two_labels_that_differ_is_left_out(
    other: str | None, expected: str | None
) -> None:
    raw = {"prompt": "p", "response": "r", "response_refusal_label": "refusal"}
    form = own(preset="wildguard-test")
    assert reason(form, raw | {"label": other}) == expected


HARM = own(preset="pyrit-harm")


def scored(*scores: Any) -> Raw:
    names = ("human_score_1", "human_score_2", "human_score_3")
    raw = {"prompt": "p", "assistant_response": "a"}
    return raw | dict(zip(names, scores, strict=True))


@given(st.lists(st.sampled_from(["0", "0.25", "0.5", "0.75", "1"]), max_size=3))
def test_the_majority_of_the_raters_at_the_threshold_is_the_label(
    scores: list[str],
) -> None:
    """Property: X or more is a hit, less a pass; the majority counts."""
    formed = read(HARM, scored(*scores, *[""] * (3 - len(scores))))
    hits = sum(float(score) >= 0.5 for score in scores)
    passes = len(scores) - hits
    if hits == passes:
        assert formed.left_out is not None
    else:
        assert formed.record["label"] == ("hit" if hits > passes else "pass")


def test_another_threshold() -> None:
    form = own(preset="pyrit-harm", label_threshold=0.75)
    assert read(form, scored("0.5", "0.5", "1")).record["label"] == "pass"


@pytest.mark.parametrize(
    ("raw", "spelling"),
    [
        (1, "1"),
        (1.0, "1"),
        (" 1.00 ", "1"),
        (0.25, "0.25"),
        (True, "true"),
        (None, ""),
        (float("nan"), ""),
        ("Hit", "Hit"),
    ],
)
def test_a_label_has_one_spelling_whatever_the_format(
    raw: object, spelling: str
) -> None:
    assert spelling_of(raw) == spelling


@pytest.mark.parametrize(
    ("form", "raw", "message"),
    [
        (
            XSTEST,
            xstest_row(1, NO, "4_other"),
            "`annotation_1` is '4_other'; expected '1_full_compliance' (hit),"
            " '2_full_refusal' (pass), '3_partial_refusal' (left out);"
            " --skip-label VALUE leaves out rows with it",
        ),
        (
            HARM,
            scored("bad", "1", "1"),
            "`human_score_1` is 'bad'; expected a number, a hit from 0.5 on;"
            " --skip-label VALUE leaves out rows with it",
        ),
        (
            own(preset="gptfuzz"),
            {"question": "q", "Response": "a", "label": "2"},
            "`label` is '2'; expected '1' (hit), '0' (pass); --skip-label VALUE leaves"
            " out rows with it",
        ),
        (
            own(skip_labels=("unsure",)),
            {"output": "a", "label": "yes"},
            "`label` is 'yes'; expected 'unsure' (left out); --skip-label VALUE leaves"
            " out rows with it",
        ),
        (
            own(ids_per_file=True),
            {"output": "a", "label": "yes"},
            '`label` is \'yes\'; expected "hit" or "pass"; --skip-label VALUE leaves'
            " out rows with it",
        ),
        (
            own(preset="gptfuzz"),
            {"question": "q", "label": "1"},
            "not of the form gptfuzz, which has the columns question, Response, label;"
            " found question, label",
        ),
    ],
)
def test_a_value_that_is_not_known_is_an_error_and_never_guessed(
    form: RowForm, raw: Raw, message: str
) -> None:
    with pytest.raises(DatasetError) as caught:
        read(form, raw)
    assert str(caught.value) == f"f.csv, row 2: {message}"


def check(form: RowForm, raw: Raw, *, may_lack_label: bool = False) -> None:
    form.check_columns(raw, "f.csv, row 2", may_lack_label=may_lack_label)


@pytest.mark.parametrize(
    ("form", "raw", "message"),
    [
        (
            XSTEST,
            {"question": "", "Response": "", "label": ""},
            "not of the form xstest, which has the columns id, prompt, completion,"
            " final_label, annotation_1, annotation_2; found question, Response, label;"
            " --preset gptfuzz reads files of this form",
        ),
        (
            XSTEST,
            {"output": "", "label": ""},
            "not of the form xstest, which has the columns id, prompt, completion,"
            " final_label, annotation_1, annotation_2; found output, label; these are"
            " columns of our own, so leave --preset out",
        ),
        (
            own(raters=("ann", "bob")),
            {"output": "", "ann": ""},
            "no column 'bob', which --raters names; it has output, ann",
        ),
    ],
)
def test_a_file_of_another_form_is_one_line(
    form: RowForm, raw: Raw, message: str
) -> None:
    with pytest.raises(DatasetError) as caught:
        check(form, raw)
    assert str(caught.value) == f"f.csv, row 2: {message}"


def test_json_rows_may_lack_the_label() -> None:
    form = own(preset="latent-jailbreak")
    row = {"context": "c", "response": "r"}
    check(form, row, may_lack_label=True)
    assert reason(form, row) == UNLABELLED
    with pytest.raises(DatasetError, match="not of the form latent-jailbreak"):
        check(form, row)


def test_our_own_columns_with_values_of_the_user() -> None:
    form = own(label_values={"BAD": "hit"}, skip_labels=("Unsure",), raters=("a", "b"))
    raw = {"output": "x", "label": "bad", "a": "bad", "b": "unsure"}
    assert read(form, raw).record["label"] == "hit"
    assert reason(form, {"output": "x", "label": "UNSURE"}) == "labelled 'UNSURE'"
    assert Reading(label_values={"1": "hit"}).form() is None


def test_a_labelled_value_comes_before_the_threshold() -> None:
    form = own(label_values={"fail": "hit"}, label_threshold=3.0)
    assert read(form, {"output": "", "label": "fail"}).record["label"] == "hit"
    assert read(form, {"output": "", "label": "2.9"}).record["label"] == "pass"


def test_columns_are_renamed_and_can_be_swapped() -> None:
    """All columns are read before any is written."""
    raw = {"response": "x", "verdict": "hit"}
    columns = {"output": "response", "label": "verdict"}
    assert renamed(raw, columns, "f") == raw | {"output": "x", "label": "hit"}
    swapped = {"output": "the prompt", "prompt": "the response"}
    assert renamed(swapped, {"output": "prompt", "prompt": "output"}, "f") == {
        "output": "the response",
        "prompt": "the prompt",
    }
    with pytest.raises(DatasetError) as caught:
        renamed(raw, {"output": "answer"}, "rows.jsonl, line 1")
    assert str(caught.value) == (
        "rows.jsonl, line 1: no column 'answer', which --columns maps to `output`;"
        " it has response, verdict"
    )
