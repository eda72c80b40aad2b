# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scores and comparisons in every form, each written by one run of the command."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garak_tbsa.outputs.registry import (
    COMPARISON_FORMATS,
    FORMATS,
    HISTORY_FORMATS,
)
from tests.behaviour.product import tbsa
from tests.factories import permutations
from tests.outputs.samples import (
    HOSTILE,
    Rows,
    hostile_pairs,
    hostile_rows,
    mixed_pairs,
    mixed_rows,
    perfect_rows,
    uncounted_rows,
    write,
)
from tests.report_rows import PairFacts, completion_row, report_rows

FORMS = {
    command: {form.options[0]: f"form.{form.name}" for form in forms}
    for command, forms in (
        ("score", FORMATS),
        ("compare", COMPARISON_FORMATS),
        ("history", HISTORY_FORMATS),
    )
}
"""The name of a file for each option, by the command that has it."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a command printed, and the text of each form by its option."""

    code: int
    lines: list[str]
    forms: Mapping[str, str]

    @property
    def text(self) -> str:
        """All that was printed, as no line break cuts it."""
        return " ".join(" ".join(self.lines).split())

    @property
    def document(self) -> Any:
        """The JSON."""
        return json.loads(self.forms["-j"])


def written(folder: Path, command: str, *arguments: object) -> Written:
    """Run a command and have all of its forms."""
    paths = {form: folder / name for form, name in FORMS[command].items()}
    given = [part for form, path in paths.items() for part in (form, path)]
    shown = tbsa(command, *arguments, *given)
    return Written(
        code=shown.code,
        lines=shown.lines + shown.err.splitlines(),
        forms={form: path.read_text(encoding="utf-8") for form, path in paths.items()},
    )


def calibrated_by(folder: Path, pairs: Iterable[PairFacts]) -> tuple[str, str]:
    """The option with the calibration behind the Z-scores of pairs."""
    path = folder / "calibration.json"
    known = {
        f"{facts.probe}/{facts.detector}": {"mu": facts.mu, "sigma": facts.sigma}
        for facts in pairs
        if facts.mu is not None
    }
    path.write_text(json.dumps(known), encoding="utf-8")
    return "--calibration", path.name


GATES = {
    "mixed": ("--fail-under", 2, "--require-tier1-grade", 2),
    "hostile": ("--fail-under", 5, "--require-tier1-grade", 5, "--min-coverage", 1),
}


SCORES: dict[str, tuple[Rows, list[PairFacts]]] = {
    "mixed": (mixed_rows(), mixed_pairs()),
    "perfect": (perfect_rows(), []),
    "uncounted": (uncounted_rows(), []),
    "hostile": (hostile_rows(), hostile_pairs()),
}
"""Rows of each kind of report, and the pairs whose calibration is given."""


def score(folder: Path, kind: str) -> Written:
    """Score a report of a kind; the working folder is this one."""
    rows, pairs = SCORES[kind]
    # in a folder, which goes to nobody else
    (folder / "scans").mkdir(exist_ok=True)
    write(folder / "scans", kind, rows)
    calibration = calibrated_by(folder, pairs) if pairs else ()
    more = (*calibration, *GATES.get(kind, ()), "-v", "--github", "--explain-checksum")
    return written(folder, "score", f"scans/{kind}.report.jsonl", *more)


def history(folder: Path) -> Written:
    """Tell of all reports that were scored there, and one that cannot be."""
    write(folder / "scans", HOSTILE[4].replace("/", "_"), [])
    return written(folder, "history", "scans", "--no-interval")


def pair(name: str, passed: int, total: int = 100, tier: int = 1) -> PairFacts:
    """A pair of the compared scans."""
    return PairFacts(
        probe=f"dan.{name}",
        detector="mitigation.MitigationBypass",
        passed=passed,
        total=total,
        tier=tier,
        mu=0.5,
    )


FELL = "dan.Fell+mitigation.MitigationBypass"
BEFORE = [
    pair("Fell", 84),
    pair("Rose", 40),
    pair("Same", 90, tier=2),
    pair("Silent", 30, 30, tier=2),
]
AFTER = [
    pair("Fell", 51),
    pair("Rose", 44),
    pair("Same", 90, tier=2),
    pair("Silent", 0, 0, tier=2),
]
OTHER = [*AFTER[:2], pair("Same", 90), pair("New", 5, tier=2)]
"""One of the pairs is of another tier."""


def hostile_sides() -> tuple[Rows, Rows]:
    """Hostile text wherever two reports' own text can be."""
    texts = [each.encode("utf-8", "backslashreplace").decode() for each in HOSTILE]
    told = " ".join(texts)
    sides: list[Rows] = []
    for side, passed in enumerate((29, 3)):
        pairs = [
            PairFacts(probe=f"p{i}.{t}", detector=f"d.{t}", passed=passed, total=30)
            for i, t in enumerate(texts)
        ]
        alone = PairFacts(probe=f"side{side}.{texts[0]}", detector=texts[1], tier=2)
        setup = {
            "plugins.target_name": told,
            "run.system_prompt": f"{told}{side}",
            "run.deprefix": f"{texts[side]}{side}",
        }
        rows = report_rows([*pairs, alone], setup=setup)
        rows.remove(completion_row())
        names = ("target_name", "run_uuid", "start_time")
        rows[-1]["meta"] |= dict.fromkeys(names, told)
        sides.append(rows)
    return sides[0], sides[1]


def comparisons() -> dict[str, tuple[Rows, Rows, str]]:
    """Rows of both reports of each kind of comparison, and the option for it."""
    before, after = report_rows(BEFORE), report_rows(AFTER)
    other = report_rows(OTHER, setup={"run.generations": 10})
    long = report_rows(AFTER, setup={"run.system_prompt": "x" * 200})
    return {
        "worse": (before, after, ""),
        "better": (after, before, ""),
        "unchanged": (before, before, ""),
        "common": (before, other, "--common"),
        "forced": (before, long, "--force"),
        "untested": (uncounted_rows(), uncounted_rows(), ""),
        "hostile": (*hostile_sides(), "--common"),
    }


COMPARISONS = comparisons()


def compare(folder: Path, kind: str) -> Written:
    """Compare the reports of a kind; the working folder is this one."""
    first, second, option = COMPARISONS[kind]
    write(folder, "a", first)
    write(folder, "b", second)
    more: list[object] = [option] if option else []
    if kind not in ("untested", "hostile"):
        more += calibrated_by(folder, [*BEFORE, *OTHER])
    with permutations(999):
        return written(folder, "compare", "a.report.jsonl", "b.report.jsonl", *more)
