# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.tbsa.history import Scan, in_series, to_scan
from garak_tbsa.tbsa.interval import repeat_distribution
from garak_tbsa.unavailable import Unavailable
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

if TYPE_CHECKING:
    from pathlib import Path

SCANS = st.builds(
    Scan,
    source=st.sampled_from("abcd"),
    run_uuid=st.none(),
    target=st.sampled_from(["one", "two"]),
    start_time=st.none() | st.sampled_from(["2026-01-01", "2026-02-01T10"]),
    checksum=st.sampled_from(["0000-0001", "0000-0002"]),
    garak_version=st.none(),
    tbsa=st.just(3.0),
    lower=st.none(),
    upper=st.none(),
    pairs=st.just(1),
    left_out=st.just(0),
    partial=st.booleans(),
)


def test_a_scan_keeps_what_a_history_shows(tmp_path: Path) -> None:
    pairs = pairs_named((1, 40, 50), (2, 50, 50), (3, 1, 2))
    path = write_report(tmp_path / "a.report.jsonl", report_rows(pairs))
    assessment = assessment_of(path)
    repeat = repeat_distribution(assessment.graded)
    assert not isinstance(repeat, Unavailable)
    assert to_scan(assessment) == Scan(
        source=path,
        run_uuid=RUN,
        target="test Blank",
        start_time=START,
        checksum=assessment.checksum.text,
        garak_version=VERSION,
        tbsa=assessment.tbsa,
        lower=repeat.prediction_interval[0],
        upper=repeat.prediction_interval[1],
        pairs=2,
        left_out=1,
        partial=False,
    )


def test_a_scan_without_counts_has_no_range_and_an_interrupted_one_is_partial(
    tmp_path: Path,
) -> None:
    rows = report_rows(pairs_named((1, 4, 5)))
    rows.remove(completion_row())
    assert to_scan(
        assessment_of(write_report(tmp_path / "cut.report.jsonl", rows[:-1]))
    ).partial
    digest = rows[-1]
    entry = digest["eval"]["probe"]["probe.P00"]["detector.D"]
    del entry["passed"], entry["total_evaluated"]
    scan = to_scan(assessment_of(write_report(tmp_path / "old.report.jsonl", [digest])))
    assert (scan.lower, scan.upper) == (None, None)


@given(st.lists(SCANS, max_size=12))
def test_series_are_one_target_under_one_checksum_oldest_first(
    scans: list[Scan],
) -> None:
    """Scans of one target under one checksum, oldest first."""
    series = in_series(scans)
    keys = [(group.target, group.checksum) for group in series]
    assert keys == sorted(set(keys))
    for group in series:
        assert {(s.target, s.checksum) for s in group.scans} == {
            (group.target, group.checksum)
        }
        starts = [scan.start_time or "" for scan in group.scans]
        assert starts == sorted(starts)
    grouped = [repr(scan) for group in series for scan in group.scans]
    assert sorted(grouped) == sorted(map(repr, scans))
