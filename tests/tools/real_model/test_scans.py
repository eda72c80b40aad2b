# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Real garak scans with answers that are made up here."""

from __future__ import annotations

import json
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import pytest

from garak_tbsa.errors import DatasetError
from tests.tools.real_model.factories import GROUP, scan
from tools.real_model import target
from tools.real_model.answers import Answer, AnswerCache, keys_of
from tools.real_model.capped_garak import drawn
from tools.real_model.kept import prompt_text, responses_of
from tools.real_model.scans import is_kept, kept_scans, recorded_prompts, run_scan

CAP = 3


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return recorded_prompts(GROUP, 1, CAP, tmp_path_factory.mktemp("prompts"))


def test_each_probe_sends_a_few_prompts_as_often_as_asked(prompts: list[str]) -> None:
    assert len(prompts) == len(GROUP.probes) * CAP * GROUP.generations
    assert set(Counter(prompts).values()) == {GROUP.generations}


def test_a_recording_is_used_again(tmp_path: Path) -> None:
    asked = {
        "garak": version("garak"),
        "generations": GROUP.generations,
        "probes": GROUP.probes,
    }
    path = tmp_path / "tiny-7-3.jsonl"
    path.write_text(json.dumps(asked) + '\n"hello\\n"\n')
    assert recorded_prompts(GROUP, 7, CAP, tmp_path) == ["hello\n"]


def test_a_scan_is_served_from_the_cache(prompts: list[str], tmp_path: Path) -> None:
    answers, reports = tmp_path / "answers.jsonl", tmp_path / "reports"
    with AnswerCache(answers) as cache:
        for key in keys_of(prompts, "plain", 1, GROUP.most_tokens):
            text = f"{key.occurrence}: {key.prompt}"
            cache.put(key, Answer(text=text, tokens=1, cut=False))
    run_scan(scan(), GROUP, answers, reports)
    assert sorted(path.name for path in reports.iterdir()) == [
        "plain-tiny-1.report.jsonl.gz",
        "plain-tiny-1.scan.json",
    ]
    assert is_kept(scan(), reports)
    assert not is_kept(scan("terse"), reports)
    found = responses_of(kept_scans(reports))
    assert set(found) == {"goodside.RileyIsnt", "ansiescape.Escaped"}
    for responses in found.values():
        assert len(responses) == CAP * GROUP.generations
        assert {response.scan for response in responses} == {scan()}
        for response in responses:
            assert response.output == f"{response.index}: {response.prompt}"


def test_a_prompt_without_an_answer_ends_the_scan(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    AnswerCache(answers).__exit__(None, None, None)
    with pytest.raises(DatasetError) as caught:
        run_scan(scan(), GROUP, answers, tmp_path / "reports")
    assert str(caught.value).startswith(
        "garak ended with 1 on the probes 'tiny':"
        " tools.real_model.target.NoAnswerError: no answer of plain with seed 1,"
        " occurrence 0, to the prompt '"
    )
    assert list((tmp_path / "reports").iterdir()) == []


def test_the_target_counts_occurrences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "answers.jsonl"
    with AnswerCache(path) as cache:
        for number, key in enumerate(keys_of(["a", "a"], "terse", 4, 220)):
            cache.put(key, Answer(text=f"answer {number}", tokens=2, cut=False))
    monkeypatch.setenv(target.ANSWERS, str(path))
    monkeypatch.setenv(target.PERSONA, "terse")
    monkeypatch.setenv(target.SEED, "4")
    monkeypatch.setenv(target.MOST_TOKENS, "220")
    monkeypatch.setattr(target, "_came", Counter())
    assert target.respond("a") + target.respond("a") == ["answer 0", "answer 1"]
    with pytest.raises(target.NoAnswerError):
        target.respond("a")


def test_attempts_are_drawn_at_random_in_their_order() -> None:
    attempts = list(range(50))
    few = drawn(attempts, 5, "1 probe")
    assert few == sorted(few)
    assert len(set(few)) == 5
    assert few == drawn(attempts, 5, "1 probe")
    assert few != drawn(attempts, 5, "2 probe")
    assert drawn(attempts, 50, "1") == attempts


def test_no_scans_is_told(tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as caught:
        list(kept_scans(tmp_path))
    assert str(caught.value) == (
        f"{tmp_path}: expected scans, found none; make real-scans"
    )


def test_a_broken_description_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.scan.json"
    path.write_text('{"probes": []}')
    with pytest.raises(DatasetError) as caught:
        list(kept_scans(tmp_path))
    assert str(caught.value) == (
        f"{path}: expected what describes a scan, found none (TypeError);"
        " delete it and scan again"
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "Who?",
        {"turns": [{"content": {"text": "no"}}, {"content": {"text": "Who?"}}]},
    ],
)
def test_the_last_turn_is_the_prompt(prompt: object) -> None:
    assert prompt_text(prompt) == "Who?"


@pytest.mark.parametrize("prompt", [None, 3, {}, {"turns": []}, {"turns": [{}]}])
def test_what_is_no_prompt_is_empty(prompt: object) -> None:
    assert prompt_text(prompt) == ""
