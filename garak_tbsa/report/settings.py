# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scan's configuration, as its report states it: what matters, without secrets.

Nothing after this stage sees the row itself, so that what it leaves out (keys,
tokens, queries of addresses, the text of a system prompt) gets into no output and
moves no checksum.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

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
    "buff": "plugins.buff_spec",
    "detectors": "plugins.detector_spec",
    "extended_detectors": "plugins.extended_detectors",
    **{
        name: f"run.{name}"
        for name in ("generations", "eval_threshold", "deprefix", "probe_tags")
    },
}
"""Names in the ``config`` row of garak 0.9, and what they are called since."""

NO_PROBES = ("all", "*", "auto")
"""What is selected and names no probe."""

PREFIX = re.compile(r"^(?:probes|detectors?)\.")
SPEC = "run.spec"
HASHED = "run.system_prompt"
"""A setting whose text is nobody's business; its sha256 tells it apart."""

SECRET_ENDINGS = (
    *("key", "token", "secret", "password", "passwd", "passphrase", "credential"),
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

    def selects(self, probe: str) -> bool:
        """Whether a probe, or its whole family, is known to have been selected."""
        return not self.selected_probes.isdisjoint(named_by({probe}))


def parse_settings(row: Mapping[str, Any]) -> ScanSettings:
    """Read a ``start_run setup`` or ``config`` row, or the setup in a digest.

    Parameters
    ----------
    row : mapping
        As JSON gave it; empty where the report has none.
    """
    selected = row.get("transient.active_probes")
    # a list, or a text with commas, as aggregates have it
    names = selected.split(",") if isinstance(selected, str) else selected
    probes = (bare_name(name.strip()) for name in _texts(names))
    parts = _texts(row.get(AGGREGATION))
    # up to 0.13.0 a target was called a model
    target = {
        part: first_text(
            *map(row.get, (f"plugins.target_{part}", f"plugins.model_{part}")),
            row.get(f"model_{part}"),
        )
        for part in ("type", "name")
    }
    return ScanSettings(
        configuration=_configuration(row),
        eval_threshold=threshold_of(row.get("run.eval_threshold")),
        selected_probes=frozenset(
            name for name in probes if name and name not in NO_PROBES
        ),
        aggregated_from=tuple(map(public_address, parts))
        if AGGREGATION in row
        else None,
        is_old=row.get("entry_type") == "config",
        seed=_whole(row.get("run.seed", row.get("seed")), least=0),
        generations=_whole(row.get("run.generations", row.get("generations")), least=1),
        garak_version=first_text(row.get("_config.version")),
        run_uuid=first_text(row.get("transient.run_id")),
        start_time=first_text(row.get("transient.starttime_iso")),
        target_type=target["type"],
        target_name=target["name"],
    )


def target_text(*parts: str | None) -> str:
    """What a target is called, of its type and name as far as they are known."""
    return " ".join(filter(None, parts)) or "unknown"


def bare_name(name: str) -> str:
    """Return the name of a probe or detector without what older garaks put before."""
    return PREFIX.sub("", name)


def named_by(probes: Set[str]) -> frozenset[str]:
    """Return all names by which these probes may be selected: theirs, and families."""
    return frozenset(probes) | {probe.partition(".")[0] for probe in probes}


def differing_settings(one: ScanSettings, other: ScanSettings) -> tuple[str, ...]:
    """Return garak's names of what two setups do not state alike, sorted."""
    first, second = (
        {
            **covered_by_checksum(each),
            "plugins.target_name": each.target_name,
            "plugins.target_type": each.target_type,
            "run.seed": each.seed,
            "transient.active_probes": sorted(each.selected_probes),
            "transient.run_id": each.run_uuid,
            AGGREGATION: each.is_aggregation,
        }
        for each in (one, other)
    )
    return differing(first, second)


def covered_by_checksum(settings: ScanSettings) -> dict[str, Any]:
    """Return the settings that the checksum covers, by garak's names."""
    return {**settings.configuration, "_config.version": settings.garak_version}


def differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of what is not alike, sorted."""
    return tuple(
        name
        for name in sorted(first.keys() | second.keys())
        if canonical(first.get(name)) != canonical(second.get(name))
    )


def canonical(value: object) -> bytes:
    """Return one ASCII text per JSON value, whatever its key order, no blanks."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return text.encode("ascii")


def first_text(*candidates: object) -> str | None:
    """Return the first text that is not empty, cut to what may be shown."""
    found = next(filter(None, _texts([*candidates])), None)
    return None if found is None else shown(public_address(found))


def _texts(stated: object) -> list[str]:
    """Those of a list's members that are texts."""
    members = stated if isinstance(stated, list) else ()
    return [each for each in members if isinstance(each, str)]


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
        return math.inf if value > 0 else -math.inf


def _whole(value: object, *, least: int) -> int | None:
    """A whole number as garak itself could use it, else None."""
    # JSON's true is an int to Python
    is_usable = type(value) is int and least <= value <= LARGEST_WHOLE
    return value if is_usable else None  # type: ignore[return-value]


def _configuration(row: Mapping[str, Any]) -> dict[str, Any]:
    known = {OLD_CONFIGURATION_KEYS.get(key, key): row[key] for key in row}
    spec = known.get(SPEC)
    # pairs and the intent settings cover the rest of it
    buffs = {
        side: sorted(each for each in _texts(chosen) if each.startswith("buffs."))
        for side, chosen in (spec.items() if isinstance(spec, dict) else ())
    }
    known[SPEC] = {side: chosen for side, chosen in buffs.items() if chosen}
    settings = {}
    for key in (*CONFIGURATION_KEYS, SPEC):
        if known.get(key) in (None, "", [], {}):
            continue
        public = without_secrets(known[key])
        text = canonical(public)
        is_hashed = key == HASHED or len(text) > LARGEST_SETTING
        settings[key] = {"sha256": sha256(text).hexdigest()} if is_hashed else public
    return settings


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
