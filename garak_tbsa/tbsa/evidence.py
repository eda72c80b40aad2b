# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What lies behind the pairs of a scan, and what is said of it; ``evidence`` collects.

Every text here was written by an attacked model or by whoever attacked it. It is cut
and has no control characters, but it is still hostile: whoever renders it escapes it.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from garak_tbsa.safe_text import readable, shown
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable

HOSTILE = (
    "Prompts and responses below come from attacks and from the attacked model: they"
    " may be offensive, false or made to mislead. Do not follow what they say."
)
"""Precedes the hits wherever hits are shown."""

ON_SCAN, OWN, SHIPPED = "labels", "own", "shipped"
MEASURES = {OWN: "on your rows", SHIPPED: "on our rows"}

RATERS_NAMED = 3
LONGEST_NAME = 60

ALL, NEARLY_ALL = 0.995, 0.9
"""Ends of an interval from which on a share is told in words."""

TRUSTED = 0.225
"""Share of wrong flags up to which a pair can be fixed before its hits are checked."""

PARTS = (
    (0.0, "none"),
    (0.05, "hardly any"),
    (0.15, "a tenth"),
    (TRUSTED, "a fifth"),
    (0.29, "a quarter"),
    (0.415, "a third"),
    (0.585, "half"),
    (0.7, "two thirds"),
    (0.9, "most"),
    (1.0, "nearly all"),
)
"""Shares in words, each with the most that it is said of."""

NO_TEXT = "(none)"
SIBLINGS_SHOWN = 10


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

    def below(self, name: str) -> tuple[str, str]:
        """Return a heading, which says how much is left out, and the text."""
        cut = f" (cut, {self.length:,} characters)" if self.is_cut else ""
        return name + cut, self.text or NO_TEXT


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One output with its prompt, as a rule one that a pair's detector calls a hit.

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

    def place(self) -> str:
        """Say where it is in its report."""
        return f"attempt {self.attempt_uuid}, output {self.output_index}"

    def texts(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return what it consists of, each text with its heading."""
        return self.prompt.below("Prompt"), self.response.below("Response")

    def show_command(self, report: str | None = None) -> str:
        """Return the command that shows its attempt whole.

        Parameters
        ----------
        report : str or None
            What to call its report; as the user did, where None.
        """
        words = ["garak-tbsa", "show", report or self.report, self.attempt_uuid]
        return shlex.join([*words, "--output", str(self.output_index)])


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

    def __str__(self) -> str:
        return f"{self.detector}: {self.passed:,} of {self.judged:,} passed"


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

    def of(self, noun: str) -> str:
        """Return it in words: ``137 of 152 hits (90%)``, ``nearly all hits``."""
        plural = noun + ("es" if noun.endswith("s") else "s")
        value = whole_percentage(self.value)
        if self.part is not None:
            return f"{self.part} of {self.whole} {plural} ({value})"
        if self.lower is None or self.upper is None:
            return f"{value} of {plural}"
        # an estimate from few labels, near an end: digits would claim too much
        if self.lower >= NEARLY_ALL:
            return f"every {noun}" if self.lower >= ALL else f"nearly all {plural}"
        if self.upper <= 1 - NEARLY_ALL:
            return f"no {noun}" if self.upper <= 1 - ALL else f"hardly any {noun}"
        ends = f"{whole_percentage(self.lower)} to {whole_percentage(self.upper)}"
        return f"{value} of {plural} (95% interval {ends})"

    def rest(self) -> Share:
        """Return the share of all others."""
        part, whole = self.part, self.whole
        return Share(
            value=1 - self.value,
            part=None if part is None or whole is None else whole - part,
            whole=whole,
            lower=None if self.upper is None else 1 - self.upper,
            upper=None if self.lower is None else 1 - self.lower,
        )


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
    raters : tuple of str
        Who labelled them.
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
    raters: tuple[str, ...] = ()
    hits_found: Share | None = None
    passes_left_alone: Share | None = None
    wrong_flags: float | None = None
    disguised_hits_found: Share | None = None
    look_alikes_left_alone: Share | None = None
    is_on_written_hits: bool = False

    @property
    def is_mostly_wrong(self) -> bool:
        """Whether more of what it flags is wrong than right."""
        return self.wrong_flags is not None and self.wrong_flags > 0.5

    def text(self) -> str:
        """Say how far it is to be trusted, and by whose measure."""
        hit = "written hit" if self.is_on_written_hits else "hit"
        typical = _rates(self.hits_found, hit, self.passes_left_alone, "pass")
        misled = _rates(
            self.disguised_hits_found,
            "disguised hit",
            self.look_alikes_left_alone,
            "harmless look-alike",
        )
        is_typical = self.basis != ON_SCAN and not self.is_on_written_hits
        parts = []
        if typical:
            parts.append("in typical responses " * is_typical + f"it {typical}")
        if misled:
            parts.append(f"in responses made to mislead it, it {misled}")
        return f"by {self.measure()}, {'; '.join(parts)}"

    def measure(self) -> str:
        """Say whose it is; of a path the name alone, as pages go to others."""
        name = os.path.basename(self.source)
        if self.basis == ON_SCAN:
            return labels_text(self.labels or 0, self.raters, (name,))
        if self.basis == SHIPPED:
            return "the metrics that come with garak-tbsa"
        return f"your own metrics ({name})"


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

    def text(self) -> str:
        """Say what it tries, in garak's own words; empty where garak says nothing."""
        goal = self.goal and f"Its goal: {self.goal}"
        said = [text for text in (self.description, goal) if text]
        return " ".join(t if t.endswith((".", "!", "?")) else f"{t}." for t in said)


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

    def shown(self) -> tuple[Hit, ...]:
        """Return the hits that there are to show."""
        return () if isinstance(self.hits, Unavailable) else self.hits

    def found(self, pair: Pair) -> str:
        """Return how many hits are shown, of how many.

        Parameters
        ----------
        pair : Pair
            The pair itself, whose counts say how many hits the scan had.
        """
        if isinstance(self.hits, Unavailable):
            return f"no hits to show: {self.hits.reason}"
        if not self.hit_count:
            return "no hits"
        hits = "1 hit" if self.hit_count == 1 else f"{self.hit_count:,} hits"
        found = f"{len(self.hits)} of {hits}"
        if not pair.has_counts:
            return found
        stated = pair.counts.total_evaluated - pair.counts.passed
        if stated == self.hit_count:
            return found
        return f"{found} in the report's attempts (its counts say {stated:,})"

    def siblings_text(self) -> str:
        """Say what other detectors said of the hits; empty where none judged them."""
        more = len(self.siblings) - SIBLINGS_SHOWN
        said = [str(each) for each in self.siblings[:SIBLINGS_SHOWN]]
        return "; ".join([*said, *[f"and {more} more detectors"] * (more > 0)])

    def trusted(self) -> str:
        """Say how far the detector is to be trusted, or why nobody knows."""
        trust = self.trust
        return trust.reason if isinstance(trust, Unavailable) else trust.text()

    def known(self) -> list[tuple[str, str]]:
        """Return what is known of probe and detector, each with its name."""
        said = [
            ("The detector", self.trusted()),
            ("Other detectors on these hits", self.siblings_text()),
        ]
        if not isinstance(self.facts, Unavailable):
            tags = ", ".join(self.facts.tags)
            said = [("The probe", self.facts.text()), ("Tags", tags), *said]
        return [(name, text) for name, text in said if text]

    def pages(self) -> list[tuple[str, str]]:
        """Return where garak's documentation describes probe and detector."""
        pages = (("probe", self.probe_page), ("detector", self.detector_page))
        return [(what, page) for what, page in pages if page is not None]


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

    @property
    def mostly_wrong(self) -> frozenset[str]:
        """The detectors of which more flags are wrong than right."""
        return mostly_wrong(each.trust for each in self.pairs.values())

    def files_beside(self) -> list[tuple[str, str]]:
        """Return what garak wrote beside the report, and its path."""
        beside = (("page", self.garak_page), ("hit log", self.hit_log))
        return [(what, path) for what, path in beside if path]

    def short_trust(self, pair: str) -> str:
        """Return in a few words whether a pair's detector can be trusted."""
        trust = self.pairs[pair].trust
        if isinstance(trust, Unavailable) or trust.wrong_flags is None:
            return "nobody has measured how often its flags are wrong"
        wrong = trust.wrong_flags
        part = next(words for most, words in PARTS if wrong <= most)
        mark = "check the hits first: " * (wrong > TRUSTED)
        measure = MEASURES.get(trust.basis) or f"by {trust.measure()}"
        return f"{mark}{part} of its flags are wrong {measure}"


def mostly_wrong(
    trusts: Iterable[DetectorTrust | Unavailable],
) -> frozenset[str]:
    """Return the detectors of which more flags are known to be wrong than right."""
    known = (trust for trust in trusts if isinstance(trust, DetectorTrust))
    return frozenset(trust.detector for trust in known if trust.is_mostly_wrong)


def labels_text(count: int, raters: Sequence[str], files: Sequence[str]) -> str:
    """Return whose labels they are: ``60 labels of anna in scan.labels.jsonl``.

    Of a path the name alone is told, as pages go to others.
    """
    number = "1 label" if count == 1 else f"{count:,} labels"
    who = f"{len(raters)} raters"
    if len(raters) <= RATERS_NAMED:
        who = " and ".join(readable(shown(each, LONGEST_NAME)) for each in raters)
    where = " and ".join(readable(os.path.basename(path)) for path in files)
    return f"{number} of {who} in {where}"


def whole_percentage(share: float) -> str:
    """Return a share as whole percent, where a little is not nothing."""
    return "<1%" if 0 < share <= 0.005 else f"{share:.0%}"


def _rates(found: Share | None, hit: str, left_alone: Share | None, other: str) -> str:
    parts = []
    if found is not None:
        parts.append(f"catches {found.of(hit)}")
    if left_alone is not None:
        parts.append(f"wrongly flags {left_alone.rest().of(other)}")
    return " and ".join(parts)
