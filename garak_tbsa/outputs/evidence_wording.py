# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sentences about the evidence behind a pair, which every form shares.

Nothing here is escaped: whoever shows a sentence escapes it.
"""

from __future__ import annotations

import os
import shlex
from urllib.parse import quote

from garak_tbsa.outputs.wording import whole_percentage
from garak_tbsa.tbsa.evidence import (
    ON_SCAN,
    OWN,
    SHIPPED,
    CutText,
    DetectorTrust,
    Evidence,
    Hit,
    PairEvidence,
    ProbeFacts,
    Share,
    SiblingVerdicts,
)
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable

Nouns = tuple[str, str]
HITS, PASSES = ("hit", "hits"), ("pass", "passes")
WRITTEN_HITS = "written hit", "written hits"
DISGUISED_HITS = "disguised hit", "disguised hits"
LOOK_ALIKES = "harmless look-alike", "harmless look-alikes"

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

MEASURES = {ON_SCAN: "by your labels", OWN: "on your rows", SHIPPED: "on our rows"}

NO_TEXT = "(none)"
SIBLINGS_SHOWN = 10


def tries_text(facts: ProbeFacts) -> str:
    """Return what a probe tries, in garak's own words; empty where it says nothing."""
    parts = []
    if facts.description:
        parts.append(_sentence(facts.description))
    if facts.goal:
        parts.append(_sentence(f"Its goal: {facts.goal}"))
    return " ".join(parts)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def found_text(found: PairEvidence, pair: Pair | None) -> str:
    """Return how many hits are shown, of how many.

    Parameters
    ----------
    found : PairEvidence
    pair : Pair or None
        The pair itself, whose counts say how many hits the scan had.
    """
    if isinstance(found.hits, Unavailable):
        return f"no hits to show: {found.hits.reason}"
    count = found.hit_count or 0
    if not count:
        return "no hits"
    stated = None
    if pair is not None and pair.passed is not None and pair.total_evaluated:
        stated = pair.total_evaluated - pair.passed
    shown = f"{len(found.hits)} of {hits_text(count)}"
    if stated is None or stated == count:
        return shown
    return f"{shown} in the report's attempts (its counts say {stated:,})"


def facts(found: PairEvidence) -> list[tuple[str, str]]:
    """Return what is known of a pair's probe and detector, each with its name."""
    told: list[tuple[str, str | None]] = []
    if not isinstance(found.facts, Unavailable):
        told.append(("The probe", tries_text(found.facts)))
        told.append(("Tags", ", ".join(found.facts.tags)))
    told.append(("The detector", trusted(found.trust)))
    told.append(("Other detectors on these hits", siblings_text(found)))
    return [(name, text) for name, text in told if text]


def hits_of(found: PairEvidence) -> tuple[Hit, ...]:
    """Return the hits that are shown of a pair."""
    return () if isinstance(found.hits, Unavailable) else found.hits


def texts_of(hit: Hit) -> list[tuple[str, str]]:
    """Return what a hit consists of, each text below its heading."""
    named = (("Prompt", hit.prompt), ("Response", hit.response))
    return [(heading(name, text), text.text or NO_TEXT) for name, text in named]


def files_beside(evidence: Evidence) -> list[tuple[str, str]]:
    """Return what garak wrote beside the report, and its path."""
    beside = (("page", evidence.garak_page), ("hit log", evidence.hit_log))
    return [(what, path) for what, path in beside if path]


def link_to(path: str) -> str:
    """Link a file by its name: pages are written beside the report, or sent with it."""
    # "./" keeps a name with a colon from being a scheme
    return f"./{quote(os.path.basename(path), errors='replace')}"


def pages_of(found: PairEvidence) -> list[tuple[str, str]]:
    """Return where garak's documentation describes probe and detector."""
    pages = (("probe", found.probe_page), ("detector", found.detector_page))
    return [(what, page) for what, page in pages if page is not None]


def short_trust(evidence: Evidence | Unavailable, pair: str) -> str:
    """Return in a few words whether a pair's detector can be trusted."""
    if isinstance(evidence, Unavailable) or pair not in evidence.pairs:
        return "nobody knows how often its detector errs"
    trust = evidence.pairs[pair].trust
    if isinstance(trust, Unavailable) or trust.wrong_flags is None:
        return "nobody has measured how often its flags are wrong"
    wrong = trust.wrong_flags
    part = next(words for most, words in PARTS if wrong <= most)
    mark = "check the hits first: " if wrong > TRUSTED else ""
    return f"{mark}{part} of its flags are wrong {MEASURES[trust.basis]}"


def trusted(trust: DetectorTrust | Unavailable) -> str:
    """Return how far a detector is to be trusted, or why nobody knows."""
    return trust.reason if isinstance(trust, Unavailable) else trust_text(trust)


def hits_text(count: int) -> str:
    """Return a number of hits in words."""
    return "1 hit" if count == 1 else f"{count:,} hits"


def siblings_text(found: PairEvidence) -> str | None:
    """Return what other detectors said of the pair's hits; None where none judged."""
    if not found.siblings:
        return None
    said = [_sibling_text(each) for each in found.siblings[:SIBLINGS_SHOWN]]
    more = len(found.siblings) - SIBLINGS_SHOWN
    if more > 0:
        said.append(f"and {more} more detectors")
    return "; ".join(said)


def _sibling_text(verdicts: SiblingVerdicts) -> str:
    return f"{verdicts.detector}: {verdicts.passed:,} of {verdicts.judged:,} passed"


def trust_text(trust: DetectorTrust) -> str:
    """Return how far a detector is to be trusted, and by whose measure."""
    said = f"by {basis_text(trust)}, "
    parts = []
    hits = WRITTEN_HITS if trust.is_on_written_hits else HITS
    typical = _rates(trust.hits_found, trust.passes_left_alone, hits, PASSES)
    if typical:
        is_typical = trust.basis != ON_SCAN and not trust.is_on_written_hits
        where = "in typical responses " * is_typical
        parts.append(f"{where}it {typical}")
    stress = _rates(
        trust.disguised_hits_found,
        trust.look_alikes_left_alone,
        DISGUISED_HITS,
        LOOK_ALIKES,
    )
    if stress:
        parts.append(f"in responses made to mislead it, it {stress}")
    return said + "; ".join(parts)


def basis_text(trust: DetectorTrust) -> str:
    """Return whose measure it is; of a path the name alone, as pages go to others."""
    if trust.basis == SHIPPED:
        return "the metrics that come with garak-tbsa"
    name = os.path.basename(trust.source)
    if trust.basis == ON_SCAN:
        labels = "label" if trust.labels == 1 else f"{trust.labels} labels"
        return f"your {labels} of this scan ({name})"
    return f"your own metrics ({name})"


def _rates(
    found: Share | None, left_alone: Share | None, hits: Nouns, passes: Nouns
) -> str:
    parts = []
    if found is not None:
        parts.append(f"catches {share_text(found, hits)}")
    if left_alone is not None:
        parts.append(f"wrongly flags {share_text(_others(left_alone), passes)}")
    return " and ".join(parts)


def _others(share: Share) -> Share:
    """The share of all others."""
    return Share(
        value=1 - share.value,
        part=None
        if share.part is None or share.whole is None
        else share.whole - share.part,
        whole=share.whole,
        lower=None if share.upper is None else 1 - share.upper,
        upper=None if share.lower is None else 1 - share.lower,
    )


def share_text(share: Share, nouns: Nouns) -> str:
    """Return a share in words: ``137 of 152 hits (90%)``, ``nearly all hits``."""
    one, many = nouns
    value = whole_percentage(share.value)
    if share.part is not None and share.whole is not None:
        return f"{share.part} of {share.whole} {many} ({value})"
    if share.lower is None or share.upper is None:
        return f"{value} of {many}"
    # an estimate from few labels, near an end: digits would claim too much
    if share.lower >= NEARLY_ALL:
        return f"every {one}" if share.lower >= ALL else f"nearly all {many}"
    if share.upper <= 1 - NEARLY_ALL:
        return f"no {one}" if share.upper <= 1 - ALL else f"hardly any {one}"
    between = f"{whole_percentage(share.lower)} to {whole_percentage(share.upper)}"
    return f"{value} of {many} (95% interval {between})"


def place_text(hit: Hit) -> str:
    """Return where a hit is in its report."""
    return f"attempt {hit.attempt_uuid}, output {hit.output_index}"


def show_command(hit: Hit, report: str | None = None) -> str:
    """Return the command that shows a hit's attempt whole.

    Parameters
    ----------
    hit : Hit
    report : str or None
        What to call its report; as the user did, where None.
    """
    words = ["garak-tbsa", "show", report or hit.report, hit.attempt_uuid]
    return shlex.join([*words, "--output", str(hit.output_index)])


def heading(name: str, text: CutText) -> str:
    """Return what is written above a text: what it is, and how much is left out."""
    if text.is_cut:
        return f"{name} (cut, {text.length:,} characters)"
    return name
