# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How alike the outputs of a prompt are, and the verdicts on an output, by a scan."""

from __future__ import annotations

from collections import Counter
from math import sqrt

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.grade_chances import by_probe
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.tbsa.pairs import pairs_text
from garak_tbsa.tbsa.rate_grid import MANY_OUTPUTS
from garak_tbsa.tbsa.repeat_assumptions import (
    FRESH_PROMPTS,
    MOST_DETECTORS,
    SAME_PROMPTS,
    RepeatAssumptions,
    unknown_factor,
    without_attempts,
)
from garak_tbsa.unavailable import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from garak_tbsa.garak_files.outcomes import Outcomes, Pattern, ProbeOutcomes
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.prompt_counts import PromptCounts

LARGEST_CORRELATION = 0.9
PROMPTS_OF_THE_SCAN = 3.0
"""Prompts' worth of the scan's own correlation, added to that of each pair."""

OUTPUTS_OF_THE_SCAN = 20.0
"""Outputs' worth of the scan's own correlation of detectors, added to each two."""


def assumptions_of(
    assessment: Assessment,
    repeat: str | None,
    outcomes: Outcomes | Unavailable | None = None,
) -> RepeatAssumptions:
    """Return what a report's attempts say of a repeat.

    Parameters
    ----------
    assessment : Assessment
    repeat : str or None
        ``same-prompts`` or ``fresh-prompts``; None: the same where the scan's seed
        is set, since garak then draws the same prompts.
    outcomes : Outcomes, Unavailable or None
        Of the report's attempts; None: the report is read again for them.
    """
    report = assessment.report
    if repeat is None:
        repeat = FRESH_PROMPTS if report.settings.seed is None else SAME_PROMPTS
    if outcomes is None:
        from garak_tbsa.garak_files.outcomes import outcomes_of_report

        outcomes = outcomes_of_report(report)
    generations = report.settings.generations
    if isinstance(outcomes, Unavailable):
        return without_attempts(repeat, generations, outcomes.reason)
    factor = unknown_factor(repeat, generations)
    return assumptions_from(assessment.graded, outcomes, repeat, factor)


def assumptions_from(
    graded: Sequence[GradedPair],
    outcomes: Outcomes,
    repeat: str,
    other_factor: float = 1.0,
) -> RepeatAssumptions:
    """Return what joint outcomes say of a repeat.

    Parameters
    ----------
    graded : sequence of GradedPair
    outcomes : mapping of probe name to (ProbeOutcomes or Unavailable)
    repeat : str
        ``same-prompts`` or ``fresh-prompts``.
    other_factor : float
        On the variance of the pass count of pairs that outcomes do not account for.

    Notes
    -----
    On the same prompts the pass count of a pair has the variance of independent
    outputs times ``1 - rho``; on fresh ones times ``1 + rho (g - 1)`` for g outputs
    to each prompt, with rho the correlation of outputs of one prompt.
    """
    found = [
        (pair, probe, Counter(_by_prompt(probe, pair.detector)))
        for group in by_probe(graded)
        for pair, probe in _accounted(group, outcomes)
    ]
    clusters = {
        pair.name: Clusters.of(by_prompt.elements()) for pair, _, by_prompt in found
    }
    shared = pooled_correlation(clusters.values()) or 0.0
    missing = len(graded) - len(found)
    return RepeatAssumptions(
        repeat=repeat,
        variance_factors={
            name: each.variance_factor(repeat, shared)
            for name, each in clusters.items()
        },
        other_factor=other_factor,
        prompt_counts=_prompt_counts(
            {
                pair.name: by_prompt
                for pair, _, by_prompt in found
                if counts_of(pair).total_evaluated <= MANY_OUTPUTS
            },
            {name: each.correlation(shared) for name, each in clusters.items()},
            repeat,
        ),
        loadings=_loadings([pair for pair, _, _ in found], outcomes),
        missing_because=f"attempts do not add up to the counts of {pairs_text(missing)}"
        if missing
        else None,
    )


@record
class Clusters:
    """Passes of one detector over prompts.

    Attributes
    ----------
    prompts : int
        Those with two or more evaluated outputs.
    within, between : float
        Share of two outputs that differ in their verdict: of one prompt, averaged
        over those prompts; and of different prompts.
    others : float
        Other outputs of its prompt that an output has on average, >= 0.
    """

    prompts: int
    within: float
    between: float
    others: float

    @classmethod
    def of(cls, counted: Iterable[tuple[int, int]]) -> Clusters:
        """Sum up passed and evaluated outputs of each prompt."""
        found = [each for each in counted if each[1]]
        several = [(k, g) for k, g in found if g > 1]
        passed, total = sum(k for k, _ in found), sum(g for _, g in found)
        inside = sum(k * (g - k) for k, g in found)
        apart = (total * total - sum(g * g for _, g in found)) / 2
        differ = passed * (total - passed) - inside
        share = sum(2 * k * (g - k) / (g * (g - 1)) for k, g in several)
        return cls(
            prompts=len(several),
            within=share / len(several) if several else 0.0,
            between=differ / apart if apart else 0.0,
            others=sum(g * (g - 1) for _, g in found) / total if total else 0.0,
        )

    def correlation(self, shared: float) -> float:
        """Return that of outputs of one prompt, 0 to 0.9, drawn to the scan's.

        0 where no prompt has two outputs.
        """
        if not self.prompts:
            return 0.0
        weight = self.prompts * self.between
        own = self.prompts * (self.between - self.within)
        rho = (own + PROMPTS_OF_THE_SCAN * shared) / (weight + PROMPTS_OF_THE_SCAN)
        return min(max(rho, 0.0), LARGEST_CORRELATION)

    def variance_factor(self, repeat: str, shared: float) -> float:
        """Return the factor on a pass count's variance, with the scan's correlation."""
        rho = self.correlation(shared)
        return 1 - rho if repeat == SAME_PROMPTS else 1 + rho * self.others


def pooled_correlation(clusters: Iterable[Clusters]) -> float | None:
    """Return the correlation of outputs of one prompt over all pairs, 0 to 0.9.

    None where no prompt has two outputs, or all verdicts of such pairs are equal.
    """
    within = between = 0.0
    for each in clusters:
        within += each.prompts * each.within
        between += each.prompts * each.between
    if not between:
        return None
    return min(max(1 - within / between, 0.0), LARGEST_CORRELATION)


def _prompt_counts(
    counted: Mapping[str, Counter[tuple[int, int]]],
    correlations: Mapping[str, float],
    repeat: str,
) -> Mapping[str, PromptCounts]:
    from garak_tbsa.tbsa.prompt_counts import LEAST_CORRELATION, PromptCounts

    return {
        name: PromptCounts.of(
            by_prompt.elements(),
            correlations[name],
            on_same_prompts=repeat == SAME_PROMPTS,
        )
        for name, by_prompt in counted.items()
        if correlations[name] > LEAST_CORRELATION
    }


def _accounted(
    pairs: Sequence[GradedPair], outcomes: Outcomes
) -> Iterable[tuple[GradedPair, ProbeOutcomes]]:
    """Those of a probe's pairs whose counts its outcomes give, with these."""
    probe = outcomes.get(pairs[0].probe)
    if probe is None or isinstance(probe, Unavailable):
        return
    counts = probe.counts()
    for pair in pairs:
        if counts.get(pair.detector) == (pair.passed, pair.total_evaluated):
            yield pair, probe


def _by_prompt(probe: ProbeOutcomes, detector: str) -> Iterable[tuple[int, int]]:
    from garak_tbsa.garak_files.outcomes import by_detector

    return by_detector(probe, detector).values()


def _loadings(pairs: Sequence[GradedPair], outcomes: Outcomes) -> Mapping[str, float]:
    """How far each pair's detector goes together with the others of its probe."""
    found: dict[tuple[str, str], tuple[float | None, int]] = {}
    groups = [group for group in by_probe(pairs) if 1 < len(group) <= MOST_DETECTORS]
    for group in groups:
        probe = outcomes[group[0].probe]
        assert not isinstance(probe, Unavailable)
        patterns = probe.patterns()
        for one in group:
            for other in group:
                if one.name < other.name:
                    columns = [
                        probe.detectors.index(each.detector) for each in (one, other)
                    ]
                    found[one.name, other.name] = verdict_correlation(
                        patterns, *columns
                    )
    known = [(r, outputs) for r, outputs in found.values() if r is not None]
    weight = sum(outputs for _, outputs in known)
    shared = sum(r * outputs for r, outputs in known) / weight if weight else 1.0
    loadings: dict[str, float] = {}
    for group in groups:
        for one in group:
            with_others = [
                _towards(shared, *found[min(one.name, x.name), max(one.name, x.name)])
                for x in group
                if x is not one
            ]
            loadings[one.name] = sqrt(sum(with_others) / len(with_others))
    return loadings


def _towards(shared: float, own: float | None, outputs: int) -> float:
    """Their correlation, drawn to the scan's, and one standard error for safety."""
    if own is None:
        own, outputs = shared, 0
    weight = outputs + OUTPUTS_OF_THE_SCAN
    drawn = (own * outputs + shared * OUTPUTS_OF_THE_SCAN) / weight
    return min(max(drawn + (1 - drawn * drawn) / sqrt(weight), 0.0), 1.0)


def verdict_correlation(
    patterns: Mapping[Pattern, int], one: int, other: int
) -> tuple[float | None, int]:
    """Return the correlation of two detectors' verdicts on an output.

    Parameters
    ----------
    patterns : mapping of Pattern to int
        Of a probe's outputs, see :meth:`ProbeOutcomes.patterns`.
    one, other : int
        Which of its detectors.

    Returns
    -------
    correlation : float or None
        None where one of them always gave the same verdict.
    outputs : int
        Those that both judged.
    """
    table: dict[tuple[bool | None, bool | None], int] = {
        (a, b): 0 for a in (True, False) for b in (True, False)
    }
    for pattern, times in patterns.items():
        both = pattern[one], pattern[other]
        if both in table:
            table[both] += times
    both_pass, both_hit = table[True, True], table[False, False]
    first, second = table[True, False], table[False, True]
    outputs = both_pass + both_hit + first + second
    spread = (
        (both_pass + first)
        * (both_hit + second)
        * (both_pass + second)
        * (both_hit + first)
    )
    if not spread:
        return None, outputs
    return (both_pass * both_hit - first * second) / sqrt(spread), outputs
