# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report, or a comparison, as its document, and that as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from garak_tbsa.comparison_in_words import cause_in_words, unmatched_in_words
from garak_tbsa.outputs import said
from garak_tbsa.outputs.compared import ComparedScans, ScoredSide
from garak_tbsa.outputs.documents import comparison, score
from garak_tbsa.outputs.json_text import Document, json_text, told
from garak_tbsa.outputs.scored import SCHEMA_VERSION, ScoredReport
from garak_tbsa.statistics.compare import FELL, Cause, ComparedPair
from garak_tbsa.unavailable import Unavailable


def render(scored: ScoredReport) -> str:
    """Return the JSON text of one scored report."""
    return json_text(scored.document)


def several_document(
    results: Sequence[ScoredReport], unreadable: Sequence[score.Unreadable]
) -> score.Several:
    """Return the document of several reports."""
    return score.Several(
        schema_version=SCHEMA_VERSION,
        reports=[each.document for each in results],
        unreadable=list(unreadable),
    )


def render_comparison(compared: ComparedScans) -> str:
    """Return the JSON text of a comparison."""
    return json_text(comparison_document(compared))


def comparison_document(compared: ComparedScans) -> comparison.Comparison:
    """Return the document of a comparison."""
    found = compared.comparison
    tests, exchange, common = found.tests, found.exchange, found.common
    first, second = map(_side, compared.sides)
    return comparison.Comparison(
        schema_version=SCHEMA_VERSION,
        note=said.DISCLAIMER,
        verdict=told(
            comparison.Verdict,
            compared,
            kind=compared.verdict,
            text=compared.headline,
            p_worse=tests and tests.p_worse,
            p_better=tests and tests.p_better,
        ),
        because=[_cause(cause, compared.alpha) for cause in compared.causes],
        comparable=compared.not_comparable is None,
        not_comparable_because=compared.not_comparable,
        differing_parts=[each.part for each in found.differences],
        differences=[told(comparison.Difference, each) for each in found.differences],
        common_pairs=None
        if common is None
        else comparison.CommonPairs(
            pairs=list(common.names), of_another_tier=list(common.other_tier)
        ),
        first=first,
        second=second,
        tbsa_difference=found.tbsa_difference,
        tests=None if tests is None else told(comparison.Tests, tests),
        assumption=compared.assumption,
        detectable=_detectable(compared),
        not_matched=unmatched_in_words(exchange),
        pairs_compared=found.compared,
        pairs_by_prompt=len(exchange.by_prompt),
        pairs_by_whole_prompt=len(exchange.by_whole_prompt),
        pairs_by_count=[
            comparison.ByCount(pair=exchange.pairs[place][1].name, reason=reason)
            for place, reason in exchange.unmatched.items()
        ],
        pairs_only_in_one=list(found.vanished.names),
        pairs=[_compared_pair(comparison.ComparedPair, pair) for pair in found.pairs],
        changed_grades=[
            told(
                comparison.ChangedGrade,
                change.second,
                pair=change.name,
                first=change.first.grade,
                second=change.second.grade,
                first_counts=told(comparison.Counts, change.first),
                second_counts=told(comparison.Counts, change.second),
            )
            for change in found.changes
        ],
    )


def _detectable(compared: ComparedScans) -> comparison.Detectable:
    """Which pairs could fall wholly unseen by the comparison."""
    found = compared.detectable
    if isinstance(found, Unavailable):
        return comparison.Detectable(
            text=compared.can_find, can_fall=None, undetectable=None, unseen=[]
        )
    share = found.undetectable
    return comparison.Detectable(
        text=compared.can_find,
        can_fall=found.can_fall,
        undetectable=None if isinstance(share, Unavailable) else share,
        unseen=[told(comparison.Unseen, each, pair=each.name) for each in found.unseen],
    )


def _cause(cause: Cause, alpha: float) -> comparison.Cause:
    return told(
        comparison.Cause,
        cause,
        direction="worse" if cause.direction == FELL else "better",
        text=cause_in_words(cause),
        pairs=[
            _compared_pair(
                comparison.CausePair,
                pair,
                stands_out=pair.stands_out(cause.direction, alpha),
            )
            for pair in cause.pairs
        ],
        pairs_moved=cause.moved,
        pairs_against=cause.against,
    )


def _compared_pair(kind: type[Document], pair: ComparedPair, **others: Any) -> Document:
    first, second, move = pair.first, pair.second, pair.move
    return told(
        kind,
        second,
        pair=pair.name,
        first_grade=first.grade,
        second_grade=second.grade,
        first_pass_rate=first.pass_rate,
        second_pass_rate=second.pass_rate,
        first_counts=told(comparison.Counts, first),
        second_counts=told(comparison.Counts, second),
        tested=pair.not_tested is None,
        not_tested_because=pair.not_tested,
        units_exchanged=pair.units,
        z=move and move.z,
        p_fell=move and move.p_fell,
        p_rose=move and move.p_rose,
        **others,
    )


def _side(side: ScoredSide) -> comparison.Side:
    report, repeat = side.report, side.repeat
    missing = based_on = None
    if isinstance(repeat, Unavailable):
        missing = repeat.reason
    else:
        based_on = told(
            comparison.Basis, repeat.basis, assumed=side.document.said.basis
        )
    return told(
        comparison.Side,
        report,
        infile=report.source,
        run_id=report.run_uuid,
        tbsa=side.tbsa,
        tbsa_of_whole_report=side.tbsa if side.whole is None else side.whole,
        repeat_interval=side.ends,
        interval_missing_because=missing,
        interval_based_on=based_on,
        checksum=side.checksum,
        partial=report.is_partial,
        warnings=side.warnings,
    )
