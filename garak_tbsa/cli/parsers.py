# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A command's options, made from the public function that it calls.

A parameter is an option: its name and default are those of the signature, what it takes
is in the annotation (:class:`~garak_tbsa.option.Option`) or in
:data:`~garak_tbsa.gates.options.GATE_OPTIONS`, and its help is what the docstring says.
So a command passes on what a function takes: ``compare(**arguments_for(compare,
options))``.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from inspect import Parameter, getdoc, signature
from math import inf
from typing import Any, TypeVar

from garak_tbsa.api.arguments import INSTALLED, scoring_of
from garak_tbsa.gates.options import GATE_OPTIONS, flag_of
from garak_tbsa.option import Option, declared
from garak_tbsa.tbsa.scan import AS_IN_REPORT, Scan

REPORT_FILE = "garak's .report.jsonl, also compressed (.gz, .zst)"
REPORT_HELP = f"{REPORT_FILE}, - for standard input, or an address such as s3://..."
REPORTS_HELP = (
    f"{REPORT_HELP}; or a folder: all *.report.jsonl and *report*.jsonl in it and below"
)

OF_GATES = {option.name: option for option in GATE_OPTIONS}
PARAMETER = re.compile(r"^(\S.*) : .*\n((?: .*\n?)+)", re.MULTILINE)
SAID_ELSEWHERE = "As in "
"""How a docstring begins that says of a parameter what another one says."""

Group = argparse._ActionsContainer
Value = TypeVar("Value")


def add_options_of(
    parser: Group,
    function: Callable[..., Any],
    but: Container[str] = (),
    **defaults: object,
) -> None:
    """Add an option for each parameter of a public function, in their order.

    One without default is an argument. A switch that is on by default becomes
    ``--no-...``, whose help says "do not" before what the docstring says.

    Parameters
    ----------
    parser : ArgumentParser or a group of its
    function : callable
        Its docstring is numpy's; names of other parameters stand there in double
        backticks.
    but : container of str
        Parameters that are no options of the command, or are added by it.
    **defaults
        The command's own, in place of those of the signature.
    """
    helps = documented(scoring_of) | documented(function)
    options = OF_GATES | declared(function)
    for name, parameter in signature(function).parameters.items():
        default = defaults.get(name, parameter.default)
        kind = bool if isinstance(default, bool) else object
        option = options.get(name, Option(kind=kind))
        purpose = OF_GATES[name].purpose if name in OF_GATES else ""
        if name not in but:
            _add(parser, name, default, option, helps.get(name, purpose))


def documented(function: Callable[..., Any]) -> dict[str, str]:
    """Return what a docstring says of each parameter, as help says it."""
    names = signature(function).parameters
    text = (getdoc(function) or "").partition("Parameters\n----------\n")[2]
    return {
        name: _as_help(said, names)
        for named, said in PARAMETER.findall(text.partition("\n\n")[0])
        if not said.lstrip().startswith(SAID_ELSEWHERE)
        for name in named.split(", ")
    }


def _as_help(said: str, names: Container[str]) -> str:
    words = re.sub(r"(?<!\.)\.$", "", " ".join(said.split()))
    plain = re.sub(
        "``(.*?)``", lambda at: flag_of(at[1]) if at[1] in names else at[1], words
    )
    return plain[:1].lower() + plain[1:].replace("%", "%%")


def _add(parser: Group, name: str, default: Any, option: Option, said: str) -> None:
    found: dict[str, Any] = {"help": said}
    if option.choices:
        found["choices"] = option.choices
    elif option.kind is not bool:
        found["type"] = taking(option.expected, option.from_text)
    if option.metavar:
        found["metavar"] = option.metavar
    if option.several:
        found |= {"nargs": "+", "action": "extend"}
    if default is Parameter.empty:
        parser.add_argument(name, **{"metavar": name.upper()} | found)
        return
    if isinstance(default, bool):
        found |= {"action": f"store_{not default}".lower(), "dest": name}
    elif isinstance(default, int | float) and "default" not in said:
        found["help"] = f"{said} (default {default:g})"
    is_on = default is True
    if is_on:
        found["help"] = f"do not {said}"
    flag = flag_of("no_" * is_on + name)
    parser.add_argument(flag, default=default, **found)


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """Add the rules; where one fails the exit code is 3."""
    group = parser.add_argument_group(
        "gate", "rules that the scan must pass; exit code 3 if one fails"
    )
    for name in OF_GATES:
        add_gate_option(group, name)


def add_gate_option(group: Group, name: str) -> None:
    """Add one option of a gate, for a command with a gate of its own perhaps."""
    option = OF_GATES[name]
    _add(group, name, option.default, option, option.purpose)


def add_switches(group: Group, purposes: Mapping[str, str]) -> None:
    """Add options without a value, by their flags as ``--help`` has them."""
    for flags, purpose in purposes.items():
        group.add_argument(*flags.split(", "), action="store_true", help=purpose)


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


def number(kind: type[int | float], low: float, high: float = inf) -> Any:
    """Return an argparse type for numbers from ``low`` to ``high``."""
    option = Option(kind=kind, low=low, high=high)
    return taking(option.expected, option.from_text)
