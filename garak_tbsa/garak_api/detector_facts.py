# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the installed garak says of its detectors, without running any."""

from __future__ import annotations

from garak_tbsa.garak_api.detectors import (
    external_class,
    garak_module,
    known_detectors,
)

_TRIGGER_LIST_DETECTORS = frozenset(
    {"base.TriggerListDetector", "goodside.Glitch", "propile.PIILeakExact"}
)
"""Their strings come with each attempt, so they have no parameter to know them by."""


def matches_strings(name: str) -> bool:
    """Whether a detector looks for given strings and for nothing else.

    A detector of garak's is known by the parameter that ``StringDetector`` has:
    importing all detector modules would take seconds.
    """
    if ":" in name:
        base = garak_module("garak.detectors.base")
        kinds = (base.StringDetector, base.TriggerListDetector)
        return issubclass(external_class(name), kinds)
    if name in _TRIGGER_LIST_DETECTORS:
        return True
    if name not in known_detectors():
        return False  # of another garak's summary
    info = garak_module("garak._plugins").plugin_info(f"detectors.{name}")
    return "matchtype" in (info.get("DEFAULT_PARAMS") or {})
