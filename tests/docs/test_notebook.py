# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The notebook of the docs runs, and shows what it is stored to show."""

from __future__ import annotations

import pytest

from tools import run_notebook
from tools.run_notebook import HTML, NOTEBOOK, PAGE, executed, page, read


@pytest.fixture(scope="module")
def fresh() -> run_notebook.Notebook:
    return executed(read())


def test_each_cell_shows_what_is_stored(fresh: run_notebook.Notebook) -> None:
    stored = read()
    assert run_notebook.without_pictures(fresh) == run_notebook.without_pictures(stored)


def test_results_are_shown_as_tables_and_charts(fresh: run_notebook.Notebook) -> None:
    data = [
        output["data"]
        for cell in fresh["cells"]
        for output in cell.get("outputs", ())
        if "data" in output
    ]
    tables = ["".join(each[HTML]) for each in data if HTML in each]
    assert len(tables) == 2
    for table in tables:
        assert "<table>" in table
        assert "<script" not in table
    assert "TBSA 2.3" in tables[0]
    assert sum(run_notebook.PNG in each for each in data) == 3


def test_the_page_shows_the_stored_notebook() -> None:
    shown, pictures = page(read())
    assert PAGE.read_text("utf-8") == shown
    for name, content in pictures.items():
        assert (NOTEBOOK.parent / name).read_bytes() == content


def test_a_cell_that_fails_fails_the_notebook() -> None:
    cell = {"cell_type": "code", "source": ["1 / 0"], "outputs": []}
    with pytest.raises(ZeroDivisionError):
        executed({"cells": [cell]})
