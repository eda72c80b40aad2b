# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What must be equal for two scores to be compared.

``version_probe_hash`` is garak's own. ``checksum`` covers all that shapes a
score apart from what the target answered. Where two differ, the parts say in what.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from garak_tbsa.report.calibration import CalibrationIdentity
from garak_tbsa.report.settings import ScanSettings, canonical, differing
from garak_tbsa.tbsa.coverage import listed
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import FORMULA, rule_parts

SHORT = 60
"""Longest value that is shown, in characters."""

PAIRS = "pairs"
CALIBRATION = "calibration"
NAMED_PARTS = 4
"""Parts that an error tells with their values; the others are counted."""


@dataclass(frozen=True, kw_only=True)
class Checksum:
    """The checksum and what it was made of.

    Attributes
    ----------
    parts : mapping of str to JSON value
        By name: ``formula``, ``garak_version``, ``pairs``, ``grade_bounds``,
        ``calibration``, one ``configuration:<key>`` per setting, and ``tiers_from``
        where a tier is not known by the report or by the probe's own name.
    """

    parts: Mapping[str, Any]

    @cached_property
    def hexadecimal(self) -> str:
        """First 8 hex digits of the sha256 over the parts."""
        return sha256(canonical(self.parts)).hexdigest()[:8]

    @property
    def text(self) -> str:
        """As shown: ``1f3a-9c2e``."""
        return f"{self.hexadecimal[:4]}-{self.hexadecimal[4:]}"

    def differing_parts(self, other: Checksum) -> tuple[str, ...]:
        """Return the names of the parts that are not equal, sorted."""
        return differing(self.parts, other.parts)


def version_probe_hash(garak_version: str | None, pair_names: Iterable[str]) -> str:
    """Return garak's own hash: crc32 of the version and the sorted pair names.

    Hexadecimal without leading zeros, as garak prints it.
    """
    text = f"{garak_version} " + " ".join(sorted(pair_names))
    return hex(zlib.crc32(text.encode("utf-8", "replace")))[2:]


def make_checksum(
    *,
    garak_version: str | None,
    pairs: Sequence[Pair],
    calibration: CalibrationIdentity | None,
    settings: ScanSettings,
) -> Checksum:
    """Put together the parts of a checksum.

    Parameters
    ----------
    garak_version : str or None
    pairs : sequence of Pair
        Every pair attempted, counted or left out.
    calibration : CalibrationIdentity or None
    settings : ScanSettings
        How the scan was made; secrets are not in them.
    """
    parts: dict[str, Any] = {
        "formula": FORMULA,
        "garak_version": garak_version,
        "pairs": sorted([pair.name, pair.tier] for pair in pairs),
        **rule_parts(),
        "calibration": None if calibration is None else asdict(calibration),
    }
    parts |= {
        f"configuration:{key}": value for key, value in settings.configuration.items()
    }
    tiers_from = {
        pair.probe: pair.tier_from for pair in pairs if pair.tier_from is not None
    }
    if tiers_from:
        parts["tiers_from"] = tiers_from
    return Checksum(parts=parts)


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


def differences_in_words(differences: Sequence[PartDifference]) -> str:
    """Return the first differences in one phrase, and how many more there are."""
    return listed([f"{each.part} ({each.text})" for each in differences], NAMED_PARTS)


def _difference(part: str, first: Any, second: Any) -> PartDifference:
    texts = [_value_text(value) for value in (first, second)]
    is_short = part != PAIRS and all(len(text) <= SHORT for text in texts)
    if part == PAIRS:
        text = _of_pairs(dict(first or ()), dict(second or ()))
    elif part == CALIBRATION:
        text = _before_and_after(*map(_calibration_text, (first, second)))
    elif is_short:
        text = _before_and_after(*texts)
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
    return f"of {str(date)[:10]}" if date else "none"


def _before_and_after(first: str, second: str) -> str:
    if first == second:
        return f"{first} in both, of different models or with different numbers"
    return f"{first} before, {second} after"


def _of_pairs(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Say how many pairs are only in one of the scans, and of another tier."""
    common = before.keys() & after.keys()
    counted = (
        (len(common), "in both"),
        (len(before) - len(common), "only before"),
        (len(after) - len(common), "only after"),
        (sum(before[name] != after[name] for name in common), "of another tier"),
    )
    return ", ".join(f"{count} {where}" for count, where in counted if count)
