# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Run the steps of ``action.yml`` in order, as GitHub's runner does with a composite.

Of the expressions it knows what our action uses, and refuses every other. The two
actions of ``actions/cache`` are folders here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from tests.values import known

ROOT = Path(__file__).parents[2]
EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")
COMPARED = re.compile(r"([\w.-]+) == '([^']*)'")
OUTPUT = re.compile(r"^([\w-]+)<<(\S+)\n(.*?)\n\2\n", re.MULTILINE | re.DOTALL)
OF_GITHUB = re.compile(r"(GITHUB|RUNNER|TBSA|SCORE|INPUT)_|CI$")


BASH = known(shutil.which("bash"))


def path_with(folder: Path) -> str:
    """A PATH on which the programs of a folder come first."""
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@lru_cache(maxsize=1)
def action() -> dict[str, Any]:
    """The metadata of the action."""
    document: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    return document


@dataclass
class Ran:
    """What a run of the action did.

    Attributes
    ----------
    code : int
        Exit code of the step that failed, else 0.
    outputs : dict of str to str
        Of the action.
    log : str
        Standard output and error of every step.
    steps : list of str
        Ids of the steps that ran, in order.
    """

    code: int = 0
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""
    summary: str = ""
    steps: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)

    @property
    def commands(self) -> list[str]:
        """What the runner takes for a command in the log."""
        return [
            line
            for line in self.log.splitlines()
            if line.lstrip().startswith("::") or "##[" in line or "##vso[" in line
        ]


@dataclass
class LocalRunner:
    """A runner with its workspace, its cache and GitHub's variables."""

    folder: Path
    variables: dict[str, str]

    def __post_init__(self) -> None:
        self.workspace = self.folder / "workspace"
        self.cache = self.folder / "cache"
        for place in (self.workspace, self.cache, self.folder / "temp"):
            place.mkdir(exist_ok=True)

    def run(self, **given: str) -> Ran:
        """Use the action with some inputs, underscores for dashes."""
        inputs = {
            name: str(entry.get("default", ""))
            for name, entry in action()["inputs"].items()
        }
        # a page takes as long as everything else; who wants it asks for it
        inputs["html"] = "false"
        named = {name.replace("_", "-"): value for name, value in given.items()}
        assert named.keys() <= inputs.keys()
        contexts = {
            f"inputs.{name}": value for name, value in {**inputs, **named}.items()
        }
        ran = Ran()
        for step in action()["runs"]["steps"]:
            if not _holds(step.get("if"), contexts):
                continue
            ran.steps.append(step["id"])
            if "uses" in step:
                self._use(step, contexts)
                continue
            ran.code = self._step(step, contexts, ran)
            if ran.code:
                break
        ran.outputs = {
            name: _filled(entry["value"], contexts)
            for name, entry in action()["outputs"].items()
        }
        return ran

    def _step(self, step: dict[str, Any], contexts: dict[str, str], ran: Ran) -> int:
        assert step["shell"] == "bash"
        files = {
            f"GITHUB_{name}": self.folder / f"{step['id']}.{name.lower()}"
            for name in ("OUTPUT", "STEP_SUMMARY", "PATH", "ENV")
        }
        for path in files.values():
            path.write_text("")
        own = {k: v for k, v in os.environ.items() if not OF_GITHUB.match(k)}
        done = subprocess.run(
            [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.workspace,
            env={
                **own,
                # a runner has none of ours; its python3 is the first on the path
                "PYTHONPATH": "",
                "PATH": path_with(Path(sys.executable).parent),
                "GITHUB_ACTIONS": "true",
                "GITHUB_ACTION_PATH": str(ROOT),
                "GITHUB_WORKSPACE": str(self.workspace),
                "RUNNER_TEMP": str(self.folder / "temp"),
                **self.variables,
                **{name: str(path) for name, path in files.items()},
                **{k: _filled(v, contexts) for k, v in step.get("env", {}).items()},
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        ran.log += done.stdout.decode("utf-8", "surrogateescape")
        ran.summary += files["GITHUB_STEP_SUMMARY"].read_text("utf-8")
        ran.path += files["GITHUB_PATH"].read_text("utf-8").splitlines()
        outputs = files["GITHUB_OUTPUT"].read_text("utf-8")
        for name, _, value in OUTPUT.findall(outputs):
            contexts[f"steps.{step['id']}.outputs.{name}"] = value
        assert OUTPUT.sub("", outputs) == ""
        return done.returncode

    def _use(self, step: dict[str, Any], contexts: dict[str, str]) -> None:
        given = {k: _filled(v, contexts) for k, v in step["with"].items()}
        kept = self.workspace / given["path"]
        assert re.fullmatch(r"[^,]{1,512}", given["key"])
        if step["uses"].startswith("actions/cache/save@"):
            shutil.copytree(kept, self.cache / given["key"])
            return
        assert step["uses"].startswith("actions/cache/restore@")
        assert given["key"].startswith(given["restore-keys"])
        found = sorted(self.cache.glob(f"{given['restore-keys']}*"))
        if found:
            newest = max(found, key=lambda path: path.stat().st_mtime_ns)
            shutil.copytree(newest, kept, dirs_exist_ok=True)


def _holds(condition: str | None, contexts: Mapping[str, str]) -> bool:
    if condition is None:
        return True
    whole = EXPRESSION.fullmatch(condition)
    assert whole is not None
    compared = COMPARED.fullmatch(whole[1])
    assert compared is not None
    return _value(compared[1], contexts) == compared[2]


def _filled(text: object, contexts: Mapping[str, str]) -> str:
    return EXPRESSION.sub(lambda found: _value(found[1], contexts), str(text))


def _value(name: str, contexts: Mapping[str, str]) -> str:
    if name.startswith("steps."):
        # a step that did not run or set no such output
        return contexts.get(name, "")
    return contexts[name]
