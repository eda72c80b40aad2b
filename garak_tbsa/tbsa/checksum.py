# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What must be equal for two scores to be compared.

``version_probe_hash`` is garak's own. ``checksum`` covers all that shapes a
score apart from what the target answered.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from garak_tbsa.garak_files.calibration import CalibrationIdentity
from garak_tbsa.garak_files.fields import canonical
from garak_tbsa.garak_files.settings import ScanSettings
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import rule_parts


@dataclass(frozen=True, kw_only=True, slots=True)
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

    @property
    def hexadecimal(self) -> str:
        """First 8 hex digits of the sha256 over the parts."""
        return sha256(canonical(self.parts)).hexdigest()[:8]

    @property
    def text(self) -> str:
        """As shown: ``1f3a-9c2e``."""
        return f"{self.hexadecimal[:4]}-{self.hexadecimal[4:]}"

    def differing_parts(self, other: Checksum) -> tuple[str, ...]:
        """Return the names of the parts that are not equal, sorted."""
        names = sorted(self.parts.keys() | other.parts.keys())
        return tuple(
            name
            for name in names
            if canonical(self.parts.get(name)) != canonical(other.parts.get(name))
        )


def version_probe_hash(garak_version: str | None, pair_names: Iterable[str]) -> str:
    """Return garak's own hash: crc32 of the version and the sorted pair names.

    Hexadecimal without leading zeros, as garak prints it.
    """
    text = f"{garak_version} " + " ".join(sorted(pair_names))
    return hex(zlib.crc32(text.encode("utf-8", "replace")))[2:]


def make_checksum(
    *,
    formula: str,
    garak_version: str | None,
    pairs: Sequence[Pair],
    calibration: CalibrationIdentity | None,
    settings: ScanSettings,
) -> Checksum:
    """Put together the parts of a checksum.

    Parameters
    ----------
    formula : str
        ``documented`` or ``garak``.
    garak_version : str or None
    pairs : sequence of Pair
        Every pair attempted, counted or left out.
    calibration : CalibrationIdentity or None
    settings : ScanSettings
        How the scan was made; secrets are not in them.
    """
    parts: dict[str, Any] = {
        "formula": formula,
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
