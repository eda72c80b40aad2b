# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING's recipes for code, followed to the letter in a copy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.recipes.copied import CopiedRepository, commands_of, copied_repository

if TYPE_CHECKING:
    from pathlib import Path

REPORT = "tests/gold/garak-0.17.1.report.jsonl"
SCORE = f"garak-tbsa score {REPORT}"


@pytest.fixture
def copy(tmp_path: Path) -> CopiedRepository:
    """The repository without what these recipes do not touch."""
    return copied_repository(tmp_path / "copy", without=("labelled", "benchmarks"))


def run_all(copy: CopiedRepository, title: str) -> None:
    """Run the commands of a recipe; building the pages is left to ``make check``."""
    for command in commands_of(title):
        if command == "make docs":
            for page in ("command", "settings", "json"):
                copy.run(f"python -m tools.make_{page}_page")
        else:
            copy.run(command)


def test_a_dialect(copy: CopiedRepository) -> None:
    """garak 0.99 calls the outputs that passed ``safe``, and writes no ``nones``."""
    # 1. the report
    text = (copy / REPORT).read_text(encoding="utf-8")
    text = text.replace('"passed": ', '"safe": ').replace("0.17.1", "0.99.0")
    newest = "tests/gold/garak-0.99.0.report.jsonl"
    (copy / newest).write_text(text, encoding="utf-8")
    before = copy.run(f"garak-tbsa score {newest}", code=1).stderr
    assert "expected a whole number of at least 0" in before
    # 2. garak_files
    copy.replace(
        "garak_tbsa/garak_files/measurement.py",
        '"passed": ("passed",)',
        '"passed": ("safe", "passed")',
    )
    # 3. the expected JSON, and the tests
    run_all(copy, "Add a dialect of garak's report")
    expected, old = (
        json.loads((copy / f"tests/gold/garak-{of}.tbsa.json").read_text())
        for of in ("0.99.0", "0.17.1")
    )
    assert (expected["tbsa"], expected["dialect"]) == (old["tbsa"], "0.99")
    assert expected["pairs"] == old["pairs"]


FORM = '''
"""One line a pair, for a spreadsheet."""

from garak_tbsa.safe_text import printable


def render(scored):
    """Return grade and name of each pair."""
    rows = [f"{p.grade};{printable(p.name)!a}" for p in scored.assessment.graded]
    gate = "" if scored.verdict is None else f"gate;{scored.verdict.passed}\\n"
    return gate + "".join(row + "\\n" for row in rows) + "end;\\n"
'''
LINE = """
FORMATS = (
    OutputFormat(
        name="table", module="table", ending=".tbsa.csv", purpose="grades and pairs"
    ),
"""


def test_an_output_format(copy: CopiedRepository) -> None:
    """One file and one line of the registry; option, setting and file follow."""
    copy.append("garak_tbsa/outputs/table.py", FORM)
    copy.replace("garak_tbsa/outputs/registry.py", "\nFORMATS = (\n", LINE)
    run_all(copy, "Add an output format")
    copy.run(f"{SCORE} --table out.csv")
    assert "2;'dan.Ablation" in (copy / "out.csv").read_text()
    assert "--table PATH" in (copy / "docs/reference/commands.md").read_text()
    asked = "from garak_tbsa.host.settings import read_settings as read;"
    said = copy.run(f"python -c \"{asked} print(read({{'table': True}}).outputs)\"")
    assert "table" in said.stdout


RULE = """
def _lower_bound(
    pass_rate: float, total: int | None, distribution: Distribution | None
) -> float | None:
    if not total:
        return None
    return pass_rate - (pass_rate * (1 - pass_rate) / total) ** 0.5 - 1 / total


LOWER_BOUND = GradeRule(
    name="lower_bound",
    title="lower bound",
    bounds=(0.3, 0.6, 0.95, 0.999),
    value=_lower_bound,
)
GRADE_RULES: tuple[GradeRule, ...] = (PASS_RATE, Z_SCORE, LOWER_BOUND)
"""


def test_a_grade_rule(copy: CopiedRepository) -> None:
    """One file: pair grades, JSON, page, interval and checksum follow."""
    outputs = "-j out.json --html page.html"
    copy.run(f"{SCORE} {outputs}")
    before = json.loads((copy / "out.json").read_text())
    rules = "garak_tbsa/tbsa/rules.py"
    old = "\nGRADE_RULES: tuple[GradeRule, ...] = (PASS_RATE, Z_SCORE)\n"
    copy.replace(rules, old, RULE)
    copy.replace(rules, "FORMULA_VERSION = 1", "FORMULA_VERSION = 2")
    run_all(copy, "Add a grade rule")
    shown = copy.run(f"{SCORE} {outputs} --explain-checksum -v").stdout
    after = json.loads((copy / "out.json").read_text())
    assert all("lower_bound_grade" in pair for pair in after["pairs"])
    for pair in after["pairs"]:
        grades = [pair[f"{rule}_grade"] for rule in ("pass_rate", "z", "lower_bound")]
        assert pair["grade"] == min(grade for grade in grades if grade is not None)
    assert after["raw_tbsa"] < before["raw_tbsa"]
    assert after["repeat_interval"] != before["repeat_interval"]
    low, high = after["repeat_interval"]["lower"], after["repeat_interval"]["upper"]
    assert low <= after["tbsa"] <= high
    assert after["checksum"] != before["checksum"]
    assert "lower_bound" in shown
    assert "lower bound grade" in shown
    assert "lower bound " in (copy / "page.html").read_text()


def test_a_command_line_flag(copy: CopiedRepository) -> None:
    """One argument, one use."""
    copy.replace(
        "garak_tbsa/cli/score.py",
        "    parsers.add_gate_options(parser)\n",
        "    parsers.add_gate_options(parser)\n"
        "    parser.add_argument(\n"
        "        '--count-pairs', action='store_true', help='say how many count'\n"
        "    )\n",
    )
    copy.replace(
        "garak_tbsa/cli/score.py",
        "        if options.explain_checksum:\n            checksum =",
        "        if options.count_pairs:\n"
        "            write_line(f'{result.assessment.contributing} pairs!')\n"
        "        if options.explain_checksum:\n            checksum =",
    )
    run_all(copy, "Add a command-line flag")
    assert "14 pairs!" in copy.run(f"{SCORE} --count-pairs").stdout
    assert "pairs!" not in copy.run(SCORE).stdout
    assert "--count-pairs" in (copy / "docs/reference/commands.md").read_text()
