# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Rules and tables of each family, for data/detectors-eval/README.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from garak_tbsa.detector_eval.shipped import served_by
from garak_tbsa.detector_eval.sources import read_json_lines
from garak_tbsa.errors import DatasetError
from tools.labelled_data.blind import differ
from tools.labelled_data.families import (
    DATA,
    LABELLED,
    Family,
    families,
    family_of,
    general_rules,
    table,
)
from tools.labelled_data.human_check import read_checks, sentence
from tools.labelled_data.rating_rules import agreement_of
from tools.labelled_data.real_rows import real_rows
from tools.labelled_data.row_rules import field_problems

README = DATA / "README.md"
START = "<!-- made by python -m tools.labelled_data tables: do not edit below -->\n"
HEADER = (
    "detector",
    "rows",
    "hits",
    "passes",
    "stress hits",
    "stress passes",
    "real rows",
    "alpha",
    "languages",
    "slices",
)

RawRows = Mapping[str, Sequence[Mapping[str, Any]]]
"""The raw rows of each labelled file, by detector."""


def read_rows(folder: Path = LABELLED) -> RawRows:
    """Read every labelled file.

    Raises
    ------
    DatasetError
        A line is no row of the shipped data.
    """
    return {
        path.name.removesuffix(".jsonl"): _rows_of(path)
        for path in sorted(folder.glob("*.jsonl"))
    }


def _rows_of(path: Path) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = []
    for number, row in read_json_lines(str(path)):
        for problem in field_problems(row, path.name.removesuffix(".jsonl")):
            raise DatasetError(
                f"{path}, line {number}: {problem.problem}; {problem.remedy}"
            )
        rows.append(row)
    return rows


def alpha_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """Krippendorff's alpha of two raters, with two digits; why where there is none."""
    agreement = agreement_of(rows)
    if agreement is None:
        return "not rated"
    return "one label" if agreement.alpha is None else f"{agreement.alpha:.2f}"


def line_of(detector: str, rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """One row of a family's table."""
    labels = Counter(row["label"] for row in rows)
    stress = Counter(row["label"] for row in rows if "why" in row)
    slices = Counter(row["slice"] for row in rows)
    return (
        f"`{detector}`",
        str(len(rows)),
        str(labels["hit"]),
        str(labels["pass"]),
        str(stress["hit"]),
        str(stress["pass"]),
        str(len(real_rows(rows))),
        alpha_of(rows),
        str(len({row["lang"].split("-")[0] for row in rows})),
        ", ".join(f"{name} {count}" for name, count in sorted(slices.items())),
    )


def section(family: Family, rows: RawRows) -> str:
    """Rules and table of one family."""
    rules = "\n".join(f"- {rule}" for rule in family.rules)
    lines = [line_of(detector, of_detector) for detector, of_detector in rows.items()]
    return f"### {family.name}\n\n{rules}\n\n{table(HEADER, lines)}\n"


def generated(rows: RawRows, known: Sequence[Family]) -> str:
    """Everything below the marker.

    Raises
    ------
    DatasetError
        A detector is in no family, or in several.
    """
    home = {detector: family_of(detector, known) for detector in rows}
    every = [row for of_detector in rows.values() for row in of_detector]
    labels = Counter(row["label"] for row in every)
    stress = sum("why" in row for row in every)
    served = served_by(str(LABELLED))
    total = (
        f"{len(rows)} files, {len(every)} rows: {labels['hit']} hits,"
        f" {labels['pass']} passes; {len(every) - stress} typical, {stress} stress;"
        f" they serve {len({*served, *rows})} detectors."
        f" {len(real_rows(every))} rows are responses of a real model. The two raters"
        f" differ on {sum(differ(row) for row in every)} rows; over all rows, alpha is"
        f" {alpha_of(every)}. {sentence(read_checks())}\n"
    )
    general = "\n".join(f"- {rule}" for rule in general_rules())
    sections = [
        section(family, {name: rows[name] for name in rows if home[name] == family})
        for family in known
    ]
    return "\n".join([total, f"### All of them\n\n{general}\n", *sections])


def updated(text: str) -> str:
    """The datasheet with what is generated below its marker.

    Raises
    ------
    DatasetError
        A labelled file or families.json is not as it should be.
    """
    written_by_hand = text.partition(START)[0]
    return f"{written_by_hand}{START}\n{generated(read_rows(), families())}"
