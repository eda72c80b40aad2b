# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.comparison_in_words import (
    against_baseline,
    assumption_in_words,
    headline,
    unmatched_in_words,
)
from garak_tbsa.statistics.compare import (
    BETTER,
    BOTH_WAYS,
    NO_EVIDENCE,
    WORSE,
    Comparison,
    compare,
    compare_assessments,
)
from garak_tbsa.tbsa.assessment import Assessment
from tests.factories import (
    PairFacts,
    assessment_of,
    attempt_row,
    pairs_named,
    report_rows,
    write_report,
)
from tests.values import known

CLEAN_AND_WEAK = ((2, 100, 100), (2, 30, 100))
BEFORE = pairs_named((1, 95, 100), (1, 60, 100), *CLEAN_AND_WEAK)
AFTER = pairs_named((1, 95, 100), (1, 20, 100), (2, 100, 100), (2, 30, 100))


@pytest.fixture
def scored(tmp_path: Path) -> Callable[..., Assessment]:
    """Score reports of the pairs given."""

    def score(
        name: str,
        facts: list[PairFacts],
        rows: Sequence[dict[str, Any]] = (),
        **options: Any,
    ) -> Assessment:
        report = [*report_rows(facts, **options), *rows]
        return assessment_of(write_report(tmp_path / name, report), facts)

    return score


def compared(first: Assessment, second: Assessment, **options: Any) -> Comparison:
    return compare(first, second, replicates=options.pop("replicates", 999), **options)


def test_as_many_permutations_as_asked_for_and_other_ones_by_another_seed(
    scored: Callable[..., Assessment],
) -> None:
    """The least p-value is 1 / (replicates + 1)."""
    first, second = scored("a", BEFORE), scored("b", AFTER)
    assert known(compared(first, second, replicates=19).tests).p_worse == 1 / 20
    mild = scored("c", pairs_named((1, 95, 100), (1, 56, 100), *CLEAN_AND_WEAK))
    one, other, again = (
        known(compared(first, mild, seed=seed).tests).p_cmh for seed in (1, 2, 1)
    )
    assert one == again != other


def test_a_pair_measured_in_one_scan_alone_is_named_and_not_tested(
    scored: Callable[..., Assessment],
) -> None:
    """The same pairs were attempted, but one got no answer in the second scan."""
    silent = [*BEFORE[:3], replace(BEFORE[3], passed=0, total=0, nones=100)]
    found = compared(scored("a", BEFORE), scored("b", silent))
    assert found.differences == ()
    assert found.only_in_one == ("probe.P03+D",)
    assert found.compared == 3
    assert known(found.tests).p_score == 1.0


def test_garaks_own_formula_has_no_score_test(
    scored: Callable[..., Assessment], tmp_path: Path
) -> None:
    """The score that is permuted is the documented one."""
    facts = pairs_named((1, 95, 100), (1, 60, 100), mu=0.7)
    report = write_report(tmp_path / "g", report_rows(facts))
    own = assessment_of(report, facts, formula="garak")
    assert known(compared(own, own).tests).p_score is None
    assert known(compared(own, own).tests).p_largest_z == 1.0


def test_counts_that_contradict_grades_have_no_score_test(
    scored: Callable[..., Assessment], tmp_path: Path
) -> None:
    rows = report_rows(BEFORE)
    rows[-1]["eval"]["probe"]["probe.P00"]["detector.D"]["absolute_defcon"] = 1
    odd = assessment_of(write_report(tmp_path / "odd", rows), BEFORE)
    assert known(compared(odd, odd).tests).p_score is None


@pytest.mark.parametrize(
    ("p_worse", "p_better", "verdict"),
    [
        (0.049, 0.9, WORSE),
        (0.05, 0.9, NO_EVIDENCE),
        (0.9, 0.049, BETTER),
        (0.9, 0.05, NO_EVIDENCE),
        (0.01, 0.01, BOTH_WAYS),
    ],
)
def test_a_verdict_is_that_of_the_test_that_a_gate_asks(
    scored: Callable[..., Assessment], p_worse: float, p_better: float, verdict: str
) -> None:
    found = compared(scored("a", BEFORE), scored("b", AFTER))
    tests = replace(known(found.tests), p_worse=p_worse, p_better=p_better)
    found = replace(found, tests=tests)
    assert found.verdict(0.05) == verdict
    assert found.may_be_worse(0.05) == (verdict in (WORSE, BOTH_WAYS))
    assert headline(found, 0.05).startswith(f"{verdict} (p = ")
    against = against_baseline(found, 0.05).replace(" than the baseline", "")
    assert against.startswith(headline(found, 0.05))


PROMPTED = [
    PairFacts(probe="probe.Prompted", passed=6, total=8, tier=1),
    PairFacts(probe="probe.Plain", passed=5, total=10, tier=2),
]


def attempts(facts: PairFacts, *scores: list[int]) -> list[dict[str, Any]]:
    return [
        attempt_row(facts, prompt=f"prompt {number}", scores=each)
        for number, each in enumerate(scores)
    ]


def test_pairs_by_prompt_where_the_attempts_allow_it(
    scored: Callable[..., Assessment],
) -> None:
    """Same prompts, all attempts there: each prompt is compared with itself."""
    rows = attempts(PROMPTED[0], [0, 0, 0, 0], [0, 0, 1, 1])
    found = compare_assessments(
        scored("a", PROMPTED, rows), scored("b", PROMPTED, rows), replicates=99
    )
    assert (found.compared, len(found.exchange.by_prompt)) == (2, 1)
    assert assumption_in_words(found.exchange) == (
        "1 of 2 pairs: outputs of the same prompt are exchangeable, with the verdicts"
        " of all their detectors (paired by prompt); 1 of 2 pairs: all outputs of a"
        " pair are exchangeable, since only its counts are known"
    )
    both = rows + attempts(PROMPTED[1], [0] * 5 + [1] * 5)
    found = compare_assessments(
        scored("a", PROMPTED, both), scored("b", PROMPTED, both), replicates=99
    )
    assert len(found.exchange.by_prompt) == 2
    assert assumption_in_words(found.exchange) == (
        "outputs of the same prompt are exchangeable, with the verdicts of all their"
        " detectors (paired by prompt)"
    )


def test_thinned_attempts_fall_back_to_counts(
    scored: Callable[..., Assessment],
) -> None:
    """Attempts that do not account for all counts are not used."""
    rows = attempts(PROMPTED[0], [0, 0, 0, 0], [0, 0, 1, 1])
    found = compare_assessments(
        scored("a", PROMPTED, rows), scored("b", PROMPTED, rows[:1]), replicates=99
    )
    assert found.exchange.by_prompt == []
    assert assumption_in_words(found.exchange) == (
        "all outputs of a pair are exchangeable, since only its counts are known"
    )
    assert unmatched_in_words(found.exchange) == [
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


def test_detectors_of_one_output_are_one_witness(
    scored: Callable[..., Assessment],
) -> None:
    """Two detectors that always agree say no more than one of them would."""
    prompts = [f"prompt {number}" for number in range(20)]
    alone = [with_hits(hits)[:1] for hits in (4, 10)]
    rows = [two_detectors(hits, prompts) for hits in (4, 10)]
    of_one, of_two = (
        compare_assessments(
            *(scored(f"{n}", facts[n], rows[n]) for n in range(2)), replicates=9999
        )
        for facts in (alone, [with_hits(4), with_hits(10)])
    )
    one, two = known(of_one.tests), known(of_two.tests)
    assert len(of_two.exchange.by_prompt) == 2
    assert two.cmh_z == pytest.approx(one.cmh_z) == pytest.approx(-6 / math.sqrt(6))
    # 6 prompts changed, all for the worse
    for found in (one, two):
        assert found.p_cmh == pytest.approx(2 / 64, abs=0.007)
        assert found.p_worse == pytest.approx(1 / 64, abs=0.005)


def test_without_attempts_the_larger_p_of_independent_and_alike_counts(
    scored: Callable[..., Assessment],
) -> None:
    """A gate must not fail because one output was counted twice."""
    first, second = scored("a", with_hits(4)), scored("b", with_hits(10))
    safe, alone = (
        compared(one, other, replicates=9999)
        for one, other in (
            (first, second),
            (scored("c", with_hits(4)[:1]), scored("d", with_hits(10)[:1])),
        )
    )
    assert known(safe.tests).p_worse == pytest.approx(
        known(alone.tests).p_worse, abs=0.01
    )
    assert known(safe.tests).cmh_z == pytest.approx(known(alone.tests).cmh_z)
    assert assumption_in_words(safe.exchange).endswith(
        "since only its counts are known (detectors of one probe are treated as"
        " independent and as identical, and the larger p counts)"
    )


def test_other_prompts_of_an_equal_seed_are_named_with_the_likely_cause(
    scored: Callable[..., Assessment],
) -> None:
    rows = [
        two_detectors(10, [f"{name} {number}" for number in range(20)])
        for name in ("one", "other")
    ]
    pairs = with_hits(10)
    same, other = (
        compare_assessments(
            scored("a", pairs, rows[0], setup={"run.seed": 7}),
            scored("b", pairs, rows[1], setup={"run.seed": seed}),
            replicates=99,
        )
        for seed in (7, 8)
    )
    assert (same.compared, same.exchange.by_prompt) == (2, [])
    assert same.exchange.by_whole_prompt == [
        f"{facts.probe}+{facts.detector}" for facts in TOGETHER
    ]
    assert (
        assumption_in_words(same.exchange)
        == assumption_in_words(other.exchange)
        == (
            "prompts are not the same in both scans, so whole prompts of a probe are"
            " exchangeable, with all their outputs"
        )
    )
    assert unmatched_in_words(same.exchange) == [
        "different prompts although both scans have seed 7 (set PYTHONHASHSEED to"
        " the same"
        " number for both, some probes choose by it): probe.Shared+d.D0,"
        " probe.Shared+d.D1"
    ]
    assert unmatched_in_words(other.exchange) == []


def test_fresh_prompts_without_attempts_count_by_prompts_not_by_outputs(
    scored: Callable[..., Assessment],
) -> None:
    """Twenty outputs of four prompts are no more than four witnesses."""
    first, second = (
        scored(name, pairs_named((1, passed, 20)), setup={"run.seed": seed})
        for name, passed, seed in (("a", 20, None), ("b", 0, 1))
    )
    found = compared(first, second, replicates=9999)
    # 1 of the 70 ways to deal 8 prompts to two scans
    assert known(found.tests).p_worse == pytest.approx(1 / 70, abs=0.005)
    assert assumption_in_words(found.exchange) == (
        "all outputs of a pair are exchangeable, since only its counts are known (the"
        " scans have no common seed, so the 5 outputs of a prompt are treated as"
        " identical)"
    )


def test_pairing_finds_what_pooling_cannot(scored: Callable[..., Assessment]) -> None:
    """Ten prompts flip to hits among 60 that always pass and 60 that never do."""
    prompts = [0] * 60 + [1] * 60
    before = [PairFacts(probe="probe.P", passed=70, total=130, tier=1)]
    after = [PairFacts(probe="probe.P", passed=60, total=130, tier=1)]
    first = scored("a", before, attempts(before[0], *[[s] for s in prompts + [0] * 10]))
    second = scored("b", after, attempts(after[0], *[[s] for s in prompts + [1] * 10]))
    paired = compare_assessments(first, second)
    pooled = compare(first, second)
    assert (len(paired.exchange.by_prompt), pooled.exchange.by_prompt) == (1, [])
    assert known(paired.tests).p_worse <= 0.005
    assert known(pooled.tests).p_worse > 0.05


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(["compare", *argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err
