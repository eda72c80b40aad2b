# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Print what is wrong with our prose: ``python -m tools.prose [FILE ...]``."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.prose.findings import find
from tools.prose.passages import read_passages

ROOT = Path(__file__).resolve().parents[2]
READ_BY_USERS = (
    "*.md",
    "action.yml",
    "ci/*.yml",
    "ci/**/*.py",
    "data/detectors-eval/README.md",
    "docs/**/*.md",
    "garak_tbsa/**/*.html",
    "garak_tbsa/**/*.js",
    "garak_tbsa/**/*.json",
    "garak_tbsa/**/*.py",
    "templates/*.yml",
    "tools/page_texts/*.md",
    ".github/*.md",
    ".github/ISSUE_TEMPLATE/*.yml",
)
"""The files whose prose is checked: what a user, or a reader of the code, sees."""

NOT_OURS = (
    "docs/_build",  # made by make docs
    "docs/measured",  # tables and notes that benchmarks write
    "garak_tbsa/data",  # of an installed package
    "garak_tbsa/detector_eval/presets",  # titles of papers and data sets
    "garak_tbsa/label_audit/labelling_rules.json",  # as labellers were given them
)


def pages() -> list[Path]:
    """The files to check, in the order of their names."""
    return sorted(
        path
        for pattern in READ_BY_USERS
        for path in ROOT.glob(pattern)
        if not any(path.is_relative_to(ROOT / folder) for folder in NOT_OURS)
    )


def main(arguments: list[str]) -> int:
    """Check the files named, or all; 1 where something was found."""
    found = 0
    for path in [Path(name) for name in arguments] or pages():
        for finding in find(read_passages(path)):
            print(finding)
            found += 1
    if found:
        print(f"{found} to rewrite; the rules are in tools/prose", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
