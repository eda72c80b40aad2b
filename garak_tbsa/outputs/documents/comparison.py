# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``compare -j`` writes, as types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from garak_tbsa.outputs.documents.values import (
    ChecksumText,
    Count,
    Grade,
    Prompts,
    ScoredTier,
    Share,
    Tbsa,
)

Two = Meta(min_length=2, max_length=2)


class Counts(Struct, frozen=True, kw_only=True):
    """How many outputs of a pair passed.

    Attributes
    ----------
    passed
        Evaluated outputs that passed; null if the report has no counts.
    total_evaluated
        Outputs evaluated; null if the report has no counts.
    """

    passed: Count | None
    total_evaluated: Count | None


class ComparedPair(Struct, frozen=True, kw_only=True):
    """A pair that both scans measured.

    Attributes
    ----------
    pair
        probe+detector.
    probe, detector, tier
        Its parts, and the tier of the probe.
    first_grade, second_grade
        DEFCON 1 (awful) to 5 (great), before and after.
    first_pass_rate, second_pass_rate
        Share of evaluated outputs that passed, before and after.
    first_counts, second_counts
        How many outputs passed, before and after.
    tested
        Whether the test says anything of it.
    not_tested_because
        Why it does not; null if it does.
    units_exchanged
        How many of its units could change places, of the first scan and of the second:
        outputs of prompts that both sent, and whole prompts of one alone.
    z
        Standardised change of the second scan's pass count, negative where it passes
        less; null if nothing of the pair could change places.
    p_fell
        One-sided: share of permutations in which any pair fell as far.
    p_rose
        The same, rose.
    """

    pair: str
    probe: str
    detector: str
    tier: ScoredTier
    first_grade: Grade
    second_grade: Grade
    first_pass_rate: Share
    second_pass_rate: Share
    first_counts: Counts
    second_counts: Counts
    tested: bool
    not_tested_because: str | None
    units_exchanged: Annotated[list[Count], Two]
    z: float | None
    p_fell: Share | None
    p_rose: Share | None


class CausePair(ComparedPair, frozen=True, kw_only=True):
    """A pair of a cause.

    Attributes
    ----------
    stands_out
        Whether it alone shows a change, allowing for all pairs that were tested.
    """

    stands_out: bool


class Cause(Struct, frozen=True, kw_only=True):
    """What a verdict in one direction is due to.

    Attributes
    ----------
    direction
        Of the verdict.
    kind
        pairs: some pairs stand out by themselves; many pairs: none does, but the passes
        of all pairs together changed; score: only the grades of all pairs together
        changed.
    text
        In words.
    pairs
        Those that stand out, else up to five with the largest change in this direction;
        largest standardised change first.
    pairs_moved
        Tested pairs that changed in this direction.
    pairs_against
        Tested pairs that changed in the other direction.
    """

    direction: Literal["worse", "better"]
    kind: Literal["pairs", "many pairs", "score"]
    text: str
    pairs: list[CausePair]
    pairs_moved: Count
    pairs_against: Count


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether the second scan is worse or better.

    Attributes
    ----------
    kind
        The verdict.
    text
        The verdict, its p-value and its cause, in one sentence.
    alpha
        Level of the verdict, one-sided each way.
    p_worse, p_better
        p-values of either; null if nothing could be tested.
    """

    kind: Literal[
        "worse",
        "better",
        "worse and better",
        "no evidence of a difference",
        "not tested",
    ]
    text: str
    alpha: Annotated[float, Meta(ge=0.0001, le=0.5)]
    p_worse: Share | None
    p_better: Share | None


class Difference(Struct, frozen=True, kw_only=True):
    """A part of the checksum that is not the same for both scans.

    Attributes
    ----------
    part
        Its name.
    first
        Before; null if the scan does not have it, or if it is long.
    second
        The same, after.
    is_short
        Whether the values are given.
    text
        What differs, in words.
    """

    part: str
    first: Any
    second: Any
    is_short: bool
    text: str


class CommonPairs(Struct, frozen=True, kw_only=True):
    """The pairs that both measured with the same tier and that were scored again.

    Attributes
    ----------
    pairs
        Their names.
    of_another_tier
        Names of pairs that both measured, with another tier.
    """

    pairs: Annotated[list[str], Meta(min_length=1)]
    of_another_tier: list[str]


class Basis(Struct, frozen=True, kw_only=True):
    """What the range of a repeat is based on.

    Attributes
    ----------
    repeat
        Which prompts a repeat has.
    pairs_with_attempts
        Pairs for which the attempts say how alike their outputs are.
    assumed
        What was assumed, in words.
    """

    repeat: Prompts
    pairs_with_attempts: Count
    assumed: str


class Side(Struct, frozen=True, kw_only=True):
    """One of the two scans.

    Attributes
    ----------
    infile
        The report.
    run_id
        garak's id of the run.
    target
        What was scanned.
    garak_version
        Of the garak that scanned.
    start_time
        As garak wrote it.
    tbsa
        Score of what was compared: of the common pairs with --common.
    tbsa_of_whole_report
        Score of all pairs of the report.
    repeat_interval
        What a repeat of the scan would score (95 %); null if that is not known.
    interval_missing_because
        Why it is not known.
    interval_based_on
        What the range is based on; null if there is none.
    checksum
        Only scores with equal checksums can be compared.
    partial
        Whether the scan was interrupted.
    warnings
        What to know before trusting the score.
    """

    infile: str
    run_id: str | None
    target: str
    garak_version: str | None
    start_time: str | None
    tbsa: Tbsa
    tbsa_of_whole_report: Tbsa
    repeat_interval: Annotated[list[Tbsa], Two] | None
    interval_missing_because: str | None
    interval_based_on: Basis | None
    checksum: ChecksumText
    partial: bool
    warnings: list[str]


class Tests(Struct, frozen=True, kw_only=True):
    """What the permutations say.

    Attributes
    ----------
    p_score
        Of the difference of the unrounded scores, two-sided; null if it was not done,
        since grades by count are not known.
    cmh_z
        Cochran-Mantel-Haenszel statistic, negative if the second scan passes less.
    p_cmh
        Its permuted p-value, two-sided.
    p_less
        The same, one-sided: the second scan passes less.
    p_more
        One-sided: it passes more.
    largest_z
        Largest standardised change of one pair.
    p_largest_z
        Permuted p-value of the largest of all, two-sided.
    largest_pair
        Name of that pair.
    p_worse
        One-sided, by all three tests together, or by the other two if `p_score` is
        null: the second scan is worse. This decides the verdict.
    p_better
        The same, better.
    """

    p_score: Share | None
    cmh_z: float
    p_cmh: Share
    p_less: Share
    p_more: Share
    largest_z: float
    p_largest_z: Share
    largest_pair: str
    p_worse: Share
    p_better: Share


class Unseen(Struct, frozen=True, kw_only=True):
    """A pair that could fall to all hits unseen.

    Attributes
    ----------
    pair
        probe+detector.
    tier
        Tier of the probe.
    outputs
        Evaluated outputs in the second scan.
    chance
        How often the comparison would call the second scan worse.
    cost
        How much less the second scan would score, before rounding.
    """

    pair: str
    tier: ScoredTier
    outputs: Count
    chance: Share
    cost: Annotated[float, Meta(ge=0)]


class Detectable(Struct, frozen=True, kw_only=True):
    """Which pairs a comparison of these scans would miss more often than not.

    Attributes
    ----------
    text
        The same in words.
    can_fall
        Pairs of grade 3 or more in the first scan; null if no pair has counts in both.
    undetectable
        Share of these that could fall to all hits unseen; null if there is none.
    unseen
        Those that could.
    """

    text: str
    can_fall: Count | None
    undetectable: Share | None
    unseen: list[Unseen]


class ByCount(Struct, frozen=True, kw_only=True):
    """A pair of which only the counts are known.

    Attributes
    ----------
    pair
        probe+detector.
    reason
        Why its prompts are not.
    """

    pair: str
    reason: str


class ChangedGrade(Struct, frozen=True, kw_only=True):
    """A pair with another grade.

    Attributes
    ----------
    pair
        probe+detector.
    tier
        Tier of the probe.
    first, second
        Its grades before and after.
    first_counts, second_counts
        How many outputs passed, before and after.
    """

    pair: str
    tier: ScoredTier
    first: Grade
    second: Grade
    first_counts: Counts
    second_counts: Counts


class Comparison(Struct, frozen=True, kw_only=True):
    """Two compared scans.

    Attributes
    ----------
    schema_version
        Of this form of JSON.
    note
        What a score is no substitute for.
    verdict
        Whether the second scan is worse or better.
    because
        The cause of the verdict, one entry for each direction; empty without evidence
        of a difference.
    comparable
        Whether the checksums are equal and the scores those of the reports.
    not_comparable_because
        Why not; null if they are.
    differing_parts
        Parts of the checksum that differ.
    differences
        What differs in each.
    common_pairs
        null without --common.
    first
        Before.
    second
        After.
    tbsa_difference
        Second minus first score.
    tests
        Permutation tests; null if no pair has counts in both reports.
    assumption
        What was taken to be exchangeable between the scans.
    detectable
        Which pairs could fall from grade 3 or more to all hits while a comparison of
        these scans misses it more often than not.
    not_matched
        Which pairs could not be matched prompt by prompt, and why.
    pairs_compared
        Pairs in both scans with counts.
    pairs_by_prompt
        Those whose prompts are the same in both.
    pairs_by_whole_prompt
        Those with prompts that only one scan has.
    pairs_by_count
        Those of which only the counts are known.
    pairs_only_in_one
        Pairs that only one scan measured; they are not tested.
    pairs
        Every pair that was compared.
    changed_grades
        Those with another grade.
    """

    schema_version: Literal[4]
    note: str
    verdict: Verdict
    because: Annotated[list[Cause], Meta(max_length=2)]
    comparable: bool
    not_comparable_because: str | None
    differing_parts: list[str]
    differences: list[Difference]
    common_pairs: CommonPairs | None
    first: Side
    second: Side
    tbsa_difference: Annotated[float, Meta(ge=-4, le=4)]
    tests: Tests | None
    assumption: str
    detectable: Detectable
    not_matched: list[str]
    pairs_compared: Count
    pairs_by_prompt: Count
    pairs_by_whole_prompt: Count
    pairs_by_count: list[ByCount]
    pairs_only_in_one: list[str]
    pairs: list[ComparedPair]
    changed_grades: list[ChangedGrade]
