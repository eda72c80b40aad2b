# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scan's configuration, as its report states it: what matters, without secrets.

Nothing after this stage sees the row itself, so that what it leaves out (keys,
tokens, queries of addresses, the text of a system prompt) gets into no output and
moves no checksum.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from garak_tbsa.garak_files.fields import Record, canonical
from garak_tbsa.garak_files.measurement import bare_probe
from garak_tbsa.safe_text import shown

DEFAULT_THRESHOLD = 0.5
"""garak's ``run.eval_threshold``."""

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

NO_PROBES = ("all", "*", "auto")
"""What is selected and names no probe."""

SPEC = "run.spec"
HASHED_KEYS = ("run.system_prompt",)
"""Settings whose text is nobody's business; their sha256 tells them apart."""

SECRET_ENDINGS = (
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "credential",
)
SECRET_WORDS = frozenset(("auth", "authorization", "bearer", "cookie", "pwd"))
COUNTED = "tokens"
"""Ends names such as ``max_tokens``, which is no secret if it is a number."""

DEEPEST_SETTING = 20
LARGEST_SETTING = 10_000
"""Characters of a setting that is kept as it is; of a larger one, the sha256."""

LARGEST_WHOLE = 2**63 - 1

AGGREGATION = "aggregation"
"""In the setup of an aggregate: the reports that it was made of, by their paths."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScanSettings:
    """What a report says of how the scan was made.

    Attributes
    ----------
    configuration : mapping of str to JSON value
        The settings that change which outputs are made or how they are judged, by
        garak's present names, without secrets; one left at nothing is left out.
    eval_threshold : float
        Scores of at least this are hits.
    selected_probes : frozenset of str
        The probes that were to be run, without their category, and families as
        ``dan``; garak says so from 0.16 on.
    aggregated_from : tuple of str or None
        The reports that garak made this one of, as garak was given their paths; None
        where it is no aggregate.
    is_old : bool
        Whether it is the ``config`` row of garak 0.9.
    seed : int or None
        Where garak's choice of prompts starts; None where it was not set, so that
        each scan may choose other prompts.
    generations : int or None
        Outputs asked for each prompt, at least 1; None where the report does not say.
    garak_version, run_uuid, start_time, target_type, target_name : str or None
    """

    configuration: Mapping[str, Any]
    eval_threshold: float
    selected_probes: frozenset[str]
    aggregated_from: tuple[str, ...] | None
    is_old: bool
    seed: int | None
    generations: int | None
    garak_version: str | None
    run_uuid: str | None
    start_time: str | None
    target_type: str | None
    target_name: str | None

    @property
    def is_aggregation(self) -> bool:
        """Whether garak made the report of others; it then has no completion row."""
        return self.aggregated_from is not None

    @property
    def target(self) -> str:
        """The target's type and name, as far as they are known."""
        return target_text(self.target_type, self.target_name)

    def selects(self, probe: str) -> bool:
        """Whether a probe, or its whole family, is known to have been selected."""
        return not self.selected_probes.isdisjoint(named_by({probe}))


def target_text(*parts: str | None) -> str:
    """What a target is called, of its type and name as far as they are known."""
    return " ".join(part for part in parts if part) or "unknown"


def parse_settings(row: Mapping[str, Any]) -> ScanSettings:
    """Read a ``start_run setup`` or ``config`` row, or the setup in a digest.

    Parameters
    ----------
    row : mapping
        As JSON gave it; empty where the report has none.
    """
    return ScanSettings(
        configuration=_configuration(row),
        eval_threshold=threshold_of(row.get("run.eval_threshold")),
        selected_probes=_selected(row.get("transient.active_probes")),
        aggregated_from=_aggregated_from(row),
        is_old=row.get("entry_type") == "config",
        seed=_whole(row.get("run.seed", row.get("seed")), least=0),
        generations=_whole(row.get("run.generations", row.get("generations")), least=1),
        garak_version=first_text(row.get("_config.version")),
        run_uuid=first_text(row.get("transient.run_id")),
        start_time=first_text(row.get("transient.starttime_iso")),
        target_type=_target(row, "type"),
        target_name=_target(row, "name"),
    )


def named_by(probes: Set[str]) -> frozenset[str]:
    """Return all names by which these probes may be selected: theirs, and families."""
    return frozenset(probes) | {probe.partition(".")[0] for probe in probes}


def _selected(stated: object) -> frozenset[str]:
    """The probes of a list, or of a text with commas, as aggregates have it."""
    names = stated.split(",") if isinstance(stated, str) else stated
    found = (
        bare_probe(name.strip())
        for name in (names if isinstance(names, list) else ())
        if isinstance(name, str)
    )
    return frozenset(name for name in found if name and name not in NO_PROBES)


def settings_in(digest: Record | None) -> ScanSettings | None:
    """Return the setup that a digest repeats, None where it has none.

    Raises
    ------
    ReportError
        It is not an object.
    """
    if digest is None:
        return None
    meta = digest.child("meta", optional=True)
    row = meta.child("setup", optional=True).values
    return parse_settings(row) if row else None


def differing_settings(one: ScanSettings, other: ScanSettings) -> tuple[str, ...]:
    """Return garak's names of what two setups do not state alike, sorted."""
    return _differing(_by_name(one), _by_name(other))


def differing_coverage(one: ScanSettings, other: ScanSettings) -> tuple[str, ...]:
    """Return the same of what the checksum covers alone."""
    return _differing(_covered(one), _covered(other))


def _differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        name
        for name in sorted(first.keys() | second.keys())
        if canonical(first.get(name)) != canonical(second.get(name))
    )


def _covered(settings: ScanSettings) -> dict[str, Any]:
    return {**settings.configuration, "_config.version": settings.garak_version}


def _by_name(settings: ScanSettings) -> dict[str, Any]:
    return {
        **_covered(settings),
        "plugins.target_name": settings.target_name,
        "plugins.target_type": settings.target_type,
        "run.seed": settings.seed,
        "transient.active_probes": sorted(settings.selected_probes),
        "transient.run_id": settings.run_uuid,
        AGGREGATION: settings.is_aggregation,
    }


def first_text(*candidates: object) -> str | None:
    """Return the first text that is not empty, cut to what may be shown."""
    for candidate in candidates:
        if isinstance(candidate, str) and candidate:
            return shown(public_address(candidate))
    return None


def threshold_of(value: object) -> float:
    """Return the score from which on an output is a hit, as a setup states it."""
    threshold = number_or_none(value)
    return DEFAULT_THRESHOLD if threshold is None else threshold


def number_or_none(value: object) -> float | None:
    """Return a number of JSON; one too large for a float is infinite."""
    # garak takes True for 1.0
    if not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _whole(value: object, *, least: int) -> int | None:
    """A whole number as garak itself could use it, else None."""
    # JSON's true is an int to Python
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if least <= value <= LARGEST_WHOLE else None


def _aggregated_from(row: Mapping[str, Any]) -> tuple[str, ...] | None:
    if AGGREGATION not in row:
        return None
    stated = row[AGGREGATION]
    names = stated if isinstance(stated, list) else ()
    return tuple(public_address(name) for name in names if isinstance(name, str))


def _target(row: Mapping[str, Any], part: str) -> str | None:
    """The target's type or name; up to 0.13.0 it was called a model."""
    return first_text(
        row.get(f"plugins.target_{part}"),
        row.get(f"plugins.model_{part}"),
        row.get(f"model_{part}"),
    )


def _configuration(row: Mapping[str, Any]) -> dict[str, Any]:
    known = {OLD_CONFIGURATION_KEYS.get(key, key): row[key] for key in row}
    settings = {
        key: _shown_setting(key, known[key])
        for key in CONFIGURATION_KEYS
        if known.get(key) not in (None, "", [], {})
    }
    selectors = _buff_selectors(row.get(SPEC))
    if selectors:
        settings[SPEC] = _shown_setting(SPEC, selectors)
    return settings


def _shown_setting(key: str, value: Any) -> Any:
    """A setting as any output may show it."""
    public = without_secrets(value)
    text = canonical(public)
    if key in HASHED_KEYS or len(text) > LARGEST_SETTING:
        return {"sha256": sha256(text).hexdigest()}
    return public


def without_secrets(value: Any, depth: int = 0) -> Any:
    """A setting as any JSON writer can write it, secret members left out."""
    if isinstance(value, (dict, list)) and depth == DEEPEST_SETTING:
        return "nested too deeply"
    if isinstance(value, dict):
        return {
            key: without_secrets(member, depth + 1)
            for key, member in value.items()
            if not is_secret(key, member)
        }
    if isinstance(value, list):
        return [without_secrets(member, depth + 1) for member in value]
    if isinstance(value, str):
        return public_address(value)
    # JSON has no NaN and no infinity
    is_odd = isinstance(value, float) and not math.isfinite(value)
    return str(value) if is_odd else value


def is_secret(name: str, value: object) -> bool:
    """Whether a member's name says that its value is a key, token or password.

    Words are told apart by signs and capitals: ``apiKey``, ``X-Api-Key``,
    ``HF_TOKEN`` and ``auth`` are secrets, ``keyboard`` and ``max_tokens: 512`` not.
    """
    if name.lower().endswith(COUNTED) and isinstance(value, (int, float)):
        return False
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return any(
        word in SECRET_WORDS or word.removesuffix("s").endswith(SECRET_ENDINGS)
        for word in re.findall(r"[^\W_]+", words)
    )


def public_address(text: str) -> str:
    """Return a text whose addresses are host and path alone.

    A user, a password, a query and a fragment may all be secrets.
    """
    if "//" not in text:
        return text
    return re.sub(r"//(?:[^\s/?#]*@)?([^\s?#]*)(?:[?#]\S*)?", r"//\1", text)


def _buff_selectors(spec: object) -> dict[str, list[str]]:
    """The buffs in ``run.spec``; pairs and the intent settings cover the rest."""
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
