# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from garak_tbsa.cli.main import main
from tests.factories import (
    PairFacts,
    attempt_row,
    pairs_named,
    report_rows,
    write_report,
)

if TYPE_CHECKING:
    from pathlib import Path


def report(folder: Path, name: str, *facts: tuple[int, int, int]) -> str:
    rows = report_rows(pairs_named(*facts))
    return write_report(folder / f"{name}.report.jsonl", rows)


@pytest.fixture
def two(tmp_path: Path) -> tuple[str, str]:
    return (
        report(tmp_path, "before", (1, 95, 100), (2, 90, 100)),
        report(tmp_path, "after", (1, 60, 100), (2, 90, 100)),
    )


def test_prompts_are_matched_where_both_reports_hold_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for name, hits in (("before", (0, 0, 0, 1)), ("after", (0, 1, 1, 1))):
        facts = PairFacts(probe="p.P", detector="d.D", passed=4 - sum(hits), total=4)
        rows = report_rows([facts])
        rows[2:2] = [
            attempt_row(facts, prompt=f"prompt {i}", scores=[float(hit)])
            for i, hit in enumerate(hits)
        ]
        paths.append(write_report(tmp_path / f"{name}.report.jsonl", rows))
    assert main(["compare", *paths]) == 0
    assert "Assumed: outputs of the same prompt are" in capsys.readouterr().out


def test_a_threshold_beyond_every_number_is_borne(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``run.eval_threshold`` of 400 digits ended in "a defect of garak-tbsa"."""
    rows = report_rows(pairs_named((1, 9, 10)), setup={"run.eval_threshold": 10**400})
    path = write_report(tmp_path / "r.report.jsonl", rows)
    assert main(["compare", path, path, "--replicates", "9"]) == 0
    assert capsys.readouterr().err == ""


def test_a_digest_that_contradicts_its_rows_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in every gate: nobody knows what such a scan says."""
    facts = pairs_named((1, 95, 100), (2, 90, 100))
    rows = report_rows(facts)
    good = write_report(tmp_path / "good.report.jsonl", rows)
    rows[3] |= {"passed": 10, "fails": 90}
    forged = write_report(tmp_path / "forged.report.jsonl", rows)
    for pair in ((good, forged), (forged, good)):
        assert main(["compare", *pair, "--fail-on", "worse", "-q"]) == 3
        err = capsys.readouterr().err
        assert f": --fail-on worse: {forged}: " in err
        assert err.count("\n") == 1
        assert main(["compare", *pair, "-q"]) == 0
        capsys.readouterr()


def test_quiet_leaves_standard_output_to_a_form(
    two: tuple[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *two, "-q", "--replicates", "99", "-j", "-"]) == 0
    assert json.loads(capfd.readouterr().out)["verdict"]["kind"] == "worse"


def test_common_pairs_of_two_releases(
    gold_folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [f"{gold_folder}/garak-{version}.report.jsonl" for version in OLD_AND_NEW]
    assert main(["compare", *paths]) == 1
    err = capsys.readouterr().err
    assert 'garak_version ("0.16.0" before, "0.17.1" after)' in err
    assert "14 pairs were measured in both with the same tier; --common compares" in err
    assert main(["compare", *paths, "--common", "--replicates", "99"]) == 0
    assert "scored again over the 14 pairs that" in capsys.readouterr().out


OLD_AND_NEW = ("0.16.0", "0.17.1")


def test_common_pairs_are_scored_by_the_documented_formula(
    two: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *two, "--common", "--formula", "garak"]) == 2
    assert capsys.readouterr().err == (
        "garak-tbsa: --common scores common pairs by the documented formula alone;"
        " leave out --formula\n"
    )
