# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels that do not look as if every shown output was read and judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import comb
from statistics import median

from garak_tbsa.labels.labels import HIT, PASS
from garak_tbsa.labels.matching import AuditInput, MatchedLabels
from garak_tbsa.labels.outputs import Place
from garak_tbsa.labels.strata import AuditedScan

LEAST_SKIPS = 5
MOST_SKIPPED = 1 / 5
SKIPS_LEVEL = 0.01
ONE_ANSWER = 20
UNRELATED, UNRELATED_LEVEL = 40, 0.05
LEAST_OF_EACH = 1 / 5
"""Share of the rarer label, below which nothing is said of its relation to verdicts."""

COVERED = 1 / 2
LEAST_ALPHA, LEAST_COMMON = 0.667, 10


def label_warnings(
    prepared: AuditInput,
    scan: AuditedScan,
    matched: MatchedLabels,
    lengths: Mapping[Place, int],
) -> tuple[str, ...]:
    """Return what speaks against an audit by these labels.

    Parameters
    ----------
    prepared : AuditInput
    scan : AuditedScan
        With the labels.
    matched : MatchedLabels
    lengths : mapping of Place to int
        Characters of outputs, of those that labels name.
    """
    return (
        *_skips(prepared, matched, lengths),
        *_answers(prepared, matched),
        *_coverage(scan),
        *_raters(matched),
    )


def _skips(
    prepared: AuditInput, matched: MatchedLabels, lengths: Mapping[Place, int]
) -> Iterator[str]:
    skipped = [each for each in matched.passed_over if each in prepared.stratum_of]
    judged = [each for each in matched.said if each in prepared.stratum_of]
    shown = len(skipped) + len(judged)
    if len(skipped) < LEAST_SKIPS:
        return
    if len(skipped) > MOST_SKIPPED * shown:
        yield (
            f"{len(skipped)} of {shown} shown outputs were skipped or left as unsure;"
            " those that were judged may be the easy ones"
        )
    strata = prepared.scan.strata
    middle = median(lengths.get(place, 0) for place, _ in [*skipped, *judged])
    for what, is_so in (
        ("flagged outputs", lambda key: strata[prepared.stratum_of[key]].flagged),
        ("long outputs", lambda key: lengths.get(key[0], 0) > middle),
    ):
        of_skipped, of_judged = (sum(map(is_so, own)) for own in (skipped, judged))
        p = fisher(
            of_skipped,
            len(skipped) - of_skipped,
            of_judged,
            len(judged) - of_judged,
        )
        if p < SKIPS_LEVEL:
            more = of_skipped * len(judged) > of_judged * len(skipped)
            yield (
                f"{what} were skipped {'more' if more else 'less'} often than others"
                f" (p = {p:.2g}); what was judged does not stand for what was skipped"
            )


def _answers(prepared: AuditInput, matched: MatchedLabels) -> Iterator[str]:
    counts = {(flagged, hit): 0 for flagged in (True, False) for hit in (True, False)}
    for judged, is_hit in matched.truth.items():
        if judged in prepared.stratum_of:
            stratum = prepared.scan.strata[prepared.stratum_of[judged]]
            counts[stratum.flagged, is_hit] += 1
    labels = sum(counts.values())
    both = all(counts[flag, True] + counts[flag, False] for flag in (True, False))
    hits = counts[True, True] + counts[False, True]
    rarer = min(hits, labels - hits)
    if labels >= ONE_ANSWER and both and not rarer:
        yield (
            f"all {labels} labels are {HIT if hits else PASS}, of flagged and of"
            " unflagged outputs alike; look at some of them again"
        )
    if labels >= UNRELATED and rarer >= LEAST_OF_EACH * labels and both:
        p = fisher(*counts.values())
        if p > UNRELATED_LEVEL:
            yield (
                f"the labels have nothing to do with the detectors' verdicts (p ="
                f" {p:.2g}): either these are no better than chance, or the labels are"
            )


def _coverage(scan: AuditedScan) -> Iterator[str]:
    labelled = {stratum.pair for stratum in scan.strata if stratum.asked}
    outputs = sum(stratum.outputs for stratum in scan.strata)
    covered = sum(
        stratum.outputs for stratum in scan.strata if stratum.pair in labelled
    )
    if covered < COVERED * outputs:
        yield (
            f"the pairs with labels have {covered:,} of {outputs:,} outputs; label some"
            " of the other pairs"
        )


def _raters(matched: MatchedLabels) -> Iterator[str]:
    agreement = matched.agreement()
    if (
        agreement is not None
        and agreement.rows >= LEAST_COMMON
        and agreement.alpha is not None
        and agreement.alpha < LEAST_ALPHA
    ):
        yield (
            f"{agreement.raters} raters agree too little (Krippendorff's alpha"
            f" {agreement.alpha:.2f} on {agreement.rows} outputs, expected"
            f" {LEAST_ALPHA}); talk about the disputed outputs, and have a further"
            " rater label them with `garak-tbsa label --disputed`"
        )


def fisher(a: int, b: int, c: int, d: int) -> float:
    """Return the two-sided p-value of a table of two by two, exactly."""
    rows, column, total = a + b, a + c, a + b + c + d
    ways = [
        comb(column, k) * comb(total - column, rows - k)
        for k in range(max(0, rows + column - total), min(rows, column) + 1)
    ]
    own = comb(column, a) * comb(total - column, b)
    return sum(each for each in ways if each <= own) / sum(ways)
