# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of one scan make its report; anything else is refused with what differs."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.merging import (
    ADVICE,
    PossiblePart,
    merge_reports,
    possible_part,
    scans_in_parts,
)
from garak_tbsa.garak_files.outcomes import outcomes_of_report, read_outcomes
from garak_tbsa.garak_files.report import (
    Report,
    hold_against_rows,
    load_report,
    report_from_digest,
)
from garak_tbsa.unavailable import Unavailable
from tests.factories import (
    PairFacts,
    assessment_of_report,
    attempt_row,
    digest_row,
    pairs_named,
    report_rows,
    write_report,
)

FACTS = pairs_named((1, 9, 10), (1, 5, 10), (2, 10, 10), (2, 7, 9), (3, 1, 2), mu=0.5)


@given(parts=st.lists(st.integers(0, 3), min_size=len(FACTS), max_size=len(FACTS)))
def test_however_a_scan_is_split_its_score_and_checksum_are_those_of_the_whole(
    parts: list[int],
) -> None:
    """One checksum that equals that of the scan run whole."""
    whole = report_from_digest(digest_row(FACTS), name="whole")
    split = [
        report_from_digest(
            digest_row(
                [each for each, at in zip(FACTS, parts, strict=True) if at == part]
            ),
            name=f"part {part}",
        )
        for part in sorted(set(parts))
    ]
    merged = assessment_of_report(merge_reports(split))
    expected = assessment_of_report(whole)
    assert merged.checksum == expected.checksum
    assert merged.version_probe_hash == expected.version_probe_hash
    assert (merged.graded, merged.score) == (expected.graded, expected.score)


def part(
    tmp_path: Path, name: str, facts: list[PairFacts], **options: Any
) -> dict[str, Any]:
    """Rows of a part, to be changed, and where it goes."""
    return {
        "path": tmp_path / f"{name}.report.jsonl",
        "rows": copy.deepcopy(report_rows(facts, **options)),
    }


def loaded(described: dict[str, Any]) -> Report:
    return load_report(write_report(described["path"], described["rows"]))


def test_what_is_said_of_the_parts(tmp_path: Path) -> None:
    one, two = part(tmp_path, "one", FACTS[:2]), part(tmp_path, "two", FACTS[2:])
    two["rows"][-1]["meta"] |= {
        "start_time": "2025-12-31T00:00:00",
        "run_uuid": "earlier",
    }
    del two["rows"][-2]  # its completion row
    got = merge_reports([loaded(one), loaded(two)])
    paths = [str(one["path"]), str(two["path"])]
    assert got.source == " + ".join(paths)
    assert [each.source for each in got.parts] == paths
    assert (got.run_uuid, got.start_time) == ("earlier", "2025-12-31T00:00:00")
    assert got.partial_reason == (
        f"{paths[1]}: no completion row: the scan was interrupted"
    )
    assert got.file_of("probe.P00+D") == paths[0]
    assert got.file_of("probe.P04+D") == paths[1]
    assert got.file_of("no.Such+D") == got.file_of() == paths[0]
    assert got.parts[1].file_of() == paths[1]


def test_a_single_report_is_itself() -> None:
    report = report_from_digest(digest_row(FACTS), name="r")
    assert merge_reports([report]) is report


OTHER_DATE = {"calibration": {"calibration_date": "2024-01-01"}}


@pytest.mark.parametrize(
    ("facts", "other", "why"),
    [
        (FACTS[2:], {"target_name": "Other"}, "the target differs (test Blank and t"),
        (FACTS[2:], {"garak_version": "0.16.0"}, "the garak version differs (0.17.1"),
        (FACTS[2:], {"run.generations": 7}, "run.generations differs (5 and 7)"),
        (FACTS[2:], {"plugins.buff_max": "x" * 500}, "plugins.buff_max differs (None"),
        (FACTS[2:], OTHER_DATE, "the calibration differs (2026-05-06 and 2024-01-01)"),
        (FACTS[1:2], {}, "both hold probe.P01+D;"),
        (FACTS, {}, "both hold probe.P00+D, probe.P01+D;"),
    ],
)
def test_what_is_no_part_is_refused_with_what_differs(
    facts: list[PairFacts], other: dict[str, Any], why: str
) -> None:
    one = report_from_digest(digest_row(FACTS[:2]), name="one")
    setup = {name: value for name, value in other.items() if "." in name}
    digest = digest_row(facts, setup=setup)
    digest["meta"] |= {name: other[name] for name in other.keys() - setup.keys()}
    with pytest.raises(ReportError) as caught:
        merge_reports([one, report_from_digest(digest, name="two")])
    text = str(caught.value)
    assert text.startswith(f"two: is not part of the same scan as one: {why}")
    assert text.endswith(ADVICE)
    assert len(text) < 500


def test_many_pairs_in_two_parts_are_counted() -> None:
    many = pairs_named(*[(1, 9, 10)] * 9)
    reports = [report_from_digest(digest_row(many), name=name) for name in "ab"]
    with pytest.raises(ReportError, match=r"both hold (\S+, ){2}\S+ and 6 more;"):
        merge_reports(reports)


def test_two_tiers_of_a_probe_are_refused(tmp_path: Path) -> None:
    one = part(tmp_path, "one", FACTS[:2], digest=False)
    two = part(tmp_path, "two", FACTS[2:], digest=False)
    probes = two["rows"][2]["plugin_cache"]["probes"]
    probes["probes.probe.P00"] = {"tier": 2}
    with pytest.raises(ReportError, match=r"the tier of probe\.P00 differs \(1 and 2"):
        merge_reports([loaded(one), loaded(two)])


def test_a_part_that_no_calibration_covers_names_none() -> None:
    """garak's digest names no calibration where it covers no pair."""
    covered = report_from_digest(digest_row(FACTS[:2]), name="one")
    digest = digest_row(FACTS[2:])
    digest["meta"]["calibration"] = {"calibration_date": "", "model_list": ""}
    uncovered = report_from_digest(digest, name="two")
    for order in ([covered, uncovered], [uncovered, covered]):
        assert merge_reports(order).calibration == covered.calibration


def test_parts_without_a_digest_have_all_pairs_graded_from_counts(
    tmp_path: Path,
) -> None:
    one, two = (
        part(tmp_path, "one", FACTS[:2]),
        part(tmp_path, "two", FACTS[2:], digest=False),
    )
    without = part(tmp_path, "whole", FACTS, digest=False)
    merged = merge_reports([loaded(one), loaded(two)])
    assert not merged.has_digest_grades
    assert merged.warnings == (
        f"{two['path']}: no digest, so all pairs were graded from their counts",
    )
    got = assessment_of_report(merged)
    expected = assessment_of_report(loaded(without))
    assert got.checksum == expected.checksum
    assert got.score == expected.score


def test_counts_that_are_not_there_cannot_take_the_place_of_grades() -> None:
    digest = digest_row(FACTS[:1])
    del digest["eval"]["probe"]["probe.P00"]["detector.D"]["passed"]
    evals = report_from_digest(digest_row(FACTS[1:]), name="two")
    one = report_from_digest(digest, name="one")
    object.__setattr__(evals, "origin", "eval rows")
    with pytest.raises(ReportError, match=r"one: its digest has no counts of probe.P0"):
        merge_reports([one, evals])


def test_a_seed_is_kept_where_all_parts_have_it() -> None:
    same = [report_from_digest(digest_row([each]), name="r") for each in FACTS]
    assert merge_reports(same).settings.seed == 42
    other = digest_row([FACTS[1]], setup={"run.seed": 7})
    parts = [same[0], report_from_digest(other, name="r")]
    assert merge_reports(parts).settings.seed is None


def test_each_part_is_held_against_its_own_rows(tmp_path: Path) -> None:
    one, two = part(tmp_path, "one", FACTS[:2]), part(tmp_path, "two", FACTS[2:])
    two["rows"][-3]["passed"] = 0
    two["rows"][-3]["fails"] = 2
    merged = merge_reports([loaded(one), loaded(two)])
    assert merged.row_findings is None
    (finding,) = hold_against_rows(merged).row_findings or ()
    assert finding.text.startswith(f"{two['path']}: probe.P04+D")


def test_attempts_are_those_of_all_parts(tmp_path: Path) -> None:
    parts = []
    for name, facts in (("one", FACTS[0]), ("two", FACTS[1]), ("three", FACTS[0])):
        described = part(tmp_path, name, [facts])
        described["rows"].insert(2, attempt_row(facts, scores=(0, 1)))
        parts.append(loaded(described))
    merged = merge_reports(parts[:2])
    expected = {
        **read_outcomes(parts[0].source),
        **read_outcomes(parts[1].source),
    }
    assert outcomes_of_report(merged) == expected
    object.__setattr__(merged, "parts", tuple(parts))
    found = outcomes_of_report(merged)
    assert not isinstance(found, Unavailable)
    assert found["probe.P00"] == Unavailable(reason="its attempts are in two reports")
    Path(parts[1].source).unlink()
    assert isinstance(outcomes_of_report(merged), Unavailable)


def possible(day: int, facts: list[PairFacts], **meta: Any) -> PossiblePart:
    digest = digest_row(facts, setup=meta.pop("setup", None))
    digest["meta"] |= {"start_time": f"2026-01-{day:02d}", **meta}
    return possible_part(report_from_digest(digest, name=f"r{day}"))


def test_reports_are_joined_in_order_until_a_pair_comes_again() -> None:
    parts = [
        possible(9, FACTS[2:]),
        possible(1, FACTS[:2]),
        possible(2, FACTS[2:]),
        possible(8, FACTS[:2]),
        possible(3, FACTS[:2], target_name="Other"),
    ]
    found = scans_in_parts(parts)
    assert found.scans == ((1, 2), (4,), (3, 0))
    assert found.kept_apart == {}


def test_what_keeps_reports_of_a_target_apart_is_counted() -> None:
    parts = [
        possible(1, FACTS[:2]),
        possible(2, FACTS[2:3], garak_version="0.16.0"),
        possible(3, FACTS[2:3]),
        possible(4, FACTS[3:], setup={"run.generations": 7}),
    ]
    found = scans_in_parts(parts)
    assert found.scans == ((0, 2), (1,), (3,))
    assert found.kept_apart == {
        "the garak version differs (0.17.1 and 0.16.0)": 1,
        "the garak version differs (0.16.0 and 0.17.1)": 1,
    }


def test_what_tells_a_part_is_little() -> None:
    part = possible(1, FACTS)
    assert part.report.measurements == ()
    assert part.pairs == {f"probe.P0{number}+D" for number in range(5)}
