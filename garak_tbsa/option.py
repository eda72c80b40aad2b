# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What one argument takes, wherever it is given: command line, settings, Python.

A public function declares it in the argument's annotation,
``Annotated[int | None, Option(kind=int, high=100)]``; ``cli.parsers`` makes the option
of the command line from it, and :func:`checked` refuses everything else in Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps
from inspect import get_annotations, signature, unwrap
from typing import Any, ParamSpec, TypeVar, get_args

from garak_tbsa.errors import UsageError

Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """What an argument takes.

    Attributes
    ----------
    kind : type
        ``float``, ``int``, ``str``, ``bool`` for a switch; ``object`` where whoever
        takes it looks at it himself.
    low, high : float
        The least and the largest number it takes.
    choices : tuple of str
        The words it takes; empty for any.
    words : str
        What it takes, where kind and bounds do not say it.
    metavar : str
        The name of its value in ``--help``; empty for a switch and for choices.
    several : bool
        Whether several values may follow its name on the command line.
    """

    kind: type[Any]
    low: float = 0.0
    high: float = math.inf
    choices: tuple[str, ...] = ()
    words: str = ""
    metavar: str = ""
    several: bool = False

    @property
    def expected(self) -> str:
        """What it takes, in words."""
        if self.words or self.choices:
            return self.words or " or ".join(map(repr, self.choices))
        if self.kind is bool:
            return "true or false"
        number = "a whole number" if self.kind is int else "a number"
        if self.high == math.inf:
            return f"{number} of at least {self.low:g}"
        return f"{number} from {self.low:g} to {self.high:g}"

    def from_text(self, text: str) -> Any:
        """Return the value of an option of the command line.

        Raises
        ------
        ValueError
            It is none.
        """
        is_number = self.kind in (int, float)
        return self.from_setting(float(text) if is_number else text)

    def from_setting(self, value: object) -> Any:
        """Return a value that is a number, text or switch already.

        Raises
        ------
        ValueError
            It is none of those that are taken.
        """
        found: object = None
        if self.kind in (str, bool, object):
            found = value if isinstance(value, self.kind) else None
        elif isinstance(value, int | float) and not isinstance(value, bool):
            # the comparisons are False for NaN
            is_within = self.low <= value <= self.high and value < math.inf
            found = self.kind(value) if is_within else None
        is_chosen = not self.choices or found in self.choices
        if found is None or found == "" or found != value or not is_chosen:
            raise ValueError
        return found

    def taken(
        self, name: str, value: object, in_words: Callable[[object], str] = repr
    ) -> Any:
        """Return a value as :meth:`from_setting` does.

        Parameters
        ----------
        name : str
            What the value is called in an error.
        value : object
        in_words : callable
            How an error says what was found.

        Raises
        ------
        UsageError
            It is none of those that are taken.
        """
        try:
            return self.from_setting(value)
        except ValueError:
            problem = f"expected {self.expected}, found {in_words(value)}"
            raise UsageError(f"{name}: {problem}") from None


@cache
def declared(function: Callable[..., Any]) -> dict[str, Option]:
    """Return the options that a function's annotations declare, by argument."""
    annotations = get_annotations(unwrap(function), eval_str=True)
    return {
        name: each
        for name, annotation in annotations.items()
        for part in (annotation, *get_args(annotation))
        for each in getattr(part, "__metadata__", ())
        if isinstance(each, Option)
    }


def checked(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let a public function refuse arguments that its annotations do not take."""

    @wraps(function)
    def call(*args: Given.args, **others: Given.kwargs) -> Result:
        given = signature(function).bind(*args, **others).arguments
        for name, option in declared(function).items():
            if given.get(name) is not None:
                option.taken(name, given[name])
        return function(*args, **others)

    return call
