# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One scan has one range, whoever asks for it and however."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import garak_tbsa
from garak_tbsa import Unavailable
from garak_tbsa.host.command import score_scan
from garak_tbsa.host.settings import read_settings
from garak_tbsa.report import opening
from garak_tbsa.statistics import repeat as model
from tests.behaviour.product import document, tbsa
from tests.factories import assessment_of
from tests.report_rows import (
    PairFacts,
    pairs_named,
    report_rows,
    write_alike,
    write_report,
)


@pytest.fixture
def report(tmp_path: Path) -> str:
    """A report whose attempts tell each prompt."""
    return write_alike(tmp_path)


def known(
    repeat: model.RepeatDistribution | Unavailable,
) -> model.RepeatDistribution:
    assert isinstance(repeat, model.RepeatDistribution)
    return repeat


def said(text: str) -> list[tuple[float, float]]:
    """Every range that a text tells."""
    found = re.findall(r"would score ([\d.]+)\s+to\s+([\d.]+)\s", text)
    return [(float(low), float(high)) for low, high in found]


def test_the_same_file_gives_the_same_range_in_every_command(
    report: str, tmp_path: Path
) -> None:
    expected = garak_tbsa.score(report).interval
    assert expected is not None
    page, markdown = tmp_path / "page.html", tmp_path / "page.md"
    shown = tbsa("score", report, "--html", page, "--markdown", markdown)
    for text in (shown.out, page.read_text("utf-8"), markdown.read_text("utf-8")):
        assert set(said(text)) == {expected}

    def ends(found: Any) -> tuple[float, float]:
        return found["lower"], found["upper"]

    for command in ("score", "explain"):
        found = document(tmp_path, command, report)["repeat_interval"]
        assert ends(found) == expected
    quiet = document(tmp_path, "score", "-q", report, "--fail-under", 1, "--sure", 0.9)
    assert ends(quiet["repeat_interval"]) == expected
    assert set(said(tbsa("compare", report, report).out)) == {expected}
    compared = document(tmp_path, "compare", report, report)
    for side in ("first", "second"):
        assert tuple(compared[side]["repeat_interval"]) == expected
    history = tmp_path / "history.jsonl"
    text = tbsa("history", report, "--jsonl", history).out
    assert "{} to {}".format(*expected) in text
    assert ends(json.loads(history.read_text("utf-8"))) == expected
    assert said(score_scan(report, read_settings({})).printed) == [expected]
    after = json.loads((tmp_path / "alike.tbsa.json").read_text("utf-8"))
    assert ends(after["repeat_interval"]) == expected


def test_a_repeat_has_the_same_prompts_where_the_seed_is_set(tmp_path: Path) -> None:
    """Unless it is asked for."""
    for seed, expected in ((7, "same-prompts"), (None, "fresh-prompts")):
        rows = report_rows(pairs_named((1, 9, 10)), setup={"run.seed": seed})
        path = write_report(tmp_path / "r.report.jsonl", rows)
        for asked in ([], ["--repeat", "fresh-prompts"]):
            found = document(tmp_path, "score", path, *asked)["repeat_interval"]
            assert found["repeat"] == ("fresh-prompts" if asked else expected)


def test_attempts_that_were_read_are_not_read_again(
    report: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do they hang on whether a file lies here or at an address."""
    assessment = assessment_of(report)
    outcomes = assessment.report.outcomes
    expected = known(model.repeat_of_scan(assessment))
    address = f"file://{report}"
    assert garak_tbsa.score(address).interval == expected.prediction_interval
    with monkeypatch.context() as patch:
        patch.setattr(opening, "open", pytest.fail, raising=False)
        assert assessment.report.outcomes is outcomes
        again = known(model.repeat_of_scan(assessment))
        assert (again.probabilities, again.below) == (
            expected.probabilities,
            expected.below,
        )
        why = Unavailable(reason="why not")
        unread = known(model.repeat_of_scan(assessment, outcomes=why))
    assert unread.basis.missing_because == "why not"
    assert unread != expected


@settings(max_examples=20)
@given(order=st.randoms(use_true_random=False))
def test_neither_the_order_of_pairs_nor_of_prompts_matters(
    tmp_path_factory: pytest.TempPathFactory, order: Any
) -> None:
    folder = tmp_path_factory.getbasetemp()
    assessment = assessment_of(write_alike(folder))
    outcomes = assessment.report.outcomes
    assert not isinstance(outcomes, Unavailable)
    graded, turned = list(assessment.graded), {}
    order.shuffle(graded)
    for probe in order.sample(list(outcomes), len(outcomes)):
        found = outcomes[probe]
        assert not isinstance(found, Unavailable)
        prompts = list(found.prompts.items())
        order.shuffle(prompts)
        turned[probe] = type(found)(detectors=found.detectors, prompts=dict(prompts))
    expected = known(model.repeat_of_scan(assessment, outcomes=outcomes))
    other = replace(assessment, graded=tuple(graded))
    found_again = known(model.repeat_of_scan(other, outcomes=turned))
    assert found_again.prediction_interval == expected.prediction_interval


def test_pairs_whose_counts_are_known_are_drawn_by_themselves(tmp_path: Path) -> None:
    pairs = pairs_named((1, 9, 10), (2, 8, 10))
    pairs.append(PairFacts(probe="cal.One", mu=0.5))
    path = write_report(tmp_path / "r.report.jsonl", report_rows(pairs))
    assessment = assessment_of(path)
    assert isinstance(model.repeat_of_scan(assessment), Unavailable)
    found = known(model.repeat_of_known_pairs(assessment))
    assert list(found.below) == ["probe.P00+D", "probe.P01+D"]
