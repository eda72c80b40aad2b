# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The rules of CONTRIBUTING: which package imports which, which one prints."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "garak_tbsa"
MODULES = sorted(PACKAGE.rglob("*.py"))
STAGED = (
    "garak_files",
    "tbsa",
    "statistics",
    "gates",
    "detector_eval",
    "labels",
    "evidence",
    "results",
    "api",
)

ABOVE_GARAK = (
    "labels",
    "evidence",
    "results",
    "api",
    "cli",
    "host",
)
ABOVE_READING = ("tbsa", "statistics", "detector_eval", "garak_api", *ABOVE_GARAK)
BELOW = {
    "workers": ("garak_files", *ABOVE_READING),
    "garak_files": ABOVE_READING,
    "tbsa": ("gates", "outputs", "detector_eval", "garak_api", *ABOVE_GARAK),
    "statistics": ("gates", "outputs", "detector_eval", "garak_api", *ABOVE_GARAK),
    "gates": ("outputs", "detector_eval", "garak_api", *ABOVE_GARAK),
    "detector_eval": ("tbsa", "statistics", "garak_api", *ABOVE_GARAK),
    "labels": ("garak_api", *ABOVE_GARAK[1:]),
    "evidence": ("garak_api", *ABOVE_GARAK[2:]),
    "garak_api": ABOVE_GARAK,
    "results": ABOVE_GARAK[3:],
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
    "detector_eval/evaluation.py": "keeps finished detectors beside the summary",
    "detector_eval/sources.py": "keeps standard input in a scratch folder",
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


@pytest.mark.parametrize("package", STAGED)
def test_every_stage_is_listed(package: str) -> None:
    modules = {path.stem for path in (PACKAGE / package).glob("*.py")} - {"__init__"}
    assert modules == set(stages_of(package))


@pytest.mark.parametrize("package", STAGED)
def test_a_stage_imports_only_stages_above_it(package: str) -> None:
    stages = stages_of(package)
    wrong = [
        f"{stage} imports {imported}"
        for position, stage in enumerate(stages)
        for imported in imports_of(PACKAGE / package / f"{stage}.py")
        if imported.startswith(f"garak_tbsa.{package}.")
        and imported.split(".")[2] not in stages[:position]
    ]
    assert wrong == []


@pytest.mark.parametrize("package", BELOW)
def test_packages_import_only_packages_above_them(package: str) -> None:
    forbidden = tuple(f"garak_tbsa.{name}." for name in BELOW[package])
    wrong = [
        f"{name_of(path)} imports {imported}"
        for path in (*PACKAGE.glob(f"{package}.py"), *(PACKAGE / package).rglob("*.py"))
        for imported in imports_of(path)
        if f"{imported}.".startswith(forbidden)
    ]
    assert wrong == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Imports for types count too."""
    modules = {module_of(path): path for path in MODULES}
    imported = {
        name: {each if each in modules else each.rpartition(".")[0] for each in found}
        - {name}
        for name, path in modules.items()
        for found in [imports_of(path)]
    }
    TopologicalSorter(imported).prepare()


def test_no_package_imports_itself_by_way_of_others() -> None:
    """Python and garak start the entrances, so those stand above all."""
    imported: dict[str, set[str]] = {}
    for path in MODULES:
        if name_of(path) not in ENTRANCES:
            package = "".join(module_of(path).split(".")[1:2])
            imported.setdefault(package, set()).update(
                name.split(".")[1]
                for name in imports_of(path)
                if name.startswith("garak_tbsa.")
            )
    for package, others in imported.items():
        others.discard(package)
    TopologicalSorter(imported).prepare()


LATE_PACKAGES = {
    *("garak", "torch", "transformers", "ray", "distributed", "datasets"),
    *("pandas", "matplotlib"),
    # these may be missing: a score needs only numpy and msgspec, yaml is garak's, and
    # shtab an extra
    *("fsspec", "pyarrow", "tqdm", "yaml", "shtab"),
}
"""What takes seconds to import, or may be missing; functions import it."""

LATE_IMPORTERS = {
    "__init__.py": "each name is imported when it is first asked for",
    "host/_register.py": "it runs at every start of Python",
    "host/hook.py": "it runs inside garak, and does nothing there before a scan",
    "host/telling.py": "nothing that it does may fail, imports included",
    "host/scoring_process.py": "it tells what fails, imports included",
    "detector_eval/checkpoint.py": "fcntl is not on every system",
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
    wrong = [
        f"{name_of(path)}, line {node.lineno}: {imported}"
        for path in MODULES
        if name_of(path) not in LATE_IMPORTERS
        for statement in tree_of(path).body
        if not isinstance(statement, ast.Import | ast.ImportFrom)
        for node in ast.walk(statement)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for imported in imported_by(node)
        if imported.partition(".")[0] not in {"_typeshed", *LATE_PACKAGES}
    ]
    assert wrong == []


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
    ours, others = imported_with("garak_tbsa.host.hook")
    assert ours == {
        "garak_tbsa.errors",
        "garak_tbsa.safe_text",
        "garak_tbsa.gates.options",
        "garak_tbsa.host.telling",
    }
    assert others <= sys.stdlib_module_names


def test_github_is_told_by_the_standard_library_alone() -> None:
    """The action says that numpy is missing; the hook, that a score failed."""
    _, others = imported_with("garak_tbsa.outputs.github_commands")
    assert others <= sys.stdlib_module_names


def test_statistics_needs_no_more_of_a_score_than_its_grades() -> None:
    """Gates, outputs and history are judged by its draws, and not the other way."""
    stages = stages_of("tbsa")
    needed = stages[: stages.index("assessment") + 1]
    wrong = [
        f"{name_of(path)} imports {imported}"
        for path in (PACKAGE / "statistics").rglob("*.py")
        for imported in imports_of(path)
        if imported.startswith("garak_tbsa.tbsa.")
        and imported.split(".")[2] not in needed
    ]
    wrong += [
        f"tbsa/{stage}.py imports {imported}"
        for stage in needed
        for imported in imports_of(PACKAGE / "tbsa" / f"{stage}.py")
        if imported.startswith("garak_tbsa.statistics.")
    ]
    assert wrong == []


def test_only_garak_api_imports_garak() -> None:
    wrong = [
        f"{name_of(path)} imports {imported}"
        for path in MODULES
        if not name_of(path).startswith("garak_api/")
        for imported in imports_of(path)
        if imported.split(".")[0] == "garak"
    ]
    assert wrong == []


def called(node: ast.Call) -> str:
    return ast.unparse(node.func)


@pytest.mark.parametrize("forbidden", ["print", "sys.stdout.write", "sys.stderr.write"])
def test_nothing_prints_but_the_terminal(forbidden: str) -> None:
    wrong = [
        name_of(path)
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and called(node) == forbidden
    ]
    assert wrong == []


def test_only_cli_writes_to_the_terminal() -> None:
    allowed = ("cli/", "host/telling.py", *ENTRANCES)
    writing = ("garak_tbsa.cli", "garak_tbsa.terminal.write")
    wrong = [
        name_of(path)
        for path in MODULES
        if not name_of(path).startswith(allowed)
        and any(i.startswith(writing) for i in imports_of(path))
    ]
    assert wrong == []


def test_only_entrances_end_the_process() -> None:
    wrong = [
        name_of(path)
        for path in MODULES
        if name_of(path) not in ENTRANCES
        for node in ast.walk(tree_of(path))
        if (isinstance(node, ast.Call) and called(node) in ("sys.exit", "exit"))
        or (isinstance(node, ast.Raise) and "SystemExit" in ast.unparse(node))
    ]
    assert wrong == []


def writes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if called(node).endswith((".write_text", ".write_bytes")):
        return True
    modes = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "mode")]
    return called(node) in ("open", "io.open", "os.fdopen") and any(
        isinstance(mode, ast.Constant) and set(str(mode.value)) & set("wax+")
        for mode in modes
    )


def test_only_cli_and_files_open_outputs() -> None:
    wrong = [
        name_of(path)
        for path in MODULES
        if name_of(path) not in SCRATCH_WRITERS
        and not name_of(path).startswith("cli/")
        and any(writes(node) for node in ast.walk(tree_of(path)))
    ]
    assert wrong == []


def test_only_commands_and_a_scan_that_ended_ask_for_whole_files() -> None:
    wrong = [
        name_of(path)
        for path in MODULES
        if not name_of(path).startswith(("cli/", "host/after_scan.py"))
        and any(i == "garak_tbsa.files.write_whole" for i in imports_of(path))
    ]
    assert wrong == []


def test_every_source_file_says_its_licence() -> None:
    folders = ("garak_tbsa", "ci", "tests", "benchmarks", "tools", "docs")
    wrong = [
        str(path.relative_to(ROOT))
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if "_build" not in path.parts
        and "SPDX-License-Identifier: Apache-2.0"
        not in path.read_text(encoding="utf-8")[:400]
    ]
    assert wrong == []


def test_every_module_says_what_it_is_for() -> None:
    assert [name_of(p) for p in MODULES if not ast.get_docstring(tree_of(p))] == []


INTERNAL_JSON = {
    "labels/sample.py": "text in a cell",
    "host/relay.py": "a message to our own process",
    "host/scoring_process.py": "a message to our own process",
    "garak_files/fields.py": "a key to compare values by",
}


def test_json_that_is_written_has_no_nan() -> None:
    wrong = [
        f"{name_of(path)}, line {node.lineno}"
        for path in MODULES
        if name_of(path) not in INTERNAL_JSON
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and called(node) in ("json.dump", "json.dumps")
        and not any(
            word.arg == "allow_nan" and ast.unparse(word.value) == "False"
            for word in node.keywords
        )
    ]
    assert wrong == []


@pytest.mark.parametrize("name", ["terminal.py", "progress.py"])
def test_the_terminal_knows_no_command(name: str) -> None:
    known = ("errors", "safe_text", "terminal")
    allowed = tuple(f"garak_tbsa.{module}" for module in known)
    ours = (i for i in imports_of(PACKAGE / name) if i.startswith("garak_tbsa"))
    assert [i for i in ours if not i.startswith(allowed)] == []
