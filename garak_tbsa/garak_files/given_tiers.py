# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A file of tiers, for probes that neither a report nor the installed garak knows."""

from __future__ import annotations

from collections.abc import Mapping

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.fields import NAME_LENGTH_LIMIT, TIERS, parse_json
from garak_tbsa.garak_files.limits import MOST_PROBES, memory_to_parse
from garak_tbsa.garak_files.measurement import bare_probe
from garak_tbsa.safe_text import shown

LARGEST = 64 << 20
LARGEST_PARSED = 512 << 20
ADVICE = (
    'write {"module.Class": tier, ...} with tiers 1, 2, 3 or 9, or give the'
    " plugin_cache.json of the garak that made the scan"
)


def parse_tiers(content: bytes, *, source: str) -> Mapping[str, int]:
    """Read a file of tiers.

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
        document = parse_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        raise ReportError(source, "is not JSON", ADVICE) from None
    if not isinstance(document, dict):
        raise ReportError(source, "is not a JSON object", ADVICE)
    probes = document.get("probes")
    if isinstance(probes, dict):
        stated = {
            name: entry["tier"]
            for name, entry in probes.items()
            if isinstance(entry, dict) and entry.get("tier") is not None
        }
    else:
        stated = document
    if not stated or len(stated) > MOST_PROBES:
        raise ReportError(
            source, f"names no probe's tier, or more than {MOST_PROBES:,}", ADVICE
        )
    return {bare_probe(name): _tier(name, stated[name], source) for name in stated}


def _tier(name: str, tier: object, source: str) -> int:
    # JSON's true is an int to Python
    if not isinstance(tier, int) or isinstance(tier, bool) or tier not in TIERS:
        raise ReportError(
            source,
            f"{shown(name, NAME_LENGTH_LIMIT)}: expected a tier of 1, 2, 3 or 9,"
            f" found {shown(repr(tier), 40)}",
            ADVICE,
        )
    return tier
