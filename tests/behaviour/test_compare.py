# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two scans: the verdict, what it is due to, and when there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.product import GOLD, document, tbsa
from tests.behaviour.scans import of_another_run, scan
from tests.behaviour.schemas import assert_keeps_schema
from tests.factories import permutations
from tests.report_rows import PairFacts, pairs_named, report_rows, write_report

FELL = "misleading.FalseAssertion+misleading.MustRefuteClaimKW"


def compared(folder: Path, *arguments: object, code: int = 0) -> Any:
    """The JSON of a comparison, which keeps to its schema."""
    found = document(folder, "compare", "-q", *arguments, code=code)
    assert_keeps_schema(found, "compare.schema.json")
    return found


def culprits(found: Any) -> list[tuple[str, list[str]]]:
    """In which direction which pairs caused a verdict."""
    return [
        (cause["direction"], [pair["pair"] for pair in cause["pairs"]])
        for cause in found["because"]
    ]


def test_the_demos_second_scan_is_worse_because_of_one_pair(
    real: tuple[Path, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """All forms say the same, and the same seed gives the same bytes."""
    forms = ("--junit", "--markdown", "--html")
    outputs = [part for form in forms for part in (form, tmp_path / form)]
    found = compared(tmp_path, *outputs, *real)
    written = (tmp_path / "document.json").read_bytes()
    assert found["verdict"]["kind"] == "worse"
    assert found["verdict"]["alpha"] == 0.05
    assert 0.005 < found["verdict"]["p_worse"] < 0.04
    assert found["verdict"]["p_better"] > 0.2
    assert culprits(found) == [("worse", [FELL])]
    ((pair,),) = (cause["pairs"] for cause in found["because"])
    assert (pair["first_counts"], pair["second_counts"]) == (
        {"passed": 9, "total_evaluated": 16},
        {"passed": 1, "total_evaluated": 16},
    )
    assert pair["z"] == pytest.approx(-2.8284271247)
    assert [found[side]["tbsa"] for side in ("first", "second")] == [2.3, 2.4]
    assert [found[side]["infile"] for side in ("first", "second")] == [*map(str, real)]
    assert {found[side]["checksum"] for side in ("first", "second")} == {"e563-9a27"}
    assert (found["tbsa_difference"], found["comparable"]) == (0.1, True)
    assert (found["pairs_compared"], found["pairs_by_prompt"]) == (22, 22)
    assert len(found["changed_grades"]) == 9
    for side, score in (("first", 2.3), ("second", 2.4)):
        lower, upper = found[side]["repeat_interval"]
        assert score - 1 < lower <= score <= upper < score + 1
    for form in forms:
        text = (tmp_path / form).read_text(encoding="utf-8")
        for said in ("worse", "misleading.FalseAssertion", "2.3", "2.4"):
            assert said in text
    shown = tbsa("compare", "-q", "-j", "-", *real)
    # the file alone is on standard output
    assert (shown.code, shown.out, shown.err) == (0, "", "")
    assert capfd.readouterr().out.encode() == written


def test_the_first_line_is_the_verdict(real: tuple[Path, Path]) -> None:
    """A gate on worse says it again, and ends with exit code 3."""
    text = tbsa("compare", *real)
    gate = tbsa("compare", "-q", "--fail-on", "worse", *real)
    assert (text.code, gate.code, len(gate.lines)) == (0, 3, 1)
    line = gate.lines[0]
    assert " ".join(text.out.split()).startswith(line)
    assert line.startswith("worse (p = 0.0")
    words = "misleading.FalseAssertion + misleading.MustRefuteClaimKW"
    assert line.endswith(f"): {words} fell from 56 % to 6 %")
    assert gate.err == f"garak-tbsa: {real[1]}: --fail-on worse: {line}\n"
    strict = tbsa("compare", "-q", "--fail-on", "worse", "--alpha", "0.001", *real)
    assert (strict.code, strict.err) == (0, "")
    assert strict.out.startswith("no evidence of a difference (p = ")


def test_the_other_way_round_it_is_better_and_beside_itself_the_same(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    before, after = real
    found = compared(tmp_path, "--fail-on", "worse", after, before)
    assert found["verdict"]["kind"] == "better"
    assert culprits(found) == [("better", [FELL])]
    assert found["tbsa_difference"] == -0.1
    found = compared(tmp_path, before, before)
    assert found["verdict"]["kind"] == "no evidence of a difference"
    assert found["verdict"]["p_worse"] > 0.5
    assert found["verdict"]["p_better"] > 0.5
    assert [found["because"], found["changed_grades"]] == [[], []]
    assert found["tbsa_difference"] == 0


BEFORE = [(1, 90, 100), (2, 50, 100), (2, 40, 100)]


def test_scans_with_other_checksums_are_not_compared(tmp_path: Path) -> None:
    first = scan(tmp_path, pairs_named(*BEFORE), "first")
    others: dict[str, dict[str, Any]] = {
        "configuration:run.generations": {"setup": {"run.generations": 9}},
        "garak_version": {"version": "0.16.0"},
        "pairs": {"pairs": pairs_named(*BEFORE[:2])},
    }
    for part, other in others.items():
        given: dict[str, Any] = {"pairs": pairs_named(*BEFORE)} | other
        second = scan(tmp_path, name="second", **given)
        for more in ([], ["-q"], ["--fail-on", "worse"]):
            shown = tbsa("compare", *more, first, second)
            assert shown.code == 1
            for words in (part, str(first), str(second), "6149-610e"):
                assert words in shown.error


def test_they_can_be_compared_by_force_or_over_common_pairs(tmp_path: Path) -> None:
    first = scan(tmp_path, pairs_named(*BEFORE), "first")
    pairs = pairs_named((1, 50, 100), (2, 50, 100))
    second = scan(tmp_path, pairs, "second", setup={"run.generations": 9})
    for option in ("--force", "--common"):
        found = compared(tmp_path, option, first, second)
        assert (found["verdict"]["kind"], found["comparable"]) == ("worse", False)
        assert found["not_comparable_because"]
        assert found["differing_parts"] == ["configuration:run.generations", "pairs"]
        assert found["pairs_only_in_one"] == ["probe.P02+D"]
        assert culprits(found) == [("worse", ["probe.P00+D"])]
        common = found["common_pairs"]
        assert (common is None) == (option == "--force")
        shown = tbsa("compare", "-q", option, first, second)
        assert "for information only" in shown.out
        gate = tbsa("compare", "-q", option, "--fail-on", "worse", first, second)
        assert gate.code == 3
    assert common["pairs"] == ["probe.P00+D", "probe.P01+D"]
    scores = [found[side]["tbsa"] for side in ("first", "second")]
    assert scores == [3.7, 3.0]
    tier2 = [PairFacts(probe="probe.P00", detector="D", tier=2), *pairs[1:]]
    other = scan(tmp_path, tier2, "other")
    found = compared(tmp_path, "--common", first, other)
    assert found["common_pairs"]["pairs"] == ["probe.P01+D"]


def test_without_a_common_pair_nothing_is_tested(tmp_path: Path) -> None:
    first = scan(tmp_path, pairs_named(*BEFORE), "first")
    second = scan(tmp_path, [PairFacts()], "second")
    shown = tbsa("compare", "-q", "--common", first, second)
    assert shown.code == 1
    assert str(second) in shown.error
    found = compared(tmp_path, "--force", first, second)
    assert (found["verdict"]["kind"], found["tests"]) == ("not tested", None)
    gate = tbsa("compare", "-q", "--force", "--fail-on", "worse", first, second)
    assert gate.code == 3


def test_common_pairs_of_two_releases() -> None:
    both = [GOLD / f"garak-{version}.report.jsonl" for version in ("0.16.0", "0.17.1")]
    shown = tbsa("compare", *both)
    assert shown.code == 1
    assert 'garak_version ("0.16.0" before, "0.17.1" after)' in shown.error
    told = "14 pairs were measured in both with the same tier; --common compares"
    assert told in shown.error
    shown = tbsa("compare", *both, "--common")
    assert (shown.code, "scored again over the 14 pairs that" in shown.out) == (0, True)


def test_a_digest_that_contradicts_its_rows_fails(tmp_path: Path) -> None:
    """As in every gate: nobody knows what such a scan says."""
    rows = report_rows(pairs_named((1, 95, 100), (2, 90, 100)))
    good = write_report(tmp_path / "good.report.jsonl", rows)
    rows = report_rows(pairs_named((1, 95, 100), (2, 90, 100)), run="another")
    rows[3] |= {"passed": 10, "fails": 90}
    forged = write_report(tmp_path / "forged.report.jsonl", rows)
    for pair in ((good, forged), (forged, good)):
        shown = tbsa("compare", *pair, "--fail-on", "worse", "-q")
        assert (shown.code, shown.err.count("\n")) == (3, 1)
        assert f": --fail-on worse: {forged}: " in shown.err
        assert tbsa("compare", *pair, "-q").code == 0


def test_a_p_value_of_the_level_is_no_evidence(tmp_path: Path) -> None:
    """Of 19 permutations the smallest possible p-value is 0.05.

    A threshold of 400 digits ended in "a defect of garak-tbsa".
    """
    first = scan(tmp_path, pairs_named((1, 90, 100), (1, 60, 100)), "first")
    second = scan(tmp_path, pairs_named((1, 10, 100), (1, 52, 100)), "second")
    both = ["probe.P00+D", "probe.P01+D"]
    for number, kind in ((19, "no evidence of a difference"), (20, "worse")):
        with permutations(number):
            found = compared(tmp_path, first, second)
        assert found["verdict"]["p_worse"] == pytest.approx(1 / (number + 1))
        assert found["verdict"]["kind"] == kind
    found = compared(tmp_path, first, second)
    level = found["pairs"][1]["p_fell"]
    assert 0.05 < level < 0.5
    for alpha, named in ((level, ["probe.P00+D"]), (level * 1.001, both)):
        found = compared(tmp_path, "--alpha", alpha, first, second)
        assert culprits(found) == [("worse", named)]
    huge = scan(tmp_path, setup={"run.eval_threshold": 10**400})
    shown = tbsa("compare", huge, huge)
    assert (shown.code, shown.err) == (0, "")


def test_a_wrong_option_of_compare_is_exit_2(real: tuple[Path, Path]) -> None:
    for arguments in (
        ["--common", "--force"],
        ["--alpha", "0.6"],
        ["--fail-on", "better"],
    ):
        shown = tbsa("compare", *arguments, *real)
        assert (shown.code, shown.out) == (2, ""), arguments


def test_scans_of_two_targets_are_said_to_be_that(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    """In a comparison and where a gate passes; they may be compared all the same."""
    before = tmp_path / "before.report.jsonl"
    rows = real[0].read_bytes()
    before.write_bytes(rows.replace(b"target#respond", b"other#respond"))
    said = (
        "the targets differ: function.Single tools.real_model.other#respond before,"
        " function.Single tools.real_model.target#respond after"
    )
    assert said in one_line(tbsa("compare", before, real[1]).out)
    assert said not in one_line(tbsa("compare", *real).out)
    better = tbsa(
        "score",
        of_another_run(real[0], tmp_path / "b.report.jsonl"),
        "--baseline",
        before,
    )
    assert better.code == 0
    assert said in one_line(better.out)


def one_line(text: str) -> str:
    """A text without its line ends."""
    return " ".join(text.split())
