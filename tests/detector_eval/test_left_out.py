# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the first pass over published rows notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.detector_eval.left_out import (
    CONTRADICTING,
    REPEATED,
    CountedRows,
    ReadingNotes,
    ReadingTally,
)
from garak_tbsa.detector_eval.row_form import FormedRow, LeftOut
from tests.detector_eval.rows import labelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.detector_eval.labelled_row import Label, LabelledRow


def noted(rows: Sequence[LabelledRow]) -> ReadingNotes:
    tally = ReadingTally()
    for row in rows:
        tally.add_formed(FormedRow())
        tally.add_row(row)
    return tally.notes(rows, tally.contradicting())


def row(number: int, label: Label, **fields: str) -> LabelledRow:
    given = {"id": f"r{number}", "output": f"text {number}"} | fields
    return labelled(label, where=f"f, line {number}", **given)


def test_the_same_response_with_two_labels_does_not_count_either_time() -> None:
    rows = [row(1, "hit"), row(2, "hit"), row(3, "pass", output="text 1")]
    notes = noted(rows)
    assert notes.left_out == (
        CountedRows(reason=CONTRADICTING, count=2, first="f, line 1"),
    )
    assert (notes.read, notes.used) == (3, 1)


def test_the_same_id_with_two_labels_does_not_count_either_time() -> None:
    (left_out,) = noted([row(1, "hit"), row(2, "pass", id="r1")]).left_out
    assert left_out.count == 2


def test_a_row_that_repeats_another_alike_is_told_and_counts() -> None:
    rows = [row(1, "hit"), row(2, "hit", id="r1"), row(3, "hit", output="text 1")]
    notes = noted(rows)
    assert notes.repeated == CountedRows(
        reason=REPEATED, count=2, first="f, line 2, as f, line 1"
    )
    assert notes.used == 3


def test_another_detector_is_another_question() -> None:
    rows = [row(1, "hit"), row(1, "pass", detector="dan.STAN")]
    assert noted(rows) == ReadingNotes(read=2)


def test_reasons_come_by_their_number_with_the_first_place() -> None:
    tally = ReadingTally()
    for number, reason in enumerate(("a", "b", "b")):
        left_out = LeftOut(reason=reason, where=f"f, row {number}")
        tally.add_formed(FormedRow(left_out=left_out))
    assert tally.notes([], frozenset()).left_out == (
        CountedRows(reason="b", count=2, first="f, row 1"),
        CountedRows(reason="a", count=1, first="f, row 0"),
    )


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["hit", "pass"]))))
def test_what_was_answered_alike_and_labelled_differently_never_counts(
    answers: list[tuple[str, Label]],
) -> None:
    """Property: rows with the same prompt and response but two labels are left out."""
    rows = [
        row(number, label, output=text) for number, (text, label) in enumerate(answers)
    ]
    both = {text for text, label in answers if (text, "hit") in answers} & {
        text for text, label in answers if (text, "pass") in answers
    }
    assert noted(rows).used == sum(text not in both for text, _ in answers)
