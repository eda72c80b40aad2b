# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Repeats of a real garak scan, with answers that are made up here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.attempts import read_attempts
from tests.tools.real_model.factories import GROUP
from tools.real_model.answers import Answer, Key, read_answers
from tools.real_model.kept import prompt_text
from tools.real_model.model import Encoded
from tools.real_model.repeat_plan import SERIES, Repeats
from tools.real_model.repeats import (
    Decoding,
    gathered,
    generate,
    made_with,
    not_made,
    prompts_of,
    report_of,
    scan,
)
from tools.real_model.verdicts import RealRepeats, kept_by, packed

TINY = Repeats(
    name="tiny", probes=GROUP.probes, seeds=(7, 7), generations=2, prompt_cap=2
)

NONE = RealRepeats(made_with=made_with(), scans=())


class Parrot:
    """Answers with the seed and the start of what it was asked."""

    def encode(self, key: Key) -> Encoded:
        return Encoded(key=key, tokens=tuple(key.prompt.encode()))

    def answer(self, batch: Sequence[Encoded]) -> list[Answer]:
        return [
            Answer(text=f"{item.key.seed} {bytes(item.tokens)!r}", tokens=1, cut=False)
            for item in batch
        ]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two scans with two generations, made once."""
    folder = tmp_path_factory.mktemp("repeats")
    generate(list(TINY.scans), folder / "prompts", folder / "answers.jsonl", Parrot)
    scan(TINY.scans, folder / "answers.jsonl", folder / "reports")
    return folder


def said(report: Path) -> Counter[tuple[str, str]]:
    """Prompts with the seeds that begin their outputs."""
    return Counter(
        (prompt_text(attempt.prompt), output.text.split()[0])
        for attempt in read_attempts(str(report))
        for output in attempt.outputs
        if output.text is not None
    )


def test_no_output_is_served_twice(home: Path) -> None:
    prompts = prompts_of(TINY, 7, home / "prompts")
    assert len(prompts) == 4
    served = [said(report_of(repeat, home / "reports")) for repeat in TINY.scans]
    for counts, seeds in zip(served, (("7000", "7001"), ("7002", "7003")), strict=True):
        assert counts == Counter((prompt, seed) for prompt in prompts for seed in seeds)


def test_answers_that_are_there_are_not_made_again(home: Path) -> None:
    def never() -> Parrot:
        raise AssertionError

    answers = home / "answers.jsonl"
    before = read_answers(answers)
    generate(list(TINY.scans), home / "prompts", answers, never)
    assert read_answers(answers) == before


def test_the_verdicts_of_all_scans_are_gathered(home: Path) -> None:
    found = gathered([TINY, replace(TINY, name="missing")], home / "reports", NONE)
    assert [scan.first_slot for scan in found.of("tiny")] == [0, 2]
    assert len(found.scans) == 2
    for each in found.scans:
        assert set(each.outcomes) == set(GROUP.probes)
        for outcomes in each.outcomes.values():
            assert len(outcomes.prompts) == 2
            assert {sum(times.values()) for times in outcomes.prompts.values()} == {2}


def test_scans_whose_verdicts_are_kept_are_not_made_again(
    home: Path, tmp_path: Path
) -> None:
    """Reports need not be there any more: their verdicts stay."""
    found = gathered([TINY], home / "reports", NONE)
    first = RealRepeats(made_with=found.made_with, scans=found.scans[:1])
    assert [repeat.number for repeat in not_made(TINY, first)] == [1]
    assert not_made(TINY, found) == []
    (tmp_path / "repeats").write_bytes(packed(found))
    kept = kept_by(made_with(), tmp_path / "repeats")
    assert gathered([TINY], tmp_path / "no reports", kept) == found


def test_scans_made_with_something_else_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "repeats"
    assert kept_by(made_with(), path) == NONE
    other = {**made_with(), "garak": "0.1"}
    path.write_bytes(packed(RealRepeats(made_with=other, scans=())))
    assert kept_by(made_with(), path) == NONE


def test_a_scan_whose_answers_are_missing_is_told(home: Path, tmp_path: Path) -> None:
    other = replace(TINY, seeds=(7,), first_slot=4)
    with pytest.raises(DatasetError, match="no answer of ordinary with seed 7004"):
        scan(other.scans, home / "answers.jsonl", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_model_is_told_what_the_text_says() -> None:
    key = Key(persona="decoded", seed=1, prompt="6869", occurrence=0, most_tokens=9)
    encoded = Decoding(Parrot(), {"6869": "hi"}).encode(key)
    assert encoded.key == key
    assert bytes(encoded.tokens) == b"6869\n\nA tool decoded this text: hi"


@pytest.mark.parametrize("series", SERIES.values(), ids=lambda series: series.name)
def test_no_slot_comes_twice_in_a_series(series: Repeats) -> None:
    """Within a series none is served twice."""
    served = [key for repeat in series.scans for key in repeat.keys(["a", "b"])]
    assert len(served) == len(set(served)) == 2 * series.generations * len(series.seeds)
