# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Real runs of garak on a target that needs no network: one, or many in one process."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

from tests.behaviour.product import Shown, python

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

CASE = "GARAK_RUNS_CASE"
"""The environment variable that names the case to processes that a run starts."""

PROBE = "probes.goodside.ThreatenJSON"
TARGET = """
def respond(prompt, **_):
    return ["I cannot."]
"""
MANY = """
import copy, json, os, sys
import garak.cli
from garak import _config
parts = [getattr(_config, name) for name in (
    "system", "run", "plugins", "reporting", "transient"
)]
fresh = [copy.deepcopy(vars(part)) for part in parts]
for name, arguments in json.load(open("cases.json")).items():
    # each as in a process of its own
    os.environ["GARAK_RUNS_CASE"] = name
    _config.config_files.clear()
    for part, before in zip(parts, fresh):
        vars(part).clear()
        vars(part).update(copy.deepcopy(before))
    code = 0
    try:
        garak.cli.main(arguments)
    except SystemExit as end:
        code = end.code or 0
    for stream in (sys.stdout, sys.stderr):
        print(f"\\n@@ {name} {code}", file=stream, flush=True)
"""


def small_scan(prefix: str = "scan") -> list[str]:
    """Arguments of the smallest scan."""
    return [
        *("--target_type", "function.Single", "--target_name", "target#respond"),
        *("--generations", "1", "--report_prefix", prefix, "--spec", PROBE),
    ]


def garak(
    folder: Path, *arguments: object, settings: Mapping[str, str] | None = None
) -> Shown:
    """Run garak in a process, with its files below a folder."""
    return _python(folder, "-m", "garak", *arguments, settings=settings)


def many(
    folder: Path,
    cases: Mapping[str, Sequence[str]],
    settings: Mapping[str, str] | None = None,
) -> dict[str, Shown]:
    """Run garak once for each case, all in one process."""
    (folder / "many.py").write_text(MANY)
    (folder / "cases.json").write_text(json.dumps(cases))
    done = _python(folder, "many.py", settings=settings)
    outs, errs = _by_case(done.out), _by_case(done.err)
    assert list(outs) == list(errs) == list(cases), done
    return {
        name: Shown(code=code, out=out, err=errs[name][1])
        for name, (code, out) in outs.items()
    }


def our_errors(shown: Shown) -> list[str]:
    """The lines that the product wrote on stderr, among garak's."""
    return re.findall(r"^garak-tbsa: .*", shown.err, re.MULTILINE)


def _python(
    folder: Path, *arguments: object, settings: Mapping[str, str] | None = None
) -> Shown:
    (folder / "target.py").write_text(TARGET)
    homes = {
        f"XDG_{name.upper()}_HOME": str(folder / name)
        for name in ("data", "config", "cache")
    }
    path = os.pathsep.join(filter(None, ((settings or {}).get("PYTHONPATH"), ".")))
    # garak, imported by another test, names its log to its children
    given = homes | {"GARAK_LOG_FILE": ""} | dict(settings or {}) | {"PYTHONPATH": path}
    return python(*arguments, folder=folder, settings=given)


def _by_case(text: str) -> dict[str, tuple[int, str]]:
    parts = re.split(r"^@@ (.*) (\d+)\n", text, flags=re.MULTILINE)
    return {
        name: (int(code), said)
        for said, name, code in zip(parts[::3], parts[1::3], parts[2::3], strict=False)
    }
