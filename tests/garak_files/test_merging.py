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

from garak_tbsa import GarakTbsaError, Unavailable, load_report
from garak_tbsa.garak_files import merging
from garak_tbsa.garak_files import report as reports
from garak_tbsa.garak_files.merging import PossiblePart, merge_reports
from garak_tbsa.garak_files.outcomes import outcomes_of_report, read_outcomes
from tests.factories import assessment_of_report
from tests.report_rows import (
    PairFacts,
    attempt_row,
    digest_row,
    pairs_named,
    report_rows,
    write_report,
)

FACTS = pairs_named((1, 9, 10), (1, 5, 10), (2, 10, 10), (2, 7, 9), (3, 1, 2), mu=0.5)


def by_digest(facts: list[PairFacts], name: str = "r", **meta: Any) -> reports.Report:
    """A report of a digest alone; what has a dot in its name is put into its setup."""
    setup = {key: value for key, value in meta.items() if "." in key}
    digest = digest_row(facts, setup=setup)
    digest["meta"] |= {key: meta[key] for key in meta.keys() - setup.keys()}
    return reports.report_from_digest(digest, name=name)


def by_rows(path: Path, facts: list[PairFacts]) -> reports.Report:
    return load_report(write_report(path, report_rows(facts, digest=False)))


@given(parts=st.lists(st.integers(0, 3), min_size=len(FACTS), max_size=len(FACTS)))
def test_however_a_scan_is_split_its_score_and_checksum_are_those_of_the_whole(
    parts: list[int],
) -> None:
    """One checksum that equals that of the scan run whole; one report is itself."""
    split = [
        by_digest(
            [each for each, at in zip(FACTS, parts, strict=True) if at == part],
            f"part {part}",
        )
        for part in sorted(set(parts))
    ]
    assert merge_reports(split[:1]) is split[0]
    merged = assessment_of_report(merge_reports(split))
    expected = assessment_of_report(by_digest(FACTS, "whole"))
    assert merged.checksum == expected.checksum
    assert merged.version_probe_hash == expected.version_probe_hash
    assert (merged.graded, merged.score) == (expected.graded, expected.score)


def test_what_is_said_of_the_parts(tmp_path: Path) -> None:
    """Each is held against its own rows; the one that began first names the run."""
    paths = [str(tmp_path / f"{name}.report.jsonl") for name in ("one", "two")]
    rows = copy.deepcopy(report_rows(FACTS[2:]))
    rows[-1]["meta"] |= {"start_time": "2025-12-31T00:00:00", "run_uuid": "earlier"}
    rows[-3] |= {"passed": 0, "fails": 2}
    del rows[-2]  # its completion row
    write_report(Path(paths[0]), report_rows(FACTS[:2]))
    write_report(Path(paths[1]), rows)
    got = merge_reports([load_report(path) for path in paths])
    assert got.source == " + ".join(paths)
    assert [each.source for each in got.parts] == paths
    assert (got.run_uuid, got.start_time) == ("earlier", "2025-12-31T00:00:00")
    assert got.partial_reason == (
        f"{paths[1]}: no completion row: the scan was interrupted"
    )
    assert got.file_of("probe.P00+D") == paths[0]
    assert got.file_of("probe.P04+D") == paths[1]
    assert got.file_of("no.Such+D") == got.file_of() == paths[0]
    held = reports.hold_against_rows(got)
    (finding,) = held.row_findings or ()
    assert finding.startswith(f"{paths[1]}: probe.P04+D")
    assert reports.hold_against_rows(held) is held


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
        (FACTS[:0:-1], {}, "both hold probe.P03+D, probe.P02+D, probe.P01+D;"),
        (FACTS[::-1], {}, "both hold probe.P03+D, probe.P02+D, probe.P01+D and 1 more"),
    ],
)
def test_what_is_no_part_is_refused_with_what_differs(
    facts: list[PairFacts], other: dict[str, Any], why: str
) -> None:
    parts = [by_digest(FACTS[:4] if len(facts) > 3 else FACTS[:2], "one")]
    parts.append(by_digest(facts, "two", **other))
    with pytest.raises(GarakTbsaError) as caught:
        merge_reports(parts)
    text = str(caught.value)
    assert text.startswith(f"two: is not part of the same scan as one: {why}")
    assert text.endswith(merging.ADVICE)
    assert len(text) < 500


def test_parts_without_a_digest_have_all_pairs_graded_from_counts(
    tmp_path: Path,
) -> None:
    two = by_rows(tmp_path / "two", FACTS[2:])
    merged = merge_reports([by_digest(FACTS[:2], "one"), two])
    assert not merged.has_digest_grades
    assert merged.warnings == (
        f"{two.source}: no digest, so all pairs were graded from their counts",
    )
    one = by_rows(tmp_path / "one", FACTS[:2])
    # nothing is mixed where no part has a digest
    assert merge_reports([one, two]).warnings == ()
    got = assessment_of_report(merged)
    expected = assessment_of_report(by_rows(tmp_path / "whole", FACTS))
    assert (got.checksum, got.score) == (expected.checksum, expected.score)
    digest = digest_row(FACTS[:1])
    del digest["eval"]["probe"]["probe.P00"]["detector.D"]["passed"]
    one = reports.report_from_digest(digest, name="one")
    with pytest.raises(
        GarakTbsaError, match=r"one: its digest has no counts of probe.P0"
    ):
        merge_reports([one, two])
    rows = copy.deepcopy(report_rows(FACTS[2:], digest=False))
    rows[2]["plugin_cache"]["probes"]["probes.probe.P00"] = {"tier": 2}
    other = load_report(write_report(tmp_path / "other", rows))
    with pytest.raises(
        GarakTbsaError, match=r"the tier of probe\.P00 differs \(1 and 2"
    ):
        merge_reports([by_rows(tmp_path / "one", FACTS[:2]), other])


def test_a_seed_and_a_calibration_are_those_of_the_parts() -> None:
    """garak's digest names no calibration where it covers no pair."""
    same = [by_digest([each]) for each in FACTS]
    assert merge_reports(same).settings.seed == 42
    other = by_digest([FACTS[1]], "r", **{"run.seed": 7})
    assert merge_reports([same[0], other]).settings.seed is None
    none = {"calibration_date": "", "model_list": ""}
    uncovered = by_digest(FACTS[2:], "two", calibration=none)
    for order in ([same[0], uncovered], [uncovered, same[0]]):
        assert merge_reports(order).calibration == same[0].calibration


def test_attempts_are_those_of_all_parts(tmp_path: Path) -> None:
    parts = []
    for name, facts in (("one", FACTS[0]), ("two", FACTS[1]), ("three", FACTS[0])):
        rows = report_rows([facts])
        rows.insert(2, attempt_row(facts, scores=(0, 1)))
        parts.append(load_report(write_report(tmp_path / name, rows)))
    merged = merge_reports(parts[:2])
    expected = {**read_outcomes(parts[0].source), **read_outcomes(parts[1].source)}
    assert outcomes_of_report(merged) == expected
    object.__setattr__(merged, "parts", tuple(parts))
    found = outcomes_of_report(merged)
    assert not isinstance(found, Unavailable)
    assert found["probe.P00"] == Unavailable(reason="its attempts are in two reports")


def possible(day: int, facts: list[PairFacts], **meta: Any) -> PossiblePart:
    return merging.possible_part(
        by_digest(facts, f"r{day}", start_time=f"2026-01-{day:02d}", **meta)
    )


DIFFER = "the garak version differs"


@pytest.mark.parametrize(
    ("parts", "scans", "not_joined"),
    [
        (
            [
                possible(9, FACTS[2:]),
                possible(1, FACTS[:2]),
                possible(2, FACTS[2:]),
                possible(8, FACTS[:2]),
                possible(3, FACTS[:2], target_name="Other"),
            ],
            ["r1 r2", "r3", "r8 r9"],
            {},
        ),
        (
            [
                possible(1, FACTS[:2]),
                possible(2, FACTS[2:3], garak_version="0.16.0"),
                possible(3, FACTS[2:3]),
                possible(4, FACTS[3:], **{"run.generations": 7}),
            ],
            ["r1 r3", "r2", "r4"],
            {f"{DIFFER} (0.17.1 and 0.16.0)": 1, f"{DIFFER} (0.16.0 and 0.17.1)": 1},
        ),
    ],
)
def test_reports_are_joined_in_order_until_a_pair_comes_again(
    parts: list[PossiblePart], scans: list[str], not_joined: dict[str, int]
) -> None:
    """And what keeps reports of a target apart is counted."""
    assert {part.report.measurements for part in parts} == {()}
    found, why = merging.scans_in_parts(parts)
    assert [" ".join(part.report.source for part in scan) for scan in found] == scans
    assert why == not_joined
