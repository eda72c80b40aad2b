# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The digest is held against its file's rows where a gate or --strict asks for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.garak_files import report as module
from garak_tbsa.garak_files.report import hold_against_rows, load_report
from garak_tbsa.garak_files.rows import ScannedRows, scan_rows
from garak_tbsa.garak_files.source import Source
from tests.factories import (
    digest_row,
    eval_row,
    init_row,
    pairs_named,
    report_rows,
    setup_row,
    tiers_row,
    write_report,
)

FACTS = pairs_named((1, 9, 10), (1, 0, 10), (2, 8, 10))
FIRST, SECOND = (f"probe.P{number:02d}+D" for number in range(2))
OTHER_RUN = "99999999-2222-3333-4444-555555555555"


def whole() -> list[Any]:
    return report_rows(FACTS)


def half_the_digest() -> list[Any]:
    return [*whole()[:-1], digest_row(FACTS[:1] + FACTS[2:])]


def more_than_was_judged() -> list[Any]:
    return [row for row in whole() if row.get("probe") != FACTS[1].probe]


def other_counts() -> list[Any]:
    better = pairs_named((1, 9, 10), (1, 10, 10), (2, 8, 10))
    return [*whole()[:-1], digest_row(better)]


def other_tier() -> list[Any]:
    lower = pairs_named((1, 9, 10), (3, 0, 10), (2, 8, 10))
    return [*whole()[:-1], digest_row(lower)]


def two_scans() -> list[Any]:
    second = [{**row, "run": OTHER_RUN} for row in report_rows(FACTS, digest=False)]
    return [*report_rows(FACTS, digest=False), *second, digest_row(FACTS)]


def two_setups() -> list[Any]:
    setups = [{"transient.run_id": run} for run in ("a", "b")]
    # garak repeats the last one in the digest
    digest = digest_row(FACTS, setup=setups[-1])
    return [*map(setup_row, setups), *whole()[1:-1], digest]


def other_setup() -> list[Any]:
    return [setup_row({"run.generations": 10, "run.seed": 7}), *whole()[1:]]


def two_reports() -> list[Any]:
    return [*whole(), *whole()]


def digest_alone() -> list[Any]:
    return [setup_row(), init_row(), tiers_row(FACTS), digest_row(FACTS)]


def contradicting_rows() -> list[Any]:
    twice = eval_row(pairs_named((1, 3, 10))[0])
    return [twice, *whole()]


DISAGREEING = {
    half_the_digest: f"{SECOND}: has an eval row but is not in the digest",
    more_than_was_judged: f"{SECOND}: is in the digest but has no eval row",
    other_counts: f"{SECOND}: 10 of 10 passed in the digest, 0 of 10 passed in its"
    " eval row at line 5",
    other_tier: "probe.P01: Tier 3 in the digest, Tier 1 in its plugin_cache row",
    two_scans: "the file holds rows of 2 scans (11111111-2222-3333-4444-555555555555,"
    f" {OTHER_RUN})",
    two_setups: "the file holds rows of 2 scans (a, b)",
    two_reports: "the file holds 2 digests",
    other_setup: "the digest's setup differs from the file's setup row in"
    " run.generations, run.seed; the digest's was used",
    digest_alone: "the file has no eval rows to check its digest with",
    contradicting_rows: f"{FIRST}: 9 of 10 passed in the digest, 3 of 10 passed in its"
    " eval row at line 1",
}


@pytest.mark.parametrize("make", DISAGREEING)
@pytest.mark.parametrize("options", [("--fail-under", "1"), ("--min-coverage", "0")])
def test_no_gate_passes_a_digest_that_its_rows_contradict(
    make: Any, options: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half the digest deleted gave 5.0 instead of 4.1, two reports the last one's."""
    path = write_report(tmp_path / "r.report.jsonl", make())
    output = tmp_path / "o.json"
    assert main(["score", path, *options, "-j", str(output)]) == 3
    assert DISAGREEING[make] in capsys.readouterr().out
    rules = json.loads(output.read_text(encoding="utf-8"))["gate"]["rules"]
    failed = {rule["rule"]: rule["found"] for rule in rules if not rule["passed"]}
    assert failed == {"consistent-report": DISAGREEING[make]}


@pytest.mark.parametrize("make", DISAGREEING)
def test_strict_names_what_disagrees(
    make: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_report(tmp_path / "r.report.jsonl", make())
    assert main(["score", "--strict", path]) == 1
    assert DISAGREEING[make] in capsys.readouterr().err


def test_a_report_that_agrees_has_no_finding(gold_report: str) -> None:
    held = hold_against_rows(load_report(gold_report))
    assert held.row_findings == ()
    assert hold_against_rows(held) is held


def test_standard_input_is_held_against_its_rows_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for make, code in ((whole, 0), (half_the_digest, 3)):
        path = Path(write_report(tmp_path / "r", make()))
        with path.open(encoding="utf-8") as stdin:
            monkeypatch.setattr("sys.stdin", stdin)
            assert main(["score", "-", "--fail-under", "1"]) == code


def test_without_gate_or_strict_only_the_end_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise AssertionError("rows were read")

    path = write_report(tmp_path / "r.report.jsonl", whole())
    monkeypatch.setattr(module, "scan_rows", refuse)
    assert main(["score", path]) == 0
    with pytest.raises(AssertionError, match="rows were read"):
        hold_against_rows(load_report(path))


@pytest.mark.parametrize("options", [["--fail-under", "1"], ["--strict"]])
def test_rows_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    passes = []

    def count(source: Source) -> ScannedRows:
        passes.append(source.name)
        return scan_rows(source)

    monkeypatch.setattr(module, "scan_rows", count)
    path = write_report(tmp_path / "r.report.jsonl", whole())
    assert main(["score", path, *options]) == 0
    assert main(["score", path, "--fail-under", "1", "--strict"]) == 0
    assert len(passes) == 2
