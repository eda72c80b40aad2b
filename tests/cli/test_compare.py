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


def test_two_scans(
    two: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.json"
    assert main(["compare", *two, "-j", str(path), "--replicates", "500"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("worse (p = 0.002): probe.P00 + D fell from 95 % to 60 %\n")
    assert "\n🟩 before TBSA 4.0; a repeat of this scan on the same prompts" in out
    assert "Ranges: attempts do not add up to the counts of 2 pairs: outputs" in out
    assert "\nTBSA moved by -0.7\n" in out
    assert "Assumed: all outputs of a pair are exchangeable" in out
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["tbsa_difference"] == -0.7
    assert document["tests"]["p_worse"] < 0.05
    assert document["pairs_compared"] == 2
    assert document["pairs_by_prompt"] == 0
    based_on = document["first"]["interval_based_on"]
    assert based_on["repeat"] == "same-prompts"
    assert based_on["pairs_with_attempts"] == 0


def test_the_same_seed_gives_the_same_bytes(
    two: tuple[str, str], tmp_path: Path
) -> None:
    texts = []
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        path = tmp_path / name
        options = ["-j", str(path), "--seed", seed, "--replicates", "99"]
        assert main(["compare", *two, *options]) == 0
        texts.append(path.read_bytes())
    assert texts[0] == texts[1] != texts[2]


def test_the_level_of_the_verdict_can_be_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The verdict is that of a gate at the same level."""
    before = report(tmp_path, "before", (1, 95, 100), (2, 90, 100))
    after = report(tmp_path, "after", (1, 83, 100), (2, 90, 100))
    verdicts = []
    for alpha in ("0.05", "0.001"):
        path = tmp_path / "c.json"
        options = ["--alpha", alpha, "-j", str(path)]
        assert main(["compare", before, after, *options]) == 0
        verdict = json.loads(path.read_text(encoding="utf-8"))["verdict"]
        assert verdict["alpha"] == float(alpha)
        verdicts.append(verdict["kind"])
        gate = ["--baseline", before, "--alpha", alpha]
        failed = main(["score", after, *gate]) == 3
        assert failed == (verdict["kind"] == "worse")
    capsys.readouterr()
    assert verdicts == ["worse", "no evidence of a difference"]


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


def test_unequal_checksums_do_not_compare(
    two: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = report(tmp_path, "other", (1, 95, 100))
    assert main(["compare", two[0], other]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"garak-tbsa: {two[0]} and {other}: checksums ")
    assert "differ in pairs (1 in both, 1 only before); only equal checksums" in err
    assert "1 pair was measured in both with the same tier; --common compares" in err
    assert main(["compare", two[0], other, "--force"]) == 0
    assert "\n     pairs: 1 in both, 1 only before\n" in capsys.readouterr().out


def test_garaks_own_formula_has_no_interval(
    gold_folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = f"{gold_folder}/garak-0.17.1.report.jsonl"
    options = ["--formula", "garak", "--replicates", "9"]
    assert main(["compare", path, path, *options]) == 0
    assert "; no interval, garak's own formula has" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--replicates=0", "expected a whole number of at least 1, found '0'"),
        ("--alpha=0", "expected a number from 0.0001 to 0.5, found '0'"),
        ("--seed=-1", "expected a whole number of at least 0, found '-1'"),
        ("--seed=x", "expected a whole number of at least 0, found 'x'"),
    ],
)
def test_wrong_numbers_are_a_usage_error(
    option: str,
    message: str,
    two: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["compare", *two, option])
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_a_report_that_is_not_there(
    two: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", two[0], "/nowhere.report.jsonl"]) == 1
    assert capsys.readouterr().err.startswith("garak-tbsa: /nowhere.report.jsonl: ")


def test_a_threshold_beyond_every_number_is_borne(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``run.eval_threshold`` of 400 digits ended in "a defect of garak-tbsa"."""
    rows = report_rows(pairs_named((1, 9, 10)), setup={"run.eval_threshold": 10**400})
    path = write_report(tmp_path / "r.report.jsonl", rows)
    assert main(["compare", path, path, "--replicates", "9"]) == 0
    assert capsys.readouterr().err == ""
