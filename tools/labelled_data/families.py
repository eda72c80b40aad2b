# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where the labelled data is, and by which rules each family was labelled."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from garak_tbsa.detector_eval.sources import read_json_lines
from garak_tbsa.errors import DatasetError
from garak_tbsa.labels.labelling_rules import FAMILIES, Family

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "data" / "detectors-eval"
LABELLED = DATA / "labelled"
ENDING = ".jsonl"

Row = Mapping[str, Any]
"""A row as it is written."""
T = TypeVar("T")


def decoded(path: str | Path, kind: type[T], what: str) -> T:
    """Read a JSON file of ``kind``; DatasetError says ``what`` was expected."""
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=kind)
    except (OSError, ValueError, RecursionError) as error:
        raise DatasetError(
            f"{path}: expected {what}; {' '.join(str(error).split())}"
        ) from None


def families(path: str | Path = DATA / FAMILIES) -> tuple[Family, ...]:
    """Read a ``families.json``."""
    return decoded(path, tuple[Family, ...], "a JSON list of families")


def held(detector: str, patterns: Sequence[str]) -> bool:
    """Whether a detector is among names and patterns."""
    return any(fnmatch.fnmatchcase(detector, each) for each in patterns)


def family_problem(detector: str, known: Sequence[Family]) -> tuple[str, str] | None:
    """What is wrong with a detector's entry in families.json, and what to write there.

    None where the detector is in exactly one family.
    """
    found = [family.name for family in known if held(detector, family.detectors)]
    if len(found) == 1:
        return None
    if found:
        return (
            f"{detector} is in {', '.join(found)} of {FAMILIES}",
            "name it in one only",
        )
    return (
        f"{detector} is in no family of {FAMILIES}",
        f'add "{detector}" to `detectors` of the family whose labelling rules it'
        " follows, or add a family with `name`, `detectors`, `rules`",
    )


def family_of(detector: str, known: Sequence[Family]) -> Family:
    """The one family of a detector; DatasetError says what to write instead."""
    if problem := family_problem(detector, known):
        raise DatasetError("; ".join(problem))
    return next(family for family in known if held(detector, family.detectors))


def read_rows(folder: Path | None = None) -> dict[str, list[Row]]:
    """Read every labelled file, by detector."""
    return {
        path.name.removesuffix(ENDING): [row for _, row in read_json_lines(str(path))]
        for path in sorted((folder or LABELLED).glob(f"*{ENDING}"))
    }


def real_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that name the model that said them."""
    return [row for row in rows if row.get("model") is not None]


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table; numbers go to the right."""
    numeric = [
        all(row[column][:1].isdigit() or row[column] == "-" for row in rows)
        for column in range(len(header))
    ]
    lines = [header, tuple("---:" if is_number else "---" for is_number in numeric)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [*lines, *rows])
