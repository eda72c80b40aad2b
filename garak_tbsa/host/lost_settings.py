# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of ours that garak drops from its configuration without a word.

A gate that stands in a wrong place, or under a wrong name, would never be judged, nor
would one whose key stands twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from garak_tbsa.garak_api.config_files import ConfigFile, Entry, plain
from garak_tbsa.gates.options import GATE_OPTIONS, GATES, asks_for_gate
from garak_tbsa.host.settings import WHERE

RIGHT_PLACE = REPORTING, OURS = tuple(WHERE.split("."))
SECTIONS = (REPORTING, "run", "system", "plugins")
"""Those of garak's configuration; it drops all others."""

PLUGINS, PLUGIN_TYPES = (
    "plugins",
    ("probes", "detectors", "generators", "buffs", "harnesses"),
)
"""What stands below these are options of plugins."""

NAMES = {option.name.replace("_", ""): option.name for option in GATE_OPTIONS}
RULES = frozenset(GATES)
COMMON_WORDS = frozenset({"sure", "baseline", "alpha", "github"})
"""Names of ours that other programs may use too."""

MOST_EDITS = 2
SWAPPED = ("btsa", "tsba", "tbas")
"""Our name with two letters in each other's place."""

SEPARATORS = re.compile("[./:]")
"""What may stand between names that were written into one key."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """Where an entry stands.

    Attributes
    ----------
    path : tuple of str
        The keys on the way to it.
    is_split : bool
        Whether some of them, or its own, were one key.
    in_list : bool
        Whether a list is on the way.
    """

    path: tuple[str, ...] = ()
    is_split: bool = False
    in_list: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether garak sees these keys as they are."""
        return not (self.is_split or self.in_list)

    @property
    def is_known(self) -> bool:
        """Whether it is the top, or a section of garak's, or was meant to be one."""
        is_section = len(self.path) == 1 and _is_like_garaks(self.path[0])
        return not self.in_list and (not self.path or is_section)

    @property
    def is_of_plugins(self) -> bool:
        """Whether options of plugins stand there."""
        steps = zip(self.path, self.path[1:], strict=False)
        return any(above == PLUGINS and name in PLUGIN_TYPES for above, name in steps)

    def named(self, name: str) -> str:
        """Return what a user calls an entry there."""
        return ".".join((*self.path, name))


def lost_settings(
    files: Iterable[ConfigFile],
    is_garaks_own: Callable[..., bool] = lambda *_: False,
) -> Iterator[str]:
    """Find settings that a user must have meant for us.

    Parameters
    ----------
    files : iterable of ConfigFile
        In the order in which garak merges them.
    is_garaks_own : Callable
        Tells of the keys on the way to a setting whether garak itself has it.

    Yields
    ------
    str
        The file and what is wrong there, in one line.
    """
    gated: str | None = None
    for file in files:
        settings = _settings_of(file.content)
        search = _Search(settings=settings, is_garaks_own=is_garaks_own)
        for line, problem in search.below(file.written, _Place()):
            place = file.path if line is None else f"{file.path}, line {line}"
            yield f"{place}: {problem}"
        if gated is not None and (settings is None or settings is True):
            yield (
                f"{file.path}: {WHERE} takes the place of all that {gated} sets there;"
                " take it out, or write settings such as enabled: true below it"
            )
        gated = file.path if asks_for_gate(settings) else gated


def unread_gates(
    files: Iterable[ConfigFile],
    is_garaks_own: Callable[..., bool] = lambda *_: False,
) -> Iterator[str]:
    """Find gates, in the right place or not, in files that garak was given in vain.

    Yields
    ------
    str
        The file and what is wrong with it, in one line.
    """
    for file in files:
        is_misplaced = any(lost_settings([file], is_garaks_own))
        if is_misplaced or asks_for_gate(_settings_of(file.content)):
            yield (
                f"{file.path}: garak reads only the last --config, so what this one"
                " sets of garak-tbsa is lost; write both into one file"
            )


def _settings_of(content: object) -> object:
    """What is in the right place; False where nothing is, not even a None."""
    for key in RIGHT_PLACE:
        if not isinstance(content, dict) or key not in content:
            return False
        content = content[key]
    return content


@dataclass(frozen=True, kw_only=True, slots=True)
class _Search:
    """Looks through one file; yields lines with what is wrong there."""

    settings: object
    is_garaks_own: Callable[..., bool]

    def below(self, value: object, place: _Place) -> Iterator[tuple[int | None, str]]:
        """Look through what is written below a key."""
        if isinstance(value, list):
            for item in value:
                yield from self.below(item, replace(place, in_list=True))
        elif isinstance(value, tuple):
            yield from self._doubled(value, place)
            for entry in value:
                yield from self._entry(entry, place)

    def _doubled(
        self, entries: tuple[Entry, ...], place: _Place
    ) -> Iterator[tuple[int | None, str]]:
        """Find keys that stand twice on the way to our settings or among them."""
        if not place.is_exact or place.path != RIGHT_PLACE[: len(place.path)]:
            return
        for key, count in Counter(entry.key for entry in entries).items():
            same = [entry for entry in entries if entry.key == key]
            if count > 1 and _is_on_our_way(place, key, same):
                first, last = same[0].line, same[-1].line
                other = "" if first == last else f" (first in line {first})"
                yield (
                    last,
                    f"{place.named(key)} stands twice{other}, and all but the last is"
                    " lost; make them one",
                )

    def _entry(self, entry: Entry, place: _Place) -> Iterator[tuple[int | None, str]]:
        *above, name = SEPARATORS.split(entry.key)
        at = replace(
            place,
            path=(*place.path, *above),
            is_split=place.is_split or bool(above),
        )
        path = (*at.path, name)
        is_right = at.is_exact and path == RIGHT_PLACE
        meant = None if is_right else _meant(at, name, entry.value)
        if (
            meant is None
            or self._is_in_effect(name, entry.value)
            or self.is_garaks_own(*path)
        ):
            inner = replace(at, path=path)
            if not is_right:
                yield from self.below(entry.value, inner)
            elif isinstance(entry.value, tuple):
                yield from self._doubled(entry.value, inner)
        elif above:
            yield (
                entry.line,
                f"{entry.key}: one key, not a path; write {_nested(meant)}",
            )
        else:
            where = at.named(name)
            yield entry.line, f"{where}: not a setting (did you mean {meant}?)"

    def _is_in_effect(self, name: str, value: object) -> bool:
        """Whether all of it is in the right place too, as by a YAML anchor."""
        settings, found = self.settings, plain(value)
        if not isinstance(settings, dict):
            return False
        given = found if isinstance(found, dict) else {name: found}
        return all(key in settings and settings[key] == given[key] for key in given)


def _is_on_our_way(place: _Place, key: str, same: list[Entry]) -> bool:
    if place.path == RIGHT_PLACE:
        return True
    if key != RIGHT_PLACE[len(place.path)]:
        return False
    return bool(place.path) or any(
        inner.key == OURS
        for entry in same
        if isinstance(entry.value, tuple)
        for inner in entry.value
    )


def _meant(place: _Place, name: str, value: object) -> str | None:
    """What an entry was meant to be, None where it is none of ours."""
    gate = _gate(name)
    if gate is not None and value is not None and _is_gate(place, gate, value):
        return f"{WHERE}.{gate}"
    if place.is_split and place.path and place.path[-1].lower() == OURS:
        return f"{WHERE}.{name}"
    return WHERE if _is_for_ours(place, name, value) else None


def _is_gate(place: _Place, gate: str, value: object) -> bool:
    if place.is_of_plugins or place.in_list:
        return False
    is_alone = not isinstance(value, (tuple, list))
    return gate not in COMMON_WORDS or (place.is_known and is_alone)


def _is_for_ours(place: _Place, name: str, value: object) -> bool:
    """Whether an entry was meant to hold our settings."""
    entries = value if isinstance(value, tuple) else ()
    gates = {gate for entry in entries if (gate := _gate(entry.key)) is not None}
    edits = _edits(name.lower())
    if place.is_of_plugins or place.in_list:
        return not edits and bool(gates)
    if edits < MOST_EDITS:
        return place.is_known or bool(gates)
    if not place.path and _is_like_garaks(name):
        return False
    is_near = edits == MOST_EDITS and place.is_known
    return bool(gates & RULES if is_near else gates - COMMON_WORDS)


def _gate(name: str) -> str | None:
    """The setting of a gate by its name, also as ``failUnder`` or ``fail-under``."""
    return NAMES.get(re.sub(r"[\W_]", "", name).lower())


def _edits(name: str) -> int:
    """Letters to put in, take out or replace for our name; 1 for two swapped."""
    if name in SWAPPED:
        return 1
    if abs(len(name) - len(OURS)) > MOST_EDITS:
        return MOST_EDITS + 1
    row = list(range(len(OURS) + 1))
    for letter in name:
        above, row = row, [row[0] + 1]
        for place, ours in enumerate(OURS):
            replaced = above[place] + (letter != ours)
            row.append(min(above[place + 1] + 1, row[place] + 1, replaced))
    return row[-1]


def _is_like_garaks(section: str) -> bool:
    """Whether it is a section of garak's, or was meant to be ``reporting``."""
    return section in SECTIONS or section.lower().startswith("report")


def _nested(meant: str) -> str:
    return ", below it ".join(f"{key}:" for key in meant.split("."))
