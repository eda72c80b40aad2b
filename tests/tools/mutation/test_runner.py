# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Mutants are noticed, or not, by real tests in forked processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.installed import REPOSITORY
from tests.unmeasured import unmeasured
from tools.mutation.mutants import Mutant
from tools.mutation.runner import MOST_TESTS, SLOW, Covering, find_covering

FILE = "garak_tbsa/safe_text.py"
SCRIPT = """
from pathlib import Path
from tools.mutation.mutants import Mutant
from tools.mutation.runner import find_covering, run_mutants
root = Path.cwd()
file = "garak_tbsa/detector_eval/seeding.py"
# of two folders, of which one has a conftest that the other has not
TESTS = ["tests/detector_eval/test_balancing.py", "tests/cli/test_command_parser.py"]
text = (root / file).read_text()
covering = find_covering(root, [file], TESTS)
def mutant(source, line):
    return Mutant(path=file, line=line, before="", after="", source=source)
broken = text.replace("return ", "return None and ")
assert broken != text
line = 1 + text[: text.index("return ")].count("\\n")
mutants = [mutant(text, line), mutant(broken, line), mutant(text + "#", line)]
for found, fate in run_mutants(mutants, covering, root, 1):
    print(found.source == broken, fate.name)
"""


def test_a_change_is_noticed_and_the_unchanged_file_is_not() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=REPOSITORY,
        env=unmeasured(PYTHONPATH=str(REPOSITORY)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "False SURVIVED",
        "True KILLED",
        "False SURVIVED",
    ]


def test_without_a_test_that_passes_nothing_is_measured(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no test passes: pytest nowhere"):
        find_covering(tmp_path, [], ["nowhere"])


def mutant(line: int) -> Mutant:
    return Mutant(path=FILE, line=line, before="a", after="b", source="b")


def test_the_quickest_tests_of_a_line_come_first_and_slow_ones_only_alone() -> None:
    covering = Covering(
        seconds={"quick": 0.1, "quicker": 0.01, "slow": SLOW + 1},
        tests={
            (FILE, 1): frozenset({"quick", "quicker", "slow", "failed"}),
            (FILE, 2): frozenset({"slow"}),
            (FILE, 0): frozenset({"quick"}),
        },
    )
    assert covering.of(mutant(1)) == ["quicker", "quick"]
    assert covering.of(mutant(2)) == ["slow"]
    # a line that runs at import is held by every test of the file
    assert covering.of(mutant(3)) == ["quick"]


def test_a_mutant_hangs_after_ten_times_what_its_tests_take() -> None:
    covering = Covering(seconds={"a": 3.0, "b": 5.0, "c": 0.1}, tests={})
    assert covering.limit(["a", "b"]) == 80
    assert covering.limit(["c"]) == 60


def test_so_many_tests_at_most() -> None:
    seconds = {f"test{number}": 0.1 for number in range(2 * MOST_TESTS)}
    covering = Covering(seconds=seconds, tests={(FILE, 1): frozenset(seconds)})
    assert len(covering.of(mutant(1))) == MOST_TESTS
