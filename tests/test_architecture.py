# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The rules of CONTRIBUTING: which package imports which, which one prints."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "garak_tbsa"
MODULES = sorted(PACKAGE.rglob("*.py"))
STAGED = (
    "report",
    "tbsa",
    "statistics",
    "gates",
    "detector_eval",
    "labels",
    "api",
)

ABOVE_GARAK = ("labels", "trust", "result", "api", "cli", "host")
GARAK = ("garak_api", "report.garak_here")
ABOVE_READING = ("tbsa", "statistics", "detector_eval", "garak_api", *ABOVE_GARAK)
BELOW = {
    "workers": ("report", *ABOVE_READING),
    "report": ABOVE_READING,
    **dict.fromkeys(
        ("tbsa", "statistics"),
        ("gates", "outputs", "detector_eval", *GARAK, *ABOVE_GARAK),
    ),
    # what it shows is hostile and cut; nothing is said of it in words
    "evidence": ("outputs", "detector_eval", *GARAK, *ABOVE_GARAK),
    "gates": ("outputs", "detector_eval", *GARAK, *ABOVE_GARAK),
    "detector_eval": ("tbsa", "statistics", *GARAK, *ABOVE_GARAK),
    "labels": (*GARAK, *ABOVE_GARAK[1:]),
    "trust": (*GARAK, *ABOVE_GARAK[2:]),
    "garak_api": ABOVE_GARAK,
    "result": ABOVE_GARAK[3:],
    "api": ABOVE_GARAK[4:],
}
"""What each package must not import; what garak knows comes in as functions."""

ENTRANCES = (
    "__main__.py",
    "host/_register.py",
    "host/hook.py",
    "host/served_detector_eval.py",
    "host/served_tbsa.py",
)
"""What Python or garak starts; they may end the process, and do nothing else."""

SCRATCH_WRITERS = {
    "files.py": "writes whole files for cli",
    "terminal.py": "lets what is still to be printed go nowhere",
    "garak_api/detector_loading.py": "gives file detectors the file they ask for",
    "detector_eval/evaluation.py": "saves rows with their verdicts",
    "labels/label_log.py": "has each answer on the disk before the next question",
}


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Every module that a file imports anywhere, for types too."""
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def stages_of(package: str) -> list[str]:
    """The stages in order, as the package's docstring lists them."""
    docstring = ast.get_docstring(tree_of(PACKAGE / package / "__init__.py"))
    return re.findall(r"^``(\w+)``  ", docstring or "", re.MULTILINE)


def wrong(
    select: Callable[[Path], Iterable[object]], *, but: Iterable[str] = ()
) -> list[str]:
    """What is selected of the modules, other than those whose names begin so."""
    return [
        f"{name_of(path)}: {found}"
        for path in MODULES
        if not name_of(path).startswith(tuple(but))
        for found in select(path)
    ]


def imported_from(*beginnings: str) -> Callable[[Path], Iterable[str]]:
    """What a module imports of these."""
    return lambda path: [
        each for each in imports_of(path) if f"{each}.".startswith(beginnings)
    ]


def lines_where(right: Callable[[Any], bool]) -> Callable[[Path], Iterable[int]]:
    """The lines of a module's nodes of which this is true."""
    return lambda path: [
        getattr(node, "lineno", 0) for node in ast.walk(tree_of(path)) if right(node)
    ]


def calls(node: ast.AST, *functions: str) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in functions


@pytest.mark.parametrize("package", STAGED)
def test_a_stage_is_listed_and_imports_only_stages_above_it(package: str) -> None:
    stages = stages_of(package)
    modules = {path.stem for path in (PACKAGE / package).glob("*.py")} - {"__init__"}
    assert modules == set(stages)
    for position, stage in enumerate(stages):
        found = imported_from(f"garak_tbsa.{package}.")(
            PACKAGE / package / f"{stage}.py"
        )
        assert {each.split(".")[2] for each in found} <= set(stages[:position]), stage


def test_packages_import_only_packages_above_them() -> None:
    for package, above in BELOW.items():
        select = imported_from(*(f"garak_tbsa.{name}." for name in above))
        own = (f"{package}.py", f"{package}/")
        inside = [path for path in MODULES if name_of(path).startswith(own)]
        assert [(name_of(path), each) for path in inside for each in select(path)] == []


def test_records_are_frozen_slotted_dataclasses_or_structs() -> None:
    """What caches a property has no slots; results of labels and metrics have none."""

    def other(path: Path) -> list[str]:
        found = []
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.ClassDef):
                continue
            caches = "cached_property" in ast.unparse(node)
            wanted = ["kw_only"] if caches else ["kw_only", "slots"]
            found += [
                node.name
                for each in node.decorator_list
                if "dataclass" in (words := ast.unparse(each))
                and not all(f"{name}=True" in words for name in wanted)
            ]
            bases = " ".join(map(ast.unparse, node.bases))
            found += [node.name] * any(
                each in bases for each in ("NamedTuple", "namedtuple", "TypedDict")
            )
        return found

    assert wrong(other, but=["api/metrics.py"]) == []


def test_nothing_imports_itself_by_way_of_others() -> None:
    """No module does and no package; imports for types count too.

    Python and garak start the entrances, so those stand above all packages.
    """
    modules = {module_of(path): path for path in MODULES}
    imported = {
        name: {each if each in modules else each.rpartition(".")[0] for each in found}
        - {name}
        for name, path in modules.items()
        for found in [imports_of(path)]
    }
    TopologicalSorter(imported).prepare()
    packages: dict[str, set[str]] = {}
    for path in MODULES:
        if name_of(path) not in ENTRANCES:
            package = "".join(module_of(path).split(".")[1:2])
            ours = [each for each in imports_of(path) if "garak_tbsa." in each]
            others = {each.split(".")[1] for each in ours} - {package}
            packages.setdefault(package, set()).update(others)
    TopologicalSorter(packages).prepare()


LATE_PACKAGES = {
    *("garak", "torch", "transformers", "ray", "dask", "distributed"),
    *("joblib", "pandas"),
    # these may be missing: a score needs only numpy and msgspec, and yaml is garak's
    *("fsspec", "pyarrow", "tqdm", "yaml", "jinja2"),
}
"""What takes seconds to import, or may be missing; functions import it."""

LATE_IMPORTERS = {
    "__init__.py": "each name is imported when it is first asked for",
    "api/score.py": "evidence takes labels and metrics, which a plain score needs not",
    "host/_register.py": "it runs at every start of Python",
    "host/hook.py": "it runs inside garak, and nothing that it does there may fail",
}
"""Modules whose functions import what others import at the top."""


def imported_by(node: ast.AST) -> list[str]:
    """The modules that a statement imports, with the names it takes from them."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def test_imports_stand_at_the_top() -> None:
    """Nor does a block for types hold more than what is heavy or may be missing."""

    def late(path: Path) -> list[str]:
        return [
            imported
            for statement in tree_of(path).body
            if not isinstance(statement, ast.Import | ast.ImportFrom)
            for node in ast.walk(statement)
            for imported in imported_by(node)
            if imported.partition(".")[0] not in {"_typeshed", *LATE_PACKAGES}
        ]

    assert wrong(late, but=LATE_IMPORTERS) == []


def at_the_top(path: Path) -> set[str]:
    """The modules that are imported when this one is."""
    found = {
        imported for node in tree_of(path).body for imported in imported_by(node)
    } - {"__future__.annotations"}
    modules = {module_of(each) for each in MODULES}
    return {
        each if each in modules else each.rpartition(".")[0] or each for each in found
    }


def test_what_runs_at_every_start_of_python_imports_sys_alone() -> None:
    for name in ("__init__.py", "host/__init__.py"):
        assert at_the_top(PACKAGE / name) == set()
    assert at_the_top(PACKAGE / "host" / "_register.py") == {"sys"}


def imported_with(name: str) -> tuple[set[str], set[str]]:
    """What a module imports, by way of others too: modules of ours, packages."""
    modules = {module_of(path): path for path in MODULES}
    found: set[str] = set()
    left = [name]
    while left:
        for each in at_the_top(modules[left.pop()]) - found:
            found.add(each)
            left += [each] if each in modules else []
    ours = found & modules.keys()
    return ours, {each.partition(".")[0] for each in found - ours}


def test_the_hook_imports_the_standard_library_and_the_gates() -> None:
    """GitHub is told by the library alone that a score failed or numpy is missing."""
    ours, others = imported_with("garak_tbsa.host.hook")
    allowed = ("errors", "safe_text", "option", "gates.options", "host.environment")
    assert ours == {f"garak_tbsa.{name}" for name in allowed}
    _, more = imported_with("garak_tbsa.outputs.github_commands")
    assert others | more <= sys.stdlib_module_names


def test_statistics_needs_no_more_of_a_score_than_its_grades() -> None:
    """Gates, outputs and history are judged by its draws, and not the other way."""
    stages = stages_of("tbsa")
    needed = stages[: stages.index("scan") + 1]
    for path in (PACKAGE / "statistics").rglob("*.py"):
        found = imported_from("garak_tbsa.tbsa.")(path)
        assert {each.split(".")[2] for each in found} <= set(needed), path
    for stage in needed:
        path = PACKAGE / "tbsa" / f"{stage}.py"
        assert imported_from("garak_tbsa.statistics.")(path) == [], stage


def ends(node: ast.AST) -> bool:
    return calls(node, "sys.exit", "exit") or (
        isinstance(node, ast.Raise) and "SystemExit" in ast.unparse(node)
    )


def writes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if ast.unparse(node.func).endswith((".write_text", ".write_bytes")):
        return True
    modes = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "mode")]
    return calls(node, "open", "io.open", "os.fdopen") and any(
        isinstance(mode, ast.Constant) and set(str(mode.value)) & set("wax+")
        for mode in modes
    )


def may_write_nan(node: ast.AST) -> bool:
    return calls(node, "json.dump", "json.dumps") and not any(
        isinstance(each, ast.keyword)
        and each.arg == "allow_nan"
        and ast.unparse(each.value) == "False"
        for each in ast.iter_child_nodes(node)
    )


INTERNAL_JSON = {
    "labels/label_sheet.py": "text in a cell",
    "report/attempts.py": "a member of a row that was parsed, for its one reader",
    "report/settings.py": "a key to compare values by",
}
TERMINAL = ("garak_tbsa.cli.", "garak_tbsa.terminal.write")
SAYS = ("cli/", *ENTRANCES)
PRINTING = ("print", "sys.stdout.write", "sys.stderr.write")
WHOLE = ("garak_tbsa.files.write_whole.",)


@pytest.mark.parametrize(
    ("select", "but"),
    [
        pytest.param(imported_from("garak."), ("garak_api/",), id="import garak"),
        pytest.param(lines_where(lambda n: calls(n, *PRINTING)), (), id="print"),
        pytest.param(imported_from(*TERMINAL), SAYS, id="write to the terminal"),
        pytest.param(lines_where(ends), ENTRANCES, id="end the process"),
        pytest.param(
            lines_where(writes), (*SCRATCH_WRITERS, "cli/"), id="open outputs"
        ),
        pytest.param(imported_from(*WHOLE), ("cli/",), id="ask for whole files"),
        pytest.param(lines_where(may_write_nan), INTERNAL_JSON, id="write NaN"),
        pytest.param(
            lambda path: [] if ast.get_docstring(tree_of(path)) else ["no docstring"],
            (),
            id="do not say what they are for",
        ),
    ],
)
def test_only_some_modules(
    select: Callable[[Path], Iterable[object]], but: Iterable[str]
) -> None:
    assert wrong(select, but=but) == []


def test_every_source_file_says_its_licence() -> None:
    folders = ("garak_tbsa", "ci", "tests", "benchmarks", "tools", "docs")
    unsaid = [
        str(path.relative_to(ROOT))
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if "_build" not in path.parts
        and "SPDX-License-Identifier: Apache-2.0"
        not in path.read_text(encoding="utf-8")[:400]
    ]
    assert unsaid == []


@pytest.mark.parametrize("name", ["terminal.py", "progress.py"])
def test_the_terminal_knows_no_command(name: str) -> None:
    known = ("errors.", "safe_text.", "terminal.")
    allowed = tuple(f"garak_tbsa.{module}" for module in known)
    ours = imported_from("garak_tbsa.")(PACKAGE / name)
    assert [each for each in ours if not f"{each}.".startswith(allowed)] == []


BELOW_THE_API = {
    "statistics": "draws, intervals and tests, by exact values",
    "report": "what a reader makes of a line",
    "tbsa": "grades and score, by exact values",
    "detector_eval": "metrics and intervals, and what a row may be",
    "garak_api": "garak's own detectors and data",
    "outputs": "what a form makes of a result",
    "labels": "strata and weights",
    "evidence": "how far a detector is right",
    "gates": "rules and their verdicts",
    "host": "what runs inside garak",
    "cli": "what a terminal is sent",
    "faults": "a log that cannot be written",
    "fuzz": "settings, which no command reads by itself",
    "tools": "what maintainers' tools ask of the package",
    "ci": "inputs that are wrong",
}
"""Folders of tests that ask modules themselves, and what for."""

MOST_BELOW_THE_API = 260
PUBLIC = {f"garak_tbsa.{name}" for name in garak_tbsa.__all__}


def below_the_api(path: Path) -> list[str]:
    """The tests of a file that use what it imports of modules that are not public."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias, whole in zip(node.names, imported_by(node), strict=True)
        if whole.startswith("garak_tbsa.") and whole not in PUBLIC
    }
    return [
        test.name
        for test in tree.body
        if names and isinstance(test, ast.FunctionDef) and test.name[:5] == "test_"
        if any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(test))
    ]


def test_most_tests_ask_what_users_ask() -> None:
    """A test below the public API holds a module as it is; each room has a reason."""
    tests = ROOT / "tests"
    found = {path: below_the_api(path) for path in tests.rglob("test_*.py")}
    inner = [path.relative_to(tests).parts for path in found if found[path]]
    rooms = {parts[0] for parts in inner if len(parts) > 1}
    assert rooms <= set(BELOW_THE_API)
    assert sum(map(len, found.values())) <= MOST_BELOW_THE_API
