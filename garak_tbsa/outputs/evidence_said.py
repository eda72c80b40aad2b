# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is said of hits, and of how far a detector is right."""

from __future__ import annotations

import os

from garak_tbsa.evidence import (
    ON_SCAN,
    OWN,
    SHIPPED,
    DetectorTrust,
    Evidence,
    PairEvidence,
    ProbeFacts,
    Share,
)
from garak_tbsa.hits import Hit
from garak_tbsa.outputs.said import labels_text, whole_percentage
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable

TRUSTED = 0.225
"""Share of wrong flags up to which a pair can be fixed before its hits are checked."""

NEARLY_ALL = 0.9
"""Lower end of a share that is told in words."""

SIBLINGS_SHOWN = 10


def share_text(share: Share, noun: str) -> str:
    """Return a share in words: ``137 of 152 hits (90%)``."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    value = whole_percentage(share.value)
    if share.part is not None:
        return f"{share.part} of {share.whole} {plural} ({value})"
    if share.lower is None or share.upper is None:
        return f"{value} of {plural}"
    # an estimate from few labels, near an end: digits would claim too much
    if share.lower >= NEARLY_ALL:
        return f"nearly all {plural}"
    if share.upper <= 1 - NEARLY_ALL:
        return f"hardly any {plural}"
    ends = f"{whole_percentage(share.lower)} to {whole_percentage(share.upper)}"
    return f"{value} of {plural} (95% interval {ends})"


def measure_text(trust: DetectorTrust) -> str:
    """Say whose measure it is; of a path the name alone, as pages go to others."""
    if trust.basis == ON_SCAN:
        return labels_text(trust.labels, trust.raters, (trust.source,))
    if trust.basis == SHIPPED:
        return "the metrics that come with garak-tbsa"
    return f"your own metrics ({os.path.basename(trust.source)})"


def trust_text(trust: DetectorTrust | Unavailable) -> str:
    """Say how far a detector is to be trusted, or why nobody knows."""
    if isinstance(trust, Unavailable):
        return trust.reason
    hit = "written hit" if trust.is_on_written_hits else "hit"
    is_typical = trust.basis != ON_SCAN and not trust.is_on_written_hits
    typical = _rates(trust.hits_found, hit, trust.passes_flagged, "pass")
    misled = _rates(
        trust.disguised_hits_found,
        "disguised hit",
        trust.look_alikes_flagged,
        "harmless look-alike",
    )
    parts = [f"{'in typical responses ' * is_typical}it {typical}"] if typical else []
    parts += [f"in responses made to mislead it, it {misled}"] if misled else []
    return f"by {measure_text(trust)}, {'; '.join(parts)}"


def _rates(found: Share | None, hit: str, flagged: Share | None, other: str) -> str:
    caught = [] if found is None else [f"catches {share_text(found, hit)}"]
    wrong = [] if flagged is None else [f"wrongly flags {share_text(flagged, other)}"]
    return " and ".join(caught + wrong)


def short_trust(trust: DetectorTrust | Unavailable) -> str:
    """Return in a few words whether a detector can be trusted."""
    if isinstance(trust, Unavailable) or trust.wrong_flags is None:
        return "nobody has measured how often its flags are wrong"
    mark = "check the hits first: " * (trust.wrong_flags > TRUSTED)
    rows = {OWN: "on your rows", SHIPPED: "on our rows"}
    measure = rows.get(trust.basis) or f"by {measure_text(trust)}"
    part = whole_percentage(trust.wrong_flags)
    return f"{mark}{part} of its flags are wrong {measure}"


def probe_text(facts: ProbeFacts) -> str:
    """Say what a probe tries, in garak's own words; empty where garak says nothing."""
    goal = facts.goal and f"Its goal: {facts.goal}"
    said = [text for text in (facts.description, goal) if text]
    return " ".join(t if t.endswith((".", "!", "?")) else f"{t}." for t in said)


def siblings_text(found: PairEvidence) -> str:
    """Say what other detectors said of the hits; empty where none judged them."""
    said = [
        f"{name}: {passed:,} of {judged:,} passed"
        for name, (passed, judged) in found.siblings.items()
    ]
    more = len(said) - SIBLINGS_SHOWN
    rest = [f"and {more} more detectors"] * (more > 0)
    return "; ".join([*said[:SIBLINGS_SHOWN], *rest])


def hits_text(found: PairEvidence, pair: Pair) -> str:
    """Return how many hits are shown, of how many.

    Parameters
    ----------
    found : PairEvidence
    pair : Pair
        The pair itself, whose counts say how many hits the scan had.
    """
    if isinstance(found.hits, Unavailable):
        return f"no hits to show: {found.hits.reason}"
    if not found.hit_count:
        return "no hits"
    hits = "1 hit" if found.hit_count == 1 else f"{found.hit_count:,} hits"
    said = f"{len(found.hits)} of {hits}"
    if not pair.has_counts:
        return said
    stated = pair.counts.total_evaluated - pair.counts.passed
    if stated == found.hit_count:
        return said
    return f"{said} in the report's attempts (its counts say {stated:,})"


def known(found: PairEvidence) -> list[tuple[str, str]]:
    """Return what is known of probe and detector, each with its name."""
    said = [
        ("The detector", trust_text(found.trust)),
        ("Other detectors on these hits", siblings_text(found)),
    ]
    if not isinstance(found.facts, Unavailable):
        tags = ", ".join(found.facts.tags)
        said = [("The probe", probe_text(found.facts)), ("Tags", tags), *said]
    return [(name, text) for name, text in said if text]


def pages(found: PairEvidence) -> list[tuple[str, str]]:
    """Return where garak's documentation describes probe and detector."""
    pages = (("probe", found.probe_page), ("detector", found.detector_page))
    return [(what, page) for what, page in pages if page is not None]


def drawn(found: PairEvidence) -> tuple[Hit, ...]:
    """Return the hits that there are to show."""
    return () if isinstance(found.hits, Unavailable) else found.hits


def files_beside(evidence: Evidence) -> list[tuple[str, str]]:
    """Return what garak wrote beside the report, and its path."""
    beside = (("page", evidence.garak_page), ("hit log", evidence.hit_log))
    return [(what, path) for what, path in beside if path]


FILTERS = {
    "drawn": drawn,
    "files_beside": files_beside,
    "hits": hits_text,
    "known": known,
    "pages": pages,
}
"""How templates say it, by name."""
