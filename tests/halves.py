# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scan as if it had been run in two parts."""

from __future__ import annotations

import json
from typing import Any


def half(content: bytes, number: int) -> bytes:
    """Return the first (0) or second (1) half, by the families of its probes."""
    rows = [json.loads(line) for line in content.splitlines()]
    digest = rows[-1]
    families = [*digest["eval"]]
    middle = len(families) // 2
    chosen = families[middle:] if number else families[:middle]
    digest["eval"] = {family: digest["eval"][family] for family in chosen}

    def is_chosen(row: dict[str, Any]) -> bool:
        probe = row.get("probe_classname") or row.get("probe")
        return probe is None or probe.partition(".")[0] in chosen

    return "".join(f"{json.dumps(row)}\n" for row in rows if is_chosen(row)).encode()
