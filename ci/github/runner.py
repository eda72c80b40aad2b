# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What GitHub's runner gives a step and reads of it.

A step has an input of ``action.yml`` as a variable, ``TBSA_FAIL_UNDER`` for
``fail-under``, if its ``env:`` hands it on. ``check_inputs`` sees them all, first.
"""

from __future__ import annotations

import glob
import json
import os
import uuid

from garak_tbsa.errors import UsageError
from garak_tbsa.outputs.github_commands import Annotation
from garak_tbsa.terminal import write_commands

SWITCH = ("true", "false")
ALLOWED = {
    "renew-baseline": ("passed", "always", "never"),
    **dict.fromkeys(("constant-target", "evidence", "html", "summary"), SWITCH),
}
FILES = {
    "json": ("score.json", "--json_output"),
    "markdown": ("score.md", "--markdown"),
    "junit": ("score.junit.xml", "--junit"),
    "sarif": ("score.sarif", "--sarif"),
    "html": ("score.html", "--html"),
}
"""Each output's file in the output folder, and the option of ``score`` for it."""
SUMMARY_LIMIT = 1_000_000
"""Bytes of a step's summary; the runner refuses a whole summary above 1 MiB."""
CUT_NOTE = "_Cut here: the rest is in the file score.md of this run._"


def variable(name: str) -> str:
    """Return what the runner says of this run, as ``GITHUB_`` and the name."""
    return os.environ.get(f"GITHUB_{name}", "")


def default_branch() -> str:
    """Return the repository's default branch, empty where the event has none."""
    try:
        with open(variable("EVENT_PATH"), "rb") as handle:
            return str(json.load(handle)["repository"]["default_branch"] or "")
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def given(name: str, default: str = "") -> str:
    """Return an input, the default where it is empty."""
    value = os.environ.get(f"TBSA_{name.upper().replace('-', '_')}", "")
    return value.strip() or default


def is_on(name: str, default: str = "true") -> bool:
    """Return an input that is ``true`` or ``false``."""
    return given(name, default) == "true"


def place(output: str) -> str:
    """Return the path of an output's file."""
    return os.path.join(given("output-folder", "garak-tbsa"), FILES[output][0])


def check_inputs() -> None:
    """Raise UsageError for an input that is not what it should be; name it."""
    if not given("report"):
        raise UsageError("input report: is needed; give the path of garak's report")
    for name, allowed in ALLOWED.items():
        if (value := given(name, allowed[0])) not in allowed:
            known = ", ".join(allowed)
            raise UsageError(f"input {name}: expected one of {known}, found {value!r}")


def find_report(pattern: str) -> str:
    """Return the one report that a path or a pattern means.

    A path without a file is returned as it is: ``score`` says what is wrong with it.
    UsageError for a pattern that no file or several files match.
    """
    if os.path.exists(pattern) or not glob.has_magic(pattern):
        return pattern
    found = sorted(glob.glob(pattern, recursive=True))
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(
            f"input report: no file matches {pattern!r}; did the scan write its report?"
        )
    named = ", ".join(found[:3]) + ", ..." * (len(found) > 3)
    raise UsageError(
        f"input report: {len(found)} files match {pattern!r} ({named}); give one"
    )


def message(kind: str, text: str) -> None:
    """Show a ``notice``, a ``warning`` or an ``error`` beside the run."""
    write_commands([Annotation(kind=kind, title="garak-tbsa", message=text).command])


def set_output(name: str, value: object) -> None:
    """Set an output of the step; a value may be any text."""
    # nobody can write a line that ends the value, as nobody knows it before
    end = f"end-{uuid.uuid4()}"
    append("OUTPUT", f"{name}<<{end}\n{value}\n{end}\n")


def append(name: str, text: str) -> None:
    """Add to one of the files that the runner reads when the step has ended."""
    if path := variable(name):
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as handle:
            handle.write(text)


def cut(markdown: str, limit: int) -> str:
    """Return whole lines of Markdown in at most ``limit`` bytes of UTF-8.

    What a ``<details>`` has folded stays folded: it is closed where the text is cut.
    """
    if len(markdown.encode("utf-8", "backslashreplace")) <= limit:
        return markdown
    closing = "\n</details>"
    room = limit - len(closing) * markdown.count("<details>") - len(CUT_NOTE) - 2
    kept = markdown.encode("utf-8", "backslashreplace")[: max(room, 0)]
    whole = kept.rpartition(b"\n")[0].decode("utf-8")
    still_open = whole.count("<details>") - whole.count("</details>")
    return f"{whole}{closing * still_open}\n\n{CUT_NOTE}"
