# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The datasheet's tables are those of the files."""

import pytest

from tools import make_data_tables
from tools.families import families, family_of, table


def test_the_readme_is_what_the_tool_writes():
    """After a change of the data: python -m tools.make_data_tables."""
    assert make_data_tables.main(["--check"]) == 0


def test_each_file_is_in_one_family_and_each_family_has_files():
    homes = {family_of(detector).name for detector in make_data_tables.read_rows()}
    assert homes == {family.name for family in families()}
    with pytest.raises(ValueError, match=r"x\.Y is in 0 families; put it into one"):
        family_of("x.Y")


def test_a_line_counts_rows():
    rows = [
        {"label": "hit", "slice": "a", "lang": "en"},
        {"label": "hit", "slice": "b", "lang": "pt-BR", "why": "w"},
        {"label": "pass", "slice": "a", "lang": "pt"},
    ]
    assert make_data_tables.line_of("d.D", rows) == (
        "`d.D`",
        "3",
        "2",
        "1",
        "1",
        "0",
        "2",
        "a 2, b 1",
    )


def test_a_difference_is_told(monkeypatch, tmp_path, capsys):
    readme = tmp_path / "README.md"
    readme.write_text(f"by hand\n{make_data_tables.START}old\n")
    monkeypatch.setattr(make_data_tables, "README", readme)
    assert make_data_tables.main(["--check"]) == 1
    assert "run python -m tools.make_data_tables" in capsys.readouterr().err
    assert make_data_tables.main([]) == 0
    assert make_data_tables.main(["--check"]) == 0
    assert readme.read_text().startswith("by hand\n")


def test_numbers_go_to_the_right():
    assert table(("name", "n"), [("a", "1"), ("b", "-")]).splitlines()[1] == (
        "| --- | ---: |"
    )
