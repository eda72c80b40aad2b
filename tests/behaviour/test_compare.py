# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two scans: the verdict, what it is due to, and when there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.behaviour.product import document, tbsa
from tests.behaviour.scans import scan
from tests.behaviour.schemas import assert_keeps_schema
from tests.report_rows import PairFacts, pairs_named

FELL = "misleading.FalseAssertion+misleading.MustRefuteClaimKW"
CHANGED_GRADES = {
    "divergence.Repeat+mitigation.MitigationBypass": (2, 1, 1, 0),
    "exploitation.JinjaTemplatePythonInjection"
    "+exploitation.JinjaTemplateInjectionDetector": (4, 5, 15, 16),
    "exploitation.JinjaTemplatePythonInjection+exploitation.PythonCodeExecution": (
        *(4, 5, 15, 16),
    ),
    "exploitation.SQLInjectionEcho+exploitation.SQLiEcho": (2, 3, 10, 11),
    "goodside.WhoIsRiley+goodside.RileyIsnt": (2, 5, 10, 12),
    "promptinject.HijackHateHumans+promptinject.AttackRogueString": (3, 4, 12, 14),
    "promptinject.HijackKillHumans+promptinject.AttackRogueString": (4, 3, 14, 12),
    "snowball.GraphConnectivity+snowball.DontStartYes": (2, 1, 10, 5),
    "web_injection.MarkdownURINonImageExfilExtended"
    "+web_injection.MarkdownExfilExtendedNonImage": (5, 4, 16, 13),
}
"""Of the demo: grade before and after, passes before and after."""


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


def cases_of(path: Path) -> list[tuple[str | None, str | None, list[str]]]:
    """Class, name and what is told of each case of a JUnit file, whose counts agree."""
    found = []
    for suite in ElementTree.parse(path).getroot():
        cases = suite.findall("testcase")
        told = [[part.tag for part in case] for case in cases]
        for kind, tag in (("failures", "failure"), ("skipped", "skipped")):
            assert suite.get(kind, "0") == str(sum(tag in tags for tags in told))
        assert suite.get("tests") == str(len(cases))
        found += [
            (case.get("classname"), case.get("name"), tags)
            for case, tags in zip(cases, told, strict=True)
        ]
    return found


def test_the_demos_second_scan_is_worse_because_of_one_pair(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    found = compared(tmp_path, *real)
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
    assert {
        each["pair"]: (
            *(each["first"], each["second"]),
            *(each["first_counts"]["passed"], each["second_counts"]["passed"]),
        )
        for each in found["changed_grades"]
    } == CHANGED_GRADES
    for side, score in (("first", 2.3), ("second", 2.4)):
        lower, upper = found[side]["repeat_interval"]
        assert score - 1 < lower <= score <= upper < score + 1


def test_the_first_line_is_the_verdict(real: tuple[Path, Path]) -> None:
    quiet, text = tbsa("compare", "-q", *real), tbsa("compare", *real)
    assert [quiet.code, text.code, len(quiet.lines)] == [0, 0, 1]
    line = quiet.lines[0]
    assert " ".join(text.out.split()).startswith(line)
    assert line.startswith("worse (p = 0.0")
    words = "misleading.FalseAssertion + misleading.MustRefuteClaimKW"
    assert line.endswith(f"): {words} fell from 56 % to 6 %")


def test_the_other_way_round_it_is_better(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    before, after = real
    found = compared(tmp_path, "--fail-on", "worse", after, before)
    assert found["verdict"]["kind"] == "better"
    assert culprits(found) == [("better", [FELL])]
    assert found["tbsa_difference"] == -0.1


def test_a_gate_on_worse_ends_with_exit_code_3(real: tuple[Path, Path]) -> None:
    shown = tbsa("compare", "-q", "--fail-on", "worse", *real)
    assert (shown.code, len(shown.lines)) == (3, 1)
    assert shown.err.startswith(f"garak-tbsa: {real[1]}: --fail-on worse: worse (p")
    strict = tbsa("compare", "-q", "--fail-on", "worse", "--alpha", "0.001", *real)
    assert (strict.code, strict.err) == (0, "")
    assert strict.out.startswith("no evidence of a difference (p = ")


def test_a_scan_does_not_differ_from_itself(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    found = compared(tmp_path, "--fail-on", "worse", real[0], real[0])
    assert found["verdict"]["kind"] == "no evidence of a difference"
    assert found["verdict"]["p_worse"] > 0.5
    assert found["verdict"]["p_better"] > 0.5
    assert [found["because"], found["changed_grades"]] == [[], []]
    assert found["tbsa_difference"] == 0


BEFORE = [(1, 90, 100), (2, 50, 100), (2, 40, 100)]
AFTER: dict[str, tuple[list[tuple[int, int, int]], str, list[Any], float]] = {
    "one pair fell": (
        [(1, 50, 100), *BEFORE[1:]],
        "worse",
        [("worse", ["probe.P00+D"])],
        -0.7,
    ),
    "one pair rose": (
        [BEFORE[0], (2, 95, 100), BEFORE[2]],
        "better",
        [("better", ["probe.P01+D"])],
        0.1,
    ),
    "one fell and one rose": (
        [(1, 60, 100), (2, 80, 100), BEFORE[2]],
        "worse and better",
        [("worse", ["probe.P00+D"]), ("better", ["probe.P01+D"])],
        -0.6,
    ),
    "hardly a change": (
        [(1, 89, 100), (2, 51, 100), (2, 41, 100)],
        "no evidence of a difference",
        [],
        0.0,
    ),
}


@pytest.mark.parametrize("name", AFTER)
def test_counts_alone_show_a_large_change(name: str, tmp_path: Path) -> None:
    after, kind, because, difference = AFTER[name]
    first = scan(tmp_path, pairs_named(*BEFORE), "first")
    second = scan(tmp_path, pairs_named(*after), "second")
    code = 3 if kind.startswith("worse") else 0
    found = compared(tmp_path, "--fail-on", "worse", first, second, code=code)
    assert found["verdict"]["kind"] == kind
    assert culprits(found) == because
    assert found["tbsa_difference"] == difference
    assert (found["pairs_compared"], found["pairs_by_prompt"]) == (3, 0)
    for direction, p_value in (("worse", "p_worse"), ("better", "p_better")):
        is_due = any(cause == direction for cause, _ in because)
        assert (found["verdict"][p_value] < 0.01) == is_due
    moved = {pair["pair"]: pair for pair in found["pairs"]}
    for pair, (_, before, total), (_, now, _) in zip(
        moved.values(), BEFORE, after, strict=True
    ):
        passes = before + now
        variance = passes * (2 * total - passes) / (4 * (2 * total - 1))
        assert pair["z"] == pytest.approx((now - before) / 2 / variance**0.5)
        rates = [pair["first_pass_rate"], pair["second_pass_rate"]]
        assert rates == [before / total, now / total]


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
        junit = tmp_path / "junit.xml"
        given = ["--fail-on", "worse", "--junit", junit]
        gate = tbsa("compare", "-q", option, *given, first, second)
        assert gate.code == 3
        assert cases_of(junit) == [
            ("garak-tbsa.compare", "not worse", ["failure"]),
            ("garak-tbsa.tier1", "probe.P00+D", ["failure", "system-out"]),
            ("garak-tbsa.tier2", "probe.P01+D", ["system-out"]),
            ("garak-tbsa.only-in-one", "probe.P02+D", ["skipped"]),
        ]
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


def test_forms_of_a_comparison_say_the_same(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    junit, markdown, page = (tmp_path / name for name in ("j.xml", "m.md", "p.html"))
    outputs = ["--junit", junit, "--markdown", markdown, "--html", page]
    assert tbsa("compare", "-q", *outputs, *real).code == 0
    cases = cases_of(junit)
    assert [name for _, name, told in cases if "failure" in told] == ["not worse", FELL]
    assert len(cases) == 23
    for path in (markdown, page):
        text = path.read_text(encoding="utf-8")
        assert "worse" in text
        assert "misleading.FalseAssertion" in text
        assert "2.3" in text
        assert "2.4" in text


def test_the_same_seed_gives_the_same_bytes(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    texts = []
    for seed in (42, 42, 7):
        output = tmp_path / "o.json"
        assert tbsa("compare", "-q", "--seed", seed, "-j", output, *real).code == 0
        texts.append(output.read_bytes())
    assert texts[0] == texts[1] != texts[2]


def test_a_p_value_of_the_level_is_no_evidence(tmp_path: Path) -> None:
    """Of 19 permutations the smallest possible p-value is 0.05."""
    first = scan(tmp_path, pairs_named((1, 90, 100), (1, 60, 100)), "first")
    second = scan(tmp_path, pairs_named((1, 10, 100), (1, 52, 100)), "second")
    for replicates, kind in ((19, "no evidence of a difference"), (20, "worse")):
        found = compared(tmp_path, "--replicates", replicates, first, second)
        assert found["verdict"]["p_worse"] == pytest.approx(1 / (replicates + 1))
        assert found["verdict"]["kind"] == kind
    found = compared(tmp_path, first, second)
    level = found["pairs"][1]["p_fell"]
    assert 0.05 < level < 0.5
    for alpha, named in ((level, ["probe.P00+D"]), (level * 1.001, BOTH)):
        found = compared(tmp_path, "--alpha", alpha, first, second)
        assert culprits(found) == [("worse", named)]


BOTH = ["probe.P00+D", "probe.P01+D"]
WRONG = [
    ["--common", "--force"],
    ["--replicates", "0"],
    ["--alpha", "0.6"],
    ["--fail-on", "better"],
]


def test_a_wrong_option_of_compare_is_exit_2(real: tuple[Path, Path]) -> None:
    for arguments in WRONG:
        shown = tbsa("compare", *arguments, *real)
        assert (shown.code, shown.out) == (2, ""), arguments
