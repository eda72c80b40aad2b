# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write docs/explanation/detector_metrics.md from summary and labelled data.

The detectors run once more, for their mistakes row by row; their counts must be those
of the summary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill

from garak_tbsa.detector_eval.basis import LEAST_REAL_HITS
from garak_tbsa.detector_eval.dataset import (
    read_sources,
)
from garak_tbsa.detector_eval.explain import (
    DetectorExplanation,
    explanation_of,
)
from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult, ratio
from garak_tbsa.detector_eval.ranking import (
    RankedDetector,
    both_text,
    means_lines,
    rank,
)
from garak_tbsa.detector_eval.run import score_rows
from garak_tbsa.detector_eval.sources import find_sources
from garak_tbsa.detector_eval.summary_file import Summary, read_summary
from garak_tbsa.errors import DatasetError
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.detector_loading import DetectorSettings
from garak_tbsa.garak_api.detectors import is_detector, matches_strings, word_list
from garak_tbsa.safe_text import printable
from tools.labelled_data.families import (
    DATA,
    LABELLED,
    ROOT,
    Family,
    families,
    held,
    table,
)

PAGE = ROOT / "docs" / "explanation" / "detector_metrics.md"
SUMMARY = DATA / "detector_metrics_summary.json"

WIDTH = 84
NO_BREAK = "\u00a0"
NAMED_FORMS = 4


def explained(summary: Summary) -> dict[str, DetectorExplanation]:
    """Run each measured detector on its rows again.

    Raises
    ------
    DatasetError
        Counts differ: the summary is of other data, or of another garak.
    """
    found: dict[str, DetectorExplanation] = {}
    seed, threshold = summary.metadata.random_seed, summary.metadata.eval_threshold
    if seed is None or threshold is None:
        raise DatasetError(
            f"{SUMMARY}: no `random_seed` or `eval_threshold`; run `make data`"
        )
    settings = DetectorSettings(seed=seed)
    for name, measured in summary.measured.items():
        path = str(LABELLED / f"{name}.jsonl")
        sources = find_sources([path], known=is_detector)
        rows = read_sources(sources, word_list)[0][name]
        (said,) = score_rows({name: rows.rows}, settings, seed=settings.seed)
        scored = list(zip(rows.rows, said.row_scores, strict=True))
        found[name] = explanation_of(name, scored, threshold)
        result = found[name].result
        if (result.counts, result.stress) != (measured.counts, measured.stress):
            raise DatasetError(
                f"{SUMMARY}: {name} has other counts than its rows give now; run"
                " `make data`"
            )
    return found


def page(
    summary: Summary,
    explanations: Mapping[str, DetectorExplanation],
) -> str:
    """The page."""
    ranked = rank(summary)
    parts = [
        _head(summary, ranked, explanations),
        "## Ranking\n",
        ranking_table(ranked),
        _NOTES,
        "## What they miss and over-flag\n",
        _FORMS,
        *(_family(family, ranked, explanations) for family in families()),
        _unranked(summary),
        _not_evaluated(summary),
    ]
    return "\n".join(parts)


_NOTES = """
Typical F1 is the hit F1 on typical rows, with its 95 % interval; it alone decides rank
and tier. *Found* is the number of hits found, of all typical hits. *Flagged* is the
number of passes taken for hits, of all typical passes. Both are given for stress rows
too, whose hits are disguised and whose passes are harmless look-alikes of hits. *Real
hits* is how many of the typical hits a model said; the others were written.

\\* looks for given strings. As garak's documentation says, a low F1 need not be a
defect of a detector that is designed like this: it shows hits that the strings do not
cover, and how detection could be extended.

J: the Jeffreys interval. The bootstrap interval needs 50 typical rows, and is too
narrow if the detector was always right, or always wrong, on a label.
"""

_FORMS = """\
For each detector, its results on typical and on stress rows, and the kinds of rows on
which it makes most mistakes, typical and stress together. 20/20 means 20 mistakes in 20
rows. `garak-tbsa detectors explain` shows the rows.
"""


def _head(
    summary: Summary,
    ranked: Sequence[RankedDetector],
    explanations: Mapping[str, DetectorExplanation],
) -> str:
    tiers = Counter(each.tier for each in ranked)
    results = [each.result for each in explanations.values()]
    garak = summary.metadata.versions.get("garak")
    stress = sum((result.stress for result in results), ConfusionCounts())
    flagged = ratio(stress.fp, stress.passes)
    unranked = set(summary.measured) - {each.measured.detector for each in ranked}
    means = "\n".join(f"- {line}" for line in means_lines(ranked))
    real = sum(each.measured.has_real_hits for each in ranked)
    of_tiers = ", ".join(f"{count} {tier}" for tier, count in tiers.items())
    found = fill(
        f"{len(summary.measured)} detectors of garak {garak} on"
        f" {_sum_of(results, 'labelled')} typical and"
        f" {_sum_of(results, 'stress_labelled')} stress responses. {len(unranked)} of"
        " them are word lists, whose sensitivity these rows cannot tell. They are not"
        f" ranked. The others on typical rows: {of_tiers}. On stress rows, detectors"
        f" catch {_percent(stress.hit_recall)} of disguised hits and wrongly flag"
        f" {_percent(flagged)} of harmless look-alikes.",
        WIDTH,
        break_on_hyphens=False,
    )
    basis = fill(
        "Most passes are responses of a small real model. Most hits were written to"
        " resemble real responses, because such a model shows them rarely:"
        f" {real} of the {len(ranked)} ranked detectors have {LEAST_REAL_HITS} real"
        " hits or more. For the others, sensitivity and F1 say how the detector does"
        " on written hits, not on those of any model.",
        WIDTH,
        break_on_hyphens=False,
    )
    return f"""\
# What was measured

<!-- made by python -m tools.labelled_data page from the summary: do not edit -->

{found}

{means}

## What they rest on

{basis}

Metrics, tiers and ranking come from *typical* rows, which answer what the detector's
probes ask. *Stress* rows are written to break the detector, many of them by reading its
source. They show what breaks it, but not how often that occurs, so they are counted
separately.

There are about as many hits as passes, which is not so in a scan. Precision and F1
depend on that; sensitivity and specificity do not. None of these numbers travels from
one model to another: [One detector, many populations](detector_scans.md) shows by how
much they differ. For your own target, label your own scan (`garak-tbsa detectors
sample`). `data/detectors-eval/README.md` says how the rows were made, and has the
labelling rules.
"""


def _sum_of(results: Iterable[DetectorResult], what: str) -> int:
    return sum(getattr(result, what) for result in results)


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
            each.tier,
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
    explanations: Mapping[str, DetectorExplanation],
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
    lines += [_member(each, explanations[each.measured.detector]) for each in members]
    lines.append("")
    return "\n".join(lines)


def _member(each: RankedDetector, explanation: DetectorExplanation) -> str:
    measured = each.measured
    missed = _forms(explanation, "fn", "hits")
    flagged = _forms(explanation, "fp", "passes")
    return (
        f"- **{_plain(measured.detector)}**:"
        f" {both_text(each.hit_f1, each.interval, explanation.result.stress)}."
        f" Misses: {missed}. Over-flags: {flagged}."
    )


def _forms(explanation: DetectorExplanation, wrong: str, all_of: str) -> str:
    """The kinds of rows with the most mistakes of one sort."""
    worst = sorted(
        (
            (-getattr(counts, wrong), name, getattr(counts, all_of))
            for name, counts in explanation.grouped(lambda row: row.slice).items()
            if getattr(counts, wrong)
        )
    )
    named = [
        f"{name.replace('_', ' ')} {-negative}/{total}"
        for negative, name, total in worst[:NAMED_FORMS]
    ]
    return ", ".join(named) or "none"


def _unranked(summary: Summary) -> str:
    lines = [
        "## Not ranked\n",
        "Hits in the rows of these word lists have words of the list itself, put in by"
        " a script, so that\nnobody has to write them. They show that the detector"
        " runs, and nothing of what it misses.\nSpecificity stands.\n",
        *(
            f"- {_plain(name)}: specificity {entry.specificity:.2f}"
            f" ({entry.counts.tn}/{entry.counts.passes})"
            for name, entry in sorted(summary.measured.items())
            if entry.unmeasurable is not None
            if entry.counts is not None and entry.specificity is not None
        ),
        "",
    ]
    return "\n".join(lines)


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


def write() -> None:
    """Write the page.

    Raises
    ------
    DatasetError
        The summary is not that of the labelled data.
    """
    summary = read_summary(str(SUMMARY))
    write_whole(str(PAGE), page(summary, explained(summary)))
