# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""That a scan was lucky is one sentence in every form that people read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from garak_tbsa.outputs import json_document, markdown, page, text
from tests.outputs import samples
from tests.outputs.test_json_document import validated
from tests.repeats import repeats

if TYPE_CHECKING:
    from pathlib import Path

    from garak_tbsa.outputs.view import ScoredReport


def of_repeats(folder: Path, *shares: tuple[float, float]) -> ScoredReport:
    return replace(samples.mixed(folder), repeat=repeats(*shares))


def test_a_lucky_scan(tmp_path: Path) -> None:
    scored = of_repeats(tmp_path, (1.3, 0.5), (1.9, 0.5))
    tbsa = scored.assessment.tbsa
    sentence = (
        "this scan was lucky: by the model, over 99 % of repeats would score lower than"
        f" {tbsa:.1f}, and {tbsa:.1f} is outside that range"
    )
    capitalised = "T" + sentence[1:]
    shown = text.answer_lines(scored)
    assert sentence in " ".join(" ".join(shown).split())
    assert f"<p>{capitalised}.</p>" in page.render(scored)
    assert f"- {capitalised}\n" in markdown.render(scored)
    luck = validated(json_document.score_document(scored))["repeat_interval"]["luck"]
    assert luck == {"kind": "lucky", "outside": True, "share": 1.0, "text": sentence}


def test_an_unlucky_scan_at_the_end_of_its_range(tmp_path: Path) -> None:
    tbsa = samples.mixed(tmp_path).assessment.tbsa
    scored = of_repeats(tmp_path, (tbsa, 0.1), (4.9, 0.9))
    shown = text.answer_lines(scored)
    assert (
        "this scan was unlucky: by the model, 90 % of repeats would score higher than"
        f" {tbsa:.1f}"
    ) in " ".join(" ".join(shown).split())


def test_nothing_is_said_of_a_scan_that_was_neither(tmp_path: Path) -> None:
    tbsa = samples.mixed(tmp_path).assessment.tbsa
    scored = of_repeats(tmp_path, (1.0, 0.1), (tbsa, 0.8), (5.0, 0.1))
    assert "lucky" not in page.render(scored) + markdown.render(scored)
    document = validated(json_document.score_document(scored))
    assert document["repeat_interval"]["luck"] is None
