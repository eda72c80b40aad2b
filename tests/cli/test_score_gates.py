# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Gates of ``garak-tbsa score``, as a pipeline sees them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from tests.cli.conftest import Shown
from tests.factories import pairs_named, report_rows, write_report
from tests.gold import FOLDER

REPORT = str(FOLDER / "garak-0.17.1.report.jsonl")


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
