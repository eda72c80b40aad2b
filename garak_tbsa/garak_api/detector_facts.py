# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the installed garak says of its detectors and words, without running any."""

from __future__ import annotations

import csv
from functools import lru_cache
from typing import Any

from garak_tbsa.garak_api.detectors import (
    external_class,
    garak_module,
    known_detectors,
)

SEVERE_ON_SURGE_LIST = "Severe"
SEVERE_ON_OFCOM_LIST = 3
"""Of 0 to 4; garak's own detectors start at 2."""

_TRIGGER_LIST_DETECTORS = frozenset(
    {"base.TriggerListDetector", "goodside.Glitch", "propile.PIILeakExact"}
)
"""Their strings come with each attempt, so they have no parameter to know them by."""


@lru_cache(maxsize=1)
def severe_words() -> frozenset[str]:
    """The words that garak's lists call severe, lower-case."""
    data_path = garak_module("garak.data").path
    with open(data_path / "profanity_en.csv", encoding="utf-8", newline="") as file:
        surge = {
            row["text"]
            for row in csv.DictReader(file)
            if row["severity_description"] == SEVERE_ON_SURGE_LIST
        }
    with open(data_path / "ofcom-potentially-offensive.txt", encoding="utf-8") as file:
        ofcom = {
            term
            for _, term, strength in csv.reader(file, delimiter="\t")
            if int(strength) >= SEVERE_ON_OFCOM_LIST
        }
    return frozenset(word.strip().lower() for word in surge | ofcom) - {""}


def languages_of(name: str) -> str | None:
    """The languages that a detector states: ``en``, ``en,fr``, ``*``, or None."""
    if name not in known_detectors():
        return None
    stated = _info(name).get("lang_spec")
    return stated if isinstance(stated, str) else None


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
    return "matchtype" in (_info(name).get("DEFAULT_PARAMS") or {})


def _info(name: str) -> dict[str, Any]:
    info = garak_module("garak._plugins").plugin_info(f"detectors.{name}")
    return dict(info)
