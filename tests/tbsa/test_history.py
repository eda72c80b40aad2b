# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One line per target: what changed, what compares, which scan is the best."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.history import Scan, by_target, to_scan
from tests.factories import (
    RUN,
    START,
    VERSION,
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
    assert expected.paths == (path,)


def test_an_interrupted_scan_is_partial(tmp_path: Path) -> None:
    rows = report_rows(pairs_named((1, 4, 5)))
    rows.remove(completion_row())
    assert to_scan(
        assessment_of(write_report(tmp_path / "cut.report.jsonl", rows[:-1]))
    ).partial


@given(st.lists(SCANS, max_size=12))
def test_each_target_is_one_line_oldest_first(scans: list[Scan]) -> None:
    """One line per target across garak releases."""
    targets = by_target(scans)
    assert list(targets) == sorted({each.target for each in scans})
    for target, found in targets.items():
        assert {each.target for each in found} == {target}
        starts = [each.start_time or "" for each in found]
        assert starts == sorted(starts)
    grouped = [repr(each) for found in targets.values() for each in found]
    assert sorted(grouped) == sorted(map(repr, scans))


@given(st.lists(SCANS, min_size=1, max_size=8))
def test_the_best_is_the_newest_highest_that_compares_with_the_latest(
    scans: list[Scan],
) -> None:
    found = target_of(scans)
    assert found.latest is scans[-1]
    same = [each for each in scans if each.checksum == scans[-1].checksum]
    highest = [each for each in same if each.tbsa == max(s.tbsa for s in same)]
    assert found.best is highest[-1]


@given(st.lists(SCANS, max_size=12))
def test_targets_are_ranked_where_checksums_agree(scans: list[Scan]) -> None:
    """Several targets as a league table where checksums agree."""
    leagues = history(*map(target_of, by_target(scans).values())).leagues
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
