# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of ours that garak drops from its configuration without a word.

A gate that stands in a wrong place, or under a wrong name, would never be judged, nor
would one whose key stands twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from garak_tbsa.garak_api.config_files import ConfigFile
from garak_tbsa.gates.options import GATE_OPTIONS, asks_for_gate
from garak_tbsa.host.settings import WHERE

RIGHT_PLACE = REPORTING, OURS = tuple(WHERE.split("."))
SECTIONS = (REPORTING, "run", "system", "plugins")
"""Those of garak's configuration; it drops all others."""

PLUGIN_OPTIONS = re.compile(
    r"\bplugins\.(probes|detectors|generators|buffs|harnesses)\."
)
GATES = {option.name.replace("_", ""): option.name for option in GATE_OPTIONS}
COMMON_WORDS = ("sure", "baseline", "alpha", "github")
"""Names of ours that other programs may use too."""

NEAR, SIMILAR = 0.7, 0.6
"""How like ours the name of a section is with one wrong letter, and with two."""

ITEM = "[]"
"""Stands in a path for the items of a list."""

NOTHING = object()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """A key of a mapping.

    Attributes
    ----------
    keys : tuple of str
        Those on the way to it, and its own.
    line : int
    value : yaml.Node
    """

    keys: tuple[str, ...]
    line: int
    value: Any

    @property
    def names(self) -> list[str]:
        """The keys, taken apart where one is a path."""
        return [name for key in self.keys for name in re.split("[./:]", key)]


def lost_settings(files: Iterable[ConfigFile], own: object = None) -> Iterator[str]:
    """Find settings that a user must have meant for us.

    Parameters
    ----------
    files : iterable of ConfigFile
        In the order in which garak merges them.
    own : object, optional
        garak's defaults: a setting that is among them is garak's.

    Yields
    ------
    str
        The file and what is wrong there, in one line.
    """
    gated = ""
    for file in files:
        settings = _found_at(RIGHT_PLACE, file.content)
        entries = list(_entries(file.written))
        is_set = any(entry.keys == RIGHT_PLACE for entry in entries)
        lines: dict[tuple[str, ...], int] = {}
        for entry in entries:
            keys, where = entry.keys, f"{file.path}, line {entry.line}"
            is_right = keys[:2] == RIGHT_PLACE
            if keys in lines and (is_right or (is_set and keys == (REPORTING,))):
                yield (
                    f"{where}: {'.'.join(keys)} stands twice (first in line"
                    f" {lines[keys]}), and all but the last is lost; make them one"
                )
            lines[keys] = entry.line
            meant = None if is_right else _meant(entry)
            if (
                meant is not None
                and _found_at(entry.names, own) is NOTHING
                and not _is_in_effect(entry, settings)
            ):
                yield f"{where}: {_misplaced(entry, meant)}"
        if gated and settings in (None, True):
            yield (
                f"{file.path}: {WHERE} takes the place of all that {gated} sets there;"
                " take it out, or write settings such as enabled: true below it"
            )
        gated = file.path if asks_for_gate(settings) else gated


def unread_gates(files: Iterable[ConfigFile], own: object = None) -> Iterator[str]:
    """Find gates, in the right place or not, in files that garak was given in vain.

    Yields
    ------
    str
        The file and what is wrong with it, in one line.
    """
    for file in files:
        is_misplaced = any(lost_settings([file], own))
        if is_misplaced or asks_for_gate(_found_at(RIGHT_PLACE, file.content)):
            yield (
                f"{file.path}: garak reads only the last --config, so what this one"
                " sets of garak-tbsa is lost; write both into one file"
            )


def _found_at(keys: Iterable[str], content: object) -> object:
    for key in keys:
        if not isinstance(content, dict) or key not in content:
            return NOTHING
        content = content[key]
    return content


def _entries(node: Any, keys: tuple[str, ...] = ()) -> Iterator[_Entry]:
    """Every key of a file, from the top."""
    if node is None or node.id == "scalar":
        return
    for each in node.value:
        if node.id == "sequence":
            yield from _entries(each, (*keys, ITEM))
            continue
        key, value = each
        at = (*keys, str(key.value))
        yield _Entry(keys=at, line=key.start_mark.line + 1, value=value)
        yield from _entries(value, at)


def _meant(entry: _Entry) -> str | None:
    """What an entry was meant to be, None where it is none of ours."""
    *above, name = entry.names
    path, value = ".".join(above), entry.value
    is_free = ITEM not in above and PLUGIN_OPTIONS.search(f"{path}.") is None
    is_known = not above or (len(above) == 1 and _is_section(path))
    if (gate := _gate(name)) is not None and is_free:
        is_clear = gate not in COMMON_WORDS or (is_known and value.id == "scalar")
        if is_clear and not value.tag.endswith(":null"):
            return f"{WHERE}.{gate}"
    if len(above) >= len(entry.keys) and above[-1].lower() == OURS:
        return f"{WHERE}.{name}"
    holds_gate = value.id == "mapping" and any(
        _gate(key.value) for key, _ in value.value
    )
    likeness = SequenceMatcher(None, name.lower(), OURS).ratio()
    is_near = likeness >= NEAR or (likeness >= SIMILAR and holds_gate)
    is_elsewhere = likeness == 1 and holds_gate
    return WHERE if is_elsewhere or (is_known and is_near) else None


def _gate(name: object) -> str | None:
    """The setting of a gate by its name, also as ``failUnder`` or ``fail-under``."""
    return GATES.get(re.sub(r"[\W_]", "", str(name)).lower())


def _is_section(name: str) -> bool:
    """Whether it is a section of garak's, or was meant to be ``reporting``."""
    return name in SECTIONS or name.lower().startswith("report")


def _is_in_effect(entry: _Entry, settings: object) -> bool:
    """Whether all of it is in the right place too, as by a YAML anchor."""
    import yaml

    # making a value puts what is merged into it among its nodes
    found = yaml.SafeLoader("").construct_document(deepcopy(entry.value))
    given = found if isinstance(found, dict) else {entry.names[-1]: found}
    return isinstance(settings, dict) and given.items() <= settings.items()


def _misplaced(entry: _Entry, meant: str) -> str:
    key, names = entry.keys[-1], entry.names
    if key != names[-1]:
        place = ", below it ".join(f"{each}:" for each in meant.split("."))
        return f"{key}: one key, not a path; write {place}"
    named = ".".join(name for name in names if name != ITEM)
    return f"{named}: not a setting (did you mean {meant}?)"
