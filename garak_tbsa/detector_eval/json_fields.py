# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Typed getters of one JSON object, with one line for what a field must not be."""

from __future__ import annotations

import json
from typing import Any

from garak_tbsa.errors import DatasetError
from garak_tbsa.safe_text import shown

ADVICE = "make it again with `garak-tbsa detectors evaluate`"


class Fields:
    """One JSON object; each getter gives None where the field is missing or null.

    Parameters
    ----------
    where : str
        The file and the place in it, as an error names it.
    """

    def __init__(self, raw: dict[str, Any], where: str) -> None:
        self.raw = raw
        self.where = where

    def error(self, name: str, expected: str) -> DatasetError:
        """Say what a field is and what it should be."""
        value = self.raw.get(name)
        return DatasetError(
            f"{self.where}: `{name}` is {_excerpt(value)}; expected {expected}"
        )

    def share(self, name: str) -> float | None:
        """A number in [0, 1]."""
        value = self.raw.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(name, "a number from 0 to 1, or null")
        if not 0 <= value <= 1:
            raise self.error(name, "a number from 0 to 1, or null")
        return float(value)

    def number(self, name: str, *, least: float, most: float) -> float | None:
        """A number within bounds, ends included."""
        value = self.raw.get(name)
        if value is None:
            return None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not least <= value <= most:
            raise self.error(name, f"a number from {least:g} to {most:g}")
        return float(value)

    def whole(self, name: str, *, most: int | None) -> int | None:
        """A whole number of at least 0."""
        value = self.raw.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.error(name, "a whole number of at least 0")
        if most is not None and value > most:
            raise self.error(name, f"a whole number of at most {most:,}")
        return value

    def flag(self, name: str) -> bool | None:
        """True or false."""
        value = self.raw.get(name)
        if value is None or isinstance(value, bool):
            return value
        raise self.error(name, "true or false")

    def text(self, name: str) -> str | None:
        """A string."""
        value = self.raw.get(name)
        if value is None or isinstance(value, str):
            return value
        raise self.error(name, "a text")


def _excerpt(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and not isinstance(value, bool):
        # printing has a limit of digits too
        large = abs(value) >= 10**20
        return "a number of more than 20 digits" if large else str(value)
    return shown(json.dumps(value, allow_nan=False), 60)
