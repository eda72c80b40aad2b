# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the product offers, and what of it changed: ``tests.behaviour.inventory``.

``inventory.json`` lists what users rely on, entry by entry, and only grows.
``gone.json`` marks what has left or changed since, with the reason::

    {
     "command baseline*": {
      "since": "0.2.0",
      "why": "DESIGN section 6, what goes",
      "instead": "--baseline takes any report"
     },
     "command plan: --seed": {
      "since": "0.2.0",
      "why": "issue 21",
      "now": "N; default 1"
     }
    }

A star at the end of a mark stands for every listed entry that begins so.
``python -m tests.behaviour.inventory`` tells how the product differs from both;
``--write`` adds new entries to the inventory, and touches no other.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.behaviour.listed import (
    abilities,
    commands,
    environment,
    json_members,
    pipelines,
    python_names,
    settings,
)
from tests.behaviour.product import tbsa

FOLDER = Path(__file__).parent
INVENTORY, GONE = FOLDER / "inventory.json", FOLDER / "gone.json"
GONE_MARK, CHANGED_MARK = {"since", "why", "instead"}, {"since", "why", "now"}

Entries = dict[str, str]
Marks = dict[str, dict[str, str]]


def entries() -> Entries:
    """Return what the product offers as it stands."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "demo")
        shown = tbsa("demo", folder)
        assert shown.code == 0, shown
        parts = [
            commands.command_entries(),
            commands.served_commands(),
            commands.tried_flags(folder),
            settings.setting_entries(),
            environment.variable_entries(),
            pipelines.pipeline_entries(),
            python_names.public_entries(),
            python_names.served_entries(),
            python_names.documented_entries(),
            python_names.result_entries(folder),
            python_names.table_entries(folder),
            json_members.schema_entries(),
            json_members.preset_entries(),
            json_members.document_entries(folder),
            abilities.ability_entries(),
        ]
    pairs = [pair for part in parts for pair in part.items()]
    found = dict(sorted(pairs))
    assert len(found) == len(pairs), "listed twice"
    return found


def listed() -> Entries:
    """Return the entries of the inventory."""
    found: Entries = json.loads(INVENTORY.read_text(encoding="utf-8"))
    return found


def marks() -> Marks:
    """Return what is marked as gone or changed."""
    found: Marks = json.loads(GONE.read_text(encoding="utf-8"))
    return found


def by_entry(inventory: Mapping[str, str], marked: Marks) -> Marks:
    """Return the mark of each entry; a mark that none begins with stays as it is."""
    found: Marks = {}
    for name, mark in marked.items():
        alike = [each for each in inventory if each.startswith(name.removesuffix("*"))]
        found |= dict.fromkeys(alike if name.endswith("*") and alike else [name], mark)
    return found


def kept(inventory: Mapping[str, str], marked: Marks) -> Entries:
    """Return the entries that the product must have, as they must be now."""
    marked = by_entry(inventory, marked)
    return {
        entry: marked[entry]["now"] if entry in marked else what
        for entry, what in inventory.items()
        if "now" in marked.get(entry, {"now": what})
    }


def differences(
    inventory: Mapping[str, str], marked: Marks, product: Mapping[str, str]
) -> list[str]:
    """Return each difference in one line that says what to do; none if all is told."""
    marked = by_entry(inventory, marked)
    return [
        *_wrong_marks(inventory, marked),
        *_left(kept(inventory, marked), product),
        *(
            f"marked gone but there: {entry}; take its mark out of {GONE.name}"
            for entry, mark in marked.items()
            if "instead" in mark and entry in product
        ),
        *(
            f"came: {entry} ({what}); add it by python -m tests.behaviour.inventory"
            " --write, in the same commit"
            for entry, what in product.items()
            if entry not in inventory
        ),
    ]


def _wrong_marks(inventory: Mapping[str, str], marked: Marks) -> Iterator[str]:
    for entry, mark in marked.items():
        if entry not in inventory:
            yield f"marked in {GONE.name} but never listed: {entry}"
        if set(mark) not in (GONE_MARK, CHANGED_MARK) or not all(mark.values()):
            yield (
                f"{GONE.name}, {entry}: expected since, why, and instead (if it is"
                f" gone) or now (if it changed); found {', '.join(mark) or 'nothing'}"
            )


def _left(expected: Mapping[str, str], product: Mapping[str, str]) -> Iterator[str]:
    for entry, what in expected.items():
        if entry not in product:
            yield (
                f"left: {entry} ({what}); bring it back, or mark it in {GONE.name} with"
                " since, why (a line of DESIGN section 6 or an issue) and instead"
            )
        elif product[entry] != what:
            yield (
                f"changed: {entry} was {what!r}, is {product[entry]!r}; undo it, or"
                f" mark it in {GONE.name} with since, why (a line of DESIGN section 6"
                " or an issue) and now"
            )


def main(arguments: list[str] | None = None) -> int:
    """Tell how the product differs from its inventory; 1 if it does."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.behaviour.inventory",
        description="Compare the product with the inventory of what users rely on.",
    )
    parser.add_argument(
        "--write", action="store_true", help="add new entries to the inventory"
    )
    options = parser.parse_args(arguments)
    # keeps garak's folders and settings of this machine out of it
    importlib.import_module("tests.conftest")
    product = entries()
    inventory = listed() if INVENTORY.is_file() else {}
    if options.write:
        new = {entry: what for entry, what in product.items() if entry not in inventory}
        inventory |= new
        _write(inventory)
        sys.stdout.write(f"{INVENTORY.name}: {len(new)} entries added\n")
    found = differences(inventory, marks(), product)
    sys.stdout.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


def _write(inventory: Mapping[str, str]) -> None:
    text = json.dumps(dict(sorted(inventory.items())), indent=1, ensure_ascii=False)
    INVENTORY.write_text(f"{text}\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
