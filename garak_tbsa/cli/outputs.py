# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What commands write: each output its own place, one of them standard output."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence

from garak_tbsa.earlier_outputs import require_replaceable
from garak_tbsa.errors import UsageError
from garak_tbsa.files import (
    STANDARD_OUTPUT,
    is_standard_output,
    require_distinct,
    write_whole,
)
from garak_tbsa.gates.outcome import GateVerdict
from garak_tbsa.outputs.registry import OutputFormat
from garak_tbsa.outputs.text import verdict_lines
from garak_tbsa.terminal import text_to_stderr, write_error, write_lines

PROBLEMS_SHOWN = 3
"""Lines about labels that are not used."""

CANNOT_BE_USED = "cannot be used; `audit -j` lists all of them"


def add_form_options(
    parser: argparse.ArgumentParser, forms: Sequence[OutputFormat]
) -> None:
    """Add an option for each form of a result; :func:`form_paths` gives the paths."""
    for form in forms:
        parser.add_argument(
            *form.options,
            dest=f"output_{form.name}",
            nargs="?" if form.replaces_text else None,
            const=STANDARD_OUTPUT if form.replaces_text else None,
            metavar="PATH",
            help=f"write {form.purpose}",
        )


def form_paths(
    options: argparse.Namespace, forms: Sequence[OutputFormat]
) -> dict[OutputFormat, str]:
    """Return the path of each form that is asked for."""
    paths = {form: getattr(options, f"output_{form.name}") for form in forms}
    return {form: path for form, path in paths.items() if path}


def claimed_forms(
    options: argparse.Namespace,
    forms: Sequence[OutputFormat],
    inputs: Iterable[str | None],
) -> dict[OutputFormat, str]:
    """Return the same if they spoil nothing; see :func:`claim_outputs`."""
    paths = form_paths(options, forms)
    claim_outputs({form.options[0]: path for form, path in paths.items()}, inputs)
    for form, path in paths.items():
        require_replaceable(form.options[0], path, form.name)
    return paths


def write_forms(paths: Mapping[OutputFormat, str], result: object) -> None:
    """Write each form that is asked for.

    Raises
    ------
    OutputError
        One cannot be written; those before it are kept.
    """
    for form, path in paths.items():
        write_whole(path, form.render(result))


def claim_outputs(
    outputs: Mapping[str, str | None], inputs: Iterable[str | None]
) -> None:
    """Refuse outputs that would spoil one another or an input.

    Where one goes to standard output, what is said to people goes to standard error.

    Parameters
    ----------
    outputs : mapping of str to str or None
        Path by option; None where not asked for, ``-`` for standard output.
    inputs : iterable of str or None
        Paths that are read.

    Raises
    ------
    UsageError
        An output would replace another or an input, or two go to standard output.
    """
    require_distinct(outputs, inputs)
    printed = [
        option for option, path in outputs.items() if path and is_standard_output(path)
    ]
    if len(printed) > 1:
        raise UsageError(
            f"{' and '.join(printed)}: one output can go to standard output;"
            " give the others a file"
        )
    if printed:
        text_to_stderr()


def tell_verdict(source: str, verdict: GateVerdict | None, *, quiet: bool) -> None:
    """Print each rule's outcome; if quiet, say on stderr why a scan failed."""
    if verdict is not None and quiet:
        for outcome in verdict.failed:
            write_error(f"{source}: gate failed: {outcome.rule}: {outcome.said}")
    elif verdict is not None:
        write_lines(verdict_lines(verdict))


def tell_problems(
    problems: Sequence[str], rest: str = CANNOT_BE_USED, before: str = ""
) -> None:
    """Say on stderr which labels were not used: all, or the first and how many more.

    Parameters
    ----------
    problems : sequence of str
    rest : str
        What is said of those that are not shown, after their number.
    before : str
        How each line begins.
    """
    shown = len(problems)
    if shown > PROBLEMS_SHOWN:
        shown = PROBLEMS_SHOWN - 1
    for problem in problems[:shown]:
        write_error(f"{before}{problem}")
    more = len(problems) - shown
    if more:
        write_error(f"{before}{more} more labels {rest}")
