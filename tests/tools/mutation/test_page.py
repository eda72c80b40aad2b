# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page counts what was noticed, and names what was not."""

from __future__ import annotations

import pytest

from tools.mutation import page
from tools.mutation.mutants import Mutant
from tools.mutation.runner import Fate

WHY = "both give the same"


def mutant(after: str) -> Mutant:
    return Mutant(path="a.py", line=7, before="x < y", after=after, source=after)


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> page.Campaign:
    known = {("a.py", "x < y", "same"): WHY}
    monkeypatch.setattr(page, "reasons", lambda: known)
    fates = [
        (mutant("x <= y"), Fate.KILLED),
        (mutant("x > y"), Fate.TIMED_OUT),
        (mutant("same"), Fate.SURVIVED),
        (mutant("None"), Fate.SURVIVED),
        (mutant("y"), Fate.NOT_RUN),
    ]
    return page.Campaign(possible={"a.py": 9}, fates=fates, most=5, seed=3)


def test_what_changes_nothing_does_not_count(campaign: page.Campaign) -> None:
    assert page.share_noticed(campaign) == 2 / 4
    assert [mutant.after for mutant, _ in page.survivors(campaign)] == ["None", "y"]


def test_the_page_says_how_much_was_run_and_what_was_not_noticed(
    campaign: page.Campaign,
) -> None:
    text = page.page(campaign)
    assert "5 of 9 possible changes, at most 5 a file, drawn with seed 3" in text
    assert "**50.0%**" in text
    assert "| `a.py` | 9 | 5 | 1 | 1 | 1 | 2 |" in text
    assert f"- `a.py`, line 7: {WHY}" in text
    assert "- `a.py`, line 7 (run by no test)" in text


def test_each_reason_belongs_to_a_line_of_today() -> None:
    root = page.EQUIVALENT.parents[2]
    for path, before, _ in page.reasons():
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        assert before in {line.strip() for line in lines}, (path, before)
