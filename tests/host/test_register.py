# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The package installed and removed: our place in garak's namespace."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from garak_tbsa import __version__
from garak_tbsa.gates.options import GATES
from garak_tbsa.host import _register
from tests.installed import Environment, built_wheel, new_environment, with_wheel

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVED = """
import importlib, sys
for name in ("tbsa", "detector_eval"):
    try:
        print(importlib.import_module(f"garak.analyze.{name}").__file__)
    except ModuleNotFoundError as error:
        print(error)
if sys.argv[1:]:
    # as the program does; garak.cli is wrapped only where its modules are executed
    from garak.__main__ import main
    main()
"""
GARAKS = "garak/analyze/tbsa.py"


def served(environment: Environment, folder: Path, *garak: str) -> list[str]:
    """The files of both names, after an import that says nothing; what garak says."""
    done = environment.run("-c", SERVED, *garak, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.surroundings
@pytest.mark.parametrize("install", ["install_wheel", "install_editable"])
def test_both_names_are_ours_until_we_are_uninstalled(
    install: str, tmp_path: Path, gold_folder: str
) -> None:
    environment = new_environment()
    getattr(environment, install)()
    assert [Path(path).name for path in served(environment, tmp_path)] == [
        "served_tbsa.py",
        "served_detector_eval.py",
    ]
    report = f"{gold_folder}/garak-0.16.0.report.jsonl"
    analyze = ("-m", "garak.analyze.tbsa", "-r", report)
    done = environment.run(*analyze, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "TBSA sums a scan up" in done.stdout

    environment.uninstall()
    garaks, none = served(environment, tmp_path)
    assert garaks.endswith(GARAKS)
    assert "garak_tbsa" not in garaks
    assert none == "No module named 'garak.analyze.detector_eval'"
    # folders count too: an empty garak_tbsa/ could still be imported
    left = [path.name for path in environment.packages.rglob("*")]
    assert left == ["shared.pth"]


def test_alone_it_says_what_it_lacks_and_disturbs_no_other_program(
    tmp_path: Path,
) -> None:
    environment = new_environment(shared=False)
    environment.install_wheel()
    tbsa = ("-m", "garak_tbsa")
    done = environment.run(*tbsa, "--version", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"garak-tbsa {__version__}\n"
    for command in (("detectors", "rank"), ("show", "x", "y"), ("score", "x")):
        done = environment.run(*tbsa, *command, folder=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("garak-tbsa: this needs ")
        assert done.stderr.endswith(
            f", and {environment.python} does not have it; pip install garak-tbsa"
            " installs all that is needed\n"
        )
        assert done.stderr.count("\n") == 1
    # the start-up hook is of no consequence to other programs
    quiet = environment.run("-c", "pass", folder=tmp_path)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


@pytest.fixture(scope="module")
def wheel() -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(built_wheel()) as opened:
        yield opened


def test_what_the_metadata_says(wheel: zipfile.ZipFile) -> None:
    """Each Python that is tested, no invented host; no link to a file beside it."""
    (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    fields, _, description = wheel.read(name).decode().partition("\n\n")
    pythons = re.findall(r"^Classifier: .* :: Python :: 3\.(\d+)$", fields, re.M)
    assert pythons == ["10", "11", "12", "13"]
    assert "\nRequires-Python: >=3.10\n" in fields
    urls = re.findall("^Project-URL: (.*)$", fields, re.M)
    assert urls == ["garak, https://github.com/NVIDIA/garak"]
    links = re.findall(r"\]\(([^)]*)\)", description)
    assert links
    assert all(link.startswith(("https://", "#")) for link in links), links
    assert "(`docs/how_to/after_a_scan.md`)" in description


def test_the_wheel_holds_all_that_is_read_at_run_time(wheel: zipfile.ZipFile) -> None:
    """Labelled rows and not their curation; nothing in garak's own folders."""
    names = set(wheel.namelist())
    root = Path(__file__).parents[2]
    files = {
        path.relative_to(root).as_posix()
        for path in (root / "garak_tbsa").rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    assert len(files) > 200
    assert files - names == set()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "garak_tbsa",
        "garak_tbsa_register.pth",
    }
    data = "garak_tbsa/data/detectors-eval/"
    inside = [name.removeprefix(data) for name in names if name.startswith(data)]
    assert {name.partition("/")[0] for name in inside} == {
        "README.md",
        "detector_metrics_summary.json",
        "families.json",
        "general_rules.json",
        "labelled",
        "served_by.json",
    }
    assert sum(name.startswith("labelled/") for name in inside) > 80
    assert not [name for name in names if "labelled_data" in name]


PAGE = """
import sys
from garak_tbsa.cli.main import main
from garak_tbsa.detector_eval import data
from garak_tbsa.labels.labelling_rules import general_rules, own_rules
assert general_rules() and own_rules("dan.STAN")
main(["score", "-q", "--html", "page.html", sys.argv[1]])
print(data.shipped_folder())
"""


def test_an_installed_package_makes_pages_and_finds_its_data(
    tmp_path: Path, gold_folder: str
) -> None:
    report = f"{gold_folder}/garak-0.16.0.report.jsonl"
    done = with_wheel().run("-c", PAGE, report, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "<h1>TBSA of a garak scan</h1>" in (tmp_path / "page.html").read_text()
    data = done.stdout.splitlines()[-1]
    assert data.startswith(str(with_wheel().packages))


HOOK, OPTIONS = "host/hook.py", "gates/options.py"
NOT_PYTHON = "def (:\n"


@pytest.fixture(scope="module")
def breakable() -> Environment:
    environment = new_environment()
    environment.install_wheel()
    return environment


@contextmanager
def broken(environment: Environment, name: str, content: str | None) -> Iterator[None]:
    """Damage a module, or take it away; the empty name stands for all."""
    path = environment.packages / "garak_tbsa" / name
    kept = path.with_name("kept")
    path.rename(kept)
    if content is not None:
        path.write_text(content)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        kept.rename(path)


@pytest.mark.surroundings
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("host/_register.py", NOT_PYTHON),
        ("host/_register.py", "raise SystemExit('broken')\n"),
        (HOOK, "raise RuntimeError('broken')\n"),
        (HOOK, "raise SystemExit(0)\n"),
        ("host/served_tbsa.py", None),
        ("", None),
    ],
)
def test_a_broken_install_harms_no_other_program(
    name: str, content: str | None, breakable: Environment, tmp_path: Path
) -> None:
    with broken(breakable, name, content):
        found, _, version = served(breakable, tmp_path, "--version")
        assert version.startswith("garak LLM vulnerability scanner v")
        assert name == HOOK or found.endswith(GARAKS)


CONFIG = ("--config", "run.yaml")
BROKEN_HOOK: list[tuple[tuple[str, ...], dict[str, str], int]] = [
    (CONFIG, {}, 3),
    ((*CONFIG, "--list_detectors"), {}, 0),
    ((), {}, 0),
    (CONFIG, {"GARAK_TBSA": "0"}, 0),
]
"""Arguments and variables of garak, and how it ends."""

EACH = """
import json, os, sys
import garak.cli
for arguments, settings, _ in json.loads(sys.argv[1]):
    print("##", file=sys.stderr, flush=True)
    if not (process := os.fork()):
        os.environ.update(settings)
        sys.exit(garak.cli.main(arguments))
    _, status = os.waitpid(process, 0)
    print(os.waitstatus_to_exitcode(status), file=sys.stderr, flush=True)
"""


@pytest.mark.surroundings
@pytest.mark.parametrize("name", [HOOK, OPTIONS])
def test_a_broken_hook_lets_no_gate_pass(
    name: str, breakable: Environment, tmp_path: Path
) -> None:
    """And does not judge where none is set, or where garak only lists."""
    (tmp_path / "run.yaml").write_text("reporting: {tbsa: {fail_under: 1}}\n")
    cases = BROKEN_HOOK if name == HOOK else BROKEN_HOOK[:1]
    with broken(breakable, name, NOT_PYTHON):
        done = breakable.run("-c", EACH, json.dumps(cases), folder=tmp_path)
    assert done.stderr.split("##\n")[1:] == [
        f"{_register.BROKEN if code else ''}{code}\n" for _, _, code in cases
    ]


def test_the_gates_are_those_that_can_be_set() -> None:
    gates = ("fail_under", "sure", "require_tier1_grade", "min_coverage", "baseline")
    assert _register.GATES == GATES == gates


@pytest.mark.parametrize("value", ["0", "garak"])
def test_what_turns_us_off_turns_gates_off(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the rest of us is damaged, too."""
    settings = ModuleType("garak._config")
    vars(settings)["reporting"] = SimpleNamespace(tbsa={"fail_under": 3})
    monkeypatch.setitem(sys.modules, "garak._config", settings)
    assert _register.asks_for_gate()
    monkeypatch.setenv("GARAK_TBSA", value)
    assert not _register.asks_for_gate()


OWN = """
import garak.analyze.tbsa, garak.cli, garak.command, sys
assert "garak_tbsa" not in garak.analyze.tbsa.__file__
for function in (garak.cli.main, garak.command.end_run, garak.command.start_run):
    assert not hasattr(function, "__wrapped__"), function
assert "garak_tbsa.host.hook" not in sys.modules
"""


def test_with_the_variable_all_is_garaks_own(tmp_path: Path) -> None:
    done = with_wheel().run(
        "-c", OWN, folder=tmp_path, settings={"GARAK_TBSA": "garak"}
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_garaks_other_modules_and_other_finders_are_left_alone(tmp_path: Path) -> None:
    program = """
import sys
from garak_tbsa.host._register import Finder
finders = [finder for finder in sys.meta_path if isinstance(finder, Finder)]
assert len(finders) == 1, finders
for name in ("garak", "garak.analyze", "garak.attempt", "json", "tbsa", "nothing"):
    assert finders[0].find_spec(name, []) is None, name
# a module that is not there is not made up
assert finders[0].find_spec("garak.cli", []) is None
import importlib, garak.command
assert garak.command.end_run.__wrapped__
importlib.reload(garak.command)
assert not hasattr(garak.command.end_run.__wrapped__, "__wrapped__"), "wrapped twice"
"""
    done = with_wheel().run("-c", program, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
