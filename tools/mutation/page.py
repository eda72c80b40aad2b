# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""docs/measured/mutations.md: what came of the mutants."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.mutation.runner import Fate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tools.mutation.mutants import Mutant

FLOOR = 0.9
"""Share of the mutants that the tests must notice."""
EQUIVALENT = Path(__file__).with_name("equivalent.json")
HEADER = "| file | possible | run | noticed | timed out | equivalent | not noticed |"
NOTICED = (Fate.KILLED, Fate.TIMED_OUT)


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """One run over all files.

    Attributes
    ----------
    possible : mapping of str to int
        How many changes can be made to each file.
    fates : sequence of (Mutant, Fate)
        Those that were run.
    most, seed : int or None, int
        How many were drawn of each file at most, and with which seed.
    """

    possible: Mapping[str, int]
    fates: Sequence[tuple[Mutant, Fate]]
    most: int | None
    seed: int


def reasons() -> dict[tuple[str, str, str], str]:
    """Why a change changes nothing, by file and its line before and after."""
    entries = json.loads(EQUIVALENT.read_text(encoding="utf-8"))
    return {
        (entry["path"], entry["before"], entry["after"]): entry["reason"]
        for entry in entries
    }


def _key(mutant: Mutant) -> tuple[str, str, str]:
    return mutant.path, mutant.before, mutant.after


def survivors(campaign: Campaign) -> list[tuple[Mutant, Fate]]:
    """Mutants that no test noticed and that do change something."""
    known = reasons()
    return [
        (mutant, fate)
        for mutant, fate in campaign.fates
        if fate not in NOTICED and _key(mutant) not in known
    ]


def share_noticed(campaign: Campaign) -> float:
    """Share of the mutants that change something and that a test noticed; 0-1."""
    noticed = sum(fate in NOTICED for _, fate in campaign.fates)
    return noticed / max(1, noticed + len(survivors(campaign)))


def page(campaign: Campaign) -> str:
    """Return the page as Markdown."""
    run = len(campaign.fates)
    drawn = (
        "every possible change"
        if campaign.most is None
        else f"{run:,} of {sum(campaign.possible.values()):,} possible changes, at most"
        f" {campaign.most} a file, drawn with seed {campaign.seed}"
    )
    parts = [
        "# Do the tests notice wrong code?",
        "Made by `make mutate`: one operator, number, condition, argument or text at a"
        " time is changed by the operators of mutmut, and the tests that run that line"
        f" are run. This page is about {drawn}. **{share_noticed(campaign):.1%}** of"
        " those that change anything were noticed.",
        _table(campaign),
        "## Not noticed\n\n" + _survivors(campaign),
        "## Changes that change nothing\n\n" + _equivalent(campaign),
    ]
    return "\n\n".join(parts) + "\n"


def _table(campaign: Campaign) -> str:
    open_ones = Counter(mutant.path for mutant, _ in survivors(campaign))
    counts = {path: Counter[Fate]() for path in campaign.possible}
    for mutant, fate in campaign.fates:
        counts[mutant.path][fate] += 1
    lines = [HEADER, "|---|" + "--:|" * 6]
    for path, of in counts.items():
        unnoticed = of[Fate.SURVIVED] + of[Fate.NOT_RUN]
        cells = (
            campaign.possible[path],
            of.total(),
            of[Fate.KILLED],
            of[Fate.TIMED_OUT],
            unnoticed - open_ones[path],
            open_ones[path],
        )
        lines.append(f"| `{path}` | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def _survivors(campaign: Campaign) -> str:
    found = survivors(campaign)
    if not found:
        return "None."
    return "\n".join(
        f"- `{mutant.path}`, line {mutant.line} ({fate.value})\n\n{_change(mutant)}"
        for mutant, fate in found
    )


def _equivalent(campaign: Campaign) -> str:
    known = reasons()
    found = {
        _key(mutant): mutant
        for mutant, fate in campaign.fates
        if fate not in NOTICED and _key(mutant) in known
    }
    if not found:
        return "None."
    return "\n".join(
        f"- `{mutant.path}`, line {mutant.line}: {known[key]}\n\n{_change(mutant)}"
        for key, mutant in found.items()
    )


def _change(mutant: Mutant) -> str:
    return f"  ```diff\n  - {mutant.before}\n  + {mutant.after}\n  ```"
