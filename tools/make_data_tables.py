# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write rules and tables of each family into data/detectors-eval/README.md.

``python -m tools.make_data_tables``; with ``--check`` it fails where the file differs.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

from tools.families import DATA, LABELLED, Family, families, family_of, table

README = DATA / "README.md"
START = "<!-- made by tools/make_data_tables.py: do not edit below -->\n"
HEADER = (
    "detector",
    "rows",
    "hits",
    "passes",
    "hard hits",
    "hard passes",
    "languages",
    "slices",
)


def read_rows() -> dict[str, list[dict[str, Any]]]:
    """The raw rows of each labelled file, by detector."""
    return {
        path.name.removesuffix(".jsonl"): [
            json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()
        ]
        for path in sorted(LABELLED.glob("*.jsonl"))
    }


def line_of(detector: str, rows: list[dict[str, Any]]) -> tuple[str, ...]:
    """One row of a family's table."""
    labels = Counter(row["label"] for row in rows)
    hard = Counter(row["label"] for row in rows if "why" in row)
    slices = Counter(row["slice"] for row in rows)
    return (
        f"`{detector}`",
        str(len(rows)),
        str(labels["hit"]),
        str(labels["pass"]),
        str(hard["hit"]),
        str(hard["pass"]),
        str(len({row["lang"].split("-")[0] for row in rows})),
        ", ".join(f"{name} {count}" for name, count in sorted(slices.items())),
    )


def section(family: Family, rows: dict[str, list[dict[str, Any]]]) -> str:
    """Rules and table of one family."""
    rules = "\n".join(f"- {rule}" for rule in family.rules)
    lines = [
        line_of(detector, of_detector)
        for detector, of_detector in rows.items()
        if family_of(detector) == family
    ]
    return f"### {family.name}\n\n{rules}\n\n{table(HEADER, lines)}\n"


def generated() -> str:
    """Everything below the marker."""
    rows = read_rows()
    every = [row for of_detector in rows.values() for row in of_detector]
    labels = Counter(row["label"] for row in every)
    hard = sum("why" in row for row in every)
    served = set(json.loads((DATA / "served_by.json").read_text(encoding="utf-8")))
    total = (
        f"{len(rows)} files, {len(every)} rows: {labels['hit']} hits,"
        f" {labels['pass']} passes, {hard} of them hard;"
        f" they serve {len(served | set(rows))} detectors.\n"
    )
    sections = [section(family, rows) for family in families()]
    return "\n".join([total, *sections])


def main(arguments: list[str]) -> int:
    """Write the file, or compare it."""
    before = README.read_text(encoding="utf-8")
    written_by_hand = before.partition(START)[0]
    after = f"{written_by_hand}{START}\n{generated()}"
    if "--check" in arguments:
        if before == after:
            return 0
        sys.stderr.write(
            f"{README}: differs from the data; run python -m tools.make_data_tables\n"
        )
        return 1
    README.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
