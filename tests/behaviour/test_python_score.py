# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scores, comparisons and histories by ``import garak_tbsa``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from tests.behaviour.product import GOLD, document, tbsa
from tests.behaviour.scans import scan
from tests.report_rows import PairFacts

WHOLE = GOLD / "garak-0.17.1.report.jsonl"


def test_a_score_is_the_commands_document(tmp_path: Path) -> None:
    for name in ("garak-0.9", "garak-0.17.1", "cut-short", "hostile-text"):
        path = GOLD / f"{name}.report.jsonl"
        found = garak_tbsa.score(path)
        assert isinstance(found, garak_tbsa.ScoreResult)
        by_command = document(tmp_path, "score", path)
        assert found.to_dict() == json.loads(found.to_json()) == by_command
        assert (found.tbsa, found.checksum) == (
            by_command["tbsa"],
            by_command["checksum"],
        )
        assert found.interval == (
            by_command["repeat_interval"]["lower"],
            by_command["repeat_interval"]["upper"],
        )
        assert [
            (pair.probe, pair.detector, pair.tier, pair.grade) for pair in found.pairs
        ] == [
            (pair["probe"], pair["detector"], pair["tier"], pair["grade"])
            for pair in by_command["pairs"]
        ]
        assert len(found.left_out) == len(by_command["left_out"])
        assert len(found.warnings) == len(by_command["warnings"])
        assert (found.partial is not None) == by_command["partial"]
        assert found.gate is None
        assert str(found.tbsa) in repr(found)
        assert found.checksum in repr(found)


def test_options_are_those_of_the_command(tmp_path: Path) -> None:
    path = scan(tmp_path)
    plain = garak_tbsa.score(str(path), interval=False)
    assert (plain.tbsa, plain.checksum) == (3.7, "6149-610e")
    assert isinstance(plain.interval, garak_tbsa.Unavailable)
    unknown = scan(tmp_path, [PairFacts(passed=9), PairFacts(probe="x.Y", tier=None)])
    assert garak_tbsa.score(unknown, tiers={"x.Y": 1}).left_out == ()
    assert len(garak_tbsa.score(unknown).left_out) == 1
    again = garak_tbsa.score(WHOLE, calibration="installed")
    assert (again.tbsa, again.checksum) == (4.1, "5c89-5651")


def test_a_gate_is_an_outcome_and_no_exception(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    path = scan(tmp_path)
    rules: list[tuple[dict[str, Any], bool]] = [
        ({"fail_under": 3.7, "require_tier1_grade": 4, "min_coverage": 1.0}, True),
        ({"fail_under": 3.7, "sure": 0.95, "interval": False}, False),
        ({"baseline": scan(tmp_path, name="before")}, True),
        ({"baseline": path}, False),
        ({"baseline": tmp_path / "missing", "baseline_optional": True}, True),
    ]
    for rule, passed in rules:
        gate = garak_tbsa.score(path, **rule).gate
        assert gate is not None
        assert gate.passed == passed, rule
    worse = garak_tbsa.score(real[1], baseline=real[0], fail_under=2).gate
    assert worse is not None
    outcomes = {outcome.rule: outcome.passed for outcome in worse.outcomes}
    assert outcomes == {
        "fail-under": True,
        "baseline": False,
        "consistent-report": True,
    }


def test_errors_are_one_class_with_the_commands_line(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    missing, small = tmp_path / "missing.report.jsonl", scan(tmp_path)
    broken = tmp_path / "broken.report.jsonl"
    broken.write_bytes(b"no")
    for path in (missing, broken):
        with pytest.raises(garak_tbsa.GarakTbsaError) as error:
            garak_tbsa.score(path)
        assert tbsa("score", "-q", path).error == f"garak-tbsa: {error.value}"
    wrong: list[dict[str, Any]] = [
        *({"fail_under": value} for value in (0.9, 5.1, "3", float("nan"))),
        {"require_tier1_grade": 6},
        {"require_tier1_grade": 3.5},
        {"min_coverage": 2},
    ]
    for options in wrong:
        with pytest.raises(garak_tbsa.GarakTbsaError, match=r"."):
            garak_tbsa.score(small, **options)
    several: Any = [small, small]
    with pytest.raises(garak_tbsa.GarakTbsaError, match="expected a path"):
        garak_tbsa.score(several)
    with pytest.raises(garak_tbsa.GarakTbsaError, match="checksums"):
        garak_tbsa.compare(small, real[0])
    with pytest.raises(garak_tbsa.GarakTbsaError, match="common"):
        garak_tbsa.compare(*real, common=True, force=True)
    partial = GOLD / "cut-short.report.jsonl"
    with pytest.raises(garak_tbsa.GarakTbsaError, match="no completion row"):
        garak_tbsa.score(partial, strict=True)


def test_a_comparison_is_the_commands_document(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    found = garak_tbsa.compare(*real)
    assert isinstance(found, garak_tbsa.ComparisonResult)
    assert found.to_dict() == document(tmp_path, "compare", "-q", *real)
    assert (found.verdict, found.difference, len(found.pairs)) == ("worse", 0.1, 22)
    assert tbsa("compare", "-q", *real).lines == [found.headline]
    assert found.p_worse is not None
    assert found.p_worse < found.alpha == 0.05
    careful = garak_tbsa.compare(*real, alpha=0.001)
    assert careful.verdict == "no evidence of a difference"


def test_a_history_is_the_commands_lines(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    found = garak_tbsa.history(real[0].parent)
    assert isinstance(found, garak_tbsa.HistoryResult)
    output = tmp_path / "o.jsonl"
    assert tbsa("history", real[0].parent, "--jsonl", output).code == 0
    assert found.to_json() == output.read_text(encoding="utf-8")
    assert [scan_.tbsa for scan_ in found.scans] == [2.3, 2.4]
    assert [scan_.source for scan_ in found.scans] == [*map(str, real)]
    assert len(found.targets) == 1
    broken = tmp_path / "broken.report.jsonl"
    broken.write_bytes(b"no")
    partly = garak_tbsa.history([real[0], broken], interval=False)
    assert [scan_.tbsa for scan_ in partly.scans] == [2.3]
    assert len(partly.not_scored) == 1


COLUMNS = {
    "pairs": {
        **dict.fromkeys(("probe", "detector"), "string"),
        **dict.fromkeys(("tier", "passed", "total_evaluated", "nones"), "Int64"),
        **dict.fromkeys(("pass_rate", "z_score"), "Float64"),
        "calibrated": "boolean",
        **dict.fromkeys(("pass_rate_grade", "z_grade", "grade"), "Int64"),
        "reason": "string",
    },
    "compared": {
        **dict.fromkeys(("probe", "detector"), "string"),
        **dict.fromkeys(("tier", "first_grade", "second_grade"), "Int64"),
        **dict.fromkeys(("first_pass_rate", "second_pass_rate"), "Float64"),
        **dict.fromkeys(("first_passed", "first_total_evaluated"), "Int64"),
        **dict.fromkeys(("second_passed", "second_total_evaluated"), "Int64"),
        "tested": "boolean",
        **dict.fromkeys(("z", "p_fell", "p_rose"), "Float64"),
    },
    "scans": {
        **dict.fromkeys(("target", "start_time"), "string"),
        **dict.fromkeys(("tbsa", "lower", "upper", "difference"), "Float64"),
        "verdict": "string",
        **dict.fromkeys(("p_worse", "p_better"), "Float64"),
        "checksum": "string",
        **dict.fromkeys(("pairs", "left_out"), "Int64"),
        **dict.fromkeys(("partial", "latest", "best"), "boolean"),
        **dict.fromkeys(("garak_version", "run_uuid", "source"), "string"),
    },
}


def columns_of(frame: Any) -> dict[str, str]:
    """Columns of a table with their types, in order."""
    return {name: str(kind) for name, kind in frame.dtypes.items()}


def test_results_are_tables(real: tuple[Path, Path]) -> None:
    results: list[tuple[Any, int, str]] = [
        (garak_tbsa.score(WHOLE), 17, "pairs"),
        (garak_tbsa.compare(*real), 22, "compared"),
        (garak_tbsa.history(real[0].parent), 2, "scans"),
    ]
    for result, rows, columns in results:
        frame = result.to_frame()
        assert len(frame) == rows
        assert columns_of(frame) == COLUMNS[columns]
    frame = results[0][0].to_frame()
    reasons = frame["reason"].dropna().to_list()
    assert sorted(reasons) == [
        "no_evaluated_output",
        "tier_not_scored",
        "tier_not_scored",
    ]
    assert frame["grade"].dropna().to_list() == [
        *(5, 2, 2, 5, 5, 5, 1, 5, 5, 5, 5, 5, 5, 4),
    ]


def test_hits_are_collected_on_request(real: tuple[Path, Path]) -> None:
    without, with_hits = garak_tbsa.score(real[0]), garak_tbsa.score(real[0], hits=1)
    assert isinstance(without.evidence, garak_tbsa.Unavailable)
    assert not isinstance(with_hits.evidence, garak_tbsa.Unavailable)
    assert with_hits.tbsa == without.tbsa
    assert garak_tbsa.score(real[0], hits=1).evidence == with_hits.evidence
