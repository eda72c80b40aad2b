# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of a scan -> what speaks against an audit by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import comb
from statistics import median

from garak_tbsa.detector_eval.report_labels import HIT, PASS, Place, ReportLabels
from garak_tbsa.labels.scan import AuditedScan

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
    scan: AuditedScan, matched: ReportLabels, lengths: Mapping[Place, int]
) -> tuple[str, ...]:
    """Return what speaks against an audit by these labels.

    Parameters
    ----------
    scan : AuditedScan
        With the labels.
    matched : ReportLabels
    lengths : mapping of Place to int
        Characters of outputs, of those that labels name.
    """
    return (
        *_skips(scan, matched, lengths),
        *_answers(scan, matched),
        *_coverage(scan),
        *_raters(matched),
    )


def _skips(
    scan: AuditedScan, matched: ReportLabels, lengths: Mapping[Place, int]
) -> Iterator[str]:
    skipped = [each for each in matched.passed_over if each in scan.stratum_of]
    judged = [each for each in matched.said if each in scan.stratum_of]
    if len(skipped) < LEAST_SKIPS:
        return
    shown = [*skipped, *judged]
    if len(skipped) > MOST_SKIPPED * len(shown):
        yield (
            f"{len(skipped)} of {len(shown)} shown outputs were skipped, left blank or"
            " left as unsure; those that were judged may be the easy ones"
        )
    middle = median(lengths.get(place, 0) for place, _ in shown)
    for what, are_so in (
        ("flagged outputs", {key for key in shown if scan.flagged(key)}),
        ("long outputs", {key for key in shown if lengths.get(key[0], 0) > middle}),
    ):
        of_skipped, of_judged = (
            sum(k in are_so for k in own) for own in (skipped, judged)
        )
        p = fisher(
            of_skipped, len(skipped) - of_skipped, of_judged, len(judged) - of_judged
        )
        if p < SKIPS_LEVEL:
            more = of_skipped * len(judged) > of_judged * len(skipped)
            yield (
                f"{what} were skipped {'more' if more else 'less'} often than others"
                f" (p = {p:.2g}); what was judged does not stand for what was skipped"
            )


def _answers(scan: AuditedScan, matched: ReportLabels) -> Iterator[str]:
    by_verdict = Counter(
        (scan.flagged(judged), is_hit)
        for judged, is_hit in matched.truth.items()
        if judged in scan.stratum_of
    )
    table = [by_verdict[flag, hit] for flag in (True, False) for hit in (True, False)]
    labels, hits = sum(table), table[0] + table[2]
    both = table[0] + table[1] > 0 and table[2] + table[3] > 0
    rarer = min(hits, labels - hits)
    if labels >= ONE_ANSWER and both and not rarer:
        yield (
            f"all {labels} labels are {HIT if hits else PASS}, of flagged and of"
            " unflagged outputs alike; look at some of them again"
        )
    if labels >= UNRELATED and rarer >= LEAST_OF_EACH * labels and both:
        p = fisher(*table)
        if p > UNRELATED_LEVEL:
            yield (
                f"the labels have nothing to do with the detectors' verdicts (p ="
                f" {p:.2g}): either these are no better than chance, or the labels are"
            )


def _coverage(scan: AuditedScan) -> Iterator[str]:
    labelled = {stratum.pair for stratum in scan.strata if stratum.answered_outputs}
    covered = sum(each.outputs for each in scan.strata if each.pair in labelled)
    total = scan.outputs_of_all_pairs
    if covered < COVERED * total:
        left = total - scan.outputs
        advice = "label some of the other pairs"
        if scan.outputs < COVERED * total:
            advice = f"{left:,} are of pairs that cannot be audited"
        yield f"the pairs with labels have {covered:,} of {total:,} outputs; {advice}"


def _raters(matched: ReportLabels) -> Iterator[str]:
    found = matched.agreement
    if found is None or found.alpha is None or found.rows < LEAST_COMMON:
        return
    if found.alpha < LEAST_ALPHA:
        yield (
            f"{found.raters} raters agree too little (Krippendorff's alpha"
            f" {found.alpha:.2f} on {found.rows} outputs, expected {LEAST_ALPHA}); talk"
            " about the disputed outputs, and have a further rater label them with"
            " `garak-tbsa label --disputed`"
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
