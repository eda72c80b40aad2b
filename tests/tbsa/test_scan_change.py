# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What changed in a scan is what compare says, over common pairs where need be."""

from __future__ import annotations

from pathlib import Path

from garak_tbsa.statistics.compare import compare
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.comparison_in_words import headline
from garak_tbsa.tbsa.history import (
    ANOTHER_FORMULA,
    NO_COMMON_PAIR,
    Change,
    change_between,
)
from garak_tbsa.tbsa.score import score_pairs
from tests.factories import (
    PairFacts,
    assessment_of,
    pairs_named,
    report_rows,
    write_report,
)


def assessed(
    folder: Path, name: str, facts: list[PairFacts], **how: object
) -> Assessment:
    path = folder / f"{name}.report.jsonl"
    return assessment_of(write_report(path, report_rows(facts, **how)), facts)  # type: ignore[arg-type]


def test_a_change_is_what_compare_says(tmp_path: Path) -> None:
    """Change and significance with the same tests as compare."""
    before = assessed(tmp_path, "a", pairs_named((1, 90, 100), (2, 80, 100)))
    after = assessed(tmp_path, "b", pairs_named((1, 60, 100), (2, 80, 100)))
    found = change_between(before, after, alpha=0.05)
    expected = compare(before, after)
    assert expected.tests is not None
    assert isinstance(found, Change)
    assert found.verdict == expected.verdict(0.05) == "worse"
    assert (found.p_worse, found.p_better) == (
        expected.tests.p_worse,
        expected.tests.p_better,
    )
    assert (found.before, found.after) == (before.tbsa, after.tbsa)
    assert found.because == headline(expected, 0.05)
    assert (found.common_pairs, found.differences) == (None, ())
    assert found.permutations == 5000


def test_other_checksums_compare_over_common_pairs_of_the_same_tier(
    tmp_path: Path,
) -> None:
    """Rescored on pairs that consecutive scans both measured with the same tier."""
    before = pairs_named((1, 90, 100), (1, 70, 100), (2, 80, 100))
    after = pairs_named((1, 60, 100), (2, 99, 100), (2, 70, 100), (1, 5, 10))
    one = assessed(tmp_path, "a", before, version="0.16.0")
    two = assessed(tmp_path, "b", after)
    common = {"probe.P00+D", "probe.P02+D"}
    scores = [
        score_pairs([pair for pair in each.graded if pair.name in common]).tbsa
        for each in (one, two)
    ]
    tests = compare(one, two, common=True).tests
    assert tests is not None
    for alpha in (0.05, None):
        found = change_between(one, two, alpha=alpha)
        assert isinstance(found, Change)
        assert found.common_pairs == 2
        assert found.p_worse == (tests.p_worse if alpha else None)
        assert [found.before, found.after] == scores
        assert [text.split(" ")[0] for text in found.differences] == [
            "garak_version",
            "pairs",
        ]
        assert (found.verdict is None) is (alpha is None)


def test_nothing_in_common_is_a_reason(tmp_path: Path) -> None:
    one = assessed(tmp_path, "a", pairs_named((1, 9, 10)))
    other = [PairFacts(probe="other.P", passed=3)]
    two = assessed(tmp_path, "b", other)
    for alpha in (0.05, None):
        assert change_between(one, two, alpha=alpha) == NO_COMMON_PAIR


def test_garaks_own_formula_has_no_score_of_common_pairs(tmp_path: Path) -> None:
    both = []
    for name, version in (("a", "0.16.0"), ("b", "0.17.1")):
        facts = pairs_named((1, 9, 10), (2, 8, 10), mu=0.5)
        rows = report_rows(facts, version=version)
        path = write_report(tmp_path / f"{name}.report.jsonl", rows)
        both.append(assessment_of(path, facts, formula="garak"))
    assert change_between(*both, alpha=0.05) == ANOTHER_FORMULA
    same = change_between(both[0], both[0], alpha=None)
    assert isinstance(same, Change)


def test_scans_without_counts_are_not_tested(tmp_path: Path) -> None:
    both = []
    for name in "ab":
        rows = report_rows(pairs_named((1, 4, 5)))[-1:]
        entry = rows[0]["eval"]["probe"]["probe.P00"]["detector.D"]
        del entry["passed"], entry["total_evaluated"]
        both.append(assessment_of(write_report(tmp_path / name, rows)))
    found = change_between(*both, alpha=0.05)
    assert isinstance(found, Change)
    assert (found.verdict, found.p_worse, found.permutations) == (
        "not tested",
        None,
        None,
    )
