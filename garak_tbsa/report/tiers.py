# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Tiers of probes that no report states: a user's file, and names that went."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from garak_tbsa.errors import ReportError
from garak_tbsa.report.fields import is_tier, parse_json
from garak_tbsa.report.measurement import NAME_LENGTH_LIMIT, bare_probe
from garak_tbsa.report.opening import BYTE_ORDER_MARK, memory_to_parse
from garak_tbsa.report.rows import MOST_PROBES
from garak_tbsa.safe_text import shown

LARGEST = 64 << 20
LARGEST_PARSED = 512 << 20
ADVICE = (
    'write {"module.Class": tier, ...} with tiers 1, 2, 3 or 9, or give the'
    " plugin_cache.json of the garak that made the scan"
)
RENAMED = Path(__file__).with_name("renamed_probes.json")


def parse_tiers(content: bytes, *, source: str) -> Mapping[str, int]:
    """Read a file of tiers, for probes that neither a report nor garak knows.

    Parameters
    ----------
    content : bytes
        A JSON object from probe to tier, or garak's own ``plugin_cache.json``, of
        which probes without a tier are passed over.
    source : str
        Its path, for errors.

    Returns
    -------
    mapping of str to int
        1, 2, 3 or 9 by ``module.Class``.

    Raises
    ------
    ReportError
        It is neither.
    """
    if memory_to_parse(content) > LARGEST_PARSED:
        raise ReportError(source, "is too large for a file of tiers", ADVICE)
    try:
        stated = parse_json(content.removeprefix(BYTE_ORDER_MARK))
    except ValueError:
        raise ReportError(source, "is not JSON", ADVICE) from None
    if not isinstance(stated, dict):
        raise ReportError(source, "is not a JSON object", ADVICE)
    probes = stated.get("probes")
    if isinstance(probes, dict):
        stated = {
            name: entry["tier"]
            for name, entry in probes.items()
            if isinstance(entry, dict) and entry.get("tier") is not None
        }
    if not stated or len(stated) > MOST_PROBES:
        raise ReportError(
            source, f"names no probe's tier, or more than {MOST_PROBES:,}", ADVICE
        )
    for name, tier in stated.items():
        if not is_tier(tier):
            raise ReportError(
                source,
                f"{shown(name, NAME_LENGTH_LIMIT)}: expected a tier of 1, 2, 3 or 9,"
                f" found {shown(repr(tier), 40)}",
                ADVICE,
            )
    return {bare_probe(name): tier for name, tier in stated.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class Renaming:
    """One name that garak gave up.

    Attributes
    ----------
    old, new : str
        ``module.Class``.
    since : str
        The first release of garak with the new name.
    """

    old: str
    new: str
    since: str


def later_names(probe: str) -> Iterator[Renaming]:
    """Yield what a probe was called since, one release after the other."""
    table = _renamed()
    followed: set[str] = set()
    while probe in table and probe not in followed:
        followed.add(probe)
        yield table[probe]
        probe = table[probe].new


@cache
def _renamed() -> Mapping[str, Renaming]:
    """By the old name; read only where a probe is not known by its own."""
    document = json.loads(RENAMED.read_text(encoding="utf-8"))
    return {entry["old"]: Renaming(**entry) for entry in document["renamed"]}
