# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether two scans differ, which pairs that is due to, and both in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import garak_tbsa
from garak_tbsa import comparison_in_words as words
from garak_tbsa.statistics import compare as module
from garak_tbsa.statistics.permutation import PairMove
from tests.factories import graded_pair, permutations
from tests.report_rows import (
    PairFacts,
    attempt_row,
    pairs_named,
    report_rows,
    write_report,
)
from tests.values import known

Counts = tuple[int, int]
SAME = ((70, 100), (70, 100))


class Scans:
    """A folder with reports, and what comparisons of them give."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def scan(
        self, facts: Sequence[PairFacts], rows: Sequence[Any] = (), **how: Any
    ) -> str:
        """Write a report of these pairs, with more rows before its digest."""
        *others, digest = report_rows(facts, **how)
        name = f"{len(list(self.folder.iterdir()))}.report.jsonl"
        return write_report(self.folder / name, [*others, *rows, digest])

    def moved(self, *pairs: tuple[Counts, Counts], **how: Any) -> Any:
        """Compare two scans of pairs of a probe each, Tier 1 and 2 in turn."""
        sides = (
            pairs_named(*((1 + n % 2, *both[side]) for n, both in enumerate(pairs)))
            for side in (0, 1)
        )
        return compared(*map(self.scan, sides), **how)


def compared(*both: str, replicates: int = 1999, **how: Any) -> Any:
    first, second = both
    with permutations(replicates):
        return garak_tbsa.compare(first, second, **how).to_dict()


@pytest.fixture
def scans(tmp_path: Path) -> Scans:
    return Scans(tmp_path)


def test_a_verdict_is_due_to_the_pairs_that_moved_most(scans: Scans) -> None:
    """By their standardised change, each direction with a cause of its own."""
    found = scans.moved(SAME, ((84, 100), (51, 100)), ((60, 100), (64, 100)))
    (cause,) = found["because"]
    assert (cause["direction"], cause["kind"]) == ("worse", "pairs")
    assert [pair["pair"] for pair in cause["pairs"]] == ["probe.P01+D"]
    assert (cause["pairs_moved"], cause["pairs_against"]) == (1, 1)
    assert cause["pairs"][0]["p_rose"] == 1.0
    assert found["verdict"]["text"] == (
        f"worse (p = {found['verdict']['p_worse']:.3g}): probe.P01 + D fell from 84 %"
        " to 51 %"
    )
    # a fall by 20 points of 1,000 outputs is more than one by 40 of 50
    found = scans.moved(((40, 50), (20, 50)), ((800, 1000), (600, 1000)), SAME)
    assert [cause["text"] for cause in found["because"]] == [
        "probe.P01 + D fell from 80 % to 60 %; probe.P00 + D fell from 80 % to 40 %"
    ]
    found = scans.moved(((90, 100), (40, 100)), ((40, 100), (90, 100)))
    assert found["verdict"]["kind"] == "worse and better"
    assert [
        (cause["direction"], [pair["pair"] for pair in cause["pairs"]])
        for cause in found["because"]
    ] == [("worse", ["probe.P00+D"]), ("better", ["probe.P01+D"])]
    said = "P00 + D fell from 90 % to 40 %; probe.P01 + D rose"
    assert said in found["verdict"]["text"]
    # only the direction is significant, and no pair stands out
    found = scans.moved(*[((75, 100), (66, 100))] * 10, SAME)
    (cause,) = found["because"]
    assert (cause["kind"], len(cause["pairs"])) == ("many pairs", 5)
    assert (cause["pairs_moved"], cause["pairs_against"]) == (10, 0)
    assert found["verdict"]["text"].endswith(
        "): many pairs moved a little (10 passed less often, 0 more often), none stands"
        " out"
    )


DIRECTIONS = {
    "worse": ["worse"],
    "worse and better": ["worse", "better"],
    "better": ["better"],
}


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=6),
    st.sampled_from([0.01, 0.05, 0.2, 0.5]),
)
def test_a_cause_never_contradicts_the_verdict(
    tmp_path_factory: pytest.TempPathFactory,
    passed: list[tuple[int, int]],
    alpha: float,
) -> None:
    """One test, and never two verdicts that contradict."""
    scans = Scans(tmp_path_factory.mktemp("scans"))
    pairs = [((a, 30), (b, 30)) for a, b in passed]
    found = scans.moved(*pairs, replicates=99, alpha=alpha)
    verdict, causes = found["verdict"]["kind"], found["because"]
    directions = [cause["direction"] for cause in causes]
    assert directions == DIRECTIONS.get(verdict, [])
    assert found["verdict"]["text"].startswith(verdict)
    for cause in causes:
        sign = -1 if cause["direction"] == "worse" else 1
        z_scores = [sign * pair["z"] for pair in cause["pairs"]]
        assert z_scores == sorted(z_scores, reverse=True)
        assert z_scores[-1] > 0
        stand_out = {pair["stands_out"] for pair in cause["pairs"]}
        assert stand_out == {cause["kind"] == "pairs"}
    # single-step adjustment: the least p of a pair is that of the largest change
    (largest,) = (
        pair
        for pair in found["pairs"]
        if pair["pair"] == found["tests"]["largest_pair"]
    )
    assert largest["z"] == found["tests"]["largest_z"]
    if largest["z"] < 0:
        assert largest["p_fell"] == min(pair["p_fell"] for pair in found["pairs"])


def pair(before: Counts, after: Counts, z: float) -> module.ComparedPair:
    first, second = (
        graded_pair(PairFacts(probe="dan.A", detector="d.D", passed=k, total=n))
        for k, n in (before, after)
    )
    move = PairMove(z=z, p_fell=0.01, p_rose=0.01)
    return module.ComparedPair(
        first=first, second=second, move=move, not_tested=None, units=(100, 100)
    )


@given(st.floats(0, 1), st.floats(0, 1))
def test_no_rate_is_rounded_to_all_or_nothing(first: float, second: float) -> None:
    """Two have decimals where they need them to differ.

    Prompt by prompt a pair may pass less though its whole rate does not.
    """
    texts = words.rates_text(first, second)
    for share, text in zip((first, second), texts, strict=True):
        assert text.startswith("100") == (share == 1)
        assert (text.strip(" %0.") == "") == (share == 0)
    for rates, expected in {
        (0.84, 0.51): ("84 %", "51 %"),
        (1.0, 0.9961): ("100 %", "over 99 %"),
        (0.0, 0.004): ("0 %", "under 1 %"),
        (0.512, 0.508): ("51.2 %", "50.8 %"),
        (0.5112, 0.5108): ("51.12 %", "51.08 %"),
        (0.9999, 0.998): ("over 99.9 %", "99.8 %"),
        (0.3, 0.3): ("30 %", "30 %"),
    }.items():
        assert words.rates_text(*rates) == expected
    for after, z, way, percent in (
        ((30, 60), -3.0, "less", "50 %"),
        ((60, 100), -3.0, "less", "60 %"),
        ((40, 100), 3.0, "more", "40 %"),
    ):
        assert words.move_text(pair((50, 100), after, z)) == (
            f"passed {way} often prompt by prompt (50 % before, {percent} after)"
        )


CLEAN_AND_WEAK = ((2, 100, 100), (2, 30, 100))
BEFORE = pairs_named((1, 95, 100), (1, 60, 100), *CLEAN_AND_WEAK)
AFTER = pairs_named((1, 95, 100), (1, 20, 100), *CLEAN_AND_WEAK)


def test_a_pair_measured_in_one_scan_alone_is_named_and_not_tested(
    scans: Scans,
) -> None:
    """The same pairs were attempted, but one got no answer in the second scan."""
    silent = [*BEFORE[:3], replace(BEFORE[3], passed=0, total=0, nones=100)]
    found = compared(scans.scan(BEFORE), scans.scan(silent))
    assert found["differences"] == []
    assert found["pairs_only_in_one"] == ["probe.P03+D"]
    assert (found["pairs_compared"], found["tests"]["p_score"]) == (3, 1.0)


def test_a_score_against_its_counts_is_not_permuted(scans: Scans) -> None:
    """Other counts would not give it."""
    rows = report_rows(BEFORE)
    rows[-1]["eval"]["probe"]["probe.P00"]["detector.D"]["absolute_defcon"] = 1
    odd = write_report(scans.folder / "odd.report.jsonl", rows)
    assert compared(odd, odd)["tests"]["p_score"] is None


def test_a_verdict_is_that_of_the_test_that_a_gate_asks(scans: Scans) -> None:
    plain = garak_tbsa.compare(scans.scan(BEFORE), scans.scan(AFTER)).comparison
    for p_worse, p_better, verdict in (
        (0.049, 0.9, module.WORSE),
        (0.05, 0.9, module.NO_EVIDENCE),
        (0.9, 0.049, module.BETTER),
        (0.9, 0.05, module.NO_EVIDENCE),
        (0.01, 0.01, module.BOTH_WAYS),
    ):
        tests = replace(known(plain.tests), p_worse=p_worse, p_better=p_better)
        found = replace(plain, tests=tests)
        assert found.verdict == verdict
        assert found.may_be_worse == verdict.startswith("worse")
        said = words.headline(found)
        assert said.startswith(f"{verdict} (p = ")
        against = words.against_baseline(found)
        assert against.replace(" than the baseline", "").startswith(said)


PROMPTED = [
    PairFacts(probe="probe.Prompted", passed=6, total=8, tier=1),
    PairFacts(probe="probe.Plain", passed=5, total=10, tier=2),
]
BY_COUNTS = "all outputs of a pair are exchangeable, since only its counts are known"
BY_PROMPT = (
    "outputs of the same prompt are exchangeable, with the verdicts of all their"
    " detectors (paired by prompt)"
)


def attempts(facts: PairFacts, *scores: list[int]) -> list[dict[str, Any]]:
    return [
        attempt_row(facts, prompt=f"prompt {number}", scores=each)
        for number, each in enumerate(scores)
    ]


def test_pairs_by_prompt_where_the_attempts_allow_it(scans: Scans) -> None:
    """Each prompt is compared with itself, if attempts account for all counts."""
    some = attempts(PROMPTED[0], [0, 0, 0, 0], [0, 0, 1, 1])
    every = some + attempts(PROMPTED[1], [0] * 5 + [1] * 5)
    first, whole = scans.scan(PROMPTED, some), scans.scan(PROMPTED, every)
    found = compared(first, scans.scan(PROMPTED, some))
    assert (found["pairs_compared"], found["pairs_by_prompt"]) == (2, 1)
    assert found["assumption"] == (
        f"1 of 2 pairs: {BY_PROMPT}; 1 of 2 pairs: {BY_COUNTS}"
    )
    found = compared(whole, scans.scan(PROMPTED, every))
    assert (found["pairs_by_prompt"], found["assumption"]) == (2, BY_PROMPT)
    found = compared(first, scans.scan(PROMPTED, some[:1]))
    assert (found["pairs_by_prompt"], found["assumption"]) == (0, BY_COUNTS)
    assert found["not_matched"] == [
        "known by counts alone (in both: the report holds no attempt of it):"
        " probe.Plain+dan.DAN",
        "known by counts alone (after: its attempts do not add up to its counts):"
        " probe.Prompted+dan.DAN",
    ]


def two_detectors(hits: int, prompts: Sequence[str]) -> list[dict[str, Any]]:
    """Attempts of one output each, judged by two detectors that always agree."""
    return [
        {
            **attempt_row(TOGETHER[0], prompt=prompt),
            "detector_results": {
                facts.detector: [float(number < hits)] for facts in TOGETHER
            },
        }
        for number, prompt in enumerate(prompts)
    ]


TOGETHER = [
    PairFacts(probe="probe.Shared", detector=f"d.D{n}", passed=10, total=20, tier=1)
    for n in range(2)
]


def with_hits(hits: int) -> list[PairFacts]:
    return [replace(facts, passed=20 - hits) for facts in TOGETHER]


def test_detectors_of_one_output_are_one_witness(scans: Scans) -> None:
    """Two detectors that always agree say no more than one of them would.

    Without attempts the larger p of independent and of alike counts is taken: a gate
    must not fail because one output was counted twice.
    """
    prompts = [f"prompt {number}" for number in range(20)]
    found = {}
    for is_known in (True, False):
        for count in (1, 2):
            sides = (
                scans.scan(
                    with_hits(hits)[:count],
                    two_detectors(hits, prompts) if is_known else (),
                )
                for hits in (4, 10)
            )
            found[is_known, count] = compared(*sides, replicates=9999)
    assert found[True, 2]["pairs_by_prompt"] == 2
    for count in (1, 2):
        tests = found[True, count]["tests"]
        assert tests["cmh_z"] == pytest.approx(-6 / math.sqrt(6))
        # 6 prompts changed, all for the worse
        assert tests["p_cmh"] == pytest.approx(2 / 64, abs=0.007)
        assert tests["p_worse"] == pytest.approx(1 / 64, abs=0.005)
    alone, safe = (found[False, count]["tests"] for count in (1, 2))
    assert safe["p_worse"] == pytest.approx(alone["p_worse"], abs=0.01)
    assert safe["cmh_z"] == pytest.approx(alone["cmh_z"])
    assert found[False, 2]["assumption"] == (
        f"{BY_COUNTS} (detectors of one probe are treated as independent and as"
        " identical, and the larger p counts)"
    )


def test_other_prompts_of_an_equal_seed_are_named_with_the_likely_cause(
    scans: Scans,
) -> None:
    rows = [
        two_detectors(10, [f"{name} {number}" for number in range(20)])
        for name in ("one", "other")
    ]
    first, same, other = (
        scans.scan(with_hits(10), rows[side], setup={"run.seed": seed})
        for side, seed in ((0, 7), (1, 7), (1, 8))
    )
    found, unseeded = compared(first, same), compared(first, other)
    for each in (found, unseeded):
        assert (each["pairs_by_prompt"], each["pairs_by_whole_prompt"]) == (0, 2)
        assert each["assumption"] == (
            "prompts are not the same in both scans, so whole prompts of a probe are"
            " exchangeable, with all their outputs"
        )
    assert unseeded["not_matched"] == []
    assert found["not_matched"] == [
        "different prompts although both scans have seed 7 (set PYTHONHASHSEED to the"
        " same number for both, some probes choose by it): probe.Shared+d.D0,"
        " probe.Shared+d.D1"
    ]


def test_fresh_prompts_without_attempts_count_by_prompts_not_by_outputs(
    scans: Scans,
) -> None:
    """Twenty outputs of four prompts are no more than four witnesses."""
    sides = (
        scans.scan(pairs_named((1, passed, 20)), setup={"run.seed": seed})
        for passed, seed in ((20, None), (0, 1))
    )
    found = compared(*sides, replicates=9999)
    # 1 of the 70 ways to deal 8 prompts to two scans
    assert found["tests"]["p_worse"] == pytest.approx(1 / 70, abs=0.005)
    assert found["assumption"] == (
        f"{BY_COUNTS} (the scans have no common seed, so the 5 outputs of a prompt are"
        " treated as identical)"
    )


def test_pairing_finds_what_pooling_cannot(scans: Scans) -> None:
    """Ten prompts flip to hits among 60 that always pass and 60 that never do."""
    prompts = [0] * 60 + [1] * 60
    found = {}
    for is_known in (True, False):
        sides = []
        for last in (0, 1):
            facts = PairFacts(probe="probe.P", passed=70 - 10 * last, total=130)
            rows = attempts(facts, *[[score] for score in prompts + [last] * 10])
            sides.append(scans.scan([facts], rows * is_known))
        found[is_known] = compared(sides[0], sides[1], replicates=5000)
    assert [found[each]["pairs_by_prompt"] for each in (True, False)] == [1, 0]
    assert found[True]["tests"]["p_worse"] <= 0.005
    assert found[False]["tests"]["p_worse"] > 0.05
