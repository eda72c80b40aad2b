# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``reporting.tbsa`` in garak's configuration, checked."""

from __future__ import annotations

from garak_tbsa.errors import UsageError
from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.gate import GateRules
from garak_tbsa.tbsa.gate_options import (
    DEFAULT_ALPHA,
    GATE_OPTIONS,
    LARGEST_ALPHA,
    SMALLEST_ALPHA,
)
from garak_tbsa.tbsa.outputs.registry import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OUTPUTS = tuple(form.name for form in FORMATS)
GATES = tuple(option.name for option in GATE_OPTIONS if option.is_rule)
WHERE = "reporting.tbsa"
KNOWN = (
    "enabled",
    *OUTPUTS,
    *GATES,
    "alpha",
)


@record
class AfterScanSettings:
    """What to do after a scan.

    Attributes
    ----------
    enabled : bool
        Whether to score at all.
    outputs : tuple of str
        Which of ``json``, ``html``, ``markdown``, ``junit``, ``sarif`` to write
        beside the report.
    rules : GateRules
    baseline : str or None
        Report to compare with.
    """

    enabled: bool = True
    outputs: tuple[str, ...] = ("json",)
    rules: GateRules = GateRules()
    baseline: str | None = None


def read_settings(raw: object) -> AfterScanSettings:
    """Check the settings.

    Parameters
    ----------
    raw : object
        The mapping under ``reporting.tbsa``, or None; a bare true or false
        stands for ``enabled``.

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
        raise UsageError(f"{WHERE}: expected settings such as fail_under: 3.5")
    unknown = sorted(str(key) for key in raw if key not in KNOWN)
    if unknown:
        raise UsageError(
            f"{WHERE}.{unknown[0]}: not a setting; expected one of {', '.join(KNOWN)}"
        )
    return AfterScanSettings(
        enabled=_switch(raw, "enabled", default=True),
        outputs=tuple(
            name for name in OUTPUTS if _switch(raw, name, default=name == "json")
        ),
        rules=GateRules(
            fail_under=_number(raw, "fail_under", 1, 5),
            require_tier1_grade=_whole(raw, "require_tier1_grade", 1, 5),
            min_coverage=_number(raw, "min_coverage", 0, 1),
            alpha=_alpha(raw),
        ),
        baseline=_path(raw, "baseline"),
    )


def asks_for_gate(raw: object) -> bool:
    """Whether settings, right or wrong, ask for a scan to be judged."""
    return (
        isinstance(raw, dict)
        and raw.get("enabled") is not False
        and any(raw.get(name) is not None for name in GATES)
    )


def _switch(raw: dict[str, Any], key: str, *, default: bool) -> bool:
    value = raw.get(key, default)
    if not isinstance(value, bool):
        raise UsageError(f"{WHERE}.{key}: expected true or false, found {value!r}")
    return value


def _number(raw: dict[str, Any], key: str, low: float, high: float) -> float | None:
    value = raw.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{WHERE}.{key}: expected a number, found {value!r}")
    if not low <= value <= high:
        raise UsageError(
            f"{WHERE}.{key}: expected a number from {low} to {high}, found {value!r}"
        )
    return float(value)


def _alpha(raw: dict[str, Any]) -> float:
    alpha = _number(raw, "alpha", SMALLEST_ALPHA, LARGEST_ALPHA)
    return DEFAULT_ALPHA if alpha is None else alpha


def _whole(raw: dict[str, Any], key: str, low: int, high: int) -> int | None:
    value = _number(raw, key, low, high)
    if value is not None and not value.is_integer():
        raise UsageError(f"{WHERE}.{key}: expected a whole number, found {value!r}")
    return None if value is None else int(value)


def _path(raw: dict[str, Any], key: str) -> str | None:
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{WHERE}.{key}: expected a report's path, found {value!r}")
    return value or None
