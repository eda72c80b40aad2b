# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The inputs of ``action.yml``, as its ``env:`` hands them on, checked."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from garak_tbsa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "TBSA_"
CACHE, NONE = "cache", "none"
ALWAYS, PASSED, NEVER = "always", "passed", "never"
RENEWALS = (PASSED, ALWAYS, NEVER)
KEPT_BASELINE = ".garak-tbsa/tbsa-baseline.jsonl.gz"
"""Where the cache's baseline is, seen from the workspace."""

GATE = ("fail-under", "sure", "require-tier1-grade", "min-coverage", "alpha")
"""Inputs that are options of ``score`` under the same name."""

FILES = {
    "json": "score.json",
    "markdown": "score.md",
    "junit": "score.junit.xml",
    "sarif": "score.sarif",
    "badge": "badge.json",
    "html": "score.html",
}
"""What is written into the output folder, by the name of the output."""


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What the user asked for.

    Attributes
    ----------
    report : str
        A report's path, or a pattern that one file matches.
    output_folder : str
    gate : dict of str to str
        Options of ``score`` that were given; ``score`` checks them.
    baseline : str
        ``cache``, ``none`` or a report's path.
    baseline_key : str
        What tells this baseline from others in the cache; empty: workflow and job.
    renew_baseline : str
        One of :data:`RENEWALS`.
    html, summary, comment : bool
        What to make.
    evidence : bool
        Whether texts of hits are in it.
    comment_key : str
        What tells this comment from others of the same job, as in a matrix.
    comment_author : str
        Who owns the comments that the token makes.
    pull_request : str
        Its number; empty: that of the event.
    token : str
    """

    report: str
    output_folder: str
    gate: dict[str, str]
    baseline: str
    baseline_key: str
    renew_baseline: str
    evidence: bool
    html: bool
    summary: bool
    comment: bool
    comment_key: str
    comment_author: str
    pull_request: str
    token: str

    @property
    def baseline_path(self) -> str | None:
        """Where the baseline is or will be; None where none is wanted."""
        return {CACHE: KEPT_BASELINE, NONE: None}.get(self.baseline, self.baseline)

    def place(self, output: str) -> str:
        """Return the path of an output."""
        return os.path.join(self.output_folder, FILES[output])


def read_inputs(environment: Mapping[str, str] | None = None) -> Inputs:
    """Return the inputs.

    Raises
    ------
    UsageError
        One is not what it should be; names it.
    """
    given = os.environ if environment is None else environment
    values = {
        name.removeprefix(PREFIX).lower().replace("_", "-"): value.strip()
        for name, value in given.items()
        if name.startswith(PREFIX)
    }
    pull_request = values.get("pull-request", "")
    if pull_request and not (pull_request.isascii() and pull_request.isdecimal()):
        raise UsageError(
            f"input pull-request: expected a number, found {pull_request!r}"
        )
    return Inputs(
        report=_needed(values, "report"),
        output_folder=values.get("output-folder") or "garak-tbsa",
        gate={name: values[name] for name in GATE if values.get(name)},
        baseline=values.get("baseline") or NONE,
        baseline_key=values.get("baseline-key", ""),
        renew_baseline=_one_of(values, "renew-baseline", RENEWALS, PASSED),
        evidence=_switch(values, "evidence", default="false"),
        html=_switch(values, "html"),
        summary=_switch(values, "summary"),
        comment=_switch(values, "comment"),
        comment_key=values.get("comment-key", ""),
        comment_author=values.get("comment-author", ""),
        pull_request=pull_request,
        token=values.get("github-token", ""),
    )


def _needed(values: Mapping[str, str], name: str) -> str:
    value = values.get(name, "")
    if not value:
        raise UsageError(f"input {name}: is needed; give the path of garak's report")
    return value


def _one_of(
    values: Mapping[str, str], name: str, known: tuple[str, ...], default: str
) -> str:
    value = values.get(name) or default
    if value not in known:
        raise UsageError(
            f"input {name}: expected one of {', '.join(known)}, found {value!r}"
        )
    return value


def _switch(values: Mapping[str, str], name: str, default: str = "true") -> bool:
    return _one_of(values, name, ("true", "false"), default) == "true"


def find_report(pattern: str) -> str:
    """Return the one report that a path or a pattern means.

    A path without a file is returned as it is: ``score`` says what is wrong with it.

    Raises
    ------
    UsageError
        A pattern that no file or several files match.
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
