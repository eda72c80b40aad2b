# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""garak's own words, where its page says otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from garak_tbsa.outputs.page.garak_page import garak_values, said_by_garak
from garak_tbsa.outputs.wording import family_text
from garak_tbsa.tbsa.explain import explain
from tests.factories import PairFacts, assessment_of, report_rows, write_report
from tests.gold import FOLDER

FACTS = PairFacts(probe="a.A", detector="a.D", passed=20, total=40, tier=2, mu=0.2)


def said(folder: Path, **members: object) -> dict[str, str]:
    rows = report_rows([FACTS])
    rows[-1]["eval"]["a"]["a.A"]["a.D"] |= members
    path = write_report(folder / "r", rows)
    return said_by_garak(assessment_of(path))


def test_its_words_are_those_of_the_digest(tmp_path: Path) -> None:
    """Grade 3 by pass rate and 5 by Z: garak's page has the Z grade alone."""
    found = said(
        tmp_path,
        detector_defcon=5,
        absolute_comment="elevated risk",
        relative_comment="low risk",
    )
    assert found == {
        "a.A+a.D": "DEFCON 5, pass rate “elevated risk”, Z “low risk”",
    }


def test_where_it_agrees_nothing_is_said(tmp_path: Path) -> None:
    assert said(tmp_path, detector_defcon=3, relative_comment="x") == {}
    assert said(tmp_path) == {}


@pytest.mark.parametrize("odd", [None, "5", 7, True, [], {}, 1.5])
def test_odd_words_are_no_reason_to_fail(tmp_path: Path, odd: object) -> None:
    found = said(
        tmp_path, detector_defcon=odd, absolute_comment=odd, relative_comment="y" * 999
    )
    (words,) = found.values()
    assert words.startswith("no DEFCON, ")
    assert len(words) < 150


def test_both_scores_are_told() -> None:
    assessment = assessment_of(str(FOLDER / "garak-0.17.1.report.jsonl"))
    explanation = explain(assessment)
    words = said_by_garak(assessment)
    values = garak_values(assessment, explanation, words)
    assert values is not None
    assert values["tbsa"] == f"{explanation.garak_tbsa:.1f}"
    assert values["count"] == len(words) == len(values["pairs"])
    assert all(entry["said"].startswith("DEFCON ") for entry in values["pairs"])
    own = replace(explanation, garak_tbsa=assessment.tbsa)
    assert garak_values(assessment, own, {}) is None
    assert garak_values(assessment, replace(own, garak_tbsa=1.0), {}) is not None


def test_beside_garaks_number_it_is_said_which_one_moves() -> None:
    path = str(FOLDER / "garak-0.17.1.report.jsonl")
    assessment = assessment_of(path, formula="garak")
    told = family_text(assessment, explain(assessment).family)
    assert told is not None
    assert told.endswith(" by the documented formula")
    usual = assessment_of(path)
    assert told.startswith(str(family_text(usual, explain(usual).family)))
