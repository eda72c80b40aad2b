# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Published metrics beside those of scans, and those of several populations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct, convert

from garak_tbsa.errors import DatasetError
from tools.labelled_data.families import DATA, ROOT
from tools.real_model.shares import (
    Compared,
    DetectorCheck,
    Share,
    check_detector,
    counted_share,
    read_held_out,
    spread_of,
)

SCANNED = ROOT / "docs" / "measured" / "scanned.md"
POPULATIONS = ROOT / "docs" / "measured" / "populations.md"
HELD_OUT = DATA / "held_out"
SUMMARY = DATA / "detector_metrics_summary.json"
REASONS = DATA / "held_out_reasons.json"
PUBLISHED = DATA / "published_counts.json"
JAILBREAKS = DATA / "jailbreak_prompts"
OURS = "our typical rows"
SCANS = "scans of SmolLM2-135M, labelled"
LONG_PROMPTS = "SmolLM2-135M on garak's long jailbreak prompts, labelled"


def read_checks(
    folder: Path = HELD_OUT, summary: Path = SUMMARY
) -> list[DetectorCheck]:
    """Compare each detector that has held-out rows and published counts."""
    results = json.loads(summary.read_bytes())["results"]
    found = [read_held_out(path) for path in sorted(folder.glob("*.jsonl"))]
    return [
        check_detector(
            each,
            results[each.detector]["counts"],
            measurable="reason" not in results[each.detector].get("metrics", {}),
        )
        for each in found
        if each.detector in results
    ]


def read_reasons(path: Path = REASONS, folder: Path = HELD_OUT) -> dict[str, str]:
    """Read why a detector differs, as far as it was found out."""
    reasons: dict[str, str] = json.loads(path.read_bytes())
    stale = sorted(set(reasons) - {each.stem for each in folder.glob("*.jsonl")})
    if stale:
        raise DatasetError(
            f"{path}: {', '.join(stale)} has no held-out rows; take it out"
        )
    return reasons


def source_of(folder: Path = HELD_OUT) -> tuple[str, str]:
    """Return the one model and garak version that the rows' ``source`` has."""
    rows = [row for path in folder.glob("*.jsonl") for row in read_held_out(path).rows]
    parts = [row.source.split(", ") for row in rows]
    ((model, garak),) = {(each[0], each[-1]) for each in parts}
    return model, garak


def scanned_page(checks: Sequence[DetectorCheck], reasons: Mapping[str, str]) -> str:
    """Return the page of published shares beside those of scans."""
    differing = [check for check in checks if check.differing]
    lines = [
        *_opening(checks),
        "",
        "| detector | rows, hits | flagged | sensitivity published | scanned |"
        " specificity published | scanned | differs | tau |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |",
        *map(_line, checks),
        "",
        "### Those that differ",
        "",
        *([] if differing else ["None."]),
    ]
    lines += [
        f"- **{check.detector}**: {reasons.get(check.detector, 'not found out yet')}"
        for check in differing
    ]
    return "\n".join(lines) + "\n"


def _opening(checks: Sequence[DetectorCheck]) -> Iterator[str]:
    both = [
        share
        for check in checks
        for share in check.shares.values()
        if len(share.known) == 2
    ]
    model, garak = source_of()
    yield (
        f"{sum(check.rows for check in checks)} responses of a real model to"
        f" {len(checks)} detectors' probes,"
        " labelled and in none of the labelled files: scans of"
        f" {model} with {garak} and another seed than the"
        " labelled rows. The rater saw rules, prompt and response, mixed with labelled"
        " rows, and neither the detector's verdict nor which rows were held out."
    )
    yield ""
    yield (
        "Of flagged and unflagged responses about as many were drawn, at random within"
        " each verdict; a row counts for all responses of its verdict, so that the"
        " shares are those of the scan. Published shares are those of the typical"
        " rows in `detector_metrics_summary.json`. Intervals hold 95 %. A share"
        " *differs* where the 95 % interval of the difference leaves out 0:"
        f" {sum(share.differs for share in both)} of {len(both)} do; one in twenty,"
        f" about {len(both) / 20:.0f},"
        " would by chance alone. Where fewer than five rows of a class were"
        " found, nothing is said. tau is the standard deviation between the two"
        " populations on the logit, of sensitivity and of specificity (random effects;"
        " `tools/real_model/shares.py`)."
    )
    yield ""
    yield (
        "A small model's responses are no other model's: what holds here need not hold"
        " for another one. Rows are not changed to make"
        " these numbers agree."
    )


def _line(check: DetectorCheck) -> str:
    pairs = " | ".join(
        f"{_written(share.published)} | {_written(share.scanned)}"
        for share in check.shares.values()
    )
    taus = ", ".join(map(_tau, check.shares.values()))
    return (
        f"| {check.detector} | {check.rows}, {check.hits} | {check.flagged_share:.2f} |"
        f" {pairs} | {', '.join(check.differing)} | {taus} |"
    )


def _tau(compared: Compared) -> str:
    spread = spread_of(compared.known)
    return "-" if spread is None else f"{spread.tau:.1f}"


def _written(share: Share | None) -> str:
    return "-" if share is None else str(share)


class PublishedSet(Struct, frozen=True, forbid_unknown_fields=True):
    """What a detector made of a set that others published."""

    set: str
    labels: str
    preset: str
    source: str
    tp: int
    fn: int
    fp: int
    tn: int


def published_sets(path: Path = PUBLISHED) -> dict[str, list[PublishedSet]]:
    """Read the counts of published sets, by detector."""
    return convert(json.loads(path.read_bytes()), dict[str, list[PublishedSet]])


def populations_page(
    compared: Mapping[str, Sequence[DetectorCheck]],
    published: Mapping[str, Sequence[PublishedSet]],
) -> str:
    """Return the page: a table for each detector with long prompts or published sets.

    Parameters
    ----------
    compared : mapping of str to sequence of DetectorCheck
        By population; those of scans alone are on the page of scans.
    published : mapping of str to sequence of PublishedSet
        By detector.
    """
    by_detector: dict[str, dict[str, DetectorCheck]] = {}
    for population, checks in compared.items():
        for check in checks:
            by_detector.setdefault(check.detector, {})[population] = check
    lines: list[str] = []
    for name, found in sorted(by_detector.items()):
        sets = published.get(name, ())
        if sets or LONG_PROMPTS in found:
            lines += [f"### {name}", "", *_table(found, sets), ""]
    return "\n".join(lines)


def _table(
    compared: Mapping[str, DetectorCheck], sets: Sequence[PublishedSet]
) -> Iterator[str]:
    """All populations of a detector: our rows, the model's, published sets."""
    first = next(iter(compared.values()))
    rng = np.random.default_rng([2, *first.detector.encode()])
    rules = "our rules, two raters"
    rows: list[tuple[str, list[Share | None]]] = [
        (
            f"{OURS} | {rules} | -",
            [share.published for share in first.shares.values()],
        )
    ]
    for population, check in compared.items():
        counts = f"{check.hits}, {check.rows - check.hits}"
        scanned = [share.scanned for share in check.shares.values()]
        rows.append((f"{population} | {rules} | {counts}", scanned))
    for each in sets:
        counts = f"{each.tp + each.fn:,}, {each.fp + each.tn:,}"
        found = counted_share(rng, each.tp, each.fn)
        name = f"[{each.set}]({each.source}) | {each.labels} | {counts}"
        rows.append((name, [found, counted_share(rng, each.tn, each.fp)]))
    yield "| population | labels | hits, passes | sensitivity | specificity |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for cells, both in rows:
        yield f"| {cells} | {' | '.join(map(_written, both))} |"
    yield ""
    for place, what in enumerate(first.shares):
        known = [both[place] for _, both in rows]
        if text := _spread_text([share for share in known if share is not None]):
            yield f"- {what}: {text}"


def _spread_text(shares: Sequence[Share]) -> str:
    spread = spread_of(shares)
    if spread is None:
        return ""
    values = [share.value for share in shares]
    text = (
        f"{min(values):.2f} to {max(values):.2f} in {len(values)} populations; standard"
        f" deviation between them {spread.tau:.1f} on the logit"
    )
    if spread.further is None:
        return text
    lower, upper = spread.further
    return (
        f"{text}; a further population is expected between {lower:.2f} and"
        f" {upper:.2f} (95 %)"
    )
