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
from hypothesis import given
from hypothesis import strategies as st

import garak_tbsa
from garak_tbsa.garak_files import outcomes as reading
from garak_tbsa.garak_files.outcomes import outcomes_of_report
from garak_tbsa.host.after_scan import score_scan
from garak_tbsa.host.settings import read_settings
from garak_tbsa.statistics import repeat as model
from garak_tbsa.statistics.kinds import FRESH_PROMPTS, SAME_PROMPTS
from garak_tbsa.statistics.repeat import (
    RepeatDistribution,
    repeat_of_known_pairs,
    repeat_of_scan,
)
from garak_tbsa.unavailable import Unavailable
from tests.behaviour.product import document, tbsa
from tests.factories import (
    PairFacts,
    assessment_of,
    report_rows,
    write_alike,
    write_report,
)
from tests.factories import pairs_named as named
from tests.host.test_after_scan import Told


@pytest.fixture
def report(tmp_path: Path) -> str:
    """A report whose attempts tell each prompt."""
    return write_alike(tmp_path)


def known(repeat: RepeatDistribution | Unavailable) -> RepeatDistribution:
    assert isinstance(repeat, RepeatDistribution)
    return repeat


def said(text: str) -> list[tuple[float, float]]:
    """Every range that a text tells."""
    found = re.findall(r"would score ([\d.]+)\s+to\s+([\d.]+)\s", text)
    return [(float(low), float(high)) for low, high in found]


def test_the_same_file_gives_the_same_range_in_every_command(
    report: str, tmp_path: Path
) -> None:
    expected = known(repeat_of_scan(assessment_of(report))).prediction_interval
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
    scored = garak_tbsa.score(report)
    assert scored.interval == expected
    assert known(scored.repeat) == known(repeat_of_scan(assessment_of(report)))
    told = Told()
    score_scan(report, read_settings({"html": True}), told)
    assert said("\n".join(told.lines)) == [expected]
    after = json.loads((tmp_path / "alike.tbsa.json").read_text("utf-8"))
    assert ends(after["repeat_interval"]) == expected


def test_a_repeat_has_the_same_prompts_where_the_seed_is_set(tmp_path: Path) -> None:
    pairs = named((1, 9, 10))
    for seed, expected in ((7, SAME_PROMPTS), (None, FRESH_PROMPTS)):
        rows = report_rows(pairs, setup={"run.seed": seed})
        path = write_report(tmp_path / "r.report.jsonl", rows)
        assert known(repeat_of_scan(assessment_of(path))).basis.repeat == expected
        asked = known(repeat_of_scan(assessment_of(path), FRESH_PROMPTS))
        assert asked.basis.repeat == FRESH_PROMPTS


def test_attempts_that_were_read_are_not_read_again(
    report: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assessment = assessment_of(report)
    outcomes = outcomes_of_report(assessment.report)
    expected = repeat_of_scan(assessment)
    monkeypatch.setattr(model, "outcomes_of_report", pytest.fail)
    assert repeat_of_scan(assessment, outcomes=outcomes) == expected
    unread = known(repeat_of_scan(assessment, outcomes=Unavailable(reason="why not")))
    assert unread.basis.missing_because == "why not"
    assert unread != expected


def test_an_address_is_read_up_to_a_limit(
    report: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text says how to get the range that the attempts give."""
    address = f"file://{report}"
    expected = known(repeat_of_scan(assessment_of(report)))
    found = known(repeat_of_scan(assessment_of(address)))
    assert found.prediction_interval == expected.prediction_interval
    monkeypatch.setattr(reading, "MOST_AT_ADDRESS", 1 << 10)
    shown = " ".join(tbsa("score", "-v", address).out.split())
    assert (
        f"from pass counts alone ({address} is larger than 1 KiB, and attempts at an"
        " address are read up to that; copy the file here): how alike" in shown
    )


@given(order=st.randoms(use_true_random=False))
def test_neither_the_order_of_pairs_nor_of_prompts_matters(
    tmp_path_factory: pytest.TempPathFactory, order: Any
) -> None:
    folder = tmp_path_factory.getbasetemp()
    assessment = assessment_of(write_alike(folder))
    outcomes = outcomes_of_report(assessment.report)
    assert not isinstance(outcomes, Unavailable)
    graded, turned = list(assessment.graded), {}
    order.shuffle(graded)
    for probe in order.sample(list(outcomes), len(outcomes)):
        found = outcomes[probe]
        assert not isinstance(found, Unavailable)
        prompts = list(found.prompts.items())
        order.shuffle(prompts)
        turned[probe] = type(found)(detectors=found.detectors, prompts=dict(prompts))
    expected = known(repeat_of_scan(assessment, outcomes=outcomes))
    other = replace(assessment, graded=tuple(graded))
    found_again = known(repeat_of_scan(other, outcomes=turned))
    assert found_again.prediction_interval == expected.prediction_interval


def test_pairs_whose_counts_are_known_are_drawn_by_themselves(tmp_path: Path) -> None:
    pairs = [*named((1, 9, 10), (2, 8, 10)), PairFacts(probe="cal.One", mu=0.5)]
    path = write_report(tmp_path / "r.report.jsonl", report_rows(pairs))
    assessment = assessment_of(path)
    assert isinstance(repeat_of_scan(assessment), Unavailable)
    found = known(repeat_of_known_pairs(assessment))
    assert list(found.below) == ["probe.P00+D", "probe.P01+D"]
