# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a JSON text to objects that know their place in a report."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from garak_tbsa.errors import ReportError

ADVICE = "the report is damaged, or not written by garak: scan again or repair it"
SHOWN_PATH = 200
TIERS = (1, 2, 3, 9)


def parse_json(line: bytes) -> object:
    """Parse one JSON text.

    Bytes that are no UTF-8 become U+FFFD, as text from a model may hold them.

    Raises
    ------
    ValueError
        It is not JSON, or nested deeper than the parser goes.
    """
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def parse_object(line: bytes) -> dict[str, Any]:
    """Return the object that a JSON text is, empty where it is none."""
    try:
        value = parse_json(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def canonical(value: object) -> bytes:
    """Return one ASCII text per JSON value, whatever its key order, no blanks."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return text.encode("ascii")


def is_tier(value: object) -> bool:
    """Whether a value is one of garak's tiers; JSON's true is an int to Python."""
    return type(value) is int and value in TIERS


class Record:
    """A JSON object together with its place.

    Parameters
    ----------
    value : object
        What JSON gave; anything but an object is an error.
    source : str
        The report's name.
    line : int or None
        The row's 1-based number, None where only the end of the file was read.
    path : str
        Path inside the row, such as ``digest.eval.dan``.
    """

    __slots__ = ("line", "path", "source", "values")

    def __init__(
        self, value: object, *, source: str, line: int | None, path: str
    ) -> None:
        self.source = source
        self.line = line
        self.path = path
        if not isinstance(value, dict):
            self.fail("", "an object", value)
        self.values: dict[str, Any] = value

    def fail(self, key: str, expected: str, found: object) -> NoReturn:
        """Raise the error for one member."""
        where = f"{self.path}.{key}" if key else self.path
        if len(where) > SHOWN_PATH:
            where = where[:SHOWN_PATH] + "..."
        problem = f"{where}: expected {expected}, found {_shown(found)}"
        raise ReportError(self.source, problem, ADVICE, line=self.line)

    def child(self, key: str, *, optional: bool = False) -> Record:
        """Return the object under ``key``; an optional one may be missing or null."""
        value = self.values.get(key)
        return Record(
            {} if optional and value is None else value,
            source=self.source,
            line=self.line,
            path=f"{self.path}.{key}",
        )

    def tier(self, key: str) -> int | None:
        """Return the tier under ``key``; None where it is missing or null."""
        tier = self.values.get(key)
        if tier is not None and not is_tier(tier):
            self.fail(key, "a tier (1, 2, 3 or 9)", tier)
        return tier


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
