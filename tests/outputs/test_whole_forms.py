# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every form of a score and of a comparison, whole, as ``whole/`` has it.

``python -m tests.outputs.test_whole_forms`` writes the files again; read their diff.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

import garak_tbsa
from tests.html_pages import Page
from tests.outputs.written import Written, all_comparisons, all_scores

FOLDER = Path(__file__).parent / "whole"
SCORES = ("mixed", "perfect", "uncounted")
COMPARISONS = ("worse", "better", "unchanged", "common", "forced", "untested")


def whole(found: Written) -> str:
    """Return all that a command printed and wrote; of a page, the texts on it."""
    forms = {"text": "\n".join(found.lines), **found.forms}
    forms["--html"] = "\n".join(Page(found.forms["--html"]).texts)
    parts = [f"===== {name}\n{text.rstrip()}\n" for name, text in forms.items()]
    return "".join(parts).replace(garak_tbsa.__version__, "VERSION")


def of(kind: str) -> str:
    """Return what is expected of a kind."""
    return (FOLDER / f"{kind}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", SCORES)
def test_a_score_in_every_form(kind: str, scores: dict[str, Written]) -> None:
    """Text, JSON, page, Markdown, JUnit XML, SARIF and badge of one report."""
    assert whole(scores[kind]) == of(kind)


@pytest.mark.parametrize("kind", COMPARISONS)
def test_a_comparison_in_every_form(kind: str, comparisons: dict[str, Written]) -> None:
    """Text, JSON, page, Markdown and JUnit XML of two reports."""
    assert whole(comparisons[kind]) == of(kind)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        every = {**all_scores(Path(scratch)), **all_comparisons(Path(scratch))}
    for name in (*SCORES, *COMPARISONS):
        (FOLDER / f"{name}.txt").write_text(whole(every[name]), encoding="utf-8")
