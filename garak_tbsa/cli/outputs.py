# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write a scored report in the forms asked for, and say how a gate went."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from garak_tbsa.cli.score_options import ScoreOptions
from garak_tbsa.files import is_standard_output, write_whole
from garak_tbsa.tbsa.gate_outcomes import GateVerdict
from garak_tbsa.tbsa.outputs.github_commands import Annotation, commands
from garak_tbsa.tbsa.outputs.registry import FORMATS
from garak_tbsa.tbsa.outputs.text import verdict_lines
from garak_tbsa.tbsa.outputs.view import ScoredReport
from garak_tbsa.terminal import flush, write_commands, write_error, write_lines


def write_outputs(scored: ScoredReport, paths: Mapping[str, str | None]) -> list[str]:
    """Write each form that has a path; return the paths written.

    Parameters
    ----------
    scored : ScoredReport
    paths : mapping
        Path by the name of its form.

    Raises
    ------
    OutputError
        One cannot be written; those before it are kept.
    """
    written = []
    for form in FORMATS:
        path = paths.get(form.name)
        if path:
            write_whole(path, form.render(scored))
            written.append(path)
    return written


def show_verdict(verdict: GateVerdict | None) -> None:
    """Print each rule's outcome."""
    write_lines(verdict_lines(verdict))


def tell_failed(source: str, verdict: GateVerdict | None) -> None:
    """Say on stderr why an exit code of 3 follows, where ``-q`` shows no rules."""
    for outcome in verdict.failed if verdict is not None else ():
        write_error(f"{source}: gate failed: {outcome.rule}: {outcome.said}")


def annotate(found: Iterable[Annotation], options: ScoreOptions) -> None:
    """Tell GitHub Actions.

    On standard output, or on standard error where a result is read from the former:
    the runner obeys both.
    """
    is_read = options.quiet or any(
        path is not None and is_standard_output(path)
        for path in options.outputs.values()
    )
    flush()
    write_commands(commands(found), stream=sys.stderr if is_read else None)
