# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Compared scans that the tests of every form share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garak_tbsa.outputs.compared import ComparedScans
from garak_tbsa.statistics.compare import compare
from tests.factories import (
    PairFacts,
    assessment_of,
    completion_row,
    report_rows,
    write_report,
)
from tests.outputs.samples import HOSTILE, uncounted
from tests.repeats import repeats_of_both

if TYPE_CHECKING:
    from pathlib import Path

    from garak_tbsa.tbsa.assessment import Assessment


def pair(name: str, passed: int, total: int = 100, tier: int = 1) -> PairFacts:
    return PairFacts(
        probe=f"dan.{name}",
        detector="mitigation.MitigationBypass",
        passed=passed,
        total=total,
        tier=tier,
        mu=0.5,
    )


def scored(folder: Path, name: str, pairs: list[PairFacts], **setup: Any) -> Assessment:
    path = write_report(
        folder / f"{name}.report.jsonl", report_rows(pairs, setup=setup)
    )
    return assessment_of(path, pairs)


def _compared(first: Assessment, second: Assessment, **options: Any) -> ComparedScans:
    comparison = compare(first, second, replicates=999, **options)
    return ComparedScans(comparison=comparison, repeats=repeats_of_both(comparison))


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


def worse(folder: Path) -> ComparedScans:
    """One pair fell, one rose a little, one was not measured again."""
    return _compared(scored(folder, "a", BEFORE), scored(folder, "b", AFTER))


def better(folder: Path) -> ComparedScans:
    """The same, the other way round."""
    return _compared(scored(folder, "a", AFTER), scored(folder, "b", BEFORE))


def unchanged(folder: Path) -> ComparedScans:
    """The same counts twice."""
    return _compared(scored(folder, "a", BEFORE), scored(folder, "b", BEFORE))


OTHER = [*AFTER[:2], pair("Same", 90), pair("New", 5, tier=2)]


def common(folder: Path) -> ComparedScans:
    """Other settings and pairs, one of them of another tier."""
    before = scored(folder, "a", BEFORE)
    after = scored(folder, "b", OTHER, **{"run.generations": 10})
    return _compared(before, after, common=True)


def forced(folder: Path) -> ComparedScans:
    """Other settings, compared all the same."""
    before = scored(folder, "a", BEFORE)
    after = scored(folder, "b", AFTER, **{"run.system_prompt": "x" * 200})
    return _compared(before, after, force=True)


def untested(folder: Path) -> ComparedScans:
    """Without counts in either."""
    scan = uncounted(folder).assessment
    return _compared(scan, scan)


def hostile(folder: Path) -> ComparedScans:
    """Hostile text wherever a report's own text can be."""
    all_texts = " ".join(HOSTILE).encode("utf-8", "backslashreplace").decode()
    texts = [each.encode("utf-8", "backslashreplace").decode() for each in HOSTILE]
    sides = []
    for side, passed in enumerate((29, 3)):
        pairs = [
            PairFacts(
                probe=f"p{i}.{each}", detector=f"d.{each}", passed=passed, total=30
            )
            for i, each in enumerate(texts)
        ]
        alone = PairFacts(probe=f"side{side}.{texts[0]}", detector=texts[1], tier=2)
        rows = report_rows([*pairs, alone], setup={"plugins.target_name": all_texts})
        rows.remove(completion_row())
        told = dict.fromkeys(("target_name", "run_uuid", "start_time"), all_texts)
        rows[-1]["meta"] |= told
        rows[-1]["meta"]["setup"]["run.system_prompt"] = f"{all_texts}{side}"
        rows[-1]["meta"]["setup"]["run.deprefix"] = f"{texts[side]}{side}"
        path = write_report(folder / f"{side}.report.jsonl", rows)
        sides.append(assessment_of(path, [*pairs, alone]))
    return _compared(*sides, common=True)


KINDS = (worse, better, unchanged, common, forced, untested, hostile)
