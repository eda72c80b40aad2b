# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What users rely on that has no name of its own.

``abilities.json`` says which test shows it. The test may be another at any time; the
ability itself is an entry.
"""

from __future__ import annotations

import ast
import json
from functools import cache

from tests.behaviour.product import REPOSITORY

FILE = REPOSITORY / "tests" / "behaviour" / "abilities.json"


def abilities() -> dict[str, str]:
    """Return each ability and the test that shows it, ``path::name``."""
    found: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def ability_entries() -> dict[str, str]:
    """Every ability, and whether its test is there."""
    return {
        f"ability: {ability}": "shown" if is_there(test) else f"not shown by {test}"
        for ability, test in abilities().items()
    }


def is_there(test: str) -> bool:
    """Whether a file has a test of this name."""
    path, _, name = test.partition("::")
    return name in _functions_of(path)


@cache
def _functions_of(path: str) -> set[str]:
    file = REPOSITORY / path
    if not file.is_file():
        return set()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
