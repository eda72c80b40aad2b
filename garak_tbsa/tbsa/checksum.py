# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What must be equal for two scores to be compared.

``version_probe_hash`` is garak's own. ``checksum`` covers all that shapes a
score apart from what the target answered.
"""

from __future__ import annotations

import zlib
from hashlib import sha256

from garak_tbsa.garak_files.calibration import CalibrationIdentity
from garak_tbsa.garak_files.fields import is_finite
from garak_tbsa.lean.plain_json import canonical
from garak_tbsa.lean.record import record, values_of
from garak_tbsa.tbsa.rules import rule_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from garak_tbsa.tbsa.pairs import Pair

CONFIGURATION_KEYS = (
    "run.generations",
    "run.eval_threshold",
    "run.soft_probe_prompt_cap",
    "run.deprefix",
    "run.target_lang",
    "run.langproviders",
    "run.system_prompt",
    "run.serve_detectorless_intents",
    "run.probe_tags",
    "transient.intent_spec",
    "transient.blocked_intent_spec",
    "plugins.detector_spec",
    "plugins.extended_detectors",
    "plugins.buff_spec",
    "plugins.buffs_include_original_prompt",
    "plugins.buff_max",
)
"""Settings in a report that change which outputs are made or how they are judged.

The target, seed, paths, parallelism and display are not among them. garak writes
neither decimal numbers, so ``run.eval_threshold`` is in a report only when it was
given as 0 or 1, nor the options of single plugins.
"""

DEEPEST_SETTING = 20

OLD_CONFIGURATION_KEYS = {
    "generations": "run.generations",
    "eval_threshold": "run.eval_threshold",
    "deprefix": "run.deprefix",
    "buff": "plugins.buff_spec",
    "detectors": "plugins.detector_spec",
    "extended_detectors": "plugins.extended_detectors",
    "probe_tags": "run.probe_tags",
}
"""Names in the ``config`` row of garak 0.9, and what they are called since."""


@record
class Checksum:
    """The checksum and what it was made of.

    Attributes
    ----------
    parts : mapping of str to JSON value
        By name: ``formula``, ``garak_version``, ``pairs``, ``grade_bounds``,
        ``calibration`` and one ``configuration:<key>`` per setting.
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
    pairs: Iterable[Pair],
    calibration: CalibrationIdentity | None,
    setup: Mapping[str, Any],
) -> Checksum:
    """Put together the parts of a checksum.

    Parameters
    ----------
    formula : str
        ``documented`` or ``garak``.
    garak_version : str or None
    pairs : iterable of Pair
        Every pair attempted, counted or left out.
    calibration : CalibrationIdentity or None
    setup : mapping
        The report's configuration.
    """
    parts: dict[str, Any] = {
        "formula": formula,
        "garak_version": garak_version,
        "pairs": sorted([pair.name, pair.tier] for pair in pairs),
        **rule_parts(),
        "calibration": None if calibration is None else dict(values_of(calibration)),
    }
    parts |= _configuration(setup)
    return Checksum(parts=parts)


def _configuration(setup: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that count; one that garak left at nothing is left out."""
    known = {OLD_CONFIGURATION_KEYS.get(key, key): setup[key] for key in setup}
    settings = {
        f"configuration:{key}": _writable(known[key])
        for key in CONFIGURATION_KEYS
        if known.get(key) not in (None, "", [], {})
    }
    selectors = _buff_selectors(setup.get("run.spec"))
    if selectors:
        settings["configuration:run.spec"] = selectors
    return settings


def _writable(value: Any, depth: int = 0) -> Any:
    """A setting as any JSON writer can write it, whatever the report held."""
    if isinstance(value, (dict, list)) and depth == DEEPEST_SETTING:
        return "nested too deeply"
    if isinstance(value, dict):
        return {key: _writable(value[key], depth + 1) for key in value}
    if isinstance(value, list):
        return [_writable(member, depth + 1) for member in value]
    return str(value) if isinstance(value, float) and not is_finite(value) else value


def _buff_selectors(spec: object) -> dict[str, list[str]]:
    """The buffs in ``run.spec``; ``pairs`` and the intent settings cover the rest."""
    if not isinstance(spec, dict):
        return {}
    selectors = {
        side: sorted(
            entry
            for entry in chosen
            if isinstance(entry, str) and entry.startswith("buffs.")
        )
        for side, chosen in spec.items()
        if isinstance(chosen, list)
    }
    return {side: chosen for side, chosen in selectors.items() if chosen}
