# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write docs/detector_metrics.md and its chart from the summary and the labelled data.

``python -m tools.make_detector_page``, after ``garak-tbsa detectors evaluate``. The
detectors run once more, for their mistakes row by row; their counts must be those of
the summary.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from garak_tbsa.detector_eval.dataset import (
    DatasetOptions,
    check_sources,
    find_sources,
    read_rows,
)
from garak_tbsa.detector_eval.explain import (
    HARD,
    ORDINARY,
    DetectorExplanation,
    Explainer,
    Mistake,
)
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.ranking import RankedDetector, rank
from garak_tbsa.detector_eval.run import chunks_of, score_chunks
from garak_tbsa.detector_eval.summary import Summary, read_summary
from garak_tbsa.garak_api.detector_facts import matches_strings
from garak_tbsa.garak_api.detector_loading import DetectorSettings
from garak_tbsa.garak_api.detectors import is_detector, word_list
from garak_tbsa.safe_text import printable
from tools.families import DATA, LABELLED, ROOT, Example, Family, families, table

PAGE = ROOT / "docs" / "detector_metrics.md"
CHART = ROOT / "docs" / "detector_metrics.svg"
SUMMARY = DATA / "detector_metrics_summary.json"

EXCERPT = 400
WIDTH = 84
JOINER = "\u2060"
"""Keeps both ends of an interval in one line."""
NAMED_FORMS = 4
COLOURS = {
    "Excellent": "#1b7837",
    "Good": "#5aae61",
    "Moderate": "#d9a400",
    "Poor": "#e08214",
    "Critical": "#b2182b",
}


def explained(summary: Summary) -> dict[str, DetectorExplanation]:
    """Run each measured detector on its rows again.

    Raises
    ------
    ValueError
        Counts differ: the summary is of other data, or of another garak.
    """
    reading = DatasetOptions(word_list=word_list)
    found: dict[str, DetectorExplanation] = {}
    settings = DetectorSettings(seed=summary.metadata["random_seed"])
    for name, measured in summary.measured.items():
        path = str(LABELLED / f"{name}.jsonl")
        sources = find_sources([path], known=is_detector)
        rows = check_sources(sources, reading, scratch="")[name]
        explainer = Explainer(name, summary.metadata["eval_threshold"])
        chunks = chunks_of(name, read_rows(rows, reading))
        for scored in score_chunks(chunks, settings, seed=settings.seed):
            explainer.add(scored.chunk.rows, scored.row_scores)
        found[name] = explainer.result()
        if found[name].result.counts != measured.counts:
            raise ValueError(
                f"{name}: other counts than in {SUMMARY}; make that anew with"
                " `make data`"
            )
    return found


def page(
    summary: Summary,
    explanations: Mapping[str, DetectorExplanation],
    output_of: Callable[[str], str],
) -> str:
    """The page.

    Parameters
    ----------
    output_of : callable
        Row id -> its output as it stands in the repository, slots unfilled.
    """
    ranked = rank(summary)
    parts = [
        _head(summary, ranked, explanations),
        "## Ranking\n",
        "![hit F1 of every detector with its interval](detector_metrics.svg)\n",
        ranking_table(ranked),
        _NOTES,
        "## What they miss and over-flag\n",
        _FORMS,
        *(_family(family, ranked, explanations, output_of) for family in families()),
        _not_evaluated(summary),
    ]
    return "\n".join(parts)


_NOTES = """
The interval is the 95 % interval of hit F1; *found* are hits, of all hits, and
*flagged* are passes taken for hits, of all passes.

\\* looks for given strings. As garak's documentation says, a low F1 need not be a
defect of a detector so designed: it shows hits that the strings do not cover, and
where detection could go further.

J: the Jeffreys interval. The detector was always right, or always wrong, on a label,
and the bootstrap interval is too narrow there.
"""

_FORMS = """\
Sensitivity is the share of hits that were found, specificity the share of passes that
were left alone, each on ordinary rows and then on hard ones. Below each table stand the
kinds of rows with the most mistakes, with how many of how many.
"""


def _head(
    summary: Summary,
    ranked: Sequence[RankedDetector],
    explanations: Mapping[str, DetectorExplanation],
) -> str:
    tiers = Counter(each.tier for each in ranked)
    rows = sum(each.result.labelled for each in explanations.values())
    right = {kind: _accuracy(explanations.values(), kind) for kind in (ORDINARY, HARD)}
    versions = summary.metadata["versions"]
    return f"""\
# What was measured

<!-- made by tools/make_detector_page.py from the summary: do not edit -->

{len(ranked)} detectors of garak {versions["garak"]} on {rows} labelled responses:
{", ".join(f"{tiers[tier]} {tier}" for tier in COLOURS if tiers[tier])}. Of the ordinary
rows they judge {right[ORDINARY]} % right, of the hard ones {right[HARD]} %.

These are no field rates. About half of the rows are hard on purpose, many written with
the detector's source open, so the numbers show which forms break a detector and not how
often they come. Read a detector's ordinary and hard rows apart, compare it with itself
over time rather than with others, and label your own scan where it matters
(`garak-tbsa detectors sample`). How the rows were made, and the labelling rules:
`data/detectors-eval/README.md`.
"""


def _accuracy(explanations: Iterable[DetectorExplanation], kind: str) -> int:
    counts = [each.difficulty.get(kind, ConfusionCounts()) for each in explanations]
    right = sum(each.tp + each.tn for each in counts)
    return round(100 * right / max(1, sum(each.scored for each in counts)))


def ranking_table(ranked: Sequence[RankedDetector]) -> str:
    """Every ranked detector in a row."""
    rows: list[tuple[str, ...]] = []
    for each in ranked:
        measured = each.measured
        assert measured.counts is not None
        counts = measured.counts
        mark = " \\*" if matches_strings(measured.detector) else ""
        rows.append(
            (
                str(each.place),
                f"{_plain(measured.detector)}{mark}",
                f"{measured.hit_f1:.3f}",
                _interval(each),
                each.tier,
                f"{counts.tp}/{counts.hits}",
                f"{counts.fp}/{counts.passes}",
            )
        )
    header = ("#", "detector", "hit F1", "interval", "tier", "found", "flagged")
    return table(header, rows)


def _ends(each: RankedDetector) -> tuple[float, float] | None:
    measured = each.measured
    interval = measured.jeffreys if measured.degenerate else measured.interval
    return None if interval is None else (interval.lower, interval.upper)


def _interval(each: RankedDetector) -> str:
    ends = _ends(each)
    if ends is None:
        return "-"
    mark = " J" if each.measured.degenerate else ""
    return f"{ends[0]:.2f}{JOINER}–{JOINER}{ends[1]:.2f}{mark}"


def _plain(detector: str) -> str:
    """A name in a table, where code letters would take too much room."""
    return detector.replace("_", "\\_").replace(".", ".<wbr>")


def _family(
    family: Family,
    ranked: Sequence[RankedDetector],
    explanations: Mapping[str, DetectorExplanation],
    output_of: Callable[[str], str],
) -> str:
    members = [
        each.measured.detector
        for each in ranked
        if family.holds(each.measured.detector)
    ]
    if not members:
        return (
            f"### {family.name}\n\nNot measured here: its detectors need a download or"
            " a key. The rows are there for whoever has it.\n"
        )
    header = ("detector", "hit F1", "sensitivity", "on hard", "specificity", "on hard")
    rows = [_member(name, explanations[name]) for name in members]
    lines = [f"### {family.name}\n", table(header, rows), ""]
    lines += [_mistakes(name, explanations[name]) for name in members]
    lines.append("")
    for title, example, kind in (
        ("A miss", family.miss, "false_negatives"),
        ("An over-flag", family.over_flag, "false_positives"),
    ):
        if example is not None:
            mistakes = getattr(explanations[example.detector], kind)
            lines.append(_example(title, example, mistakes, output_of(example.row)))
    return "\n".join(lines)


def _member(name: str, explanation: DetectorExplanation) -> tuple[str, ...]:
    counts = explanation.result.counts
    by_kind = [
        explanation.difficulty.get(kind, ConfusionCounts()) for kind in (ORDINARY, HARD)
    ]
    return (
        _plain(name),
        _ratio(counts.hit_f1),
        *(_ratio(each.hit_sensitivity) for each in by_kind),
        *(_ratio(each.hit_specificity) for each in by_kind),
    )


def _mistakes(name: str, explanation: DetectorExplanation) -> str:
    missed = _forms(explanation, "fn", "hits")
    flagged = _forms(explanation, "fp", "passes")
    return f"- **{_plain(name)}** misses {missed}; over-flags {flagged}."


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _forms(explanation: DetectorExplanation, wrong: str, all_of: str) -> str:
    """The kinds of rows with the most mistakes of one sort."""
    worst = sorted(
        (
            (-getattr(counts, wrong), name, getattr(counts, all_of))
            for name, counts in explanation.slices.items()
            if getattr(counts, wrong)
        )
    )
    named = [
        f"{name.replace('_', ' ')} {-negative}/{total}"
        for negative, name, total in worst[:NAMED_FORMS]
    ]
    return ", ".join(named) or "none"


def _example(
    title: str, example: Example, mistakes: Sequence[Mistake], output: str
) -> str:
    if all(mistake.row.id != example.row for mistake in mistakes):
        raise ValueError(
            f"families.json: {example.row} is no such mistake ({title.lower()});"
            f" {example.detector} has"
            f" {', '.join(mistake.row.id for mistake in mistakes)}"
        )
    text = printable(output)
    text = text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…"
    text = "\n".join(
        wrapped for line in text.split("\n") for wrapped in wrap(line, WIDTH) or [""]
    )
    fence = "`" * max(3, 1 + _longest_run(text, "`"))
    return (
        f"{title}, `{example.row}`: {example.what}.\n\n{fence}text\n{text}\n{fence}\n"
    )


def _longest_run(text: str, character: str) -> int:
    longest = run = 0
    for each in text:
        run = run + 1 if each == character else 0
        longest = max(longest, run)
    return longest


def _not_evaluated(summary: Summary) -> str:
    reasons: dict[str, list[str]] = {}
    for name, reason in summary.not_evaluated.items():
        reasons.setdefault(_plain_reason(reason), []).append(name)
    lines = ["## Not evaluated\n"]
    for reason, names in sorted(reasons.items()):
        lines.append(f"- {reason}: {', '.join(f'`{name}`' for name in sorted(names))}")
    return "\n".join([*lines, ""])


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


def draw_chart(ranked: Sequence[RankedDetector], target: Path) -> None:
    """Hit F1 with its interval, a line each, as SVG; the same bytes every time."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot
    from matplotlib.lines import Line2D

    mpl.rcParams["svg.hashsalt"] = "garak-tbsa"
    mpl.rcParams["svg.fonttype"] = "none"  # text that can be read and searched
    figure, axes = pyplot.subplots(
        figsize=(8.6, 0.9 + 0.19 * len(ranked)), layout="constrained"
    )
    for place, each in enumerate(ranked):
        assert each.measured.hit_f1 is not None
        colour = COLOURS[each.tier]
        ends = _ends(each)
        if ends is not None:
            axes.plot(ends, (place, place), color=colour, linewidth=1.8, alpha=0.65)
        axes.plot(each.measured.hit_f1, place, "o", color=colour, markersize=4.5)
    for bound in (0.2, 0.4, 0.6, 0.8):
        axes.axvline(bound, color="#999999", linewidth=0.6, linestyle=":", zorder=0)
    axes.set_yticks(
        range(len(ranked)), [each.measured.detector for each in ranked], fontsize=7
    )
    axes.set_ylim(len(ranked) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.tick_params(axis="x", labeltop=True, top=True)
    axes.set_xlabel("hit F1 and 95 % interval, on rows of which about half are hard")
    handles = [
        Line2D([], [], color=COLOURS[tier], marker="o", markersize=4.5, label=tier)
        for tier in COLOURS
        if any(each.tier == tier for each in ranked)
    ]
    axes.legend(handles=handles, loc="lower right", fontsize=8, framealpha=1)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color="#eeeeee", linewidth=0.5)
    axes.set_axisbelow(True)
    figure.savefig(target, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def output_in_repository(row_id: str) -> str:
    """A row's output as its file has it: slots unfilled; of a file, its name."""
    path = LABELLED / f"{row_id.rpartition('-')[0]}.jsonl"
    for row in _rows(path):
        if row["id"] == row_id:
            return str(row["file"]["name"] if "file" in row else row["output"])
    raise ValueError(f"{path}: no row {row_id}")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def main() -> int:
    """Write page and chart."""
    summary = read_summary(str(SUMMARY))
    try:
        text = page(summary, explained(summary), output_in_repository)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    draw_chart(rank(summary), CHART)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
