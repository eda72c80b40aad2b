# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Step: score the report, judge it, write the files and the run's summary.

It does not fail where a gate does: the comment and the baseline come first.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys

from ci.github.__main__ import OWN_FOLDER
from ci.github.inputs import CACHE, FILES, Inputs, find_report, read_inputs
from ci.github.workflow import add_to_summary, error, say, set_output
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    EXIT_GATE_FAILED,
    EXIT_USAGE,
    UsageError,
)
from garak_tbsa.outputs.markdown_text import escaped

OPTIONS = {
    "json": "--json_output",
    "markdown": "--markdown",
    "junit": "--junit",
    "sarif": "--sarif",
    "badge": "--badge",
    "html": "--html",
}
SCORED = (EXIT_DONE, EXIT_GATE_FAILED)


def run() -> int:
    """Return 0 whatever came out, which the outputs say."""
    inputs = read_inputs()
    _remove_earlier(inputs)
    try:
        report = find_report(inputs.report)
        code, problem = _score(report, inputs)
    except UsageError as found:
        report, code, problem = inputs.report, EXIT_COULD_NOT, str(found)
        error(problem)
    if code == EXIT_USAGE:
        # of all else --github has told
        error(problem)
    if code not in SCORED:
        _write_problem(inputs, problem)
    _set_outputs(inputs, report, code)
    markdown = inputs.place("markdown")
    set_output("markdown", markdown)
    if inputs.summary:
        with open(markdown, encoding="utf-8") as handle:
            add_to_summary(handle.read())
    return 0


def arguments(report: str, inputs: Inputs) -> list[str]:
    """Return the command line of ``garak-tbsa score``.

    Each value is one word with its option, so that none is taken for an option.
    """
    wanted = [name for name in OPTIONS if name != "html" or inputs.html]
    words = [f"--report_path={report}", "--github"]
    words += [f"{OPTIONS[name]}={inputs.place(name)}" for name in wanted]
    words += [f"--{name}={value}" for name, value in inputs.gate.items()]
    if not inputs.evidence:
        words.append("--no-evidence")
    if inputs.baseline_path is not None:
        words.append(f"--baseline={inputs.baseline_path}")
    if inputs.baseline == CACHE:
        words.append("--baseline-optional")
    return words


def _score(report: str, inputs: Inputs) -> tuple[int, str]:
    """Run the command; return its exit code and the last line of its stderr."""
    command = [sys.executable, OWN_FOLDER, "run", "score", *arguments(report, inputs)]
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)  # noqa: S603
    said = done.stderr.decode("utf-8", "replace").strip()
    if said:
        say(said)
    last = said.split("\n")[-1] if said else f"garak-tbsa ended with {done.returncode}"
    return done.returncode, last


def _remove_earlier(inputs: Inputs) -> None:
    """Remove what an earlier run left: nobody may take it for this one's."""
    os.makedirs(inputs.output_folder, exist_ok=True)
    for output in FILES:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(inputs.place(output))


def _write_problem(inputs: Inputs, problem: str) -> None:
    with open(inputs.place("markdown"), "w", encoding="utf-8") as handle:
        handle.write(f"## No TBSA\n\nThe scan was not scored: {escaped(problem)}\n")


def _set_outputs(inputs: Inputs, report: str, code: int) -> None:
    set_output("report", report)
    set_output("exit-code", code)
    set_output("passed", "true" if code == EXIT_DONE else "false")
    set_output("output-folder", inputs.output_folder)
    if code not in SCORED:
        return
    for output in FILES:
        if os.path.exists(inputs.place(output)):
            set_output(output, inputs.place(output))
    with open(inputs.place("json"), encoding="utf-8") as handle:
        document = json.load(handle)
    set_output("tbsa", document["tbsa"])
    set_output("checksum", document["checksum"])
