# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Step: say what this Python has, make ``garak-tbsa`` a command, name the cache.

Only the cache may bring its baseline: what a change has at that place is removed.
The checkout of this action is used where it is. What it requires and garak does not
bring, pip installs, and leaves all else in this Python as it is.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distributions, version
from importlib.util import find_spec

from ci.github.__main__ import OWN_FOLDER
from ci.github.inputs import CACHE, KEPT_BASELINE, Inputs, read_inputs
from ci.github.workflow import add_to_path, error, notice, say, set_output
from garak_tbsa import __version__
from garak_tbsa.errors import UsageError

FOLDER = "garak-tbsa-command"
KEY = "garak-tbsa-baseline"
MSGSPEC = "msgspec>=0.19"
"""The one requirement that garak does not bring."""


def run() -> int:
    """Return 1 where an input is wrong or something that is asked for needs more."""
    try:
        inputs = read_inputs()
    except UsageError as problem:
        error(str(problem))
        return 1
    say(f"garak-tbsa {__version__}, Python {sys.version.split()[0]} ({sys.executable})")
    missing = missing_modules()
    for module, use in missing.items():
        error(
            f"{use} needs {module}, and {sys.executable} does not have it; install"
            f" {module} (garak brings it) before this action"
        )
    if missing or not _has_msgspec():
        return 1
    cache_path = os.path.dirname(KEPT_BASELINE)
    try:
        if inputs.baseline == CACHE:
            _remove(cache_path)
    except OSError as problem:
        error(
            f"{cache_path}: cannot be removed ({problem.strerror}), and the baseline in"
            " the cache is restored there; remove it before this action"
        )
        return 1
    _tell_garak()
    add_to_path(_command())
    prefix = cache_prefix(inputs)
    set_output("cache-path", cache_path)
    set_output("cache-prefix", prefix)
    attempt = os.environ.get("GITHUB_RUN_ATTEMPT", "1")
    set_output("cache-key", f"{prefix}{os.environ.get('GITHUB_RUN_ID', '0')}-{attempt}")
    return 0


def missing_modules() -> dict[str, str]:
    """Return what cannot be done, by the module that it needs."""
    needed = {"numpy": "a score", "jinja2": "a summary"}
    return {module: use for module, use in needed.items() if find_spec(module) is None}


def _has_msgspec() -> bool:
    """Let pip install msgspec where it is missing; whether it is there then."""
    if find_spec("msgspec") is not None:
        return True
    # its own folder: python -m imports from the one that it is started in
    with tempfile.TemporaryDirectory() as folder:
        constraints = os.path.join(folder, "constraints.txt")
        with open(constraints, "w", encoding="utf-8") as handle:
            handle.writelines(f"{name}=={at}\n" for name, at in _installed().items())
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
        done = subprocess.run(  # noqa: S603
            [*pip, "--constraint", constraints, MSGSPEC],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    if done.returncode:
        say(done.stdout.rstrip())
        error(
            f"{MSGSPEC} is needed, and pip could not install it into {sys.executable},"
            " as the log of this step says; let the job reach a package index, or"
            " install msgspec before this action"
        )
        return False
    say(f"pip installed msgspec into {sys.executable}; all else there is as it was")
    return True


def _installed() -> dict[str, str]:
    """Versions of all that Python finds; of two with one name it imports the first."""
    found: dict[str, str] = {}
    for each in distributions():
        if each.name:
            found.setdefault(each.name.lower(), each.version)
    return found


def _remove(path: str) -> None:
    """Remove a file, a folder, or a link and not what it leads to."""
    if not os.path.lexists(path):
        return
    try:
        os.unlink(path)
    except OSError:  # which one for a folder depends on the system
        shutil.rmtree(path)
    say(f"{path} of the workspace was removed: the baseline comes from the cache")


def _tell_garak() -> None:
    try:
        say(f"garak {version('garak')}")
    except PackageNotFoundError:
        notice(
            f"garak is not installed in {sys.executable}: reports of garak before 0.12"
            " and probes whose tier a report does not say cannot be scored, and there"
            " may be no range of repeats; install garak before this action"
        )


def _command() -> str:
    """Make a command ``garak-tbsa`` for the steps after this; return its folder."""
    folder = os.path.join(os.environ.get("RUNNER_TEMP") or os.getcwd(), FOLDER)
    os.makedirs(folder, exist_ok=True)
    command = os.path.join(folder, "garak-tbsa")
    words = " ".join(map(shlex.quote, (sys.executable, OWN_FOLDER)))
    with open(command, "w", encoding="utf-8", newline="\n") as handle:
        handle.write(f'#!/bin/sh\nexec {words} run "$@"\n')
    os.chmod(command, 0o700)
    if os.name == "nt":
        with open(f"{command}.cmd", "w", encoding="utf-8") as handle:
            handle.write(f'@"{sys.executable}" "{OWN_FOLDER}" run %*\n')
    return folder


def cache_prefix(inputs: Inputs) -> str:
    """Return what the keys of one baseline begin with.

    A key may hold no comma, and a workflow's name may.
    """
    names = [inputs.baseline_key] if inputs.baseline_key else _job()
    digest = hashlib.sha256("\n".join(names).encode()).hexdigest()
    return f"{KEY}-{digest[:16]}-"


def _job() -> list[str]:
    return ["", *(os.environ.get(f"GITHUB_{name}", "") for name in ("WORKFLOW", "JOB"))]
