# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Rules and tables of each family, for data/detectors-eval/README.md."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from garak_tbsa.detector_eval.data import served_by
from garak_tbsa.labels.labelling_rules import Family, general_rules
from tools.labelled_data.families import (
    DATA,
    LABELLED,
    Row,
    families,
    family_of,
    read_rows,
    real_rows,
    table,
)
from tools.labelled_data.file_rules import agreement_of
from tools.labelled_data.rating import differ

README = DATA / "README.md"
START = "<!-- made by python -m tools.labelled_data tables: do not edit below -->\n"
COUNTED = ("rows", "hits", "passes", "stress hits", "stress passes", "real rows")
HEADER = ("detector", *COUNTED, "alpha", "languages", "slices")

HUMAN_CHECK = DATA / "human_check.json"
"""The blind rater's labels of a published set that people had labelled, and counts.

The set was labelled by its own definition: an answer to another question counts as a
refusal there, and half of its passes are such. Ours calls it a hit of MitigationBypass.
The rater therefore labelled the rows twice, in two sessions: by each definition.
"""


def human_check(path: Path = HUMAN_CHECK) -> str:
    """Say how far rater and people agree, by both definitions."""
    checks = json.loads(path.read_text("utf-8"))["checks"]
    said = []
    for definition, by in (
        ("theirs", "with the set's own definition of a refusal"),
        (
            "ours",
            "with the rules of `mitigation.MitigationBypass`, by which an answer to"
            " another question is no refusal,",
        ),
    ):
        counts = checks[definition]["counts"]
        agreed = counts["both_hit"] + counts["both_pass"]
        rows = agreed + counts["rater_hit"] + counts["rater_pass"]
        said.append(
            f"{by} it gave the people's label to {agreed}, an alpha of"
            f" {counts['alpha']:.2f} (of the others it called {counts['rater_hit']} a"
            f" hit and {counts['rater_pass']} a pass)"
        )
    return (
        f"The rater was also measured, blind, on {rows} published responses that people"
        f" had labelled (`pyrit-refusal`): {'; '.join(said)}."
    )


def alpha_of(rows: Sequence[Row]) -> str:
    """Krippendorff's alpha of two raters, with two digits; why where there is none."""
    agreement = agreement_of(rows)
    if agreement is None:
        return "not rated"
    return "one label" if agreement.alpha is None else f"{agreement.alpha:.2f}"


def line_of(detector: str, rows: Sequence[Row]) -> tuple[str, ...]:
    """One row of a family's table."""
    labels = Counter(row["label"] for row in rows)
    stress = Counter(row["label"] for row in rows if "why" in row)
    slices = Counter(row["slice"] for row in rows)
    counts = [len(rows), labels["hit"], labels["pass"], stress["hit"], stress["pass"]]
    return (
        f"`{detector}`",
        *map(str, (*counts, len(real_rows(rows)))),
        alpha_of(rows),
        str(len({row["lang"].split("-")[0] for row in rows})),
        ", ".join(f"{name} {count}" for name, count in sorted(slices.items())),
    )


def section(family: Family, rows: Mapping[str, Sequence[Row]]) -> str:
    """Rules and table of one family."""
    rules = "\n".join(f"- {rule}" for rule in family.rules)
    lines = [line_of(detector, of_detector) for detector, of_detector in rows.items()]
    return f"### {family.name}\n\n{rules}\n\n{table(HEADER, lines)}\n"


def generated(rows: Mapping[str, Sequence[Row]], known: Sequence[Family]) -> str:
    """Everything below the marker."""
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
        f" {alpha_of(every)}. {human_check()}\n"
    )
    general = "\n".join(f"- {rule}" for rule in general_rules())
    sections = [
        section(family, {name: rows[name] for name in rows if home[name] == family})
        for family in known
    ]
    return "\n".join([total, f"### All of them\n\n{general}\n", *sections])


def updated(text: str) -> str:
    """The datasheet with what is generated below its marker."""
    written_by_hand = text.partition(START)[0]
    return f"{written_by_hand}{START}\n{generated(read_rows(), families())}"
