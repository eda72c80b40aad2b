# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report -> the evidence behind its pairs, worst pairs first.

Nothing of this is needed for a score, so what cannot be read is said and left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from garak_tbsa.errors import DatasetError, ReportError
from garak_tbsa.evidence.hits import HitCollector
from garak_tbsa.evidence.links import DETECTORS, PROBES, plugin_page
from garak_tbsa.evidence.own_labels import detectors_by_labels, labels_beside
from garak_tbsa.evidence.trust import read_metrics, trust_in
from garak_tbsa.garak_files.attempts import read_attempts
from garak_tbsa.garak_files.places import HIT_LOG, PAGE, beside
from garak_tbsa.garak_files.source import STANDARD_INPUT
from garak_tbsa.labels.detectors import DetectorOnScan
from garak_tbsa.labels.label_files import LabelFile
from garak_tbsa.outputs.registry import DEFAULT_HITS, DEFAULT_HITS_SEED
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.evidence import (
    DetectorTrust,
    Evidence,
    Hit,
    InstalledPlugins,
    PairEvidence,
    ProbeFacts,
)
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.unavailable import Unavailable

MOST_PAIRS = 200
"""Pairs whose hits are shown: 3 hits of each take up to 1.2 MB."""

READ_ONCE = "standard input can be read only once; give the report's path"
NO_HITS = Unavailable(reason="no hits were asked for")
NO_ATTEMPTS = "the report holds no attempts"
NOT_HELD = "none of its hits is among the report's attempts ({stated} stated)"
NOT_AMONG_WORST = f"hits are shown of the {MOST_PAIRS} worst pairs"
UNKNOWN_PROBE = "the installed garak does not know this probe"


def collect_evidence(
    assessment: Assessment,
    plugins: InstalledPlugins | Unavailable,
    *,
    hits: int | None = DEFAULT_HITS,
    seed: int = DEFAULT_HITS_SEED,
    metrics: str | None = None,
    installed_metrics: str | None = None,
) -> Evidence:
    """Collect what lies behind a scan's pairs, in one pass over the report.

    Parameters
    ----------
    assessment : Assessment
    plugins : InstalledPlugins or Unavailable
        What the installed garak says of its plugins.
    hits : int or None
        Of each pair, 0-100; None where only the trust in detectors is asked for.
    seed : int
        Which ones.
    metrics : str or None
        A summary of detector metrics that goes before all others.
    installed_metrics : str or None
        One that the user made and installed for garak.

    Raises
    ------
    DatasetError
        The metrics that the user named cannot be read.
    """
    report = assessment.report
    known = read_metrics(metrics, installed_metrics)
    problems = list(known.problems)
    pairs = worst_first(assessment.graded)
    reading = _read(assessment, pairs[:MOST_PAIRS], hits, seed, problems)
    too_many = Unavailable(reason=NOT_AMONG_WORST)
    found = (
        _pair_evidence(
            pair,
            reading.found if number < MOST_PAIRS else too_many,
            plugins,
            trust_in(pair.detector, known, reading.on_scan, reading.labels),
        )
        for number, pair in enumerate(pairs)
    )
    return Evidence(
        report=report.source,
        pairs={each.name: each for each in found},
        garak_page=beside(report.file_of(), PAGE),
        hit_log=beside(report.file_of(), HIT_LOG),
        seed=seed,
        problems=tuple(problems),
    )


def worst_first(graded: Sequence[GradedPair]) -> list[GradedPair]:
    """Order pairs by grade, tier, pass rate and name."""
    return sorted(
        graded, key=lambda pair: (pair.grade, pair.tier, pair.pass_rate, pair.name)
    )


def _key(pair: GradedPair) -> tuple[str, str]:
    return pair.probe, pair.detector


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """What one pass over the report gave.

    Attributes
    ----------
    found : HitCollector or Unavailable
    on_scan : mapping of str to DetectorOnScan
        Detectors that labels beside the report speak of.
    labels : str
        The file of these.
    """

    found: HitCollector | Unavailable
    on_scan: Mapping[str, DetectorOnScan] = field(default_factory=dict)
    labels: str = ""


def _read(
    assessment: Assessment,
    pairs: Sequence[GradedPair],
    hits: int | None,
    seed: int,
    problems: list[str],
) -> _Reading:
    report = assessment.report
    parts = report.parts or (report,)
    if STANDARD_INPUT in {part.source for part in parts}:
        return _Reading(found=Unavailable(reason=READ_ONCE))
    threshold = report.settings.eval_threshold
    # labels name attempts of one file; of a merged scan nobody knows which
    labels = None if report.parts else _labels_beside(report.source, problems)
    if hits is None and labels is None:
        return _Reading(found=NO_HITS)
    collector = HitCollector(
        {_key(pair) for pair in pairs} if hits is not None else (),
        count=hits or 0,
        seed=seed,
        threshold=threshold,
    )
    attempts = chain.from_iterable(
        collector.watch(read_attempts(part.source, part.limits), part.source)
        for part in parts
    )
    on_scan: Mapping[str, DetectorOnScan] = {}
    try:
        if labels is not None:
            graded = assessment.graded
            on_scan = detectors_by_labels(graded, attempts, labels, threshold)
        deque(attempts, maxlen=0)
    except ReportError as error:
        return _Reading(found=Unavailable(reason=str(error)))
    if not collector.attempts:
        return _Reading(found=Unavailable(reason=NO_ATTEMPTS))
    return _Reading(
        found=NO_HITS if hits is None else collector,
        on_scan=on_scan,
        labels="" if labels is None else labels.path,
    )


def _labels_beside(report: str, problems: list[str]) -> LabelFile | None:
    try:
        return labels_beside(report)
    except DatasetError as error:
        problems.append(str(error))
        return None


def _pair_evidence(
    pair: GradedPair,
    found: HitCollector | Unavailable,
    plugins: InstalledPlugins | Unavailable,
    trust: DetectorTrust | Unavailable,
) -> PairEvidence:
    key = _key(pair)
    return PairEvidence(
        probe=pair.probe,
        detector=pair.detector,
        hits=found if isinstance(found, Unavailable) else _hits(pair, found),
        hit_count=None if isinstance(found, Unavailable) else found.hit_count(*key),
        siblings=() if isinstance(found, Unavailable) else found.siblings(*key),
        facts=_facts(pair.probe, plugins),
        trust=trust,
        probe_page=_page(PROBES, pair.probe, plugins),
        detector_page=_page(DETECTORS, pair.detector, plugins),
    )


def _hits(pair: GradedPair, found: HitCollector) -> tuple[Hit, ...] | Unavailable:
    """The drawn hits; a report whose attempts were taken out says so."""
    hits = found.hits(*_key(pair))
    if found.hit_count(*_key(pair)) or not pair.has_counts:
        return hits
    stated = (pair.total_evaluated or 0) - (pair.passed or 0)
    return Unavailable(reason=NOT_HELD.format(stated=stated)) if stated else hits


def _facts(
    probe: str, plugins: InstalledPlugins | Unavailable
) -> ProbeFacts | Unavailable:
    if isinstance(plugins, Unavailable):
        return plugins
    return plugins.probes.get(probe, Unavailable(reason=UNKNOWN_PROBE))


def _page(
    category: str, name: str, plugins: InstalledPlugins | Unavailable
) -> str | None:
    """A page of garak's documentation; none of a plugin that garak does not have."""
    if not isinstance(plugins, Unavailable):
        known = plugins.probes if category == PROBES else plugins.detectors
        if name not in known:
            return None
    return plugin_page(category, name)
