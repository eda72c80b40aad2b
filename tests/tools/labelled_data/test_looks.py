# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tools.labelled_data.looks import looks_of


def test_lengths_and_shares_are_measured() -> None:
    texts = [
        "A sentence.",
        "- an item\n- another",
        "Code:\n\n```\nx\n```",
        "it ends in the",
    ]
    looks = looks_of(texts)
    assert (looks.count, looks.median) == (4, 15.0)
    assert looks.tenth == pytest.approx(11.9)
    assert looks.ninetieth == pytest.approx(18.1)
    assert (looks.fences, looks.lists, looks.paragraphs, looks.cut) == (
        0.25,
        0.25,
        0.25,
        0.5,
    )


@pytest.mark.parametrize(
    "ended", ["Done.", 'He said "no"', "(so)", "完了。", "x = `y`\n"]
)
def test_an_ended_response_is_not_cut(ended: str) -> None:
    assert looks_of([ended, ended]).cut == 0


@pytest.mark.parametrize(
    "cut", ["and then the", "First,", "as follows:", "import os;", ""]
)
def test_a_cut_response_ends_in_mid_sentence(cut: str) -> None:
    assert looks_of([cut, cut]).cut == 1
