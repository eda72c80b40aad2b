# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The action as a workflow uses it: its steps in order, on real reports."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from uuid import uuid4
from xml.etree import ElementTree

import pytest

from ci.github import steps
from tests.ci.conftest import on_default_branch
from tests.ci.local_runner import LocalRunner, action, path_with
from tests.ci.wheels import msgspec_wheel
from tests.github_links import PARSER, REFERENCES, links_in
from tests.gold import FOLDER
from tests.installed import SHARED, Environment, new_environment
from tests.numpy_alone import numpy_alone
from tests.outputs.samples import HOSTILE, hostile_rows, write
from tests.report_rows import (
    PairFacts,
    attempt_row,
    pairs_named,
    report_rows,
    write_report,
)

pytestmark = pytest.mark.surroundings

ALL_STEPS = [step["id"] for step in action()["runs"]["steps"]]
REPORT = "scan.report.jsonl"


def put(runner: LocalRunner, gold: str = "garak-0.17.1") -> None:
    """Let a scan have written a report into the workspace."""
    shutil.copy(FOLDER / f"{gold}.report.jsonl", runner.workspace / REPORT)


def wrote(runner: LocalRunner, passed: int) -> None:
    """Let a new scan have passed so many of 100 outputs."""
    pairs = pairs_named((1, passed, 100), (2, passed, 100))
    rows = report_rows(pairs, run=str(uuid4()))
    write_report(runner.workspace / REPORT, rows)


GOOD, BAD = 95, 60
"""They score 4.0 and 3.0."""


def test_a_scan_tells_everyone_and_then_passes_or_fails(
    runner: LocalRunner,
) -> None:
    """A later run leaves nothing of what an earlier one wrote."""
    put(runner)
    ran = runner.run(report="*.report.jsonl", fail_under="3.5", html="true")
    assert ran.code == 0, ran.log
    assert ran.steps == [step for step in ALL_STEPS if step != "save"]
    outputs = ran.outputs
    assert (outputs["tbsa"], outputs["passed"]) == ("4.1", "true")
    assert (outputs["exit-code"], outputs["baseline-renewed"]) == ("0", "")
    assert re.fullmatch(r"[0-9a-f]{4}-[0-9a-f]{4}", outputs["checksum"])
    folder = runner.workspace
    assert json.loads((folder / outputs["json"]).read_bytes())["tbsa"] == 4.1
    assert json.loads((folder / outputs["sarif"]).read_bytes())["version"] == "2.1.0"
    ElementTree.parse(folder / outputs["junit"])
    assert (folder / outputs["html"]).read_text("utf-8").startswith("<!doctype html>")
    markdown = (folder / outputs["markdown"]).read_text("utf-8")
    assert markdown.startswith("## 🟨 TBSA 4.1\n")
    assert ran.summary == markdown + "\n"
    (said,) = ran.commands
    assert said.startswith("::warning title=gate passed%2C with a doubt%3A baseline::")
    assert "no baseline yet" in said
    wrote(runner, BAD)
    failed = runner.run(report=REPORT, fail_under="4")
    assert (failed.code, failed.steps[-1]) == (3, "gate")
    assert (failed.outputs["passed"], failed.outputs["tbsa"]) == ("false", "3.0")
    assert "**failed**" in failed.summary
    assert "TBSA 3.0" in failed.summary
    errors = [line for line in failed.commands if line.startswith("::error")]
    assert any("fail-under" in line for line in errors)
    assert errors[-1] == (
        "::error title=garak-tbsa::the scan does not pass its gate; the step summary"
        " has each rule"
    )
    gone = runner.run(report="gone.jsonl")
    assert gone.outputs["tbsa"] == ""
    assert "TBSA" in gone.summary.splitlines()[0]
    assert "3.0" not in gone.summary
    assert os.listdir(runner.workspace / "garak-tbsa") == ["score.md"]


def test_what_is_no_output_of_ours_stays(runner: LocalRunner) -> None:
    """A report that has an output's name, and a file in place of the folder."""
    put(runner)
    report = (runner.workspace / REPORT).rename(runner.workspace / "score.json")
    (runner.workspace / "score.md").write_text(
        "## No TBSA\n\nThe scan was not scored: x"
    )
    before = {path.name: path.read_bytes() for path in runner.workspace.iterdir()}
    for folder, said in (
        (".", "input output-folder: ./score.json: would replace a file that is no"),
        ("score.json", "input output-folder: score.json: cannot be written to (file"),
    ):
        ran = runner.run(report=report.name, output_folder=folder)
        assert (ran.code, ran.outputs["markdown"]) == (1, "")
        assert "## No TBSA" in ran.summary
        assert any(said in line for line in ran.commands), ran.log
        assert "Traceback" not in ran.log
        found = {path.name: path.read_bytes() for path in runner.workspace.iterdir()}
        assert {name: found[name] for name in before} == before


@pytest.mark.parametrize(
    ("given", "code", "problem"),
    [
        ({"report": "*.jsonl"}, 1, "input report: no file matches"),
        ({"report": "x", "fail_under": "--strict"}, 2, "--fail-under: expected"),
        ({"report": "--help"}, 1, "--help: "),
    ],
)
def test_what_cannot_be_scored_is_said_everywhere(
    runner: LocalRunner, given: dict[str, str], code: int, problem: str
) -> None:
    ran = runner.run(**given)
    assert ran.code == code
    assert ran.outputs["exit-code"] == str(code)
    assert (ran.outputs["tbsa"], ran.outputs["sarif"]) == ("", "")
    assert ran.outputs["passed"] == "false"
    assert "## No TBSA" in ran.summary
    assert problem.split(":")[0].strip("-") in ran.summary
    assert any(problem in line for line in ran.commands), ran.log


def test_the_default_branch_keeps_the_baseline_and_a_change_is_held_against_it(
    runner: LocalRunner,
) -> None:
    """Only a scan that passes renews it, or any that can be compared with."""
    wrote(runner, GOOD)
    pull_request = dict(runner.variables)
    given = {"report": REPORT}
    first = runner.run(**given)
    assert first.code == 0
    assert "no baseline yet" in first.log
    on_default_branch(runner, 50)
    never = runner.run(**given, renew_baseline="never")
    assert "the input renew-baseline is never" in never.log
    failed = runner.run(**given, fail_under="4.9")
    assert (failed.code, failed.outputs["baseline-renewed"]) == (3, "")
    assert "the scan did not pass" in failed.log
    # one that was interrupted passes a lax gate, and would fail every other
    put(runner, "cut-short")
    cut_short = runner.run(**given, renew_baseline="always")
    assert cut_short.outputs["tbsa"]
    assert cut_short.outputs["baseline-renewed"] == ""
    assert any(
        line.startswith("::warning title=garak-tbsa::the baseline was not renewed: ")
        for line in cut_short.commands
    )
    assert list(runner.cache.iterdir()) == []
    wrote(runner, GOOD)
    always = runner.run(**given, fail_under="4.9", renew_baseline="always")
    assert (always.code, always.outputs["baseline-renewed"]) == (3, "true")
    on_default_branch(runner, 51)
    wrote(runner, GOOD)
    kept = runner.run(**given)
    assert kept.steps == ALL_STEPS
    assert kept.outputs["baseline-renewed"] == "true"
    assert len(list(runner.cache.iterdir())) == 2
    shutil.rmtree(runner.workspace / ".garak-tbsa")
    runner.variables = pull_request
    wrote(runner, GOOD)
    same = runner.run(**given)
    assert same.code == 0, same.log
    assert "baseline" in same.summary
    assert "no baseline yet" not in same.log
    wrote(runner, BAD)
    worse = runner.run(**given)
    assert worse.code == 3, worse.log
    assert "| baseline | **failed** |" in worse.summary
    assert len(list(runner.cache.iterdir())) == 2


KEPT = "kept.jsonl.gz"


def as_a_link_in_a_folder(place: Path, other: Path) -> None:
    place.mkdir()
    (place / KEPT).symlink_to(other / KEPT)


BROUGHT: dict[str, Callable[[Path, Path], object]] = {
    "a folder": lambda place, other: shutil.copytree(other, place),
    "a link": lambda place, other: place.symlink_to(other),
    "a link in a folder": as_a_link_in_a_folder,
    "a folder in its place": lambda place, other: shutil.copytree(other, place / KEPT),
    "a file": lambda place, other: shutil.copy(other / KEPT, place),
}


@pytest.mark.parametrize("kind", BROUGHT)
def test_a_change_brings_no_baseline_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    elsewhere, workspace = tmp_path / "elsewhere", tmp_path / "workspace"
    elsewhere.mkdir()
    workspace.mkdir()
    shutil.copy(FOLDER / "garak-0.17.1.report.jsonl", elsewhere / KEPT)
    place = workspace / ".garak-tbsa"
    BROUGHT[kind](place, elsewhere)
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("TBSA_REPORT", REPORT)
    monkeypatch.setenv("TBSA_BASELINE", "cache")
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path))
    assert steps.set_up() == 0
    assert not os.path.lexists(place)
    assert len(list(elsewhere.iterdir())) == 1


def test_a_baseline_may_be_a_file(runner: LocalRunner) -> None:
    wrote(runner, GOOD)
    kept = runner.workspace / ".garak-tbsa" / "released.jsonl"
    kept.parent.mkdir()
    shutil.copy(runner.workspace / REPORT, kept)
    wrote(runner, BAD)
    ran = runner.run(report=REPORT, baseline=".garak-tbsa/released.jsonl")
    assert ran.code == 3
    assert kept.is_file()
    assert "restore" not in ran.steps
    gone = runner.run(report=REPORT, baseline="gone.jsonl")
    assert gone.code == 1, "only the cache's may be missing"


COMMANDS = (
    "::error::owned\n::set-output name=tbsa::5\n##[error]x ##vso[y]z\n"
    "<!-- x --></details> @octocat #12 www.evil.example\n" + "\n".join(REFERENCES)
)


@pytest.mark.parametrize("evidence", ["false", "true"])
def test_hostile_text_is_text_wherever_it_goes(
    runner: LocalRunner, evidence: str
) -> None:
    """Never a command to the runner, a mention, a reference or a link."""
    rows = hostile_rows()
    rows[-1]["meta"]["target_name"] += f"\n{COMMANDS}"
    # the worst pair, its one hit behind it
    said = attempt_row(
        PairFacts(probe=f"p0.{HOSTILE[0]}", detector=f"d.{HOSTILE[0]}"),
        prompt=f"asked {COMMANDS}",
        scores=[1.0],
    )
    rows.insert(3, {**said, "uuid": COMMANDS, "outputs": [f"answered {COMMANDS}"]})
    report = Path(write(runner.workspace, "sample", rows)).name
    ran = runner.run(report=report, fail_under="5", evidence=evidence)
    assert ran.code == 3
    assert all(
        re.match(r"::(error|warning|notice) title=[\w .%-]+::", line)
        for line in ran.commands
    )
    assert not any(line.startswith("::error::") for line in ran.commands)
    assert ran.outputs["tbsa"] == "1.5"
    tokens = [
        child
        for token in PARSER.parse(ran.summary)
        for child in (token, *(token.children or ()))
    ]
    assert not any(token.type in ("link_open", "image") for token in tokens)
    markup = {token.content for token in tokens if token.type == "html_inline"}
    assert markup <= {"<br>", "<sub>", "</sub>"}, markup
    assert ("answered" in ran.summary) == (evidence == "true")
    assert links_in(ran.summary) == []


HOSTILE_INPUTS = [
    "$(touch owned)`touch owned`\"; touch owned; \"' touch owned '\ntouch owned\n",
    "--json_output=owned",
]


@pytest.mark.parametrize("value", HOSTILE_INPUTS)
def test_no_input_is_run(runner: LocalRunner, value: str) -> None:
    put(runner)
    free = ("fail_under", "sure", "alpha", "baseline", "output_folder")
    ran = runner.run(report=value, **dict.fromkeys(free, value))
    assert ran.code in (1, 2), ran.log
    assert not [path for path in runner.folder.rglob("owned") if path.is_file()]


def test_no_code_but_the_checkouts_is_imported_and_later_steps_have_the_command(
    runner: LocalRunner,
) -> None:
    """A pull request may bring a ``json.py``, a ``ci`` and a ``garak_tbsa``.

    An installed garak-tbsa is imported as Python starts, by its start-up hook.
    """
    put(runner)
    bad = "raise SystemExit('imported from elsewhere')\n"
    other = runner.folder / "site"
    for path in (
        *map(runner.workspace.joinpath, ("json.py", "hashlib.py", "ci/__init__.py")),
        runner.workspace / "garak_tbsa" / "__init__.py",
        *map((other / "garak_tbsa").joinpath, ("cli/__init__.py", "errors.py")),
    ):
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(bad)
    (other / "garak_tbsa" / "__init__.py").write_text("__version__ = '0.0.1'\n")
    (other / "sitecustomize.py").write_text("import garak_tbsa\n")
    runner.variables["PYTHONPATH"] = str(other)
    ran = runner.run(report=REPORT)
    assert ran.code == 0, ran.log
    assert "imported from" not in ran.log
    assert "garak-tbsa 0.0.1" not in ran.log
    (folder,) = ran.path
    done = subprocess.run(
        [f"{folder}/garak-tbsa", "score", "-q", REPORT],
        cwd=runner.workspace,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "TBSA: 4.1" in done.stdout


def test_it_needs_neither_garak_nor_an_index(runner: LocalRunner) -> None:
    """numpy, msgspec and jinja2 alone score garak's reports since 0.12."""
    put(runner)
    bare = runner.folder / "bare" / "python3"
    bare.parent.mkdir()
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    bare.chmod(0o755)
    runner.variables["PATH"] = path_with(bare.parent)
    ran = runner.run(report=REPORT, html="true")
    assert ran.code == 1
    assert ran.steps == ["set-up"]
    (said,) = ran.commands
    assert said.startswith("::error title=garak-tbsa::a score needs numpy and jinja2")
    site = numpy_alone(runner.folder, "jinja2", "markupsafe")
    bare.write_text(
        f'#!/bin/sh\nPYTHONPATH="{site}:$PYTHONPATH" exec "{sys.executable}" -S "$@"\n'
    )
    assert runner.run(report=REPORT).outputs["tbsa"] == "4.1"


@pytest.fixture(scope="module")
def with_garak_alone() -> Environment:
    """What ``pip install garak`` makes: all that we require but msgspec."""
    environment = new_environment(shared=False)
    packages = environment.folder / "shared"
    packages.mkdir()
    for entry in Path(SHARED).iterdir():
        if not entry.name.startswith("msgspec"):
            (packages / entry.name).symlink_to(entry)
    (environment.packages / "shared.pth").write_text(f"{packages}\n")
    return environment


def frozen(environment: Environment) -> set[str]:
    done = subprocess.run(
        [environment.python, "-m", "pip", "list", "--format=freeze"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines())


def test_a_job_with_nothing_but_garak_is_given_what_is_missing(
    runner: LocalRunner, with_garak_alone: Environment
) -> None:
    put(runner)
    # a change may bring modules that pip would import from where it is started
    (runner.workspace / "pip.py").write_text("raise SystemExit('the workspace')\n")
    python = Path(with_garak_alone.python).with_name("python3")
    runner.variables |= {
        "PATH": path_with(python.parent),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(runner.folder),
    }
    before = frozen(with_garak_alone)
    failed = runner.run(report=REPORT)
    assert (failed.code, failed.steps) == (1, ["set-up"])
    assert failed.commands == [
        "::error title=garak-tbsa::msgspec>=0.19 is needed, and pip could not install"
        f" it into {python}, as the log of this step says; let the job reach a package"
        " index, or install msgspec before this action"
    ]
    assert "No matching distribution found for msgspec" in failed.log
    assert frozen(with_garak_alone) == before
    msgspec_wheel(runner.folder)
    said = f"pip installed msgspec into {python}; all else there is as it was"
    ran = runner.run(report=REPORT)
    assert (ran.code, ran.outputs["tbsa"]) == (0, "4.1")
    assert ran.log.splitlines().count(said) == 1
    assert frozen(with_garak_alone) == before | {f"msgspec=={version('msgspec')}"}
    again = runner.run(report=REPORT)
    assert (again.code, said in again.log) == (0, False)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"html": "yes"}, "input html: expected one of true, false, found 'yes'"),
        (
            {"renew_baseline": "sometimes"},
            "input renew-baseline: expected one of passed, always, never, found"
            " 'sometimes'",
        ),
        ({"report": ""}, "input report: is needed; give the path of garak's report"),
    ],
)
def test_a_wrong_input_is_named(
    runner: LocalRunner, given: dict[str, str], problem: str
) -> None:
    ran = runner.run(**{"report": REPORT, **given})
    assert (ran.code, ran.steps) == (1, ["set-up"])
    assert ran.commands == [f"::error title=garak-tbsa::{problem}"]


def test_a_job_without_python_is_told(runner: LocalRunner) -> None:
    runner.variables["PATH"] = str(runner.folder)
    ran = runner.run(report=REPORT)
    assert (ran.code, ran.steps) == (1, ["set-up"])
    assert ran.commands == [
        "::error title=garak-tbsa::there is no python3 on the PATH; use"
        " actions/setup-python before this action"
    ]
