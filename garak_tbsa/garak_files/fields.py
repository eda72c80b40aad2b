# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a parsed JSON row to checked values.

A row of a report is untrusted. A value is of the stated type, or a
:class:`~garak_tbsa.errors.ReportError` names its path inside the record.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, NamedTuple, NoReturn

from msgspec import Meta, ValidationError, convert

from garak_tbsa.errors import ReportError

ADVICE = "the report is damaged, or not written by garak: scan again or repair it"
NAME_LENGTH_LIMIT = 512
LARGEST_FLOAT = 1.7e308
SHOWN_PATH = 200


class Expected(NamedTuple):
    """What a value has to be.

    Attributes
    ----------
    type : type
        With its limits, for msgspec.
    words : str
        The same in words, for errors.
    is_whole : bool
        Whether 5.0 is taken for 5.
    """

    type: Any
    words: str
    is_whole: bool = True


COUNT = Expected(Annotated[int, Meta(ge=0)], "a whole number of at least 0")
GRADE = Expected(Literal[1, 2, 3, 4, 5], "a DEFCON grade from 1 to 5")
TIER = Expected(Literal[1, 2, 3, 9], "a tier (1, 2, 3 or 9)")
SHARE = Expected(Annotated[float, Meta(ge=0, le=1)], "a number from 0 to 1", False)
Z_SCORE = Expected(
    Annotated[float, Meta(ge=-LARGEST_FLOAT, le=LARGEST_FLOAT)] | Literal["n/a"],
    'a finite number or "n/a"',
    False,
)


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
        """Return what stands under ``key``; None where it is missing, null or "n/a".

        Raises
        ------
        ReportError
            It is not as expected.
        """
        found = value = self.values.get(key)
        if expected.is_whole and isinstance(found, float) and found.is_integer():
            value = int(found)
        try:
            value = convert(value, expected.type | None)
        except (ValidationError, UnicodeEncodeError):
            self.fail(key, expected.words, found)
        return None if value == "n/a" else value


def is_finite(value: float) -> bool:
    """Whether a number is neither infinite nor NaN nor too large for a float."""
    return -LARGEST_FLOAT <= value <= LARGEST_FLOAT


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
