# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and what they give the public functions.

An option has the name of the argument in Python, so that a command passes on what a
function takes: ``compare(**arguments_for(compare, options))``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from contextlib import suppress
from inspect import signature
from math import inf
from typing import Any, TypeVar

from garak_tbsa.api.arguments import INSTALLED, scoring_of
from garak_tbsa.gates.options import (
    GATE_OPTIONS,
)
from garak_tbsa.outputs.registry import MOST_HITS
from garak_tbsa.statistics.kinds import REPEATS
from garak_tbsa.tbsa.scan import AS_IN_REPORT, Scan
from garak_tbsa.workers import BACKENDS

REPORT_FILE = "garak's .report.jsonl, also compressed (.gz, .zst)"
REPORT_HELP = f"{REPORT_FILE}, - for standard input, or an address such as s3://..."
REPORTS_HELP = (
    f"{REPORT_HELP}; or a folder: all *.report.jsonl and *report*.jsonl in it and below"
)

Group = argparse._ActionsContainer
Value = TypeVar("Value")


def arguments_for(
    function: Callable[..., Any], options: argparse.Namespace, **others: Any
) -> dict[str, Any]:
    """Return the arguments of a public function: options of a command, and others."""
    names = signature(function).parameters.keys() & vars(options).keys()
    return {name: getattr(options, name) for name in names} | others


def assess_with(path: str, options: argparse.Namespace) -> Scan:
    """Read and score a report as the options say."""
    return scoring_of(**arguments_for(scoring_of, options)).assess_path(
        path, whole=True
    )


def scoring_files(options: argparse.Namespace) -> list[str]:
    """Return the paths that ``--calibration`` and ``--tiers`` name."""
    named = (options.calibration, options.tiers)
    return [path for path in named if path not in (None, AS_IN_REPORT, INSTALLED)]


def taking(
    expected: str,
    convert: Callable[[str], Value],
    is_good: Callable[[Value], bool] = lambda _: True,
    found: str = ", found",
) -> Callable[[str], Value]:
    """Return an argparse type.

    Parameters
    ----------
    expected : str
        What an error says was expected.
    convert : callable
        Returns the value; ``ValueError`` is for what is none.
    is_good : callable
        Whether a value may be taken.
    found : str
        What an error says before what was given.
    """

    def parse(text: str) -> Value:
        with suppress(ValueError):
            value = convert(text)
            if is_good(value):
                return value
        raise argparse.ArgumentTypeError(f"expected {expected}{found} {text!r}")

    return parse


def whole_number_from(low: int, high: float = inf) -> Callable[[str], int]:
    """Return an argparse type for whole numbers from ``low`` to ``high``."""
    bounds = f"of at least {low}" if high == inf else f"from {low} to {high}"
    return taking(f"a whole number {bounds}", int, lambda value: low <= value <= high)


def number_within(low: float, high: float) -> Callable[[str], float]:
    """Return an argparse type for numbers from ``low`` to ``high``."""
    expected = f"a number from {low:g} to {high:g}"
    return taking(expected, float, lambda value: low <= value <= high)


def number_between(low: float, high: float) -> Callable[[str], float]:
    """Return an argparse type for numbers between ``low`` and ``high``."""
    expected = f"a number between {low:g} and {high:g}"
    return taking(expected, float, lambda value: low < value < high, ", not")


def add_switches(group: Group, purposes: Mapping[str, str]) -> None:
    """Add options without a value, by their flags as ``--help`` has them."""
    for flags, purpose in purposes.items():
        group.add_argument(*flags.split(", "), action="store_true", help=purpose)


def add_scoring_options(parser: Group) -> None:
    """Add the options that decide how a report is scored, and what is read of it."""
    parser.add_argument(
        "--calibration",
        metavar="report|installed|PATH",
        default=AS_IN_REPORT,
        help="use the grades of the report (default), or grade again with the"
        " installed garak's calibration or with that of a file",
    )
    parser.add_argument(
        "--tiers",
        metavar="FILE",
        help="tiers of probes that neither the report nor the installed garak knows:"
        ' {"module.Class": 1, ...} or the plugin_cache.json of another garak',
    )


def add_evidence_options(parser: Group, hits: int | None) -> None:
    """Add the options that decide which hits are shown, and what is said of detectors.

    Parameters
    ----------
    parser : ArgumentParser
    hits : int or None
        How many are shown of each pair if nothing is said; None for no evidence.
    """
    add_hits(
        parser,
        hits,
        "show N real hits of each pair, with what the probe tries, what other"
        " detectors said, and how far the pair's detector can be trusted",
    )
    parser.add_argument(
        "--metrics",
        metavar="PATH",
        help="your own detector_metrics_summary.json, which takes precedence over the"
        " one that comes with garak-tbsa",
    )


def add_hits(parser: Group, hits: int | None, purpose: str) -> None:
    """Add ``--hits``, and how many are shown if nothing is said; None for none."""
    default = "none" if hits is None else str(hits)
    parser.add_argument(
        "--hits",
        type=whole_number_from(0, MOST_HITS),
        default=hits,
        metavar="N",
        help=f"{purpose} (default {default}, at most {MOST_HITS})",
    )


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """Add the rules; where one fails the exit code is 3."""
    group = parser.add_argument_group(
        "gate", "rules that the scan must pass; exit code 3 if one fails"
    )
    for option in GATE_OPTIONS:
        add_gate_option(group, option.name)


def add_gate_option(group: Group, name: str) -> None:
    """Add one option of a gate, for a command with a gate of its own perhaps."""
    option = next(each for each in GATE_OPTIONS if each.name == name)
    if option.kind is bool:
        add_switches(group, {option.flag: option.purpose})
        return
    group.add_argument(
        option.flag,
        type=taking(option.expected, option.from_text),
        default=option.default,
        metavar=option.metavar,
        help=option.purpose,
    )


def add_worker_options(group: Group, *, jobs: str, backend: str) -> None:
    """Add ``--jobs``, ``--backend`` and ``--cluster``.

    Parameters
    ----------
    group : ArgumentParser or a group of its
    jobs, backend : str
        Their help; the defaults differ between commands.
    """
    group.add_argument("--jobs", type=whole_number_from(1), metavar="N", help=jobs)
    group.add_argument("--backend", choices=BACKENDS, help=backend)
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="address of a Dask scheduler (tcp://host:8786) or of Ray (host:6379);"
        " default: DASK_SCHEDULER_ADDRESS, RAY_ADDRESS or `ray start`, else local"
        " workers",
    )


def add_repeat(parser: Group) -> None:
    """Add ``--repeat``, which says what prompts a repeat has."""
    parser.add_argument(
        "--repeat",
        choices=REPEATS,
        help="which prompts a repeat has (default: the same prompts if the scan's seed"
        " is set, else fresh ones)",
    )
