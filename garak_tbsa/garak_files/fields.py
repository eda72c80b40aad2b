# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Typed getters: from a parsed JSON row to checked values.

A row of a report is untrusted. Each getter either returns a value of the
stated type or raises a :class:`~garak_tbsa.errors.ReportError` that names the
path inside the record.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from garak_tbsa.errors import ReportError

ADVICE = "the report is damaged, or not written by garak: scan again or repair it"
NAME_LENGTH_LIMIT = 512
LARGEST_FLOAT = 1.7e308
COUNT_LIMIT = 400_000_000
SHOWN_PATH = 200


def parse_json(line: bytes) -> object:
    """Parse one JSON text.

    Bytes that are no UTF-8 become U+FFFD, as text from a model may hold them.

    Raises
    ------
    ValueError
        It is not JSON, or nested deeper than the parser goes.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


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

    def child(self, key: str) -> Record:
        """Return the object under ``key``."""
        return Record(
            self.values.get(key),
            source=self.source,
            line=self.line,
            path=f"{self.path}.{key}",
        )

    def child_or_empty(self, key: str) -> Record:
        """Return the object under ``key``; a missing or null one is empty."""
        value = self.values.get(key)
        return Record(
            {} if value is None else value,
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

    def optional_count(self, key: str) -> int | None:
        """Return the whole number under ``key``; None where missing or null.

        At most 400,000,000: no scan has more outputs.
        """
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.fail(key, "a whole number of at least 0", value)
        if value > COUNT_LIMIT:
            self.fail(key, f"a whole number of at most {COUNT_LIMIT}", value)
        return value

    def optional_share(self, key: str) -> float | None:
        """Return the number 0.0-1.0 under ``key``; None where missing or null."""
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail(key, "a number from 0 to 1", value)
        if not 0.0 <= value <= 1.0:
            self.fail(key, "a number from 0 to 1", value)
        return float(value)

    def optional_z_score(self, key: str) -> float | None:
        """Return the finite number under ``key``.

        None where missing, null or garak's ``"n/a"``: the pair is uncalibrated.
        """
        value = self.values.get(key)
        if value is None or value == "n/a":
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail(key, 'a number or "n/a"', value)
        if not is_finite(value):
            self.fail(key, 'a finite number or "n/a"', value)
        return float(value)

    def optional_grade(self, key: str) -> int | None:
        """Return the DEFCON grade 1-5 under ``key``; None where missing or null."""
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or value not in (1, 2, 3, 4, 5):
            self.fail(key, "a DEFCON grade from 1 to 5", value)
        return int(value)

    def optional_tier(self, key: str) -> int | None:
        """Return the tier number under ``key``; None where missing or null."""
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or value not in (1, 2, 3, 9):
            self.fail(key, "a tier (1, 2, 3 or 9)", value)
        return int(value)


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
