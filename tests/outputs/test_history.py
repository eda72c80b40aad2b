# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One line per target: what changed, what compares, which scan is the best.

What changed in a scan is what compare says, over common pairs where need be.
"""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.comparison_in_words import headline
from garak_tbsa.outputs.history import (
    ANOTHER_FORMULA,
    NO_COMMON_PAIR,
    Change,
    Scan,
    by_target,
    change_between,
    to_scan,
)
from garak_tbsa.statistics.compare import compare
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.score import score_pairs
from tests.factories import (
    RUN,
    START,
    VERSION,
    PairFacts,
    assessment_of,
    completion_row,
    pairs_named,
    report_rows,
    write_report,
)
from tests.histories import history, scan, target_of

SCANS = st.builds(
    scan,
    day=st.integers(1, 9),
    tbsa=st.sampled_from([2.0, 3.0, 4.0]),
    target=st.sampled_from(["one", "two"]),
    start_time=st.none() | st.sampled_from(["2026-01-01", "2026-02-01T10"]),
    checksum=st.sampled_from(["0000-0001", "0000-0002"]),
)


def test_a_scan_keeps_what_a_history_shows(tmp_path: Path) -> None:
    pairs = pairs_named((1, 40, 50), (2, 50, 50), (3, 1, 2))
    path = write_report(tmp_path / "a.report.jsonl", report_rows(pairs))
    assessment = assessment_of(path)
    expected = Scan(
        source=path,
        run_uuid=RUN,
        target="test Blank",
        start_time=START,
        checksum=assessment.checksum.text,
        garak_version=VERSION,
        tbsa=assessment.tbsa,
        pairs=2,
        left_out=1,
        partial=False,
    )
    assert to_scan(assessment) == expected
    rows = report_rows(pairs)
    rows.remove(completion_row())
    cut = write_report(tmp_path / "cut.report.jsonl", rows[:-1])
    assert to_scan(assessment_of(cut)).partial
    assert expected.paths == (path,)


@given(st.lists(SCANS, max_size=12))
def test_each_target_is_one_line_oldest_first(scans: list[Scan]) -> None:
    """One line per target across garak releases."""
    targets = by_target(scans)
    assert [each.target for each in targets] == sorted({e.target for e in scans})
    for found in targets:
        assert {each.target for each in found.scans} == {found.target}
        starts = [each.start_time or "" for each in found.scans]
        assert starts == sorted(starts)
    grouped = [repr(each) for found in targets for each in found.scans]
    assert sorted(grouped) == sorted(map(repr, scans))


@given(st.lists(SCANS, min_size=1, max_size=8))
def test_the_best_is_the_newest_highest_that_compares_with_the_latest(
    scans: list[Scan],
) -> None:
    found = target_of(scans)
    assert found.latest is found.scans[-1]
    same = [each for each in found.scans if each.checksum == scans[-1].checksum]
    highest = [each for each in same if each.tbsa == max(s.tbsa for s in same)]
    assert found.best is highest[-1]


@given(st.lists(SCANS, max_size=12))
def test_targets_are_ranked_where_checksums_agree(scans: list[Scan]) -> None:
    """Several targets as a league table where checksums agree."""
    leagues = history(*by_target(scans)).leagues
    for league in leagues:
        of_league = [each for each in scans if each.checksum == league.checksum]
        targets = {each.target for each in of_league}
        assert {each.latest.target for each in league.standings} == targets
        assert len(targets) > 1
        scores = [each.latest.tbsa for each in league.standings]
        assert scores == sorted(scores, reverse=True)
        assert [each.rank for each in league.standings] == [
            1 + sum(other > score for other in scores) for score in scores
        ]
        for each in league.standings:
            mine = [s.tbsa for s in of_league if s.target == each.latest.target]
            assert each.best.tbsa == max(mine)
    shared = {
        checksum
        for checksum in {each.checksum for each in scans}
        if len({each.target for each in scans if each.checksum == checksum}) > 1
    }
    assert [league.checksum for league in leagues] == sorted(shared)


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
