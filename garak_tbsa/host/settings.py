# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``reporting.tbsa`` in garak's configuration, checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from garak_tbsa.errors import UsageError
from garak_tbsa.outputs.registry import FORMATS
from garak_tbsa.removed import REMOVED, removal
from garak_tbsa.statistics.kinds import REPEATS
from garak_tbsa.tbsa.gate_options import (
    GATE_NAMES,
    GATE_OPTIONS,
    GateOption,
    GateRules,
    lonely,
)
from garak_tbsa.tbsa.score import FORMULAS

OUTPUTS = tuple(form.name for form in FORMATS)
WHERE = "reporting.tbsa"
REPORT_ENDING = ".report.jsonl"
KNOWN = (
    *("enabled", *OUTPUTS, "evidence"),
    *(*GATE_NAMES, "repeat", "formula", "time_limit"),
)
DEFAULT_TIME_LIMIT = 60.0
LONGEST_TIME_LIMIT = 86_400
SHOWN = 60
"""Characters of a wrong value that an error quotes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AfterScanSettings:
    """What to do after a scan.

    Attributes
    ----------
    enabled : bool
        Whether to score at all.
    outputs : tuple of str
        The names of the forms to write beside the report, of
        :data:`~garak_tbsa.outputs.registry.FORMATS`.
    evidence : bool
        Whether those that can show hits do.
    rules : GateRules
    repeat : str or None
        ``same-prompts`` or ``fresh-prompts``: which prompts a repeat has;
        None where nothing is said.
    formula : str or None
        ``documented`` or ``garak``; None where nothing is said.
    time_limit : float
        Seconds after which the rest is given up, 1-86,400.
    """

    enabled: bool = True
    outputs: tuple[str, ...] = ("json",)
    evidence: bool = True
    rules: GateRules = field(default_factory=GateRules)
    repeat: str | None = None
    formula: str | None = None
    time_limit: float = DEFAULT_TIME_LIMIT


def output_paths(report: str, settings: AfterScanSettings) -> dict[str, str]:
    """Return the path of each output that the settings ask for, beside the report."""
    prefix = report.removesuffix(REPORT_ENDING)
    return {
        form.name: prefix + form.ending
        for form in FORMATS
        if form.name in settings.outputs
    }


def read_settings(raw: object) -> AfterScanSettings:
    """Check the settings.

    Parameters
    ----------
    raw : object
        The mapping under ``reporting.tbsa``, or None; a bare true or false
        is short for ``enabled``.

    Raises
    ------
    UsageError
        An unknown setting or a value of the wrong type; names it.
    """
    if raw is None:
        return AfterScanSettings()
    if isinstance(raw, bool):
        return AfterScanSettings(enabled=raw)
    if not isinstance(raw, dict):
        raise UsageError(
            f"{WHERE}: expected settings such as fail_under: 3.5, found {_shown(raw)}"
        )
    gone = _gone(raw)
    unknown = sorted(str(key) for key in raw if key not in (*KNOWN, *gone))
    if unknown:
        raise UsageError(f"{WHERE}.{_cut(unknown[0])}: {_not_known(unknown[0])}")
    gates = {option.name: _gate(raw, option) for option in GATE_OPTIONS}
    if problem := lonely(gates):
        raise UsageError(f"{WHERE}.{problem}")
    return AfterScanSettings(
        enabled=_switch(raw, "enabled", default=True),
        outputs=tuple(
            name for name in OUTPUTS if _switch(raw, name, default=name == "json")
        ),
        evidence=_switch(raw, "evidence", default=True),
        rules=GateRules(**gates),
        repeat=_one_of(raw, "repeat", REPEATS),
        formula=_one_of(raw, "formula", FORMULAS),
        time_limit=_time_limit(raw),
    )


def removal_lines(raw: object) -> list[str]:
    """Return what is told of each setting that does nothing any more."""
    return [
        f"{removal(f'{WHERE}.{key}')}; the scan goes on without it"
        for key in _gone(raw)
    ]


def _gone(raw: object) -> list[str]:
    keys = raw if isinstance(raw, dict) else ()
    return [key for key in keys if f"{WHERE}.{key}" in REMOVED]


def _not_known(name: str) -> str:
    near = get_close_matches(name.lower().replace("-", "_")[:SHOWN], KNOWN, n=1)
    if near:
        return f"not a setting (did you mean {near[0]}?)"
    return f"not a setting; expected one of {', '.join(KNOWN)}"


def _shown(value: object) -> str:
    # garak makes its mappings defaultdicts, whose text says nothing to a user
    if isinstance(value, dict):
        return "a mapping"
    try:
        return _cut(repr(value))
    except ValueError:
        return "a number of too many digits"


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def _require(raw: dict[str, Any], key: str, fits: bool, expected: str) -> None:
    if not fits:
        found = _shown(raw[key])
        raise UsageError(f"{WHERE}.{key}: expected {expected}, found {found}")


def _switch(raw: dict[str, Any], key: str, *, default: bool) -> bool:
    value = raw.get(key, default)
    _require(raw, key, isinstance(value, bool), "true or false")
    return bool(value)


def _gate(raw: dict[str, Any], option: GateOption) -> Any:
    value, is_right = raw.get(option.name), True
    if value is None:
        return option.default
    try:
        value = option.from_setting(value)
    except ValueError:
        is_right = False
    _require(raw, option.name, is_right, option.expected)
    return value


def _time_limit(raw: dict[str, Any]) -> float:
    value = raw.get("time_limit")
    if value is None:
        return DEFAULT_TIME_LIMIT
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    is_right = is_number and 1 <= value <= LONGEST_TIME_LIMIT
    _require(raw, "time_limit", is_right, f"seconds from 1 to {LONGEST_TIME_LIMIT}")
    return float(value)


def _one_of(raw: dict[str, Any], key: str, choices: tuple[str, ...]) -> str | None:
    value = raw.get(key)
    # what cannot be compared with a text is none of them either
    is_right = value is None or (isinstance(value, str) and value in choices)
    _require(raw, key, is_right, " or ".join(choices))
    return None if value is None else str(value)
