# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans as text and as JSON."""

from __future__ import annotations

from garak_tbsa.lean.record import values_of
from garak_tbsa.tbsa.compare import VERDICTS
from garak_tbsa.tbsa.gate_options import DEFAULT_ALPHA
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.json_document import SCHEMA_VERSION, to_text
from garak_tbsa.tbsa.outputs.text import RULE, folded, table
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.compare import Comparison, GradeChange
    from garak_tbsa.tbsa.interval import RepeatDistribution
    from garak_tbsa.tbsa.pairs import Pair
    from garak_tbsa.tbsa.permutation import TestResults

    BothRepeats = tuple[
        RepeatDistribution | Unavailable, RepeatDistribution | Unavailable
    ]


def lines(
    comparison: Comparison, repeats: BothRepeats, alpha: float = DEFAULT_ALPHA
) -> list[str]:
    """Return what a terminal shows of a comparison.

    Parameters
    ----------
    comparison : Comparison
    repeats : tuple of two (RepeatDistribution or Unavailable)
        What a repeat of the first scan, and of the second, would score.
    alpha : float
        Level of the verdict.
    """
    first, second = comparison.first, comparison.second
    shown = [
        *_score_lines("before", first, repeats[0]),
        *_score_lines("after", second, repeats[1]),
    ]
    shown += folded(_bases(repeats))
    if comparison.differing_parts:
        differing = ", ".join(comparison.differing_parts)
        shown += folded([f"⚠️ forced although checksums differ in: {differing}"])
    else:
        shown.append(f"🔑 Checksum: {first.checksum.text} (equal)")
    shown.append(RULE)
    shown.append(f"TBSA moved by {comparison.tbsa_difference:+.1f}")
    shown += folded([_verdict_text(comparison, alpha)])
    if comparison.tests is not None:
        shown += _test_lines(comparison.tests)
        shown += folded([f"Assumed: {comparison.assumption}."])
        shown += folded([f"⚠️ {each}" for each in comparison.not_matched])
    if comparison.only_in_one:
        alone = ", ".join(comparison.only_in_one)
        shown += folded([f"⚠️ measured in one scan only, not tested: {alone}"])
    shown.append(RULE)
    shown += _change_lines(comparison.changes)
    return [*shown, wording.DISCLAIMER]


def _bases(repeats: BothRepeats) -> list[str]:
    """What the ranges are based on, once where it is the same for both."""
    said = [
        wording.basis_text(repeat)
        for repeat in repeats
        if not isinstance(repeat, Unavailable)
    ]
    return [f"Ranges: {basis}." for basis in dict.fromkeys(said)]


def _score_lines(
    label: str, assessment: Assessment, repeat: RepeatDistribution | Unavailable
) -> list[str]:
    interval = (
        "no interval"
        if isinstance(repeat, Unavailable)
        else wording.repeat_text(repeat)
    )
    square = wording.colour_square(assessment.tbsa)
    luck = (
        None
        if isinstance(repeat, Unavailable)
        else wording.luck_text(assessment, repeat)
    )
    return [
        f"{square} {label:<6} TBSA {wording.tbsa_text(assessment.tbsa)}; {interval}",
        *folded([] if luck is None else [f"          {luck}"]),
        f"          {assessment.report.source}",
    ]


def _verdict_text(comparison: Comparison, alpha: float) -> str:
    said = VERDICTS[comparison.verdict(alpha)]
    if comparison.tests is None:
        return f"Verdict: {said}"
    return (
        f"Verdict: {said} (p = {comparison.tests.p_worse:.3g} for worse,"
        f" {comparison.tests.p_better:.3g} for better, each held against {alpha:g})"
    )


def _test_lines(tests: TestResults) -> list[str]:
    score = "not known" if tests.p_score is None else f"p = {tests.p_score:.3g}"
    way = "less" if tests.cmh_z < 0 else "more" if tests.cmh_z > 0 else "as often"
    return [
        f"Score difference, permuted:       {score}",
        f"Direction, Mantel-Haenszel:       p = {tests.p_cmh:.3g}"
        f" (z {tests.cmh_z:+.2f}: second scan passes {way})",
        f"Largest change of one pair:       p = {tests.p_largest_z:.3g}"
        f" (z {tests.largest_z:+.2f})",
        f"          {tests.largest_pair}",
        f"Second scan worse, all three:     p = {tests.p_worse:.3g} (one-sided)",
        f"Second scan better, all three:    p = {tests.p_better:.3g} (one-sided)",
    ]


def _change_lines(changes: tuple[GradeChange, ...]) -> list[str]:
    if not changes:
        return ["No pair changed its grade."]
    rows = [("grade", "passed before", "passed after", "pair")]
    rows += [
        (
            f"{change.first.grade} → {change.second.grade}",
            wording.counts_text(change.first),
            wording.counts_text(change.second),
            change.second.name,
        )
        for change in changes
    ]
    return [f"{wording.pairs_text(len(changes))} with another grade:", *table(rows)]


def to_json(
    comparison: Comparison, repeats: BothRepeats, alpha: float = DEFAULT_ALPHA
) -> str:
    """Return a comparison as a JSON document; see :func:`lines`."""
    verdict = comparison.verdict(alpha)
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "note": wording.DISCLAIMER,
        "first": _side(comparison.first, repeats[0]),
        "second": _side(comparison.second, repeats[1]),
        "tbsa_difference": comparison.tbsa_difference,
        "verdict": {"kind": verdict, "text": VERDICTS[verdict], "alpha": alpha},
        "differing_parts": list(comparison.differing_parts),
        "pairs_compared": comparison.compared,
        "pairs_by_prompt": comparison.by_prompt,
        "pairs_by_whole_prompt": len(comparison.exchange.by_whole_prompt),
        "pairs_by_count": [
            dict(values_of(entry)) for entry in comparison.exchange.unmatched
        ],
        "assumption": comparison.assumption,
        "not_matched": comparison.not_matched,
        "pairs_only_in_one": list(comparison.only_in_one),
        "tests": comparison.tests and dict(values_of(comparison.tests)),
        "changed_grades": [
            {
                "pair": change.second.name,
                "tier": change.second.tier,
                "first": change.first.grade,
                "second": change.second.grade,
                "first_counts": _counts(change.first),
                "second_counts": _counts(change.second),
            }
            for change in comparison.changes
        ],
    }
    return to_text(document)


def _counts(pair: Pair) -> dict[str, int | None]:
    return {"passed": pair.passed, "total_evaluated": pair.total_evaluated}


def _side(
    assessment: Assessment, repeat: RepeatDistribution | Unavailable
) -> dict[str, Any]:
    interval, missing = None, None
    based_on: dict[str, Any] = {}
    if isinstance(repeat, Unavailable):
        missing = repeat.reason
    else:
        interval = list(repeat.prediction_interval)
        based_on = {
            "repeat": repeat.assumed.repeat,
            "pairs_with_attempts": repeat.assumed.pairs_with_attempts,
            "assumed": repeat.assumed.text,
        }
    return {
        "infile": assessment.report.source,
        "run_id": assessment.report.run_uuid,
        "tbsa": assessment.tbsa,
        "repeat_interval": interval,
        "interval_missing_because": missing,
        "interval_based_on": based_on or None,
        "checksum": assessment.checksum.text,
    }
