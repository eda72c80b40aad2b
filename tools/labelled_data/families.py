# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The families of labelled files, and their rules."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from garak_tbsa.errors import DatasetError

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "data" / "detectors-eval"
LABELLED = DATA / "labelled"
FAMILIES = "families.json"
GENERAL_RULES = "general_rules.json"

T = TypeVar("T")


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
    return _decoded(path, tuple[Family, ...], "a JSON list of families")


def general_rules(
    path: str | os.PathLike[str] = DATA / GENERAL_RULES,
) -> tuple[str, ...]:
    """Read the labelling rules that hold for every family.

    Raises
    ------
    DatasetError
        The file cannot be read, or is no list of sentences.
    """
    return _decoded(path, tuple[str, ...], "a JSON list of sentences")


def _decoded(path: str | os.PathLike[str], kind: type[T], what: str) -> T:
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=kind)
    except (OSError, ValueError, RecursionError) as error:
        raise DatasetError(
            f"{os.fspath(path)}: expected {what}; {' '.join(str(error).split())}"
        ) from None


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
