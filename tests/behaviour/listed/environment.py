# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Environment variables: those that the docs name, and those that the package reads."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import garak_tbsa
from tests.behaviour.listed.settings import PAGE


def told_variables() -> dict[str, str]:
    """Return each variable of the page, and the value that the page gives it."""
    text = PAGE.read_text(encoding="utf-8").partition("## Environment variables")[2]
    cells = re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)
    return {
        name: value
        for cell in cells
        for name, _, value in (
            each.partition("=") for each in re.findall(r"`([^`]*)`", cell)
        )
    }


def read_variables() -> set[str]:
    """Return what modules of the package ask the environment for by a fixed name."""
    sources = [
        path.read_text(encoding="utf-8")
        for path in Path(garak_tbsa.__path__[0]).rglob("*.py")
    ]
    trees = [ast.parse(source) for source in sources]
    constants = {
        target.id: node.value.value
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    asking = (
        tree
        for source, tree in zip(sources, trees, strict=True)
        if "environ" in source or "getenv" in source
    )
    asked = (
        name for tree in asking for name in map(_asked_for, ast.walk(tree)) if name
    )
    named = (
        name.value
        if isinstance(name, ast.Constant)
        else constants.get(ast.unparse(name))
        for name in asked
    )
    return {name for name in named if isinstance(name, str)}


def _asked_for(node: ast.AST) -> ast.expr | None:
    """The name in ``environ[name]``, ``environ.get(name)`` and ``getenv(name)``."""
    match node:
        case ast.Call(func=function, args=[name, *_]):
            asks = ast.unparse(function).endswith(("environ.get", "getenv"))
            return name if asks else None
        case ast.Subscript(value=mapping, slice=name, ctx=ast.Load()):
            return name if ast.unparse(mapping).endswith("environ") else None
    return None


def variable_entries() -> dict[str, str]:
    """Every environment variable, and the value with which the docs show it."""
    found = dict.fromkeys(read_variables(), "not in the docs")
    found |= {name: value or "any" for name, value in told_variables().items()}
    return {f"environment {name}": what for name, what in found.items()}
