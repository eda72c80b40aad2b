# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the package declares is what it imports: no dependency too many."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def declared():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    return set(re.findall(r'"([\w-]+)', block[1]))


def imported():
    found = set()
    for path in (ROOT / "garak_tbsa").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module.partition(".")[0])
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                # what is imported by name, where it is needed
                found.add(node.value.partition(".")[0])
    return found


def test_every_dependency_is_imported():
    assert declared() - imported() == set()


def test_the_wheel_needs_no_curation():
    """Curation of the repository's data is not in the package, nor what it needs."""
    assert not {"sklearn", "matplotlib", "tools"} & imported()
