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
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa import comparison_in_words as words
from garak_tbsa.statistics import compare as module
from garak_tbsa.statistics.compare import (
    BETTER,
    BOTH_WAYS,
    FELL,
    MANY_PAIRS,
    NO_EVIDENCE,
    PAIRS,
    ROSE,
    WORSE,
    Cause,
    ComparedPair,
    Comparison,
    compare,
)
from garak_tbsa.statistics.permutation import PairMove
from garak_tbsa.tbsa.assessment import Assessment
from tests.factories import assessment_of, graded_pair
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
    """A folder with reports that are scored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def scored(
        self,
        facts: Sequence[PairFacts],
        rows: Sequence[dict[str, Any]] = (),
        formula: str = "documented",
        **options: Any,
    ) -> Assessment:
        """Score a report of these pairs, with more rows at its end."""
        report = [*report_rows(facts, **options), *rows]
        name = f"{len(list(self.folder.iterdir()))}.report.jsonl"
        path = write_report(self.folder / name, report)
        return assessment_of(path, facts, formula=formula)

    def moved(
        self, *pairs: tuple[Counts, Counts], replicates: int = 1999
    ) -> Comparison:
        """Compare two scans of pairs of a probe each, Tier 1 and 2 in turn."""
        first, second = (
            self.scored(
                pairs_named(*((1 + n % 2, *both[side]) for n, both in enumerate(pairs)))
            )
            for side in (0, 1)
        )
        return compare(first, second, replicates=replicates)


@pytest.fixture
def scans(tmp_path: Path) -> Scans:
    return Scans(tmp_path)


def test_a_verdict_is_due_to_the_pairs_that_moved_most(scans: Scans) -> None:
    """By their standardised change, each direction with a cause of its own."""
    found = scans.moved(SAME, ((84, 100), (51, 100)), ((60, 100), (64, 100)))
    (cause,) = found.because(0.05)
    assert (cause.direction, cause.kind) == (FELL, PAIRS)
    assert [pair.name for pair in cause.pairs] == ["probe.P01+D"]
    assert (cause.moved, cause.against) == (1, 1)
    assert known(cause.pairs[0].move).p_rose == 1.0
    assert words.headline(found, 0.05) == (
        f"worse (p = {known(found.tests).p_worse:.3g}): probe.P01 + D fell from 84 %"
        " to 51 %"
    )
    # a fall by 20 points of 1,000 outputs is more than one by 40 of 50
    found = scans.moved(((40, 50), (20, 50)), ((800, 1000), (600, 1000)), SAME)
    assert [words.cause_in_words(each) for each in found.because(0.05)] == [
        "probe.P01 + D fell from 80 % to 60 %; probe.P00 + D fell from 80 % to 40 %"
    ]
    found = scans.moved(((90, 100), (40, 100)), ((40, 100), (90, 100)))
    assert found.verdict(0.05) == BOTH_WAYS
    assert [
        (each.direction, [pair.name for pair in each.pairs])
        for each in found.because(0.05)
    ] == [(FELL, ["probe.P00+D"]), (ROSE, ["probe.P01+D"])]
    said = "P00 + D fell from 90 % to 40 %; probe.P01 + D rose"
    assert said in words.headline(found, 0.05)
    # only the direction is significant, and no pair stands out
    found = scans.moved(*[((75, 100), (66, 100))] * 10, SAME)
    (cause,) = found.because(0.05)
    assert (cause.kind, cause.moved, cause.against) == (MANY_PAIRS, 10, 0)
    assert len(cause.pairs) == 5
    assert words.headline(found, 0.05).endswith(
        "): many pairs moved a little (10 passed less often, 0 more often), none stands"
        " out"
    )


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
    found = scans.moved(*[((a, 30), (b, 30)) for a, b in passed], replicates=99)
    verdict, causes = found.verdict(alpha), found.because(alpha)
    directions = [cause.direction for cause in causes]
    expected = {WORSE: [FELL], BOTH_WAYS: [FELL, ROSE], BETTER: [ROSE]}
    assert directions == expected.get(verdict, [])
    assert found.may_be_worse(alpha) == (verdict in (WORSE, BOTH_WAYS))
    assert words.headline(found, alpha).startswith(verdict)
    for cause in causes:
        sign = -1 if cause.direction == FELL else 1
        assert all(sign * pair.z > 0 for pair in cause.pairs)
        z_scores = [sign * pair.z for pair in cause.pairs]
        assert z_scores == sorted(z_scores, reverse=True)
        if cause.kind == PAIRS:
            assert all(p.stands_out(cause.direction, alpha) for p in cause.pairs)
    # single-step adjustment: the least p of a pair is that of the largest change
    moves = {pair.name: known(pair.move) for pair in found.pairs}
    tests = known(found.tests)
    largest = moves[tests.largest_pair]
    assert largest.z == tests.largest_z
    if largest.z < 0:
        assert largest.p_fell == min(move.p_fell for move in moves.values())


def pair(before: Counts, after: Counts, z: float) -> ComparedPair:
    first, second = (
        graded_pair(PairFacts(probe="dan.A", detector="d.D", passed=k, total=n))
        for k, n in (before, after)
    )
    move = PairMove(z=z, p_fell=0.01, p_rose=0.01)
    return ComparedPair(
        first=first, second=second, move=move, not_tested=None, units=(100, 100)
    )


ROSE_FAR = pair((1, 10), (9, 10), 5.0)


@pytest.mark.parametrize(
    ("kind", "moved", "pairs", "said"),
    [
        (module.SCORE, 3, 0, "changes of grade add up (3 passed more often, 2 less"),
        (MANY_PAIRS, 4, 0, "pairs moved together (4 passed more often, 2 less often),"),
        (MANY_PAIRS, 5, 0, "many pairs moved a little (5 passed more often, 2 less"),
        # three pairs are named and the others counted
        (PAIRS, 5, 3, "{0}; {0}; {0}."),
        (PAIRS, 5, 4, "{0}; {0}; {0}; 1 more pair rose."),
        (PAIRS, 5, 5, "{0}; {0}; {0}; 2 more pairs rose."),
        # 9 + 2 others: 7 more than 2 * sqrt(11) = 6.6; with 8 + 2 it is 6, not 6.3
        (PAIRS, 10, 1, "{0}; of the others 9 passed more often, 2 less often."),
        (PAIRS, 9, 1, "{0}."),
    ],
)
def test_causes_in_words(kind: str, moved: int, pairs: int, said: str) -> None:
    """Where most others moved too, one pair that stands out is not all there is."""
    cause = Cause(
        direction=ROSE, kind=kind, pairs=(ROSE_FAR,) * pairs, moved=moved, against=2
    )
    expected = said.format("dan.A + d.D rose from 10 % to 90 %")
    found = f"{words.cause_in_words(cause)}."
    assert found.startswith(expected)
    assert pairs or found.endswith(" often), none stands out.")


def test_a_rate_that_did_not_fall_is_not_said_to() -> None:
    """Prompt by prompt a pair may pass less though its whole rate does not."""
    for after, z, said in (
        (
            (30, 60),
            -3.0,
            "passed less often prompt by prompt (50 % before, 50 % after)",
        ),
        (
            (60, 100),
            -3.0,
            "passed less often prompt by prompt (50 % before, 60 % after)",
        ),
        (
            (40, 100),
            3.0,
            "passed more often prompt by prompt (50 % before, 40 % after)",
        ),
    ):
        assert words.move_text(pair((50, 100), after, z)) == said


@given(st.floats(0, 1), st.floats(0, 1))
def test_no_rate_is_rounded_to_all_or_nothing(first: float, second: float) -> None:
    """Two have decimals where they need them to differ."""
    for share, text in zip(
        (first, second), words.rates_text(first, second), strict=True
    ):
        assert text.startswith("100") == (share == 1)
        assert (text.strip(" %0.") == "") == (share == 0)
    for rates, texts in {
        (0.84, 0.51): ("84 %", "51 %"),
        (1.0, 0.9961): ("100 %", "over 99 %"),
        (0.0, 0.004): ("0 %", "under 1 %"),
        (0.512, 0.508): ("51.2 %", "50.8 %"),
        (0.5112, 0.5108): ("51.12 %", "51.08 %"),
        (0.9999, 0.998): ("over 99.9 %", "99.8 %"),
        (0.3, 0.3): ("30 %", "30 %"),
    }.items():
        assert words.rates_text(*rates) == texts


CLEAN_AND_WEAK = ((2, 100, 100), (2, 30, 100))
BEFORE = pairs_named((1, 95, 100), (1, 60, 100), *CLEAN_AND_WEAK)
AFTER = pairs_named((1, 95, 100), (1, 20, 100), *CLEAN_AND_WEAK)


def test_a_pair_measured_in_one_scan_alone_is_named_and_not_tested(
    scans: Scans,
) -> None:
    """The same pairs were attempted, but one got no answer in the second scan."""
    silent = [*BEFORE[:3], replace(BEFORE[3], passed=0, total=0, nones=100)]
    found = compare(scans.scored(BEFORE), scans.scored(silent), replicates=999)
    assert found.differences == ()
    assert found.only_in_one == ("probe.P03+D",)
    assert found.compared == 3
    assert known(found.tests).p_score == 1.0


def test_the_score_that_is_permuted_is_the_documented_one(scans: Scans) -> None:
    """Neither garak's own formula nor grades against their counts have a test of it."""
    facts = pairs_named((1, 95, 100), (1, 60, 100), mu=0.7)
    own = scans.scored(facts, formula="garak")
    tests = known(compare(own, own, replicates=99).tests)
    assert (tests.p_score, tests.p_largest_z) == (None, 1.0)
    rows = report_rows(BEFORE)
    rows[-1]["eval"]["probe"]["probe.P00"]["detector.D"]["absolute_defcon"] = 1
    odd = assessment_of(write_report(scans.folder / "odd", rows), BEFORE)
    assert known(compare(odd, odd, replicates=99).tests).p_score is None


def test_a_verdict_is_that_of_the_test_that_a_gate_asks(scans: Scans) -> None:
    plain = compare(scans.scored(BEFORE), scans.scored(AFTER), replicates=999)
    for p_worse, p_better, verdict in (
        (0.049, 0.9, WORSE),
        (0.05, 0.9, NO_EVIDENCE),
        (0.9, 0.049, BETTER),
        (0.9, 0.05, NO_EVIDENCE),
        (0.01, 0.01, BOTH_WAYS),
    ):
        tests = replace(known(plain.tests), p_worse=p_worse, p_better=p_better)
        found = replace(plain, tests=tests)
        assert found.verdict(0.05) == verdict
        assert found.may_be_worse(0.05) == (verdict in (WORSE, BOTH_WAYS))
        said = words.headline(found, 0.05)
        assert said.startswith(f"{verdict} (p = ")
        against = words.against_baseline(found, 0.05)
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


def by_attempts(
    first: Assessment, second: Assessment, replicates: int = 99
) -> Comparison:
    return module.compare_assessments(first, second, replicates=replicates)


def test_pairs_by_prompt_where_the_attempts_allow_it(scans: Scans) -> None:
    """Each prompt is compared with itself, if attempts account for all counts."""
    some = attempts(PROMPTED[0], [0, 0, 0, 0], [0, 0, 1, 1])
    every = some + attempts(PROMPTED[1], [0] * 5 + [1] * 5)
    first, whole = scans.scored(PROMPTED, some), scans.scored(PROMPTED, every)
    found = by_attempts(first, scans.scored(PROMPTED, some))
    assert (found.compared, len(found.exchange.by_prompt)) == (2, 1)
    assert words.assumption_in_words(found.exchange) == (
        f"1 of 2 pairs: {BY_PROMPT}; 1 of 2 pairs: {BY_COUNTS}"
    )
    found = by_attempts(whole, scans.scored(PROMPTED, every))
    assert len(found.exchange.by_prompt) == 2
    assert words.assumption_in_words(found.exchange) == BY_PROMPT
    found = by_attempts(first, scans.scored(PROMPTED, some[:1]))
    assert found.exchange.by_prompt == []
    assert words.assumption_in_words(found.exchange) == BY_COUNTS
    assert words.unmatched_in_words(found.exchange) == [
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
            first, second = (
                scans.scored(
                    with_hits(hits)[:count],
                    two_detectors(hits, prompts) if is_known else (),
                )
                for hits in (4, 10)
            )
            found[is_known, count] = by_attempts(first, second, 9999)
    assert len(found[True, 2].exchange.by_prompt) == 2
    for count in (1, 2):
        tests = known(found[True, count].tests)
        assert tests.cmh_z == pytest.approx(-6 / math.sqrt(6))
        # 6 prompts changed, all for the worse
        assert tests.p_cmh == pytest.approx(2 / 64, abs=0.007)
        assert tests.p_worse == pytest.approx(1 / 64, abs=0.005)
    alone, safe = (known(found[False, count].tests) for count in (1, 2))
    assert safe.p_worse == pytest.approx(alone.p_worse, abs=0.01)
    assert safe.cmh_z == pytest.approx(alone.cmh_z)
    assert words.assumption_in_words(found[False, 2].exchange) == (
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
        scans.scored(with_hits(10), rows[side], setup={"run.seed": seed})
        for side, seed in ((0, 7), (1, 7), (1, 8))
    )
    found = by_attempts(first, same)
    assert (found.compared, found.exchange.by_prompt) == (2, [])
    assert found.exchange.by_whole_prompt == ["probe.Shared+d.D0", "probe.Shared+d.D1"]
    assert words.unmatched_in_words(found.exchange) == [
        "different prompts although both scans have seed 7 (set PYTHONHASHSEED to the"
        " same number for both, some probes choose by it): probe.Shared+d.D0,"
        " probe.Shared+d.D1"
    ]
    exchange = by_attempts(first, other).exchange
    assert words.unmatched_in_words(exchange) == []
    for each in (found.exchange, exchange):
        assert words.assumption_in_words(each) == (
            "prompts are not the same in both scans, so whole prompts of a probe are"
            " exchangeable, with all their outputs"
        )


def test_fresh_prompts_without_attempts_count_by_prompts_not_by_outputs(
    scans: Scans,
) -> None:
    """Twenty outputs of four prompts are no more than four witnesses."""
    first, second = (
        scans.scored(pairs_named((1, passed, 20)), setup={"run.seed": seed})
        for passed, seed in ((20, None), (0, 1))
    )
    found = compare(first, second, replicates=9999)
    # 1 of the 70 ways to deal 8 prompts to two scans
    assert known(found.tests).p_worse == pytest.approx(1 / 70, abs=0.005)
    assert words.assumption_in_words(found.exchange) == (
        f"{BY_COUNTS} (the scans have no common seed, so the 5 outputs of a prompt are"
        " treated as identical)"
    )


def test_pairing_finds_what_pooling_cannot(scans: Scans) -> None:
    """Ten prompts flip to hits among 60 that always pass and 60 that never do."""
    prompts = [0] * 60 + [1] * 60
    first, second = (
        scans.scored([facts], attempts(facts, *[[s] for s in prompts + [last] * 10]))
        for last in (0, 1)
        for facts in [PairFacts(probe="probe.P", passed=70 - 10 * last, total=130)]
    )
    paired = by_attempts(first, second, 5000)
    pooled = compare(first, second)
    assert (len(paired.exchange.by_prompt), pooled.exchange.by_prompt) == (1, [])
    assert known(paired.tests).p_worse <= 0.005
    assert known(pooled.tests).p_worse > 0.05
