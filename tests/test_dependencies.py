# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the package declares is what it imports: no dependency too many."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from packaging.utils import canonicalize_name

from tests.values import known
from tools.licences import OF_DEVELOPERS, brought_by

LARGEST = 2_000_000
"""Bytes of an installed package that garak does not bring."""
ROOT = Path(__file__).parent.parent
TABLES = "result.py"


def declared() -> set[str]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    return set(re.findall(r'"([\w-]+)', known(block)[1]))


@cache
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


def test_what_is_declared_is_imported_and_no_curation() -> None:
    """Curation of the repository's data is not in the package, nor what it needs."""
    assert declared() - imported() == set()
    assert not {"sklearn", "tools"} & imported()


def test_a_user_of_garak_downloads_one_small_package() -> None:
    """Whatever else is needed comes with garak or is an extra."""
    own = {canonicalize_name(name) for name in declared()} - brought_by("garak")
    assert own == {"msgspec"}
    assert brought_by("msgspec") == own
    files = known(distribution("msgspec").files)
    sizes = [Path(str(file.locate())).stat().st_size for file in files]
    assert sum(sizes) < LARGEST


def test_the_page_on_installing_lists_every_extra_for_users() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(
        r"^\[project.optional-dependencies\]\n(.*?)^\[", text, re.S | re.M
    )
    extras = re.findall(r"^([a-z]+) = \[(.*?)\]", known(block)[1], re.S | re.M)
    for_users = {name: brought for name, brought in extras if name not in OF_DEVELOPERS}
    page = (ROOT / "docs" / "how_to" / "install.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z]+)` \| `([\w-]+)` \|", page, re.M))
    assert rows.keys() == for_users.keys()
    for name, package in rows.items():
        assert re.match(rf'"{package}\b', for_users[name])


def test_what_tables_need_is_imported_in_one_place_and_late() -> None:
    wrong = [
        f"{path.name}, line {node.lineno}"
        for path in (ROOT / "garak_tbsa").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        and re.match(r"(import|from) pandas", ast.unparse(node))
        # within a function of one file; elsewhere for types alone
        and (
            node.col_offset == 0
            or (isinstance(node, ast.Import) and path.name != TABLES)
        )
    ]
    assert wrong == []
