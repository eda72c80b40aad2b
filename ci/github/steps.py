# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The steps, one function each."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import garak_tbsa
from ci.github import runner
from ci.github.__main__ import OWN_FOLDER, ROOT
from garak_tbsa.earlier_outputs import require_replaceable
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    EXIT_GATE_FAILED,
    EXIT_USAGE,
    GarakTbsaError,
    UsageError,
    reason_of,
)
from garak_tbsa.gates.options import GATE_OPTIONS, RULE_OPTIONS
from garak_tbsa.outputs.markdown_text import escaped
from garak_tbsa.terminal import write_line

GARAK_TBSA = [sys.executable, OWN_FOLDER, "run"]
RULES = [option.rule for option in RULE_OPTIONS if option.kind is not str]
GATE = [option.rule for option in GATE_OPTIONS if option.kind in (int, float)]
"""Inputs that are options of ``score`` under the same name."""
KEPT_BASELINE = ".garak-tbsa/tbsa-baseline.jsonl"
"""Where the cache's baseline is, seen from the workspace."""
MSGSPEC = "msgspec>=0.19"
"""The one requirement that garak does not bring; it has none itself."""
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
    write_line(f"garak-tbsa {garak_tbsa.__version__}, Python {sys.version}")
    cache = os.path.dirname(KEPT_BASELINE)
    try:
        runner.check_inputs()
        _require_modules()
        if runner.given("baseline") == "cache":
            _remove(cache)
    except (UsageError, OSError) as problem:
        runner.message("error", str(problem))
        return 1
    try:
        write_line(f"garak {version('garak')}")
    except PackageNotFoundError:
        runner.message(
            "notice",
            f"garak is not installed in {sys.executable}: reports of garak before 0.12"
            " and probes whose tier a report does not say cannot be scored, and there"
            " may be no range of repeats; install garak before this action",
        )
    runner.append("PATH", f"{_command()}\n")
    prefix = cache_prefix()
    run = f"{runner.variable('RUN_ID')}-{runner.variable('RUN_ATTEMPT')}"
    runner.set_output("cache-path", cache)
    runner.set_output("cache-prefix", prefix)
    runner.set_output("cache-key", f"{prefix}{run}")
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
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    # in our folder: python -m imports from the one that it is started in
    done = subprocess.run([*pip, "--no-deps", MSGSPEC], cwd=ROOT, check=False)  # noqa: S603
    if done.returncode:
        raise UsageError(
            f"{MSGSPEC} is needed, and pip could not install it into {sys.executable},"
            " as the log of this step says; let the job reach a package index, or"
            " install msgspec before this action"
        )
    write_line(
        f"pip installed msgspec into {sys.executable}; all else there is as it was"
    )


def _remove(path: str) -> None:
    """Remove a file, a folder, or a link and not what it leads to."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


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
    key = runner.given("baseline-key")
    job = ["", runner.variable("WORKFLOW"), runner.variable("JOB"), ""]
    names = "\n".join([key] if key else job)
    return f"garak-tbsa-baseline-{hashlib.sha256(names.encode()).hexdigest()[:16]}-"


def score() -> int:
    """Score the report, judge it, write the files and the run's summary.

    It does not fail where a gate does: the baseline comes first.
    """
    report, has_room = runner.given("report"), False
    try:
        _make_room()
        has_room = True
        report = runner.find_report(report)
        code, problem = _score(report)
    except UsageError as found:
        code, problem = EXIT_COULD_NOT, str(found)
        runner.message("error", problem)
    if code == EXIT_USAGE:
        # of all else --github has told
        runner.message("error", problem)
    runner.set_output("report", report)
    runner.set_output("exit-code", code)
    runner.set_output("passed", "true" if code == EXIT_DONE else "false")
    runner.set_output("output-folder", runner.given("output-folder", "garak-tbsa"))
    text = f"## No TBSA\n\nThe scan was not scored: {escaped(problem)}\n"
    if code in (EXIT_DONE, EXIT_GATE_FAILED):
        for output in runner.FILES:
            if os.path.exists(runner.place(output)):
                runner.set_output(output, runner.place(output))
        with open(runner.place("json"), encoding="utf-8") as handle:
            document = json.load(handle)
        runner.set_output("tbsa", document["tbsa"])
        runner.set_output("checksum", document["checksum"])
        with open(runner.place("markdown"), encoding="utf-8") as handle:
            text = handle.read()
    elif has_room:
        with open(runner.place("markdown"), "w", encoding="utf-8") as handle:
            handle.write(text)
        runner.set_output("markdown", runner.place("markdown"))
    if runner.is_on("summary"):
        summary = runner.cut(text, runner.SUMMARY_LIMIT)
        runner.append("STEP_SUMMARY", f"{summary}\n")
    return 0


def _make_room() -> None:
    """Make the output folder; take away what an earlier run left, and nothing else.

    Nobody may take that for this run's.

    Raises
    ------
    UsageError
        The folder cannot be made, or holds a file that is no output of ours.
    """
    places = {output: runner.place(output) for output in runner.FILES}
    try:
        os.makedirs(os.path.dirname(places["markdown"]), exist_ok=True)
        # all are looked at before one is taken away
        for output, path in places.items():
            require_replaceable("input output-folder:", path, output)
        for path in places.values():
            with suppress(FileNotFoundError):
                os.unlink(path)
    except OSError as error:
        folder = os.path.dirname(places["markdown"])
        raise UsageError(
            f"input output-folder: {folder}: cannot be written to"
            f" ({reason_of(error)}); name another folder"
        ) from None


def _score(report: str) -> tuple[int, str]:
    """Run the command; return its exit code and the last line of its stderr.

    Each value is one word with its option, so that none is taken for an option.
    """
    words = [f"--report_path={report}", "--github"]
    for output, (_, option) in runner.FILES.items():
        if output != "html" or runner.is_on("html"):
            words.append(f"{option}={runner.place(output)}")
    words += [f"--{name}={runner.given(name)}" for name in GATE if runner.given(name)]
    if not runner.is_on("evidence", default="false"):
        words.append("--no-evidence")
    baseline = runner.given("baseline", "none")
    if baseline == "cache":
        words += [f"--baseline={KEPT_BASELINE}", "--baseline-optional"]
    elif baseline != "none":
        words.append(f"--baseline={baseline}")
    is_judged = baseline != "none" or any(map(runner.given, RULES))
    if is_judged and runner.is_on("constant-target", default="false"):
        words.append("--constant-target")
    command = [*GARAK_TBSA, "score", *words]
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)  # noqa: S603
    said = done.stderr.decode("utf-8", "replace").strip()
    said = said or f"garak-tbsa ended with {done.returncode}"
    write_line(said)
    return done.returncode, said.split("\n")[-1]


def baseline() -> int:
    """Keep this scan as the next baseline, where it may be one.

    The output ``save`` says whether the cache is to be written.
    """
    report = os.environ.get("SCORE_REPORT", "")
    if why := _why_left(os.environ.get("SCORE_EXIT_CODE", "")):
        write_line(f"the baseline in the cache is left as it is: {why}")
    elif problem := _why_not_kept(report):
        runner.message("warning", f"the baseline was not renewed: {problem}")
    else:
        runner.set_output("save", "true")
    return 0


def _why_left(exit_code: str) -> str:
    """Return why this scan is not the next baseline, nothing where it is."""
    renewed = runner.given("renew-baseline", "passed")
    if runner.given("baseline") != "cache":
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
    name = runner.variable("EVENT_NAME")
    branch = runner.default_branch()
    if not branch:
        return name == "schedule"
    return name in OWN_CODE and runner.variable("REF") == f"refs/heads/{branch}"


def _why_not_kept(report: str) -> str | None:
    """Keep a copy of a report that a scan like it would pass against."""
    is_constant = runner.is_on("constant-target", default="false")
    try:
        # the mildest rule, to have what every gate looks at
        found = garak_tbsa.score(
            report, min_coverage=0, constant_target=is_constant, interval=False
        )
        if found.partial is not None:
            return found.partial.reason
        if found.gate is not None and not found.gate.passed:
            return found.gate.failed[0].said
        os.makedirs(os.path.dirname(KEPT_BASELINE), exist_ok=True)
        shutil.copyfile(report, KEPT_BASELINE)
    except (GarakTbsaError, OSError) as problem:
        return str(problem)
    return None


def gate() -> int:
    """End with the exit code of the score, after everything has been told."""
    text = os.environ.get("SCORE_EXIT_CODE", "")
    code = int(text) if text.isdecimal() else EXIT_COULD_NOT
    if code == EXIT_DONE:
        write_line("the scan passed")
    elif code == EXIT_GATE_FAILED:
        runner.message(
            "error", "the scan does not pass its gate; the step summary has each rule"
        )
    else:
        runner.message("error", "the scan was not scored; the step summary says why")
    return code
