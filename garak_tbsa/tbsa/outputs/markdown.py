# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as Markdown, for a pull request or a GitHub step summary."""

from __future__ import annotations

from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.explain import explain
from garak_tbsa.tbsa.fix_together import FixStep
from garak_tbsa.tbsa.gate_outcomes import GateVerdict
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.evidence_markdown import section
from garak_tbsa.tbsa.outputs.markdown_text import escaped
from garak_tbsa.tbsa.outputs.registry import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.unavailable import Unavailable

SHOWN = 10


def render(scored: ScoredReport) -> str:
    """Return the score, the gate's rules and what to fix first."""
    assessment, verdict = scored.assessment, scored.verdict
    tbsa = assessment.tbsa
    parts = [
        f"## {wording.colour_square(tbsa)} TBSA {wording.tbsa_text(tbsa)}",
        _facts(assessment, scored.repeat),
    ]
    if verdict is not None and verdict.outcomes:
        parts.append(gate_table(verdict))
    if assessment.score is not None:
        parts.append(_fix_first(assessment))
    if isinstance(scored.evidence, Unavailable):
        if scored.evidence != NOT_ASKED_FOR:
            parts.append(f"_Evidence: {escaped(scored.evidence.reason)}._")
    else:
        parts.append(section(scored.evidence, assessment))
    if assessment.left_out:
        parts.append(_left_out(assessment))
    return "\n\n".join([*parts, f"_{wording.DISCLAIMER}_"]) + "\n"


def _facts(assessment: Assessment, repeat: RepeatDistribution | Unavailable) -> str:
    report = assessment.report
    facts = [
        f"Report {escaped(report.source)}, target {escaped(report.target)}",
        wording.pairs_counted(assessment),
        f"Calibration {escaped(wording.calibration_text(assessment.calibration))}",
        f"Checksum `{assessment.checksum.text}`",
    ]
    if not isinstance(repeat, Unavailable):
        luck = wording.luck_text(assessment, repeat)
        basis = escaped(wording.basis_text(repeat))
        facts.insert(0, f"{wording.repeat_text(repeat).capitalize()}; {basis}")
        if luck is not None:
            facts.insert(1, luck.capitalize())
    if report.partial_reason is not None:
        facts.append(f"**Partial**: {escaped(report.partial_reason)}")
    facts += [f"**Warning**: {escaped(warning)}" for warning in assessment.warnings]
    missing = wording.missing_tier_text(assessment)
    if missing is not None:
        facts.append(missing)
    return "\n".join(f"- {fact}" for fact in facts)


def gate_table(verdict: GateVerdict) -> str:
    """Return each rule's outcome as a table."""
    rows = ["| gate | | expected | found |", "| --- | --- | --- | --- |"]
    rows += [
        f"| {escaped(outcome.rule)} | {'passed' if outcome.passed else '**failed**'} |"
        f" {escaped(outcome.expected)} | {escaped(outcome.found)} |"
        for outcome in verdict.outcomes
    ]
    return "\n".join(rows)


def _fix_first(assessment: Assessment) -> str:
    together = explain(assessment).together
    told = wording.together_text(assessment, together)
    if told is None:
        return "Every pair is at grade 5."
    rows = [
        f"**{told}**\n",
        "| | fix first | tier | grade | passed | TBSA with all so far at 5 |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for step in together[:SHOWN]:
        rows += _step_rows(step)
    if len(together) > SHOWN:
        rows.append(f"\n… and {len(together) - SHOWN} more below grade 5.")
    return "\n".join(rows)


def _step_rows(step: FixStep) -> list[str]:
    """Return a row of each pair that a step adds; the last one has its score."""
    instead = "".join(f", in place of {escaped(pair.name)}" for pair in step.dropped)
    rows = [
        f"| {step.count} | {escaped(pair.name)} | {pair.tier} | {pair.grade} |"
        f" {wording.counts_text(pair)} | |"
        for pair in step.added
    ]
    last = rows[-1].removesuffix(" |")
    rows[-1] = f"{last} {wording.tbsa_text(step.tbsa)}{instead} |"
    return rows


def _left_out(assessment: Assessment) -> str:
    listed = "\n".join(
        f"- {escaped(entry.pair.name)}: {entry.text}" for entry in assessment.left_out
    )
    unmeasured = wording.unmeasured_text(assessment)
    if unmeasured is not None:
        listed += f"\n\n{unmeasured}"
    summary = f"{wording.pairs_text(len(assessment.left_out))} left out"
    return f"<details><summary>{summary}</summary>\n\n{listed}\n\n</details>"
