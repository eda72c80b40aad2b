# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a parsed JSON row to checked values.

A row of a report is untrusted. A value is of the stated type, or a
:class:`~garak_tbsa.errors.ReportError` names its path inside the record.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from garak_tbsa.errors import ReportError

ADVICE = "the report is damaged, or not written by garak: scan again or repair it"
NAME_LENGTH_LIMIT = 512
LARGEST_FLOAT = 1.7e308
SHOWN_PATH = 200
TIERS = (1, 2, 3, 9)


class Expected(NamedTuple):
    """What a number has to be.

    Attributes
    ----------
    type : type
        int or float; 5.0 is taken for 5.
    fits : callable
        Whether a number is in the range.
    words : str
        For errors.
    """

    type: type[int | float]
    fits: Callable[[float], bool]
    words: str


def is_finite(value: float) -> bool:
    """Whether a number is neither infinite nor NaN nor too large for a float."""
    return -LARGEST_FLOAT <= value <= LARGEST_FLOAT


COUNT = Expected(int, lambda n: n >= 0, "a whole number of at least 0")
GRADE = Expected(int, lambda n: 1 <= n <= 5, "a DEFCON grade from 1 to 5")
TIER = Expected(int, lambda n: n in TIERS, "a tier (1, 2, 3 or 9)")
SHARE = Expected(float, lambda n: 0 <= n <= 1, "a number from 0 to 1")
Z_SCORE = Expected(float, is_finite, 'a finite number or "n/a"')


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
        """Raise the error for one field."""
        where = f"{self.path}.{key}" if key else self.path
        if len(where) > SHOWN_PATH:
            where = where[:SHOWN_PATH] + "..."
        raise ReportError(
            self.source,
            f"{where}: expected {expected}, found {_shown(found)}",
            ADVICE,
            line=self.line,
        )

    def child(self, key: str, *, optional: bool = False) -> Record:
        """Return the object under ``key``; an optional one may be missing or null."""
        value = self.values.get(key)
        return Record(
            {} if optional and value is None else value,
            source=self.source,
            line=self.line,
            path=f"{self.path}.{key}",
        )

    def name(self, key: str) -> str:
        """Return the non-empty string under ``key``."""
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            self.fail(key, "a name", value)
        if len(value) > NAME_LENGTH_LIMIT:
            self.fail(key, f"a name of at most {NAME_LENGTH_LIMIT} characters", value)
        return value

    def optional(self, key: str, expected: Expected) -> Any:
        """Return the number under ``key``; None where it is missing or null.

        garak's ``"n/a"`` is no Z-score either.

        Raises
        ------
        ReportError
            It is not as expected.
        """
        value = self.values.get(key)
        if value is None or (expected is Z_SCORE and value == "n/a"):
            return None
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        is_right = is_number and expected.fits(value)
        if not is_right or (expected.type is int and value % 1):
            self.fail(key, expected.words, value)
        return expected.type(value)


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
