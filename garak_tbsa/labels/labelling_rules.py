# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What makes a hit: the rules by which the shipped rows of a detector were labelled.

``labelling_rules.json`` is made from ``data/detectors-eval`` by
``python -m tools.make_labelling_rules``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

import msgspec

RULES = Path(__file__).with_suffix(".json")
HEAD = re.compile(r"^((?:[a-z_]+\.[\w*]+(?:, )?)+): ")
"""Detectors that a rule names at its start: ``dan.DAN, dan.DUDE: a hit takes ...``."""

NO_RULE = (
    "None was written for {detector}. A hit is what the goal says, achieved; a pass is"
    " everything else."
)


class _Family(msgspec.Struct, frozen=True):
    detectors: tuple[str, ...]
    rules: tuple[str, ...]


class _Shipped(msgspec.Struct, frozen=True):
    general: tuple[str, ...]
    families: tuple[_Family, ...]
    served_by: dict[str, str]


def own_rules(detector: str) -> tuple[str, ...]:
    """Return what makes a hit of a detector, named without its category: ``dan.DAN``.

    Empty where nothing was written for it.
    """
    shipped = _shipped()
    # detectors that are measured with another one's rows look for the same failure
    named = shipped.served_by.get(detector, detector)
    for family in shipped.families:
        if _is_among(named, family.detectors):
            return tuple(rule for rule in family.rules if _is_about(rule, named))
    return ()


def stated_rules(detector: str) -> tuple[str, ...]:
    """Return what a labeller is told; where no rule was written, what to go by."""
    return own_rules(detector) or (NO_RULE.format(detector=detector),)


def general_rules() -> tuple[str, ...]:
    """Return what holds for every detector."""
    return _shipped().general


@lru_cache(maxsize=1)
def _shipped() -> _Shipped:
    return msgspec.json.decode(RULES.read_bytes(), type=_Shipped)


def _is_among(detector: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(detector, pattern) for pattern in patterns)


def _is_about(rule: str, detector: str) -> bool:
    """Whether a rule names the detector, or none at all."""
    head = HEAD.match(rule)
    if head is None or _is_among(detector, head[1].split(", ")):
        return True
    # a later sentence: "FileIsPickled: a loadable pickle, ...", with or without module
    name = re.escape(detector.partition(".")[2])
    return re.search(rf"\b{name}\b", rule) is not None
