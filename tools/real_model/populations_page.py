# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""docs/measured/populations.md: detectors that several populations judge, and how."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec import Struct, convert

from garak_tbsa.unavailable import Unavailable
from tools.labelled_data.families import DATA, ROOT
from tools.real_model.scanned import DetectorCheck, Share, counted_share
from tools.real_model.scanned_page import checks
from tools.real_model.spread import Spread, spread_of

PAGE = ROOT / "docs" / "measured" / "populations.md"
PUBLISHED = DATA / "published_counts.json"
OURS, SCANS = "our typical rows", "scans of SmolLM2-135M, labelled"


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


@dataclass(frozen=True, kw_only=True)
class Population:
    """One population's shares for a detector."""

    name: str
    labels: str
    rows: str
    sensitivity: Share | Unavailable
    specificity: Share | Unavailable


def published_sets(path: Path = PUBLISHED) -> dict[str, list[PublishedSet]]:
    """Read the counts of published sets, by detector."""
    return convert(json.loads(path.read_bytes()), dict[str, list[PublishedSet]])


def populations(
    check: DetectorCheck, published: Sequence[PublishedSet]
) -> list[Population]:
    """Return all populations of a detector: our rows, scans, published sets."""
    rng = np.random.default_rng([2, *check.detector.encode()])
    rules = "our rules, two raters"
    return [
        Population(
            name=OURS,
            labels=rules,
            rows="-",
            sensitivity=check.sensitivity.published,
            specificity=check.specificity.published,
        ),
        Population(
            name=SCANS,
            labels=rules,
            rows=f"{check.hits}, {check.rows - check.hits}",
            sensitivity=check.sensitivity.scanned,
            specificity=check.specificity.scanned,
        ),
        *(
            Population(
                name=f"[{each.set}]({each.source})",
                labels=each.labels,
                rows=f"{each.tp + each.fn:,}, {each.fp + each.tn:,}",
                sensitivity=counted_share(rng, each.tp, each.fn),
                specificity=counted_share(rng, each.tn, each.fp),
            )
            for each in published
        ),
    ]


def page_text(
    compared: Sequence[DetectorCheck], published: Mapping[str, Sequence[PublishedSet]]
) -> str:
    """Return the page: a table for each detector with published sets."""
    by_name = {check.detector: check for check in compared}
    lines: list[str] = []
    for name, sets in sorted(published.items()):
        if name not in by_name:
            continue
        lines += [f"### {name}", "", *_table(populations(by_name[name], sets)), ""]
    return "\n".join(lines)


def _table(found: Sequence[Population]) -> Iterator[str]:
    yield "| population | labels | hits, passes | sensitivity | specificity |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for each in found:
        shares = f"{_written(each.sensitivity)} | {_written(each.specificity)}"
        yield f"| {each.name} | {each.labels} | {each.rows} | {shares} |"
    yield ""
    for what in ("sensitivity", "specificity"):
        known = [getattr(each, what) for each in found]
        spread = spread_of([share for share in known if isinstance(share, Share)])
        if spread is not None:
            yield f"- {what}: {_spread_text(spread)}"


def _spread_text(spread: Spread) -> str:
    text = (
        f"{spread.lowest:.2f} to {spread.highest:.2f} in {spread.populations}"
        f" populations; standard deviation between them {spread.tau:.1f} on the logit"
    )
    if spread.lower is None or spread.upper is None:
        return text
    return (
        f"{text}; a further population is expected between {spread.lower:.2f} and"
        f" {spread.upper:.2f} (95 %)"
    )


def _written(share: Share | Unavailable) -> str:
    if isinstance(share, Unavailable):
        return "-"
    return f"{share.value:.2f} [{share.lower:.2f}, {share.upper:.2f}]"


def made_page() -> str:
    """Return the page of the repository's rows, summary and published counts."""
    return page_text(checks(), published_sets())
