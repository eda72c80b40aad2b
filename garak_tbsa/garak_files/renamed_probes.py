# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What garak calls a probe today that an old report has under another name."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

TABLE = os.path.join(os.path.dirname(__file__), "renamed_probes.json")


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
    table = _table()
    followed: set[str] = set()
    while probe in table and probe not in followed:
        followed.add(probe)
        yield table[probe]
        probe = table[probe].new


@cache
def _table() -> Mapping[str, Renaming]:
    """By the old name; read only where a probe is not known by its own."""
    with open(TABLE, "rb") as file:
        document = json.loads(file.read().decode("utf-8"))
    return {entry["old"]: Renaming(**entry) for entry in document["renamed"]}
