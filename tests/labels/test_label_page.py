# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Each text of a report on the page to label on, as people may read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from garak_tbsa.safe_text import readable
from tests.behaviour.product import tbsa
from tests.html_pages import Page
from tests.outputs.samples import HOSTILE, write
from tests.report_rows import PairFacts, attempt_row, report_rows


def page_with(folder: Path, texts: list[str]) -> Page:
    """A page about a report in which an attempt has each text wherever it can be."""
    pairs = [
        PairFacts(probe=f"p{n}.{text}", detector=f"d{n}.{text}", passed=0, total=1)
        for n, text in enumerate(texts)
    ]
    attempts = [
        attempt_row(
            facts,
            prompt=text,
            scores=[1.0],
            outputs=[text],
            goal=text,
            uuid=text or None,
        )
        for facts, text in zip(pairs, texts, strict=True)
    ]
    report = write(folder, "any", report_rows(pairs, attempts=attempts))
    page = folder / "label.html"
    shown = tbsa("label", report, "--page", page, "-n", len(texts))
    assert (shown.code, shown.err) == (0, "")
    return Page(page.read_text(encoding="utf-8"))


@settings(max_examples=8)
@given(st.lists(st.text(max_size=40), min_size=5, max_size=5, unique=True))
@example([*HOSTILE, "", "a\tb", "\r\n", "e" + "\u0301" * 5])
def test_every_text_of_a_report_is_shown_as_it_is_or_by_its_escapes(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    """An attempt without an id is known by its line."""
    folder = tmp_path_factory.mktemp("any")
    page, plain = page_with(folder, texts), page_with(folder, ["x"])
    assert (page.tags, page.style, page.script) == (
        *(plain.tags, plain.style, plain.script),
    )
    rows = {row["detector"]: row for row in page.data["questions"]}
    assert len(rows) == len(texts)
    for number, text in enumerate(texts):
        row = rows[f"d{number}.{text}"]
        # the rows of setup, start and tiers come first
        assert row["attempt"] == (text or f"line {number + 4}")
        prompt = page.data["prompts"][row["prompt"]]
        assert row["text"] == row["goal"] == prompt == readable(text)
        assert row["probe_shown"] == readable(f"p{number}.{text}")
        assert row["detector_shown"] == readable(f"d{number}.{text}")
