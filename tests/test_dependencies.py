# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the package declares is what it imports: no dependency too many."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.values import known

ROOT = Path(__file__).parent.parent


def declared() -> set[str]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    return set(re.findall(r'"([\w-]+)', known(block)[1]))


def imported() -> set[str]:
    found: set[str] = set()
    for path in (ROOT / "garak_tbsa").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(known(node.module).partition(".")[0])
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                # what is imported by name, where it is needed
                found.add(node.value.partition(".")[0])
    return found


def test_every_dependency_is_imported() -> None:
    assert declared() - imported() == set()


def test_the_wheel_needs_no_curation() -> None:
    """Curation of the repository's data is not in the package, nor what it needs."""
    assert not {"sklearn", "matplotlib", "tools"} & imported()
