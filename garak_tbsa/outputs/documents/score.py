# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``score -j`` and ``explain -j`` write, as types."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from garak_tbsa.outputs.documents.explanation import Explanation
from garak_tbsa.outputs.documents.gate import Gate
from garak_tbsa.outputs.documents.values import (
    ChecksumText,
    Count,
    Digits,
    Grade,
    Positive,
    Prompts,
    ScoredTier,
    Share,
    Tbsa,
    Tier,
)


class Attempted(Struct, frozen=True, kw_only=True):
    """A pair that was attempted.

    Attributes
    ----------
    probe
        Probe class without its category, such as dan.DanInTheWild.
    detector
        Detector class without its category.
    tier
        Tier of the probe; null if it is unknown.
    passed
        Evaluated outputs that passed; null if the report has no counts.
    total_evaluated
        Outputs evaluated; null if the report has no counts.
    nones
        Outputs that could not be evaluated; null if the report does not say.
    """

    probe: str
    detector: str
    tier: Tier | None
    passed: Count | None
    total_evaluated: Count | None
    nones: Count | None


class Pair(Attempted, frozen=True, kw_only=True):
    """A pair that counts.

    Attributes
    ----------
    tier
        Tier of the probe.
    pass_rate
        Share of evaluated outputs that passed.
    z_score
        Distance from the calibration's mean in standard deviations; null for an
        uncalibrated pair.
    calibrated
        Whether it has a Z-score.
    pass_rate_grade
        DEFCON 1 (awful) to 5 (great), by pass rate.
    z_grade
        DEFCON by Z-score; null for an uncalibrated pair.
    grade
        The lowest of the grades that exist.
    """

    tier: ScoredTier
    pass_rate: Share
    z_score: float | None
    calibrated: bool
    pass_rate_grade: Grade
    z_grade: Grade | None
    grade: Grade


class LeftOut(Attempted, frozen=True, kw_only=True):
    """A pair that was attempted and does not count.

    Attributes
    ----------
    reason
        Why it does not count.
    reason_text
        The reason in words.
    """

    reason: Literal["no_evaluated_output", "tier_unknown", "tier_not_scored"]
    reason_text: str


class SilentProbe(Struct, frozen=True, kw_only=True):
    """A selected probe, or family, that left no result.

    Attributes
    ----------
    probe
        Its name.
    tier
        null if nobody knows it.
    reason_text
        Why it is left out, in words.
    """

    probe: str
    tier: Tier | None
    reason_text: str


class TierMean(Struct, frozen=True, kw_only=True):
    """The pairs of one tier.

    Attributes
    ----------
    pairs
        How many count.
    mean
        Harmonic mean of the pair grades; null for an empty tier.
    weight
        How often the tier counts.
    """

    pairs: Count
    mean: Tbsa | None
    weight: Literal[1, 2]


class Tiers(Struct, frozen=True, kw_only=True):
    """The tiers that count.

    Attributes
    ----------
    tier_1, tier_2
        Pairs of this tier.
    """

    tier_1: TierMean = field(name="1")
    tier_2: TierMean = field(name="2")


class CalibrationIdentity(Struct, frozen=True, kw_only=True):
    """What tells one calibration from another.

    Attributes
    ----------
    date
        When garak's maintainers made it; null if unknown.
    models
        16 hex digits over the names of the models; null if unknown.
    content
        16 hex digits over the file, if it is not one of garak's.
    """

    date: str | None
    models: Digits | None
    content: Digits | None


class Calibration(Struct, frozen=True, kw_only=True):
    """Which calibration the grades come from.

    Attributes
    ----------
    chosen
        report, installed or a path, as chosen.
    source
        Where its numbers come from, in words.
    date
        That of its identity.
    identity
        null if no calibration was used.
    covered
        Pairs with a Z-score.
    counted
        Pairs that count.
    """

    chosen: str
    source: str
    date: str | None
    identity: CalibrationIdentity | None
    covered: Count
    counted: Count


class ChecksumParts(Struct, frozen=True, kw_only=True):
    """What the checksum covers, each setting of the scan as configuration:NAME.

    Attributes
    ----------
    formula
        By which the score was computed.
    garak_version
        Of the garak that scanned.
    pairs
        Every pair attempted, with its tier.
    grade_bounds
        Bounds of each grade rule.
    calibration
        null if no calibration was used.
    formula_version
        Rises with every change of the rule that moves a number.
    tier_weights
        How often each tier counts; others do not.
    tiers_from
        Where the tier of a probe comes from that neither the report nor the installed
        garak knows by its name: --tiers, or the probe's new name in garak.
    """

    formula: Literal["documented"]
    garak_version: str | None
    pairs: list[tuple[str, Tier | None]]
    grade_bounds: dict[str, list[float]]
    calibration: CalibrationIdentity | None
    formula_version: Positive
    tier_weights: dict[str, Positive]
    tiers_from: dict[str, str] | UnsetType = UNSET


WITH_CONFIGURATION = Meta(
    extra_json_schema={
        "type": "object",
        "patternProperties": {"^configuration:": True},
    }
)


class Probability(Struct, frozen=True, kw_only=True):
    """How likely a score is.

    Attributes
    ----------
    tbsa
        The score.
    probability
        Of all scores they sum to 1.
    """

    tbsa: Tbsa
    probability: Share


class Luck(Struct, frozen=True, kw_only=True):
    """A scan of which, by the model, at least nine in ten repeats score otherwise.

    Attributes
    ----------
    kind
        lucky if they score lower, unlucky if higher.
    outside
        Whether the score is outside the range of its repeats.
    share
        Share of these repeats.
    text
        The same in words.
    """

    kind: Literal["lucky", "unlucky"]
    outside: bool
    share: Annotated[float, Meta(ge=0.9, le=1)]
    text: str


class Repeat(Struct, frozen=True, kw_only=True):
    """What a repeat of the scan would score.

    Attributes
    ----------
    lower, upper
        Ends of the range; null if it is not known.
    missing_because
        Why there is no range.
    level
        Share of repeats within the range.
    distribution
        Probability of each score.
    resampling_unit
        What a repeat draws: one prompt where prompts have several outputs, unless it is
        on the same prompts and what each showed is not known.
    repeat
        Which prompts a repeat has.
    pairs_with_attempts
        Pairs of which the attempts tell each prompt.
    assumed
        What the range rests on, in words.
    luck
        null if the scan was neither lucky nor unlucky.
    pairs_under_30_outputs
        Names of the pairs that count and have fewer.
    """

    lower: Tbsa | None
    upper: Tbsa | None
    missing_because: str | UnsetType = UNSET
    level: Share | UnsetType = UNSET
    distribution: list[Probability] | UnsetType = UNSET
    resampling_unit: Literal["one prompt", "one output"] | UnsetType = UNSET
    repeat: Prompts | UnsetType = UNSET
    pairs_with_attempts: Count | UnsetType = UNSET
    assumed: str | UnsetType = UNSET
    luck: Luck | UnsetType | None = UNSET
    pairs_under_30_outputs: list[str]


class Unmeasured(Struct, frozen=True, kw_only=True):
    """The scores that are possible for what was not measured.

    Attributes
    ----------
    pairs
        Pairs of Tiers 1 and 2 without an evaluated output.
    worst_tbsa, best_tbsa
        The score with all of them at grade 1, and at 5.
    """

    pairs: Positive
    worst_tbsa: Tbsa
    best_tbsa: Tbsa


class Said(Struct, frozen=True, kw_only=True):
    """What every form says of a score, in words.

    Attributes
    ----------
    range
        What a repeat of the scan would score, or why that is not known.
    basis
        What the range rests on; null if there is none.
    unit
        What a repeat draws; null if there is no range.
    lower_end
        On which pairs the lower end rests; null unless the range spans grades.
    luck
        That the scan was lucky or unlucky; null if it was neither.
    tiers
        What each tier has.
    counted
        How many pairs count, are uncalibrated, and are left out.
    left_out
        Each pair, or probe without a pair, that does not count, and why.
    calibration
        Which one was used, its date, and how many pairs it covers.
    unmeasured
        What the score could be, had all been measured; null if all was.
    look_first
        Which pair to look at first; null if none is below grade 4.
    fixes
        What fixing the pairs of its module brings; null if none is below grade 4.
    doubts
        All that makes the score doubtful, what weighs most first.
    """

    range: str
    basis: str | None
    unit: str | None
    lower_end: str | None
    luck: str | None
    tiers: str
    counted: str
    left_out: list[str]
    calibration: str
    unmeasured: str | None
    look_first: str | None
    fixes: str | None
    doubts: list[str]


class Score(Struct, frozen=True, kw_only=True):
    """One scored report; the first five members are those of garak's own module.

    Attributes
    ----------
    tbsa
        The score, with one decimal.
    version_probe_hash
        garak's own hash of version and pair names.
    probe_detector_pairs_contributing
        Pairs that count.
    infile
        The report's path as given.
    run_id
        garak's id of the run.
    schema_version
        Of this form of JSON.
    note
        What the score is no substitute for.
    formula
        By which the score was computed.
    checksum
        Only scores with equal checksums can be compared.
    checksum_parts
        What the checksum covers.
    garak_version
        Of the garak that scanned.
    dialect
        The first garak release with this form of report, such as 0.14.
    read_from
        Which rows of the report the counts are from.
    start_time
        As garak wrote it.
    target_type, target_name
        What was scanned.
    partial
        Whether the report holds a part of a scan.
    partial_reason
        Why; null if it holds all of it.
    calibration
        Which calibration the grades come from.
    raw_tbsa
        The score before rounding.
    missing_tier
        1 or 2 if the scan has no pair of that tier.
    tiers
        By tier, 1 and 2.
    pairs
        Those that count.
    left_out
        Those that do not.
    silent_probes
        Selected probes, or families, that left no result.
    repeat_interval
        null if it was not asked for.
    unmeasured
        null if everything was measured.
    warnings
        What to know before trusting the score.
    gate
        null if no gate was set.
    explanation
        What drives the score.
    said
        The same in words.
    """

    tbsa: Tbsa
    version_probe_hash: Annotated[str, Meta(pattern="^[0-9a-f]{1,8}$")]
    probe_detector_pairs_contributing: Count
    infile: str
    run_id: str | None
    schema_version: Literal[4]
    note: str
    formula: Literal["documented"]
    checksum: ChecksumText
    checksum_parts: Annotated[ChecksumParts, WITH_CONFIGURATION]
    garak_version: str | None
    dialect: str
    read_from: Literal["digest", "digest, counts from eval rows", "eval rows"]
    start_time: str | None
    target_type: str | None
    target_name: str | None
    partial: bool
    partial_reason: str | None
    calibration: Calibration
    raw_tbsa: Tbsa
    missing_tier: ScoredTier | None
    tiers: Tiers
    pairs: list[Pair]
    left_out: list[LeftOut]
    silent_probes: list[SilentProbe]
    repeat_interval: Repeat | None
    unmeasured: Unmeasured | None
    warnings: list[str]
    gate: Gate | None
    explanation: Explanation
    said: Said


class Unreadable(Struct, frozen=True, kw_only=True):
    """A report that gave no score.

    Attributes
    ----------
    infile
        The report's path as given.
    error
        Why there is no score.
    """

    infile: str
    error: str


class Several(Struct, frozen=True, kw_only=True):
    """Several reports.

    Attributes
    ----------
    schema_version
        Of this form of JSON.
    reports
        Those that gave a score.
    unreadable
        Those that gave none.
    """

    schema_version: Literal[4]
    reports: list[Score]
    unreadable: list[Unreadable]
