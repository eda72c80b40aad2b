# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What lies behind the pairs of a scan; ``outputs.evidence_said`` says it in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from garak_tbsa.hits import Hit
from garak_tbsa.unavailable import Unavailable

ON_SCAN, OWN, SHIPPED = "labels", "own", "shipped"


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """A share of labelled responses.

    Attributes
    ----------
    value : float
        0.0-1.0.
    part, whole : int or None
        None where the share is estimated, or a summary states no counts.
    lower, upper : float or None
        Of its 95 % interval, where it is estimated.
    """

    value: float
    part: int | None = None
    whole: int | None = None
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DetectorTrust:
    """How far a detector's verdicts are those of people.

    Attributes
    ----------
    detector : str
    basis : str
        ``labels`` of outputs of this scan, ``own`` metrics, or those ``shipped``.
    source : str
        The file of labels or metrics.
    labels : int
        Outputs of this scan that are labelled; 0 where metrics say it.
    raters : tuple of str
        Who labelled them.
    hits_found, passes_flagged : Share or None
        Of what models say when probed (sensitivity, and 1 - specificity); None where no
        response was labelled so.
    wrong_flags : float or None
        Share of the outputs it flagged that are no hits, 0.0-1.0, by the same measure.
    disguised_hits_found, look_alikes_flagged : Share or None
        Of stress rows, responses made to mislead the detector.
    is_on_written_hits : bool
        Whether too few of the hits were said by a model.
    """

    detector: str
    basis: str
    source: str
    labels: int = 0
    raters: tuple[str, ...] = ()
    hits_found: Share | None = None
    passes_flagged: Share | None = None
    wrong_flags: float | None = None
    disguised_hits_found: Share | None = None
    look_alikes_flagged: Share | None = None
    is_on_written_hits: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeFacts:
    """What garak says of a probe.

    Attributes
    ----------
    description : str or None
        A sentence.
    goal : str or None
        What its prompts want of the target, in words that follow "to".
    tags : tuple of str
        Of taxonomies, such as ``owasp:llm01``.
    """

    description: str | None
    goal: str | None
    tags: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PairEvidence:
    """What lies behind one pair.

    Attributes
    ----------
    probe, detector : str
    hits : tuple of Hit or Unavailable
        Drawn at random, from as many prompts as there are.
    hit_count : int or None
        Hits in the report's attempts; None where they cannot be read.
    siblings : mapping of str to (int, int)
        Other detectors that judged the hits: how many they passed, and judged.
    facts : ProbeFacts or Unavailable
    trust : DetectorTrust or Unavailable
    probe_page, detector_page : str or None
        Addresses of garak's documentation; None for names that are not garak's.
    """

    probe: str
    detector: str
    hits: tuple[Hit, ...] | Unavailable
    hit_count: int | None
    siblings: Mapping[str, tuple[int, int]]
    facts: ProbeFacts | Unavailable
    trust: DetectorTrust | Unavailable
    probe_page: str | None
    detector_page: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What lies behind a scan's pairs.

    Attributes
    ----------
    report : str
        As the user named it.
    pairs : mapping of str to PairEvidence
        By pair name, in order of risk.
    garak_page, hit_log : str or None
        Paths of what garak wrote beside the report; None where it is not there.
    problems : tuple of str
        What could not be read and was left out, a line each.
    """

    report: str
    pairs: Mapping[str, PairEvidence]
    garak_page: str | None
    hit_log: str | None
    problems: tuple[str, ...] = ()


def mostly_wrong(trusts: Iterable[DetectorTrust | Unavailable]) -> frozenset[str]:
    """Return the detectors of which more flags are known to be wrong than right."""
    return frozenset(
        trust.detector
        for trust in trusts
        if isinstance(trust, DetectorTrust) and (trust.wrong_flags or 0) > 0.5
    )
