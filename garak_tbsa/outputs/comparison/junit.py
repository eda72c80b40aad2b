# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans as JUnit XML: the verdict and each pair as tests."""

from __future__ import annotations

from collections.abc import Iterator

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.comparison.compared_scans import (
    ComparedScans,
    grades_text,
    z_text,
)
from garak_tbsa.outputs.junit_xml import Case, Suite, junit_text
from garak_tbsa.statistics.compare import FELL, ComparedPair
from garak_tbsa.tbsa.comparison_in_words import move_text


def render(compared: ComparedScans) -> str:
    """Return a suite with the verdict, and one with a test for each pair.

    The verdict fails where the second scan is worse, or nothing could be tested, as
    ``--fail-on worse`` does. A pair fails where it stands out for the worse, and only
    with the verdict; one that was not tested, or that a single scan measured, is
    skipped.
    """
    failed = compared.comparison.may_be_worse(compared.alpha)
    verdict = Case(
        group="compare",
        name="not worse",
        failure=compared.headline if failed else None,
    )
    properties = list(_properties(compared))
    return junit_text(
        [
            Suite(name="compare", cases=[verdict], properties=properties),
            Suite(name="pairs", cases=list(_pairs(compared))),
        ]
    )


def _properties(compared: ComparedScans) -> Iterator[tuple[str, str]]:
    yield "verdict", compared.headline
    yield "note", wording.DISCLAIMER
    if compared.not_comparable is not None:
        yield "not-comparable", compared.not_comparable
    for side in compared.sides:
        yield f"tbsa-{side.label}", wording.tbsa_text(side.tbsa)
        yield f"report-{side.label}", side.report.source
        yield f"checksum-{side.label}", side.checksum
        for text in side.doubts:
            yield "warning", text


def _pairs(compared: ComparedScans) -> Iterator[Case]:
    fallen = compared.outstanding(FELL)
    for pair in compared.comparison.pairs:
        fell = pair.name in fallen
        is_skipped = pair.not_tested is not None and not fell
        yield Case(
            group=f"tier{pair.second.tier}",
            name=pair.name,
            failure=f"{move_text(pair)}: {_said(pair)}" if fell else None,
            skipped=f"not tested: {pair.not_tested}" if is_skipped else None,
            said=_said(pair),
        )
    for name in compared.comparison.only_in_one:
        skipped = "measured in one scan only"
        yield Case(group="only-in-one", name=name, skipped=skipped)


def _said(pair: ComparedPair) -> str:
    return (
        f"grade {grades_text(pair)}, {wording.counts_text(pair.first)} passed before,"
        f" {wording.counts_text(pair.second)} after, z {z_text(pair)}"
    )
