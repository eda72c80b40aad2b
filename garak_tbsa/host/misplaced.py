# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of ours where nobody reads them, so that no gate is judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from garak_tbsa.host.gates import GATES
from garak_tbsa.host.settings import WHERE

REPORTING, OURS = WHERE.split(".")
SECTIONS = (REPORTING, "run", "system", "plugins")
"""Those of garak's configuration; it drops all others without a word."""

COMMON_WORDS = ("sure", "baseline")
"""Gates whose names other programs may use too."""

MOST_EDITS = 2
SWAPPED = ("btsa", "tsba", "tbas")
"""Our name with two letters in each other's place."""


def misplaced(loaded: Iterable[tuple[str, object]]) -> Iterator[tuple[str, str, str]]:
    """Find settings that a user must have meant for us.

    Parameters
    ----------
    loaded : iterable of (str, object)
        Sections at the top of garak's configuration, with what is in them.

    Yields
    ------
    tuple of (str, str, str)
        The section, empty for the top; the name in it; what it should be in its place.
    """
    sections = list(loaded)
    reporting = dict(sections).get(REPORTING)
    settings = reporting.get(OURS) if isinstance(reporting, dict) else None
    for where, name, value in _entries(sections):
        meant = _meant(where, name, value)
        if meant is not None and not _is_in_effect(name, value, settings):
            yield where, name, meant


def _entries(
    sections: Iterable[tuple[str, object]],
) -> Iterator[tuple[str, str, object]]:
    """Every setting but our own with its section, down to the second level."""
    for section, content in sections:
        if not _is_like_garaks(section):
            yield "", section, content
        if isinstance(content, dict):
            for name, value in content.items():
                if (section, name) != (REPORTING, OURS):
                    yield section, str(name), value


def _meant(where: str, name: str, value: object) -> str | None:
    """What a setting was meant to be, None where it is none of ours."""
    gate = _as_key(name)
    gates = [_as_key(key) for key in value] if isinstance(value, dict) else []
    gates = [key for key in gates if key in GATES]
    is_known_place = not where or _is_like_garaks(where)
    if gate in GATES and value is not None:
        return f"{WHERE}.{gate}" if is_known_place or _is_distinct(gate) else None
    edits = _edits(name.lower())
    if (edits < MOST_EDITS and is_known_place) or (
        gates and (edits <= MOST_EDITS or any(map(_is_distinct, gates)))
    ):
        return OURS if where == REPORTING else WHERE
    return None


def _is_in_effect(name: str, value: object, settings: object) -> bool:
    """Whether all of it is set in the right place too, as by a YAML anchor."""
    if not isinstance(settings, dict):
        return False
    given: Mapping[object, object] = value if isinstance(value, dict) else {name: value}
    return all(key in settings and settings[key] == given[key] for key in given)


def _is_like_garaks(section: str) -> bool:
    """Whether it is a section of garak's, or was meant to be ``reporting``."""
    return section in SECTIONS or section.lower().startswith("report")


def _is_distinct(gate: str) -> bool:
    return gate not in COMMON_WORDS


def _as_key(name: object) -> str:
    return str(name).lower().replace("-", "_")


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
