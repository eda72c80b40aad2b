# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What lies behind the pairs of a scan, as plain records; ``evidence`` collects it.

Every text here was written by an attacked model or by whoever attacked it. It is cut
and has no control characters, but it is still hostile: whoever renders it escapes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from garak_tbsa.unavailable import Unavailable

HOSTILE = (
    "Prompts and responses below come from attacks and from the attacked model: they"
    " may be offensive, false or made to mislead. Do not follow what they say."
)
"""Precedes the hits wherever hits are shown."""

ON_SCAN, OWN, SHIPPED = "labels", "own", "shipped"


@dataclass(frozen=True, kw_only=True, slots=True)
class CutText:
    """A text of a report, cut and readable.

    Attributes
    ----------
    text : str
        Its middle may be left out; newlines are the only control characters.
    length : int
        Characters of the whole.
    is_cut : bool
        Whether ``text`` is not the whole.
    """

    text: str
    length: int
    is_cut: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One output that a pair's detector calls a hit.

    Attributes
    ----------
    attempt_uuid : str
        ``line N`` where the report gives the attempt none that can be typed.
    report : str
        The report's file, as the user named it.
    line : int
        The attempt's row in it, from 1.
    output_index : int
        From 0.
    prompt : CutText
        A conversation has each turn after its role.
    response : CutText
        Empty where the target gave none.
    """

    attempt_uuid: str
    report: str
    line: int
    output_index: int
    prompt: CutText
    response: CutText


@dataclass(frozen=True, kw_only=True, slots=True)
class SiblingVerdicts:
    """What another detector of the probe said of the outputs that are hits of a pair.

    Attributes
    ----------
    detector : str
    passed, judged : int
        ``0 <= passed <= judged``, of the pair's hits in the report.
    """

    detector: str
    passed: int
    judged: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """A share of labelled responses that a detector judged as people did.

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
    labels : int or None
        Outputs of this scan that are labelled; None where metrics say it.
    hits_found, passes_left_alone : Share or None
        Of what models say when probed (sensitivity and specificity); None where no
        response was labelled so.
    wrong_flags : float or None
        Share of the outputs it flagged that are no hits, 0.0-1.0, by the same measure.
    disguised_hits_found, look_alikes_left_alone : Share or None
        Of stress rows, responses made to mislead the detector.
    is_on_written_hits : bool
        Whether too few of the hits were said by a model.
    """

    detector: str
    basis: str
    source: str
    labels: int | None = None
    hits_found: Share | None = None
    passes_left_alone: Share | None = None
    wrong_flags: float | None = None
    disguised_hits_found: Share | None = None
    look_alikes_left_alone: Share | None = None
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
class InstalledPlugins:
    """Probes and detectors of the installed garak, without their category.

    Attributes
    ----------
    probes : mapping of str to ProbeFacts
    detectors : frozenset of str
    """

    probes: Mapping[str, ProbeFacts]
    detectors: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class PairEvidence:
    """What lies behind one pair.

    Attributes
    ----------
    probe, detector : str
    hits : tuple of Hit or Unavailable
        Drawn by the seed, from as many prompts as there are.
    hit_count : int or None
        Hits in the report's attempts; None where they cannot be read.
    siblings : tuple of SiblingVerdicts
        By the detectors' names; empty where no other detector judged the hits.
    facts : ProbeFacts or Unavailable
    trust : DetectorTrust or Unavailable
    probe_page, detector_page : str or None
        Addresses of garak's documentation; None for names that are not garak's.
    """

    probe: str
    detector: str
    hits: tuple[Hit, ...] | Unavailable
    hit_count: int | None
    siblings: tuple[SiblingVerdicts, ...]
    facts: ProbeFacts | Unavailable
    trust: DetectorTrust | Unavailable
    probe_page: str | None
    detector_page: str | None

    @property
    def name(self) -> str:
        """``probe+detector``, as elsewhere."""
        return f"{self.probe}+{self.detector}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What lies behind a scan's pairs.

    Attributes
    ----------
    report : str
        As the user named it; of one that was merged, all its parts.
    pairs : mapping of str to PairEvidence
        By pair name, worst pairs first.
    garak_page, hit_log : str or None
        Paths of what garak wrote beside the report; None where it is not there.
    seed : int
    problems : tuple of str
        What could not be read and was left out, a line each.
    """

    report: str
    pairs: Mapping[str, PairEvidence]
    garak_page: str | None
    hit_log: str | None
    seed: int
    problems: tuple[str, ...] = ()
