# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page of the notebook shows what is stored; ``make check`` runs the cells."""

from __future__ import annotations

from tools.run_notebook import HTML, NOTEBOOK, PAGE, page, read


def test_the_page_shows_the_stored_notebook() -> None:
    """Tables without a script, and charts."""
    stored = read()
    shown, pictures = page(stored)
    assert PAGE.read_text("utf-8") == shown
    for name, content in pictures.items():
        assert (NOTEBOOK.parent / name).read_bytes() == content
    outputs = [each for cell in stored["cells"] for each in cell.get("outputs", ())]
    shown_as = [each["data"] for each in outputs if "data" in each]
    first, second = ("".join(data[HTML]) for data in shown_as if HTML in data)
    assert "TBSA 2.3" in first
    for table in (first, second):
        assert "<table>" in table
        assert "<script" not in table
    assert len(pictures) == 3
