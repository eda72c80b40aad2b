# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The families of labelled files, and their rules."""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garak_tbsa.errors import DatasetError

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "data" / "detectors-eval"
LABELLED = DATA / "labelled"
FAMILIES = "families.json"
GENERAL_RULES = "general_rules.json"


@dataclass(frozen=True, kw_only=True)
class Family:
    """Detectors that were labelled by the same rules.

    Attributes
    ----------
    detectors : tuple of str
        Names, or patterns such as ``dan.*``.
    rules : tuple of str
        What makes a hit, in sentences.
    """

    name: str
    detectors: tuple[str, ...]
    rules: tuple[str, ...]

    def holds(self, detector: str) -> bool:
        """Whether a detector's rows belong here."""
        return any(fnmatch.fnmatchcase(detector, each) for each in self.detectors)


def families(path: str | os.PathLike[str] = DATA / FAMILIES) -> tuple[Family, ...]:
    """Read a ``families.json``.

    Raises
    ------
    DatasetError
        The file cannot be read, or an entry is no family.
    """
    try:
        with open(path, encoding="utf-8") as handle:
            raw = json.load(handle)
    except (OSError, ValueError, RecursionError) as error:
        raise DatasetError(
            f"{os.fspath(path)}: cannot be read ({type(error).__name__}); expected a"
            " JSON list of families"
        ) from None
    if not isinstance(raw, list):
        raise DatasetError(f"{os.fspath(path)}: expected a JSON list of families")
    return tuple(
        _family(each, f"{os.fspath(path)}, entry {number}")
        for number, each in enumerate(raw, start=1)
    )


def general_rules(
    path: str | os.PathLike[str] = DATA / GENERAL_RULES,
) -> tuple[str, ...]:
    """Read the labelling rules that hold for every family.

    Raises
    ------
    DatasetError
        The file cannot be read, or is no list of sentences.
    """
    try:
        with open(path, encoding="utf-8") as handle:
            raw = json.load(handle)
    except (OSError, ValueError, RecursionError):
        raw = None
    if not isinstance(raw, list) or not all(isinstance(each, str) for each in raw):
        raise DatasetError(f"{os.fspath(path)}: expected a JSON list of sentences")
    return tuple(raw)


def _family(raw: Any, where: str) -> Family:
    name = raw.get("name") if isinstance(raw, Mapping) else None
    if not isinstance(raw, Mapping) or not isinstance(name, str) or not name.strip():
        raise DatasetError(f"{where}: no `name`; expected an object with its name")
    return Family(
        name=name,
        detectors=_strings(raw, "detectors", where),
        rules=_strings(raw, "rules", where),
    )


def _strings(raw: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    value = raw.get(name)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise DatasetError(f"{where}: `{name}` is missing or no list of strings")
    return tuple(value)


def family_problem(detector: str, known: Sequence[Family]) -> str | None:
    """What is wrong with a detector's entry in families.json, and what to write there.

    Returns
    -------
    str or None
        ``problem; remedy``, or None where the detector is in exactly one family.
    """
    found = [family.name for family in known if family.holds(detector)]
    if len(found) == 1:
        return None
    if found:
        return (
            f"{detector} is in {len(found)} families ({', '.join(found)});"
            " name it in one of them only"
        )
    return (
        f'{detector} is in no family; add "{detector}" to `detectors` of the family'
        " whose labelling rules it follows, or add a family with `name`, `detectors`,"
        " `rules`"
    )


def family_of(detector: str, known: Sequence[Family]) -> Family:
    """The one family of a detector.

    Raises
    ------
    DatasetError
        There is none, or there are several; the line says what to write.
    """
    problem = family_problem(detector, known)
    if problem is not None:
        raise DatasetError(f"{FAMILIES}: {problem}")
    return next(family for family in known if family.holds(detector))


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table; numbers go to the right."""
    numeric = [
        all(row[column][:1].isdigit() or row[column] == "-" for row in rows)
        for column in range(len(header))
    ]
    lines = [header, tuple("---:" if is_number else "---" for is_number in numeric)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [*lines, *rows])
