# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers and names as notebooks show them."""

from __future__ import annotations

from garak_tbsa.results.result import Table, fragment, percent, range_text


def test_words_of_a_fragment() -> None:
    assert [percent(share) for share in (0, 0.001, 0.5, 0.999, 1, None)] == [
        "0 %",
        "< 1 %",
        "50 %",
        "> 99 %",
        "100 %",
        None,
    ]
    assert range_text((1.0, 2.5)) == "1.0 to 2.5"
    many = Table(header=("n",), rows=[(number,) for number in range(25)], noun="pairs")
    shown = fragment("<b>", [many, Table(header=("none",), rows=[])])
    assert "<p>5 more pairs</p>" in shown
    assert "none" not in shown
    assert " more " not in fragment("b", [Table(header=("n",), rows=[(1,)] * 20)])
    assert "<strong>&lt;b&gt;</strong>" in shown
