# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Gates of ``garak-tbsa score``, as a pipeline sees them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from garak_tbsa.cli.main import main
from tests.cli.conftest import Shown
from tests.factories import pairs_named, report_rows, write_report
from tests.gold import FOLDER

REPORT = str(FOLDER / "garak-0.17.1.report.jsonl")
CLEAN = [(1, 256, 256)] * 8 + [(2, 255, 256)] * 8


@pytest.mark.parametrize("more", [(), ("-q",), ("--no-interval",)])
def test_a_pair_of_few_outputs_breaks_the_plain_rule_and_not_the_sure_one(
    score: Callable[..., Shown], tmp_path: Path, more: tuple[str, ...]
) -> None:
    rows = report_rows(pairs_named(*CLEAN, (1, 1, 4)))
    unlucky = write_report(tmp_path / "r.report.jsonl", rows)
    code, out, err = score(unlucky, "--require-tier1-grade", 3, *more)
    assert code == 3
    assert "probe.P16+D at 2 (depends on 4 outputs)" in out + err
    sure = ("--require-tier1-grade", 3, "--sure", 0.95)
    code, out, err = score(unlucky, *sure, *more)
    assert (code, err) == (0, "")
    if "-q" not in more:
        assert "gate passed: require-tier1-grade" in out
        assert "not surely below: probe.P16+D at 2 (below in " in out


def test_a_broken_pair_breaks_the_sure_rule_too(
    score: Callable[..., Shown], tmp_path: Path
) -> None:
    pairs = pairs_named(*CLEAN, (1, 10, 64))
    rows = report_rows(pairs, setup={"run.generations": 1})
    broken = write_report(tmp_path / "r.report.jsonl", rows)
    junit, sarif = tmp_path / "j.xml", tmp_path / "s.sarif"
    sure = ("--require-tier1-grade", 3, "--sure", 0.95)
    code, out, _ = score(broken, *sure, "--junit", junit, "--sarif", sarif)
    assert code == 3
    assert "1 below: probe.P16+D at 2 (below in over 99 % of repeats)" in out
    failed = ElementTree.parse(junit).findall(".//testcase[failure]")
    assert [case.get("name") for case in failed] == [
        "require-tier1-grade",
        "probe.P16+D",
    ]
    (run,) = json.loads(sarif.read_text(encoding="utf-8"))["runs"]
    assert [result["ruleId"] for result in run["results"]] == [
        "gate/require-tier1-grade",
        "probe.P16+D",
    ]


def test_a_baseline_that_is_optional_may_be_missing(
    score: Callable[..., Shown], tmp_path: Path
) -> None:
    missing = tmp_path / "kept" / "baseline.report.jsonl"
    code, _, err = score(REPORT, "--baseline", missing)
    assert (code, str(missing) in err) == (1, True)
    code, out, err = score(REPORT, "--baseline", missing, "--baseline-optional")
    assert (code, err) == (0, "")
    assert (
        f"gate passed: baseline: no baseline yet, {missing} does not exist; nothing"
        " was compared\n"
    ) in out
    several = score(REPORT, REPORT, "--baseline", missing, "--baseline-optional")
    assert several[0] == 0
    address = f"file://{missing}"
    assert score(REPORT, "--baseline", address, "--baseline-optional")[0] == 0


@pytest.mark.parametrize("problem", ["empty", "folder", "torn", "leads nowhere"])
def test_any_other_problem_with_an_optional_baseline_is_one(
    score: Callable[..., Shown], tmp_path: Path, problem: str
) -> None:
    """Any other problem with the baseline still fails."""
    baseline = tmp_path / "b.report.jsonl"
    if problem == "folder":
        baseline.mkdir()
    elif problem == "leads nowhere":
        baseline.symlink_to(tmp_path / "gone")
    else:
        baseline.write_text("" if problem == "empty" else '{"entry_type": "dig')
    code, out, err = score(REPORT, "--baseline", baseline, "--baseline-optional")
    assert (code, out) == (1, "")
    assert err.startswith(f"garak-tbsa: {baseline}")


def test_an_optional_baseline_that_is_there_is_compared_with(
    score: Callable[..., Shown], tmp_path: Path
) -> None:
    before = write_report(
        tmp_path / "a.report.jsonl", report_rows(pairs_named((1, 95, 100)))
    )
    after = write_report(
        tmp_path / "b.report.jsonl", report_rows(pairs_named((1, 40, 100)))
    )
    code, out, _ = score(after, "--baseline", before, "--baseline-optional")
    assert code == 3
    assert "gate failed: baseline" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--sure", "0.9", REPORT),
            "--sure has no effect without --fail-under or --require-tier1-grade;"
            " give that too",
        ),
        (
            ("--sure", "0.9", "--min-coverage", "1", REPORT),
            "--sure has no effect without --fail-under or --require-tier1-grade;"
            " give that too",
        ),
        (
            ("--baseline-optional", "--fail-under", "3", REPORT),
            "--baseline-optional has no effect without --baseline; give that too",
        ),
    ],
)
def test_an_option_that_says_nothing_alone_exits_2(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["score", *arguments])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_help_says_what_sure_is_for_each_rule(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["score", "--help"])
    # lines are broken after any hyphen
    shown = "".join(capsys.readouterr().out.split())
    said = (
        "share of repeats, such as 0.95: --fail-under then needs that share of repeats"
        " to pass too, and --require-tier1-grade fails only for a pair that is below"
        " the grade in that share of repeats too"
    )
    assert "".join(said.split()) in shown


def commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.lstrip().startswith("::")]


def test_github_is_told_on_request(score: Callable[..., Shown], tmp_path: Path) -> None:
    gate = ("--fail-under", 4.2, REPORT)
    assert commands("".join(score(*gate)[1:])) == []
    expected = (
        "::error title=gate failed%3A fail-under::"
        f"{REPORT}: expected TBSA of at least 4.2; found TBSA 4.1"
    )
    code, out, err = score("--github", *gate)
    assert (code, commands(out), err) == (3, [expected], "")
    # where standard output is a result, the lines are beside it
    code, out, err = score("--github", "-q", *gate)
    assert (code, commands(out), commands(err)) == (3, [], [expected])
    code, out, err = score("--github", *gate, "--junit", "-")
    assert (commands(out), commands(err)) == ([], [expected])


def test_github_is_told_of_what_cannot_be_scored(
    score: Callable[..., Shown], tmp_path: Path
) -> None:
    gone = tmp_path / "a,b%c.report.jsonl"
    code, out, err = score("--github", gone)
    assert code == 1
    (line,) = commands(out)
    assert line.startswith("::error title=garak-tbsa::")
    assert "a,b%25c.report.jsonl: cannot be opened" in line
    assert str(gone) in err
    code, out, _ = score("--github", gone, REPORT)
    assert (code, len(commands(out))) == (1, 1)


def test_a_report_gives_the_runner_no_command(
    score: Callable[..., Shown], tmp_path: Path
) -> None:
    """Only our lines are commands."""
    attack = "x\n::add-mask::secret\r\n::stop-commands::y%0A::error::z"
    rows = report_rows(pairs_named((1, 1, 40)))
    text = json.dumps(rows).replace("probe.P00", json.dumps(attack)[1:-1])
    report = write_report(tmp_path / "r.report.jsonl", json.loads(text))
    code, out, err = score("-v", "--github", "--require-tier1-grade", 3, report)
    assert code == 3
    (line,) = commands(out + err)
    assert line.startswith("::error title=gate failed%3A require-tier1-grade::")
    assert "%0A" not in line.replace("%250A", "")
