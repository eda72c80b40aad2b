# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.outputs import text, wording
from tests.outputs.samples import mixed, perfect

if TYPE_CHECKING:
    from pathlib import Path


WORDS = st.text("ab ", max_size=200)


@given(line=WORDS, leading=st.integers(0, 6))
def test_folding_loses_no_word_and_stays_within_80_columns(
    line: str, leading: int
) -> None:
    """Break lines at spaces, so that names stay whole."""
    line = " " * leading + line
    parts = text.folded([line])
    assert " ".join(parts).split() == line.split()
    for part in parts:
        assert len(part) < 80 or len(part.split()) == 1


LETTERS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=100)


@given(first=st.text(" ", max_size=10), words=st.lists(LETTERS, min_size=1, max_size=8))
def test_wrapping_keeps_every_character_within_80_columns(
    first: str, words: list[str]
) -> None:
    """Break a line at 80 columns; long names break where they must."""
    lines = text.wrapped(first, " ".join(words))
    assert all(len(line) <= 80 for line in lines)
    assert all(line.startswith(" " * len(first)) for line in lines)
    assert "".join("".join(lines).split()) == "".join(words)


def test_every_pair_with_its_grades(tmp_path: Path) -> None:
    assessment = mixed(tmp_path).assessment
    header, *rows = text.pair_table(assessment)
    assert header.split("  ")[0] == "tier"
    assert [row.split() for row in rows[:4]] == [
        ["1", "dan.One", "dan.DAN", "2/7", "28.6%", "-2.14", "2", "1", "1"],
        ["1", "dan.Two", "dan.DAN", "50/100", "50.0%", "+0.00", "3", "3", "3"],
        ["1", "enc.Clean", "enc.D", "64/64", "100.0%", "+4.00", "5", "5", "5"],
        ["2", "web.Xss", "web.D", "90/100", "90.0%", "uncalibrated", "4", "-", "4"],
    ]
    assert rows[4].startswith("left out: new.Unknown+new.D: ")


def test_several_reports_are_grouped_by_checksum(tmp_path: Path) -> None:
    one = mixed(tmp_path).assessment
    other = perfect(tmp_path).assessment
    lines = text.report_table([one, other, one])
    assert lines[0] == f"🔑 Checksum: {one.checksum.text}"
    assert [line.split()[0] for line in lines[1:4]] == ["TBSA", "2.6", "2.6"]
    assert lines[5] == f"🔑 Checksum: {other.checksum.text}"
    assert lines[-3].startswith("2 checksums: only scores with the same checksum")
    assert "2 checksums" not in "".join(text.report_table([one, one]))


def test_each_part_of_a_checksum_is_shown(tmp_path: Path) -> None:
    assessment = mixed(tmp_path).assessment
    lines = text.checksum_lines(assessment.checksum)
    assert lines[0] == f"Checksum {assessment.checksum.text} covers:"
    assert "    dan.One+dan.DAN (tier 1)" in lines
    assert "    new.Unknown+new.D (tier unknown)" in lines
    assert any(line.startswith("  garak_version: ") for line in lines)


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (None, "-"),
        (0.0, "0.0%"),
        (0.0001, "<0.1%"),
        (0.5, "50.0%"),
        (0.99996, ">99.9%"),
        (1.0, "100.0%"),
    ],
)
def test_a_percentage_never_rounds_to_all_or_nothing(
    share: float | None, shown: str
) -> None:
    assert wording.percentage(share) == shown


def test_numbers_stand_to_the_right() -> None:
    assert text.table([("name", "count"), ("a", "1"), ("long name", "10")]) == [
        "name       count",
        "a              1",
        "long name     10",
    ]
