# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report that contradicts itself is told, refused if asked, and passes no gate."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.behaviour.product import document, tbsa
from tests.report_rows import (
    PairFacts,
    attempt_row,
    report_rows,
    setup_row,
    to_bytes,
    write_report,
)

NOTHING = object()
KEPT_ROW = (
    b'{"entry_type": "garak-tbsa baseline", "kept": "2026-11-22T10:00:00+00:00",'
    b' "source": "old.report.jsonl", "target": "a b", "start_time": null,'
    b' "garak_version": "0.17.1", "tbsa": 2.3, "checksum": "e563-9a27"}\n'
)
"""First row of what ``baseline save`` wrote before 0.2.0."""


def report_stating(folder: Path, facts: PairFacts, **stated: Any) -> str:
    """Write a report of one pair whose digest entry states something else."""
    rows = report_rows([facts])
    entry = rows[-1]["eval"]["dan"][facts.probe][facts.detector] | stated
    rows[-1]["eval"]["dan"][facts.probe][facts.detector] = {
        key: value for key, value in entry.items() if value is not NOTHING
    }
    return write_report(folder / "stating.report.jsonl", rows)


def assert_contradicts(folder: Path, report: str, *words: str) -> None:
    """It is warned of, refused under --strict, and fails a gate."""
    (warning,) = document(folder, "score", report)["warnings"]
    for shown in (
        warning,
        tbsa("score", "-q", "--strict", report).err,
        tbsa("score", "-q", "--fail-under", "1", report).err,
    ):
        assert all(word in shown for word in words), shown
    assert tbsa("score", "-q", report).code == 0
    assert tbsa("score", "-q", "--strict", report).code == 1
    assert tbsa("score", "-q", "--fail-under", "1", report).code == 3


def assert_agrees(folder: Path, report: str) -> None:
    assert document(folder, "score", report)["warnings"] == []
    assert tbsa("score", "-q", "--strict", "--fail-under", "1", report).code == 0


@pytest.mark.parametrize("z_score", ["n/a", None, NOTHING])
@pytest.mark.parametrize("passed", [10, 9])
@pytest.mark.parametrize("rate", [{}, {"absolute_score": NOTHING}])
def test_a_z_grade_without_a_z_score(
    tmp_path: Path, z_score: object, passed: int, rate: dict[str, object]
) -> None:
    facts = PairFacts(passed=passed)
    stated = {"relative_score": z_score, "relative_defcon": 1, **rate}
    report = report_stating(tmp_path, facts, **stated)
    assert_contradicts(
        tmp_path, report, "dan.Ablation_Dan_11_0+dan.DAN", "Z grade 1", "no Z-score"
    )


@pytest.mark.parametrize("z_grade", [None, 5, NOTHING])
@pytest.mark.parametrize("rate", [{}, {"absolute_score": NOTHING}])
def test_a_clean_sheet_may_have_garaks_best_z_grade_or_none(
    tmp_path: Path, z_grade: object, rate: dict[str, object]
) -> None:
    facts = PairFacts(passed=10)
    report = report_stating(tmp_path, facts, relative_defcon=z_grade, **rate)
    assert_agrees(tmp_path, report)


@pytest.mark.parametrize(
    ("stated", "words", "by_rows"),
    [
        # the digest states no pass rate, so that the counts were graded
        (
            {"absolute_score": NOTHING, "absolute_defcon": 5},
            ("grade 5", "0.9000", "is a 4"),
            "",
        ),
        ({"absolute_score": 0.8}, ("pass rate of 0.8000", "0.9000"), ""),
        ({"absolute_defcon": 5}, ("grade 5", "0.9000", "is a 4"), ""),
        ({"passed": 8}, ("0.9000", "0.8000"), "8 of 10"),
        ({"total_evaluated": 9}, ("0.9000", "1.0000"), "9 of 9"),
        ({"relative_score": 2.0, "relative_defcon": 1}, ("grade 1", "is a 5"), ""),
    ],
)
def test_a_number_that_others_contradict(
    tmp_path: Path, stated: dict[str, Any], words: tuple[str, ...], by_rows: str
) -> None:
    """Grade, rate and counts of a pair that passed 9 of 10, also by the rows."""
    report = report_stating(tmp_path, PairFacts(passed=9), **stated)
    assert_contradicts(tmp_path, report, "dan.Ablation_Dan_11_0+dan.DAN", *words)
    assert by_rows in tbsa("score", "-q", "--fail-under", "1", report).err


def assert_no_gate_passes(report: str, *words: str) -> None:
    """Its rows are held against each other where somebody asks."""
    assert tbsa("score", "-q", report).code == 0
    for options, code in ((("--strict",), 1), (("--fail-under", "1"), 3)):
        shown = tbsa("score", "-q", *options, report)
        assert shown.code == code
        assert all(word in shown.err for word in words), shown.err


PASSED = PairFacts(passed=10)
ATTEMPTS: dict[str, tuple[dict[str, list[float | None]], tuple[str, ...]]] = {
    "all are hits": ({"dan.DAN": [1.0] * 10}, ("10 hits", "0 in its eval row")),
    "one is a hit": ({"dan.DAN": [1.0, 0.0]}, ("1 hits in its attempts",)),
    "more passes": ({"dan.DAN": [0.0] * 11}, ("11 passes", "10 in its eval row")),
    "another detector": (
        {"dan.DAN": [0.0] * 10, "dan.STAN": [0.0] * 10},
        ("dan.Ablation_Dan_11_0+dan.STAN: has results in attempts but no eval row",),
    ),
    "by another threshold": ({"dan.DAN": [0.9] * 10}, ()),
    "some are missing": ({"dan.DAN": [0.0, 0.0]}, ()),
    "none was judged": ({"dan.DAN": [None] * 10, "dan.STAN": [None]}, ()),
}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_results_of_attempts_that_the_eval_rows_do_not_have(
    tmp_path: Path, name: str
) -> None:
    results, words = ATTEMPTS[name]
    attempt = attempt_row(PASSED, uuid="u", detector_results=results)
    # a scan that was resumed writes an attempt once more
    rows = report_rows([PASSED], attempts=[attempt, attempt])
    report = write_report(tmp_path / "scan.report.jsonl", rows)
    if words:
        assert_no_gate_passes(report, *words)
    else:
        assert_agrees(tmp_path, report)


COUNTS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "fails": ({"fails": 3}, ("10 passed and 3 fails are not 10 total_evaluated",)),
    "processed": (
        {"total_processed": 99},
        ("10 total_evaluated and 0 nones are not 99 processed",),
    ),
    "nones": ({"nones": 89, "total_processed": 99}, ("0 nones in the digest, 89",)),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_an_eval_row_that_do_not_add_up(tmp_path: Path, name: str) -> None:
    counts, words = COUNTS[name]
    rows = report_rows([PASSED])
    rows[-3] |= counts
    rows[-1]["eval"]["dan"][PASSED.probe][PASSED.detector]["nones"] = 0
    report = write_report(tmp_path / "scan.report.jsonl", rows)
    assert_no_gate_passes(report, *words)


def test_nones_follow_from_the_outputs_that_were_processed(tmp_path: Path) -> None:
    rows = report_rows([PASSED])
    del rows[-3]["nones"]
    rows[-3]["total_processed"] = 99
    report = write_report(tmp_path / "scan.report.jsonl", rows)
    shown = tbsa("score", "-q", "--min-coverage", "0.5", report)
    assert shown.code == 3
    assert "10 of 99 outputs evaluated" in shown.err


def ways_to_read(folder: Path, rows: list[Any]) -> dict[str, tuple[str, bytes]]:
    """One report as each of the ways gets it: argument and standard input."""
    folder.mkdir()
    content = to_bytes(rows)
    forms = {
        "plain": content,
        "gzip": gzip.compress(content),
        "zstandard": zstandard.ZstdCompressor().compress(content),
    }
    ways = {}
    for name, form in forms.items():
        (folder / name).write_bytes(form)
        ways[name] = str(folder / name), b""
    address = (folder / "plain").as_uri()
    return {**ways, "fsspec": (address, b""), "standard input": ("-", content)}


def checksum_of(folder: Path, argument: str, given: bytes) -> tuple[str, list[str]]:
    """Checksum and warnings of one report."""
    output = folder / "out.json"
    assert tbsa("score", "-q", "-j", output, argument, stdin=given).code == 0
    found = json.loads(output.read_text(encoding="utf-8"))
    return found["checksum"], found["warnings"]


SETUPS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "they differ": ({"run.generations": 10}, {"run.generations": 5}),
    "one has more": ({"run.deprefix": True}, {}),
    "other seeds": ({"run.seed": 7}, {"run.seed": 8}),
    "other probes": ({"transient.active_probes": ["dan", "goat.GOATAttack"]}, {}),
}


@pytest.mark.parametrize("setups", SETUPS)
def test_a_setup_that_contradicts_its_row(tmp_path: Path, setups: str) -> None:
    """The digest's is used in all ways of reading, so that the checksum is one."""
    in_row, in_digest = SETUPS[setups]
    rows = report_rows([PairFacts()], setup=in_digest)
    rows[0] = setup_row(in_row)
    read = {
        name: checksum_of(tmp_path, *way)
        for name, way in ways_to_read(tmp_path / "whole", rows).items()
    }
    (checksum,) = {checksum for checksum, _ in read.values()}
    (key,) = {*in_row, *in_digest}
    for name, (_, warnings) in read.items():
        assert len(warnings) == 1, name
        assert key in warnings[0], name
    bare = ways_to_read(tmp_path / "bare", rows[-1:])
    for name, way in bare.items():
        assert checksum_of(tmp_path, *way) == (checksum, []), name
    report = str(tmp_path / "whole" / "plain")
    assert_contradicts(tmp_path, report, "setup", key)


STRIPPED: dict[str, dict[str, Any]] = {
    "the setup": {"setup": None},
    "the setup, all of it": {"setup": {}},
    "garak's version": {"garak_version": None, "setup": {}},
}


@pytest.mark.parametrize("missing", STRIPPED)
def test_what_a_digest_does_not_say_its_rows_tell(tmp_path: Path, missing: str) -> None:
    facts = PairFacts(probe="not.InGarak")
    rows = report_rows([facts])
    expected = checksum_of(tmp_path, "-", to_bytes(rows))
    rows[-1]["meta"] |= STRIPPED[missing]
    del rows[-1]["eval"]["not"]["not.InGarak"]["_summary"]["probe_tier"]
    for way in ways_to_read(tmp_path / "whole", rows).values():
        assert checksum_of(tmp_path, *way) == expected


def test_a_contradicting_setup_is_no_baseline_and_its_copy_is_like_it(
    tmp_path: Path,
) -> None:
    rows = report_rows([PairFacts()], setup={"run.generations": 10})
    rows[0] = setup_row({"run.generations": 5})
    report = write_report(tmp_path / "scan.report.jsonl", rows)
    shown = tbsa("score", report, "--baseline", report)
    assert shown.code == 3
    assert "run.generations" in shown.out
    kept = tmp_path / "kept.gz"
    kept.write_bytes(gzip.compress(KEPT_ROW + Path(report).read_bytes()))
    checksums = {
        document(tmp_path, "score", path)["checksum"] for path in (report, kept)
    }
    assert len(checksums) == 1


def test_a_baseline_that_was_saved_before_0_2_0_is_read_as_its_report(
    tmp_path: Path,
) -> None:
    report = write_report(tmp_path / "scan.report.jsonl", report_rows([PairFacts()]))
    kept = tmp_path / "tbsa-baseline.jsonl.gz"
    kept.write_bytes(gzip.compress(KEPT_ROW + Path(report).read_bytes()))
    rows = report_rows([PairFacts()], run="a later one")
    later = write_report(tmp_path / "later.report.jsonl", rows)
    shown = tbsa("score", later, "--baseline", kept)
    assert (shown.code, shown.err) == (0, "")
    found = [document(tmp_path, "score", path) for path in (report, kept)]
    for each in found:
        del each["infile"]
    assert found[0] == found[1]


def scan_of(run: str, passed: int, **setup: Any) -> list[dict[str, Any]]:
    """Return the rows of a scan with an id of its own."""
    given = {"transient.run_id": run, **setup}
    rows = report_rows([PairFacts(passed=passed)], setup=given)
    rows[1]["run"] = rows[-1]["meta"]["run_uuid"] = run
    return rows


@pytest.mark.parametrize("changed", [{}, {"run.generations": 7}])
def test_scans_put_together_by_hand_are_told_in_a_plain_score(
    tmp_path: Path, changed: dict[str, Any]
) -> None:
    """The last digest is scored, and no gate passes."""
    first, second = scan_of("run-a", 2), scan_of("run-b", 8, **changed)
    report = write_report(tmp_path / "both.report.jsonl", [*first, *second])
    found = document(tmp_path, "score", report)
    told = "the file holds rows of 2 scans (run-a, run-b)"
    assert found["warnings"][0] == told
    for options in ((), ("--no-interval",)):
        shown = tbsa("score", *options, report)
        assert (shown.code, told in " ".join(shown.out.split())) == (0, True), options
    assert tbsa("score", "-q", "--fail-under", "1", report).code == 3
    alone = document(
        tmp_path, "score", write_report(tmp_path / "b.report.jsonl", second)
    )
    assert (alone["tbsa"], alone["warnings"]) == (found["tbsa"], [])


def test_a_line_that_broke_where_scans_meet_is_told(tmp_path: Path) -> None:
    """The rows cannot be read, and which scan is which is not known."""
    report = tmp_path / "both.report.jsonl"
    first, second = (to_bytes(scan_of(run, 2)) for run in ("run-a", "run-b"))
    report.write_bytes(first + b'{"entry_type": "att\n' + second)
    shown = tbsa("score", report)
    assert shown.code == 1
    assert f"{report}, line 6: expected a JSON object" in shown.error


def test_a_scan_after_which_another_was_cut_off_is_told(tmp_path: Path) -> None:
    """Where the last digest is not the last row, all rows are read anyway."""
    both = [*scan_of("run-a", 2), *scan_of("run-b", 8)[:3]]
    report = write_report(tmp_path / "both.report.jsonl", both)
    warnings = document(tmp_path, "score", report)["warnings"]
    assert "the file holds rows of 2 scans (run-a, run-b)" in warnings
