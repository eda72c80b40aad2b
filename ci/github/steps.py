# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The steps that need nothing but Python, numpy and jinja2."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distributions, version
from importlib.util import find_spec

from ci.github.__main__ import OWN_FOLDER
from ci.github.runner import (
    SUMMARY_LIMIT,
    append,
    check_inputs,
    cut,
    find_report,
    given,
    is_on,
    job,
    message,
    say,
    set_output,
    variable,
)
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    EXIT_GATE_FAILED,
    EXIT_USAGE,
    UsageError,
)
from garak_tbsa.outputs.markdown_text import escaped
from garak_tbsa.version import __version__

GARAK_TBSA = [sys.executable, OWN_FOLDER, "run"]
GATE = ("fail-under", "sure", "require-tier1-grade", "min-coverage", "alpha")
"""Inputs that are options of ``score`` under the same name."""
FILES = {
    "json": ("score.json", "--json_output"),
    "markdown": ("score.md", "--markdown"),
    "junit": ("score.junit.xml", "--junit"),
    "sarif": ("score.sarif", "--sarif"),
    "badge": ("badge.json", "--badge"),
    "html": ("score.html", "--html"),
}
"""Each output's file in the output folder, and the option of ``score`` for it."""
KEPT_BASELINE = ".garak-tbsa/tbsa-baseline.jsonl.gz"
"""Where the cache's baseline is, seen from the workspace."""
PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""How gzip and zstandard begin."""
MSGSPEC = "msgspec>=0.19"
"""The one requirement that garak does not bring."""
OWN_CODE = ("push", "schedule", "workflow_dispatch", "repository_dispatch")
"""Events in which the code of the default branch runs, and no stranger's.

``pull_request_target``, ``issue_comment`` and ``workflow_run`` name the default branch
too, and may have scanned what a stranger sent.
"""


def set_up() -> int:
    """Say what this Python has, make ``garak-tbsa`` a command, name the cache's key.

    Only the cache may bring its baseline: what a change has at that place is removed.
    The checkout of this action is used where it is. What it requires and garak does not
    bring, pip installs, and leaves all else in this Python as it is.
    """
    say(f"garak-tbsa {__version__}, Python {sys.version.split()[0]} ({sys.executable})")
    cache = os.path.dirname(KEPT_BASELINE)
    try:
        check_inputs()
        _require_modules()
        if given("baseline") == "cache":
            _remove(cache)
    except UsageError as problem:
        message("error", str(problem))
        return 1
    try:
        say(f"garak {version('garak')}")
    except PackageNotFoundError:
        message(
            "notice",
            f"garak is not installed in {sys.executable}: reports of garak before 0.12"
            " and probes whose tier a report does not say cannot be scored, and there"
            " may be no range of repeats; install garak before this action",
        )
    append("PATH", f"{_command()}\n")
    prefix = cache_prefix()
    set_output("cache-path", cache)
    set_output("cache-prefix", prefix)
    set_output("cache-key", f"{prefix}{variable('RUN_ID')}-{variable('RUN_ATTEMPT')}")
    return 0


def _require_modules() -> None:
    missing = [name for name in ("numpy", "jinja2") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"a score needs {' and '.join(missing)}, which {sys.executable} does not"
            " have; install garak, which brings all of them, before this action"
        )
    if find_spec("msgspec") is not None:
        return
    # its own folder: python -m imports from the one that it is started in
    with tempfile.TemporaryDirectory() as folder:
        constraints = os.path.join(folder, "constraints.txt")
        # of two with one name Python imports the first
        found = {each.name.lower(): each.version for each in [*distributions()][::-1]}
        with open(constraints, "w", encoding="utf-8") as handle:
            handle.writelines(f"{name}=={at}\n" for name, at in found.items())
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
        raise UsageError(
            f"{MSGSPEC} is needed, and pip could not install it into {sys.executable},"
            " as the log of this step says; let the job reach a package index, or"
            " install msgspec before this action"
        )
    say(f"pip installed msgspec into {sys.executable}; all else there is as it was")


def _remove(path: str) -> None:
    """Remove a file, a folder, or a link and not what it leads to."""
    if not os.path.lexists(path):
        return
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    except OSError as problem:
        raise UsageError(
            f"{path}: cannot be removed ({problem.strerror}), and the baseline in"
            " the cache is restored there; remove it before this action"
        ) from None
    say(f"{path} of the workspace was removed: the baseline comes from the cache")


def _command() -> str:
    """Make a command ``garak-tbsa`` for the steps after this; return its folder."""
    folder = os.path.join(
        os.environ.get("RUNNER_TEMP") or os.getcwd(), "garak-tbsa-command"
    )
    os.makedirs(folder, exist_ok=True)
    command = os.path.join(folder, "garak-tbsa")
    with open(command, "w", encoding="utf-8", newline="\n") as handle:
        handle.write(f'#!/bin/sh\nexec {shlex.join(GARAK_TBSA)} "$@"\n')
    os.chmod(command, 0o700)
    if os.name == "nt":
        with open(f"{command}.cmd", "w", encoding="utf-8") as handle:
            handle.write(f"@{subprocess.list2cmdline(GARAK_TBSA)} %*\n")
    return folder


def cache_prefix() -> str:
    """Return what the keys of one baseline begin with.

    A key may hold no comma, and a workflow's name may.
    """
    key = given("baseline-key")
    names = [key] if key else ["", *job("")]
    return f"garak-tbsa-baseline-{_digest(names)[:16]}-"


def _digest(names: list[str]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def place(output: str) -> str:
    """Return the path of an output's file."""
    return os.path.join(given("output-folder", "garak-tbsa"), FILES[output][0])


def score() -> int:
    """Score the report, judge it, write the files and the run's summary.

    It does not fail where a gate does: the comment and the baseline come first.
    """
    os.makedirs(os.path.dirname(place("markdown")), exist_ok=True)
    for output in FILES:
        # nobody may take what an earlier run left for this one's
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place(output))
    report = given("report")
    try:
        report = find_report(report)
        code, problem = _score(report)
    except UsageError as found:
        code, problem = EXIT_COULD_NOT, str(found)
        message("error", problem)
    if code == EXIT_USAGE:
        # of all else --github has told
        message("error", problem)
    set_output("report", report)
    set_output("exit-code", code)
    set_output("passed", "true" if code == EXIT_DONE else "false")
    set_output("output-folder", given("output-folder", "garak-tbsa"))
    markdown = place("markdown")
    if code in (EXIT_DONE, EXIT_GATE_FAILED):
        for output in FILES:
            if os.path.exists(place(output)):
                set_output(output, place(output))
        with open(place("json"), encoding="utf-8") as handle:
            document = json.load(handle)
        set_output("tbsa", document["tbsa"])
        set_output("checksum", document["checksum"])
    else:
        with open(markdown, "w", encoding="utf-8") as handle:
            handle.write(f"## No TBSA\n\nThe scan was not scored: {escaped(problem)}\n")
        set_output("markdown", markdown)
    if is_on("summary"):
        with open(markdown, encoding="utf-8") as handle:
            append("STEP_SUMMARY", cut(handle.read(), SUMMARY_LIMIT) + "\n")
    return 0


def _score(report: str) -> tuple[int, str]:
    """Run the command; return its exit code and the last line of its stderr.

    Each value is one word with its option, so that none is taken for an option.
    """
    words = [f"--report_path={report}", "--github"]
    for output, (_, option) in FILES.items():
        if output != "html" or is_on("html"):
            words.append(f"{option}={place(output)}")
    words += [f"--{name}={given(name)}" for name in GATE if given(name)]
    if not is_on("evidence", default="false"):
        words.append("--no-evidence")
    baseline = given("baseline", "none")
    if baseline == "cache":
        words += [f"--baseline={KEPT_BASELINE}", "--baseline-optional"]
    elif baseline != "none":
        words.append(f"--baseline={baseline}")
    done = subprocess.run(  # noqa: S603
        [*GARAK_TBSA, "score", *words], stderr=subprocess.PIPE, check=False
    )
    said = done.stderr.decode("utf-8", "replace").strip()
    if said:
        say(said)
    last = said.split("\n")[-1] if said else f"garak-tbsa ended with {done.returncode}"
    return done.returncode, last


def baseline() -> int:
    """Keep this scan as the next baseline, where it may be one.

    The output ``save`` says whether the cache is to be written.
    """
    report = os.environ.get("SCORE_REPORT", "")
    if why := _why_left(os.environ.get("SCORE_EXIT_CODE", "")):
        say(f"the baseline in the cache is left as it is: {why}")
    elif problem := _why_not_kept(report):
        say(f"not kept: {problem}")
        message(
            "warning",
            "the baseline was not renewed; the log of this step says why",
        )
    else:
        set_output("save", "true")
    return 0


def _why_left(exit_code: str) -> str:
    """Return why this scan is not the next baseline, nothing where it is."""
    renewed = given("renew-baseline", "passed")
    if given("baseline") != "cache":
        return "the input baseline is not cache"
    if renewed == "never":
        return "the input renew-baseline is never"
    if not is_of_default_branch():
        return "this run is not for the default branch's own code"
    if exit_code not in (str(EXIT_DONE), str(EXIT_GATE_FAILED)):
        return "the scan was not scored"
    if exit_code == str(EXIT_GATE_FAILED) and renewed != "always":
        return (
            "the scan did not pass; renew-baseline: always makes it the baseline all"
            " the same"
        )
    return ""


def is_of_default_branch() -> bool:
    """Whether the default branch's own code was scanned."""
    name = variable("EVENT_NAME")
    try:
        with open(variable("EVENT_PATH"), encoding="utf-8") as handle:
            branch = json.load(handle)["repository"]["default_branch"]
    except (OSError, ValueError, LookupError, TypeError):
        branch = ""
    if not branch:
        return name == "schedule"
    return name in OWN_CODE and variable("REF") == f"refs/heads/{branch}"


def _why_not_kept(report: str) -> str | None:
    """Keep a copy, packed, of a report that a scan like it would pass against."""
    with tempfile.TemporaryDirectory() as folder:
        scored = os.path.join(folder, "score.json")
        words = ["-q", f"--baseline={report}", f"--json_output={scored}", "--", report]
        done = subprocess.run([*GARAK_TBSA, "score", *words], check=False)  # noqa: S603
        if done.returncode != EXIT_DONE:
            return "see above"
        with open(scored, encoding="utf-8") as handle:
            partial: str | None = json.load(handle)["partial_reason"]
    if partial is not None:
        return partial
    try:
        os.makedirs(os.path.dirname(KEPT_BASELINE), exist_ok=True)
        with open(report, "rb") as source:
            is_packed = source.read(4).startswith(PACKED)
            source.seek(0)
            with (open if is_packed else gzip.open)(KEPT_BASELINE, "wb") as kept:
                shutil.copyfileobj(source, kept)
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return None


def gate() -> int:
    """End with the exit code of the score, after everything has been told."""
    text = os.environ.get("SCORE_EXIT_CODE", "")
    code = int(text) if text.isdecimal() else EXIT_COULD_NOT
    if code == EXIT_DONE:
        say("the scan passed")
    elif code == EXIT_GATE_FAILED:
        message(
            "error", "the scan does not pass its gate; the step summary has each rule"
        )
    else:
        message("error", "the scan was not scored; the step summary says why")
    return code
