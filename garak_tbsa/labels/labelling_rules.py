# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What makes a hit: the rules by which the shipped rows of a detector were labelled."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

import msgspec

from garak_tbsa.detector_eval.data import served_by, shipped_folder

FAMILIES = "families.json"
GENERAL = "general_rules.json"
HEAD = re.compile(r"^((?:[a-z_]+\.[\w*]+(?:, )?)+): ")
"""Detectors that a rule names at its start: ``dan.DAN, dan.DUDE: a hit takes ...``."""

NO_RULE = (
    "None was written for {detector}. A hit is what the goal says, achieved; a pass is"
    " everything else."
)


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """Detectors that were labelled by the same rules.

    Attributes
    ----------
    name : str
    detectors : tuple of str
        Names, or patterns such as ``dan.*``.
    rules : tuple of str
        What makes a hit, in sentences.
    """

    name: str
    detectors: tuple[str, ...]
    rules: tuple[str, ...]


def own_rules(detector: str) -> tuple[str, ...]:
    """Return what makes a hit of a detector, named without its category: ``dan.DAN``.

    Empty where nothing was written for it.
    """
    # detectors that are measured with another one's rows look for the same failure
    named = _served_by().get(detector, detector)
    for family in _families():
        if _is_among(named, family.detectors):
            return tuple(rule for rule in family.rules if _is_about(rule, named))
    return ()


def stated_rules(detector: str) -> tuple[str, ...]:
    """Return what a labeller is told; where no rule was written, what to go by."""
    return own_rules(detector) or (NO_RULE.format(detector=detector),)


def general_rules() -> tuple[str, ...]:
    """Return what holds for every detector."""
    return msgspec.json.decode(_shipped(GENERAL), type=tuple[str, ...])


@lru_cache(maxsize=1)
def _families() -> tuple[Family, ...]:
    return msgspec.json.decode(_shipped(FAMILIES), type=tuple[Family, ...])


@lru_cache(maxsize=1)
def _served_by() -> Mapping[str, str]:
    return served_by(shipped_folder())


def _shipped(name: str) -> bytes:
    """Return a file that is beside the labelled rows."""
    return (Path(shipped_folder()).parent / name).read_bytes()


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
