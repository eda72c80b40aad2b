# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write a scored report in the forms asked for, and say how a gate went."""

from __future__ import annotations

from garak_tbsa.cli.terminal import write_lines
from garak_tbsa.errors import NotComparableError
from garak_tbsa.files import write_whole
from garak_tbsa.lean.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.gate import GateRules, Verdict
    from garak_tbsa.tbsa.interval import RepeatLaw

FORMS = ("json", "html", "markdown", "junit", "sarif")


@record
class Result:
    """All that is known of one scored report.

    Attributes
    ----------
    assessment : Assessment
    law : RepeatLaw, str or None
        See :func:`garak_tbsa.tbsa.interval.repeat_law`; None if not asked for.
    verdict : Verdict or None
        None where no gate is set.
    """

    assessment: Assessment
    law: RepeatLaw | str | None
    verdict: Verdict | None


def gate_verdict(
    assessment: Assessment, rules: GateRules, baseline: Assessment | None
) -> Verdict | None:
    """Judge a scored report, None where nothing is asked of it.

    A baseline with another checksum fails its rule: nothing can be said for the scan.

    Parameters
    ----------
    assessment : Assessment
    rules : GateRules
    baseline : Assessment or None
        The report not to be worse than, scored the same way.
    """
    if baseline is None and not rules.asks_something:
        return None
    from garak_tbsa.tbsa.gate import judge, without_comparison

    if baseline is None:
        return judge(assessment, rules)
    from garak_tbsa.cli.compare import compare_assessments

    try:
        comparison = compare_assessments(
            baseline, assessment, replicates=rules.permutations
        )
    except NotComparableError as error:
        return without_comparison(assessment, rules, str(error))
    return judge(assessment, rules, comparison)


def write_outputs(result: Result, paths: Mapping[str, str | None]) -> list[str]:
    """Write each form that has a path; return the paths written.

    Raises
    ------
    OutputError
        One cannot be written; those before it stand.
    """
    written = []
    for form in FORMS:
        path = paths.get(form)
        if path:
            write_whole(path, _text(form, result))
            written.append(path)
    return written


def _text(form: str, result: Result) -> str:
    assessment, law, verdict = result.assessment, result.law, result.verdict
    if form == "json":
        from garak_tbsa.tbsa.outputs import json_document

        return json_document.to_text(
            json_document.score_document(assessment, law, verdict)
        )
    if form == "html":
        from garak_tbsa.tbsa.outputs.page import to_page

        return to_page(assessment, law, verdict)
    if form == "markdown":
        from garak_tbsa.tbsa.outputs.markdown import to_markdown

        return to_markdown(assessment, law, verdict)
    if form == "junit":
        from garak_tbsa.tbsa.outputs.junit import to_junit

        return to_junit(assessment, verdict)
    from garak_tbsa.tbsa.outputs.sarif import to_sarif

    return to_sarif(assessment)


def show_verdict(verdict: Verdict | None) -> None:
    """Print each rule's outcome."""
    if verdict is None:
        return
    for outcome in verdict.outcomes:
        mark = "✔️ gate passed" if outcome.passed else "❌ gate failed"
        write_lines(
            [
                f"{mark}: {outcome.rule}: expected {outcome.expected};"
                f" found {outcome.found}"
            ]
        )
