# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING's recipes for code, followed to the letter in one copy."""

from __future__ import annotations

import json

import pytest

from tests.recipes.copied import CopiedRepository, commands_of, copied_repository

pytestmark = pytest.mark.surroundings
REPORT = "tests/gold/garak-0.17.1.report.jsonl"
NEWEST = "tests/gold/garak-0.99.0.report.jsonl"
SCORE = f"garak-tbsa score {REPORT}"
OUTPUTS = "-j out.json --html page.html --table out.csv --explain-checksum -v"
RECIPES = (
    "Add a dialect of garak's report",
    "Add an output format",
    "Add a grade rule",
    "Add a command-line flag",
)
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
    OutputFormat(
        name="table", module="table", ending=".tbsa.csv", purpose="grades and pairs"
    ),
)
COMPARISON_FORMATS"""


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


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> CopiedRepository:
    """The repository after all recipes, without what they do not touch."""
    made = copied_repository(
        tmp_path_factory.mktemp("recipes"), without=("labelled", "benchmarks")
    )
    # garak 0.99 calls the outputs that passed ``safe``, and writes no ``nones``
    text = (made / REPORT).read_text(encoding="utf-8")
    text = text.replace('"passed": ', '"safe": ').replace("0.17.1", "0.99.0")
    (made / NEWEST).write_text(text, encoding="utf-8")
    before = made.run(f"garak-tbsa score {NEWEST}", code=1).stderr
    assert "expected a whole number of at least 0" in before
    names = "garak_tbsa/garak_files/measurement.py"
    made.replace(names, '"passed": ("passed",)', '"passed": ("safe", "passed")')
    made.append("garak_tbsa/outputs/table.py", FORM)
    registry = "garak_tbsa/outputs/registry.py"
    made.replace(registry, "\n)\n\nCOMPARISON_FORMATS", LINE)
    rules = "garak_tbsa/tbsa/rules.py"
    old = "\nGRADE_RULES: tuple[GradeRule, ...] = (PASS_RATE, Z_SCORE)\n"
    made.replace(rules, old, RULE)
    made.replace(rules, "FORMULA_VERSION = 1", "FORMULA_VERSION = 2")
    made.replace(
        "garak_tbsa/cli/score.py",
        "    parsers.add_gate_options(parser)\n",
        "    parsers.add_gate_options(parser)\n"
        "    parser.add_argument(\n"
        "        '--count-pairs', action='store_true', help='say how many count'\n"
        "    )\n",
    )
    made.replace(
        "garak_tbsa/cli/score.py",
        "        if options.explain_checksum:\n            checksum =",
        "        if options.count_pairs:\n"
        "            write_lines([f'{result.assessment.contributing} pairs!'])\n"
        "        if options.explain_checksum:\n            checksum =",
    )
    # each command once, though several recipes have it, and all tests in one process;
    # make check builds the pages
    tests: dict[str, None] = {}
    for command in dict.fromkeys(c for title in RECIPES for c in commands_of(title)):
        if command.startswith("pytest -q "):
            tests |= dict.fromkeys(command.split()[2:])
        else:
            made.run(command.replace("make docs", "python -m tools.reference_pages"))
    made.run(f"pytest -q {' '.join(tests)}")
    return made


@pytest.fixture(scope="module")
def shown(copy: CopiedRepository) -> str:
    """What a score of the copy prints; its files are beside it."""
    return copy.run(f"{SCORE} {OUTPUTS} --count-pairs").stdout


def test_a_dialect(copy: CopiedRepository) -> None:
    expected, old = (
        json.loads((copy / f"tests/gold/garak-{of}.tbsa.json").read_text())
        for of in ("0.99.0", "0.17.1")
    )
    assert (expected["tbsa"], expected["dialect"]) == (old["tbsa"], "0.99")
    assert expected["pairs"] == old["pairs"]


def test_an_output_format(copy: CopiedRepository, shown: str) -> None:
    """One file and one line of the registry; option, setting and file follow."""
    assert ";'dan.Ablation" in (copy / "out.csv").read_text()
    assert "--table PATH" in (copy / "docs/reference/commands.md").read_text()
    asked = "from garak_tbsa.host.settings import read_settings as read;"
    said = copy.run(f"python -c \"{asked} print(read({{'table': True}}).outputs)\"")
    assert "table" in said.stdout


def test_a_grade_rule(copy: CopiedRepository, shown: str, gold_folder: str) -> None:
    """One file: pair grades, JSON, page, interval and checksum follow."""
    with open(f"{gold_folder}/garak-0.17.1.tbsa.json", encoding="utf-8") as file:
        before = json.load(file)
    after = json.loads((copy / "out.json").read_text())
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


def test_a_command_line_flag(copy: CopiedRepository, shown: str) -> None:
    """One argument, one use."""
    assert "14 pairs!" in shown
    assert "pairs!" not in copy.run(f"{SCORE} -q").stdout
    assert "--count-pairs" in (copy / "docs/reference/commands.md").read_text()
