# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""In what two checksums differ: the parts, and their values where they are short."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from garak_tbsa.garak_files.fields import canonical
from garak_tbsa.tbsa.checksum import Checksum

SHORT = 60
"""Longest value that is told, in characters."""

PAIRS = "pairs"
CALIBRATION = "calibration"
NAMED_PARTS = 4
"""Parts that an error tells with their values; the others are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PartDifference:
    """A part of the checksum that is not the same for both scans.

    Attributes
    ----------
    part : str
        Its name.
    first, second : JSON value
        Before and after, None where a scan does not have it, and where it is long.
    is_short : bool
        Whether the values are told.
    text : str
        What differs, in words, without the part's name.
    """

    part: str
    first: Any
    second: Any
    is_short: bool
    text: str


def part_differences(first: Checksum, second: Checksum) -> tuple[PartDifference, ...]:
    """Return each part that differs, by name."""
    return tuple(
        _difference(part, first.parts.get(part), second.parts.get(part))
        for part in first.differing_parts(second)
    )


def told(differences: Sequence[PartDifference]) -> str:
    """Return the first differences in one phrase, and how many more there are."""
    named = [f"{each.part} ({each.text})" for each in differences[:NAMED_PARTS]]
    more = len(differences) - NAMED_PARTS
    return ", ".join(named) + f" and {more} more" * (more > 0)


def _difference(part: str, first: Any, second: Any) -> PartDifference:
    texts = [_value_text(value) for value in (first, second)]
    is_short = part != PAIRS and all(len(text) <= SHORT for text in texts)
    if part == PAIRS:
        text = _of_pairs(first or (), second or ())
    elif part == CALIBRATION:
        text = _of_calibrations(_calibration_text(first), _calibration_text(second))
    elif is_short:
        text = f"{texts[0]} before, {texts[1]} after"
    else:
        text = "too long to show; score --explain-checksum prints it"
    return PartDifference(
        part=part,
        first=first if is_short else None,
        second=second if is_short else None,
        is_short=is_short,
        text=text,
    )


def _value_text(value: Any) -> str:
    return "none" if value is None else canonical(value).decode("ascii")


def _calibration_text(value: Mapping[str, Any] | None) -> str:
    date = (value or {}).get("date")
    return "none" if not date else f"of {str(date)[:10]}"


def _of_calibrations(first: str, second: str) -> str:
    if first == second:
        return f"{first} in both, of different models or with different numbers"
    return f"{first} before, {second} after"


def _of_pairs(first: Iterable[Sequence[Any]], second: Iterable[Sequence[Any]]) -> str:
    """Say how many pairs are only in one of the scans, and of another tier."""
    before, after = (
        {str(name): tier for name, tier in each} for each in (first, second)
    )
    common = before.keys() & after.keys()
    counted = (
        (len(common), "in both"),
        (len(before) - len(common), "only before"),
        (len(after) - len(common), "only after"),
        (sum(before[name] != after[name] for name in common), "of another tier"),
    )
    return ", ".join(f"{count} {where}" for count, where in counted if count)
