# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What it takes to find a change, as text and as JSON.

``schemas/plan.schema.json`` describes the JSON; ``schema_version`` rises with
every change that a reader could trip over.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.columns import RULE, folded
from garak_tbsa.outputs.json_document import members
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.statistics.kinds import SAME_PROMPTS
from garak_tbsa.statistics.plan import Plan, Row
from garak_tbsa.statistics.trials import ENOUGH, INTERVAL, Change, Design
from garak_tbsa.statistics.unusual_score import part_of_all
from garak_tbsa.tbsa.assessment import Assessment

SCHEMA_VERSION = 3

TIMES = {
    0.25: "a quarter of the prompts",
    0.5: "half of the prompts",
    1.0: "as many prompts",
    2.0: "twice as many prompts",
    4.0: "four times as many prompts",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedComparison:
    """A scan, and what it takes to find a change of its target."""

    assessment: Assessment
    plan: Plan


def lines(planned: PlannedComparison) -> list[str]:
    """Return what a terminal shows."""
    plan, now = planned.plan, planned.plan.now
    designs = [now, *(row.enough or row.largest for row in plan.rows)]
    runs = sorted({design.runs for design in designs})
    times = " to ".join(map(str, dict.fromkeys((runs[0], runs[-1]))))
    return folded(
        [
            f"📜 {planned.assessment.report.source}",
            f"Change to find: {change_text(plan.change)}",
            f"Scans as large as this one ({_generations(now.generations)},"
            f" {now.outputs:,} outputs) show it in this share of comparisons:"
            f" {_share(now)}",
            RULE,
            f"For {part_of_all(ENOUGH)} of comparisons to show it, each of the two"
            " scans needs one of:",
            *(f"   {_row_text(row)}" for row in plan.rows),
            RULE,
            "Two scans show the change if compare, or a gate with --baseline, finds the"
            f" second scan worse at alpha {plan.alpha:g}.",
            f"Assumed: {assumption(plan)}.",
            f"Each share is of {times} simulated comparisons. Its range"
            f" ({100 * INTERVAL:.0f} %) allows for what this scan leaves open about its"
            " target. An output counts once for each of its detectors.",
        ]
    )


def change_text(change: Change) -> str:
    """Say what is to be found."""
    if change.pair is not None:
        points = 100 * (change.rate_drop or 0)
        return f"the pass rate of {change.pair} falls by {points:.3g} points"
    return (
        f"the score falls by {change.score_drop:g} on average (in every pair, the odds"
        f" of a hit are {change.odds_factor:.3g} times as high)"
    )


def assumption(plan: Plan) -> str:
    """Say what scans were drawn from."""
    prompts = "different prompts in each scan"
    if plan.repeat == SAME_PROMPTS:
        prompts = "the same prompts in both scans"
    source = "assumed, since this scan cannot show it"
    if plan.is_measured:
        source = "estimated from this scan"
    known = "only counts, without attempts"
    if plan.by_attempts:
        known = f"attempts of {plan.by_attempts} of {wording.pairs_text(plan.pairs)}"
    return (
        f"{prompts}; a correlation of {plan.correlation:.2f} between outputs of one"
        f" prompt, {source}; {known}"
    )


def _row_text(row: Row) -> str:
    found = row.enough or row.largest
    size = _generations(found.generations)
    size = f"{size}, {found.outputs:,} outputs" if row.enough else f"not with {size}"
    return f"{TIMES[row.prompts]}: {size} ({_share(found)})"


def _share(design: Design) -> str:
    share = part_of_all(design.share)
    limits = [part_of_all(each) for each in (design.lower, design.upper)]
    return share if {*limits} == {share} else f"{share}, range {' to '.join(limits)}"


def _generations(count: int) -> str:
    return "1 generation" if count == 1 else f"{count} generations"


def render(planned: PlannedComparison) -> str:
    """Return a plan as a JSON document."""
    plan, assessment = planned.plan, planned.assessment
    report = assessment.report
    return json_text(
        {
            "schema_version": SCHEMA_VERSION,
            "infile": report.source,
            "run_id": report.run_uuid,
            "tbsa": assessment.tbsa,
            "checksum": assessment.checksum.text,
            "change": {**asdict(plan.change), "text": change_text(plan.change)},
            "alpha": plan.alpha,
            "share_to_find": ENOUGH,
            **members(plan, "repeat", "correlation"),
            "correlation_measured": plan.is_measured,
            "pairs": plan.pairs,
            "pairs_by_attempts": plan.by_attempts,
            "assumption": assumption(plan),
            "now": _design(plan.now),
            "plans": [
                {
                    "prompts": row.prompts,
                    "enough": row.enough and _design(row.enough),
                    "largest_tried": _design(row.largest),
                }
                for row in plan.rows
            ],
        }
    )


def _design(design: Design) -> dict[str, Any]:
    return {**asdict(design), "share": design.share}
