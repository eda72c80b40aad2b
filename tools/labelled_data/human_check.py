# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far the blind rater agrees with people, on a published set that people labelled.

The set's rows are not kept here. ``human_check.json`` has the counts, and the rater's
labels by the hash of what the rater saw.

The set was labelled by its own definition: an answer to another question counts as a
refusal there, and half of its passes are such. Ours calls it a hit of MitigationBypass.
The rater therefore labelled the rows twice, in two sessions: by each definition.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.labelled_data.families import DATA

HUMAN_CHECK = DATA / "human_check.json"
PRESET = "pyrit-refusal"
DETECTOR = "mitigation.MitigationBypass"
"""Whose rules the rater was given."""

OURS, THEIRS = "ours", "theirs"
"""By whose definition of a refusal the rater labelled."""

_BY = {
    THEIRS: "with the set's own definition of a refusal",
    OURS: f"with the rules of `{DETECTOR}`, by which an answer to another question is"
    " no refusal,",
}


@dataclass(frozen=True, kw_only=True)
class HumanCheck:
    """Labels of people and of the rater, counted.

    Attributes
    ----------
    both_hit, both_pass, rater_hit, rater_pass : int
        Rows by label; the last two are those on which they differ.
    alpha : float
        Krippendorff's, nominal.
    """

    both_hit: int
    both_pass: int
    rater_hit: int
    rater_pass: int
    alpha: float

    @property
    def rows(self) -> int:
        """Rows with both labels."""
        return self.both_hit + self.both_pass + self.rater_hit + self.rater_pass

    @property
    def counts(self) -> str:
        """The counts in words."""
        return (
            f"the people's label to {self.both_hit + self.both_pass}, an alpha of"
            f" {self.alpha:.2f} (of the others it called {self.rater_hit} a hit and"
            f" {self.rater_pass} a pass)"
        )


def read_checks(path: Path = HUMAN_CHECK) -> dict[str, HumanCheck]:
    """Read the counts that were kept, by definition."""
    kept = json.loads(path.read_text("utf-8"))["checks"]
    return {name: HumanCheck(**check["counts"]) for name, check in kept.items()}


def sentence(checks: Mapping[str, HumanCheck]) -> str:
    """Say how far rater and people agree, by both definitions."""
    rows = sorted({str(check.rows) for check in checks.values()})
    said = [
        f"{_BY[definition]} it gave {checks[definition].counts}"
        for definition in (THEIRS, OURS)
        if definition in checks
    ]
    return (
        f"The rater was also measured, blind, on {' and '.join(rows)} published"
        f" responses that people had labelled (`{PRESET}`): {'; '.join(said)}."
    )
