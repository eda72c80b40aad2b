# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write docs/explanation/detector_metrics.md from summary and labelled data.

The detectors run once more, for their mistakes row by row; their counts must be those
of the summary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, StrictUndefined, select_autoescape

from garak_tbsa.detector_eval.counts import (
    LEAST_REAL_HITS,
    ConfusionCounts,
    DetectorResult,
    Scored,
    counts_of,
    detector_result,
    ratio,
)
from garak_tbsa.detector_eval.data import read_sources
from garak_tbsa.detector_eval.published import RowForm
from garak_tbsa.detector_eval.ranking import NO_BETTER, RankedDetector, rank
from garak_tbsa.detector_eval.run import score_rows
from garak_tbsa.detector_eval.sources import find_sources
from garak_tbsa.detector_eval.summary import Summary, read_summary
from garak_tbsa.errors import DatasetError
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.detector_loading import DetectorSettings
from garak_tbsa.garak_api.detectors import is_detector, matches_strings, word_list
from garak_tbsa.labels.labelling_rules import Family
from garak_tbsa.outputs.detectors import means_lines
from garak_tbsa.safe_text import printable
from tools.labelled_data.families import (
    DATA,
    LABELLED,
    ROOT,
    families,
    held,
    table,
)

PAGE = ROOT / "docs" / "explanation" / "detector_metrics.md"
SUMMARY = DATA / "detector_metrics_summary.json"

TEMPLATE = Path(__file__).with_name("detector_metrics.md.j2")
NO_BREAK = "\u00a0"
NAMED_FORMS = 4
UNNAMED = "(none)"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What a detector made of its rows: in sum, and by the form of the rows."""

    result: DetectorResult
    by_slice: Mapping[str, ConfusionCounts]


def judged(detector: str, scored: Sequence[Scored], threshold: float) -> Judged:
    """Sum up what a detector said of its rows."""
    groups: dict[str, list[Scored]] = {}
    for row, found in scored:
        groups.setdefault(row.slice or UNNAMED, []).append((row, found))
    return Judged(
        result=detector_result(detector, scored, threshold=threshold),
        by_slice={
            name: counts_of(group, threshold) for name, group in sorted(groups.items())
        },
    )


def all_judged(summary: Summary) -> dict[str, Judged]:
    """Run each measured detector on its rows again.

    Raises
    ------
    DatasetError
        Counts differ: the summary is of other data, or of another garak.
    """
    found: dict[str, Judged] = {}
    seed, threshold = summary.metadata.random_seed, summary.metadata.eval_threshold
    if seed is None or threshold is None:
        raise DatasetError(
            f"{SUMMARY}: no `random_seed` or `eval_threshold`; run `make data`"
        )
    settings = DetectorSettings(seed=seed)
    for name, measured in summary.measured.items():
        path = str(LABELLED / f"{name}.jsonl")
        sources = find_sources([path], known=is_detector)
        rows = read_sources(sources, word_list, RowForm())[0][name]
        (said,) = score_rows({name: rows.rows}, settings, seed=settings.seed)
        scored = list(zip(rows.rows, said.row_scores, strict=True))
        found[name] = judged(name, scored, threshold)
        result = found[name].result
        if (result.counts, result.stress) != (measured.counts, measured.stress):
            raise DatasetError(
                f"{SUMMARY}: {name} has other counts than its rows give now; run"
                " `make data`"
            )
    return found


def page(summary: Summary, judged_by: Mapping[str, Judged]) -> str:
    """The page."""
    ranked = rank(summary)
    results = [each.result for each in judged_by.values()]
    stress = sum((result.stress for result in results), ConfusionCounts())
    tiers = Counter(each.tier for each in ranked)
    reasons: dict[str, list[str]] = {}
    for name, reason in summary.not_evaluated.items():
        reasons.setdefault(_plain_reason(reason), []).append(name)
    text = Environment(
        autoescape=select_autoescape(default_for_string=False),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    text.filters |= {"plain": _plain, "percent": _percent}
    return text.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        summary=summary,
        ranked=ranked,
        results=results,
        stress=stress,
        flagged=ratio(stress.fp, stress.passes),
        unranked=set(summary.measured) - {each.measured.detector for each in ranked},
        tiers=", ".join(f"{count} {tier}" for tier, count in tiers.items()),
        means=means_lines(ranked),
        real=sum(
            each.measured.basis is not None
            and each.measured.basis.hits.real >= LEAST_REAL_HITS
            for each in ranked
        ),
        least_real_hits=LEAST_REAL_HITS,
        ranking=ranking_table(ranked),
        families=[_family(family, ranked, judged_by) for family in families()],
        unmeasurable=[
            (name, entry)
            for name, entry in sorted(summary.measured.items())
            if entry.unmeasurable is not None
            if entry.counts is not None and entry.specificity is not None
        ],
        not_evaluated=sorted(reasons.items()),
    )


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{round(100 * share)} %"


def ranking_table(ranked: Sequence[RankedDetector]) -> str:
    """Every ranked detector in a row."""
    rows: list[tuple[str, ...]] = []
    for each in ranked:
        measured = each.measured
        assert measured.counts is not None
        counts = measured.counts
        stress = measured.stress or ConfusionCounts()
        mark = " \\*" if matches_strings(measured.detector) else ""
        cells = (
            str(each.place),
            f"{_plain(measured.detector)}{mark}",
            f"{each.hit_f1:.2f}{_interval(each)}",
            "-" if each.tier == NO_BETTER else each.tier,
            f"{counts.tp}/{counts.hits}, {counts.fp}/{counts.passes}",
            f"{stress.tp}/{stress.hits}, {stress.fp}/{stress.passes}",
            "" if measured.basis is None else str(measured.basis.hits.real),
        )
        # only the name may break
        rows.append(tuple(cell.replace(" ", NO_BREAK) for cell in cells))
    header = (
        *("#", "detector", "typical F1", "tier"),
        *("found, flagged", "stress: found, flagged", "real hits"),
    )
    return table(header, rows)


def _interval(each: RankedDetector) -> str:
    ends = each.interval
    if ends is None:
        return ""
    mark = " J" if each.is_jeffreys else ""
    return f" [{ends.lower:.2f}, {ends.upper:.2f}]{mark}"


def _plain(detector: str) -> str:
    """A name in a table, where code letters would take too much room; it may break."""
    broken = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=\.)", "<wbr>", detector)
    return broken.replace("_", "\\_")


def _family(
    family: Family,
    ranked: Sequence[RankedDetector],
    judged_by: Mapping[str, Judged],
) -> str:
    members = [
        each for each in ranked if held(each.measured.detector, family.detectors)
    ]
    if not members:
        return (
            f"### {family.name}\n\nNot measured here: its detectors need a download or"
            " a key. The rows are there for whoever has it.\n"
        )
    lines = [f"### {family.name}\n"]
    lines += [_member(each, judged_by[each.measured.detector]) for each in members]
    lines.append("")
    return "\n".join(lines)


def _member(each: RankedDetector, own: Judged) -> str:
    measured = each.measured
    missed = _forms(own, "fn", "hits")
    flagged = _forms(own, "fp", "passes")
    return (
        f"- **{_plain(measured.detector)}**:"
        f" {_both_text(each, own.result.stress)}."
        f" Misses: {missed}. Over-flags: {flagged}."
    )


def _both_text(each: RankedDetector, stress: ConfusionCounts) -> str:
    """What a detector makes of typical rows, and of stress rows."""
    typical = f"typical F1 {each.hit_f1:.2f}"
    if each.interval is not None:
        typical += f" [{each.interval.lower:.2f}, {each.interval.upper:.2f}]"
    found = []
    if stress.hits:
        found.append(f"catches {stress.tp} of {stress.hits} disguised hits")
    if stress.passes:
        found.append(f"wrongly flags {stress.fp} of {stress.passes} look-alikes")
    return f"{typical}, stress: {', '.join(found) or 'no rows'}"


def _forms(own: Judged, wrong: str, all_of: str) -> str:
    """The kinds of rows with the most mistakes of one sort."""
    worst = sorted(
        (
            (-getattr(counts, wrong), name, getattr(counts, all_of))
            for name, counts in own.by_slice.items()
            if getattr(counts, wrong)
        )
    )
    named = [
        f"{name.replace('_', ' ')} {-negative}/{total}"
        for negative, name, total in worst[:NAMED_FORMS]
    ]
    return ", ".join(named) or "none"


def _plain_reason(reason: str) -> str:
    for sign, plain in (
        ("APIKeyMissing", "needs an API key"),
        ("huggingface.co", "needs a model from Hugging Face"),
        ("packagehallucination", "needs a list of package names from Hugging Face"),
        ("no labelled rows", "has no labelled rows"),
    ):
        if sign in reason:
            return plain
    return printable(reason)[:120]


def write() -> None:
    """Write the page.

    Raises
    ------
    DatasetError
        The summary is not that of the labelled data.
    """
    summary = read_summary(str(SUMMARY))
    write_whole(str(PAGE), page(summary, all_judged(summary)))
