# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Refuse requirements whose licence does not fit Apache-2.0: ``make check``.

Held against the list are our own requirements, those of the extras for users, and
whatever these bring. What garak brings all the same is garak's business, unless we
require it ourselves. The extras ``check`` and ``test`` are not looked at: nobody is
given what they bring.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OURS, HOST = "garak-tbsa", "garak"
OF_DEVELOPERS = {"check", "test"}

FITTING = frozenset(
    name.lower()
    for name in (
        *("0BSD", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BSD License"),
        *("Apache-2.0", "Apache 2.0", "Apache Software License"),
        *("CC0-1.0", "ISC", "MIT", "MIT License", "Unlicense", "Zlib"),
        *("HPND", "PSF-2.0", "Python Software Foundation License"),
        *("MPL-2.0", "Mozilla Public License 2.0 (MPL 2.0)"),
    )
)
"""SPDX names, and what older metadata and classifiers call the same licences."""

ADD = "add it to tools/licences.py, else do without the package"


def main() -> int:
    """Print a line for each requirement that does not fit; return 1 if there is one."""
    found = problems(OURS, HOST)
    sys.stderr.writelines(f"{problem}\n" for problem in found)
    return int(bool(found))


def problems(package: str, host: str) -> list[str]:
    """Return a line for each requirement of a package whose licence does not fit."""
    extras = metadata(package).get_all("Provides-Extra") or []
    asked = {"", *extras} - OF_DEVELOPERS
    direct = {name for extra in asked for name, _ in _needed(package, extra)}
    everything = set().union(*(brought_by(package, extra) for extra in asked))
    held = direct | (everything - brought_by(host)) - {canonicalize_name(package)}
    return [problem for name in sorted(held) for problem in _problems_of(name)]


def brought_by(package: str, extra: str = "") -> set[str]:
    """Return the names of a distribution and all that it installs here."""
    found: set[tuple[str, str]] = set()
    open_ends = {(str(canonicalize_name(package)), extra)}
    while open_ends:
        found |= open_ends
        open_ends = {needed for end in open_ends for needed in _needed(*end)} - found
    return {name for name, _ in found}


def _needed(package: str, extra: str) -> Iterator[tuple[str, str]]:
    """What a distribution requires here, with each extra of it."""
    try:
        requirements = requires(package) or []
    except PackageNotFoundError:  # of another system
        return
    for requirement in map(Requirement, requirements):
        marker = requirement.marker
        if marker is None or marker.evaluate({"extra": extra}):
            for each in {"", *requirement.extras}:
                yield canonicalize_name(requirement.name), each


def _problems_of(name: str) -> Iterator[str]:
    try:
        stated = _stated(name)
    except PackageNotFoundError:
        yield f"{name}: is not installed, so its licence cannot be read; install it"
        return
    if not stated:
        yield f"{name}: its metadata names no licence; if it has one that fits, {ADD}"
    elif not all(map(_fits, stated)):
        licences = " and ".join(stated)
        yield f"{name}: {licences} is not known to fit Apache-2.0; if it does, {ADD}"


def _stated(name: str) -> list[str]:
    """Licences as SPDX states them, else as classifiers and the older field do."""
    told = metadata(name)
    if expression := told.get_all("License-Expression"):
        return expression
    classifiers = told.get_all("Classifier") or []
    licences = [each for each in classifiers if each.startswith("License ::")]
    stated = [each.rpartition(" :: ")[2] for each in licences]
    field = " ".join(told.get_all("License") or []).strip()
    # some have the licence's whole text there
    is_name = field and "\n" not in field and field != "UNKNOWN"
    return [*stated, field] if is_name else stated


def _fits(licence: str) -> bool:
    """Whether one of several fits; all must where AND is among the signs."""
    names = re.split(r" AND | OR ", re.sub(r"[()]", "", licence))
    known = [name.strip().lower() in FITTING for name in names]
    return all(known) or (any(known) and " AND " not in licence)


if __name__ == "__main__":
    sys.exit(main())
