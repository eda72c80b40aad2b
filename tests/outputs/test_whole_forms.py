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
from tests.outputs.written import COMPARISONS, SCORES, Written, compare, score

AGAIN = "python -m tests.outputs.test_whole_forms writes what is expected again"
FOLDER = Path(__file__).parent / "whole"
# hostile reports are held against other things than what they say
KINDS = {
    **dict.fromkeys(list(SCORES)[:-1], score),
    **dict.fromkeys(list(COMPARISONS)[:-1], compare),
}


def whole(found: Written) -> str:
    """Return all that a command printed and wrote; of a page, the texts on it."""
    forms = {"text": "\n".join(found.lines), **found.forms}
    forms["--html"] = "\n".join(Page(found.forms["--html"]).texts)
    parts = [f"===== {name}\n{text.rstrip()}\n" for name, text in forms.items()]
    return "".join(parts).replace(garak_tbsa.__version__, "VERSION")


def of(kind: str) -> str:
    """Return what is expected of a kind."""
    return (FOLDER / f"{kind}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_in_every_form(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text, JSON, page, Markdown and JUnit XML; SARIF of a score."""
    monkeypatch.chdir(tmp_path)
    assert whole(KINDS[kind](tmp_path, kind)) == of(kind), AGAIN


if __name__ == "__main__":
    for name, write in KINDS.items():
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            text = whole(write(Path(scratch), name))
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")
