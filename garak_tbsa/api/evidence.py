# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report -> the evidence behind its pairs, in order of risk.

Nothing of this is needed for a score, so what cannot be read is said and left out.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import deque
from collections.abc import Mapping
from typing import Any

from garak_tbsa.api.arguments import PathLike, path_of
from garak_tbsa.errors import DatasetError, ReportError
from garak_tbsa.evidence.hits import HitCollector, PairHits
from garak_tbsa.evidence.trust import (
    labels_beside,
    read_metrics,
    trust_by_labels,
    trust_in,
)
from garak_tbsa.report.attempts import UNATTRIBUTED, unattributed_text
from garak_tbsa.report.garak_here import METRICS, plugins, user_data_folder
from garak_tbsa.report.opening import STANDARD_INPUT
from garak_tbsa.report.places import HIT_LOG, PAGE, beside
from garak_tbsa.safe_text import readable, shown
from garak_tbsa.tbsa.evidence import (
    DetectorTrust,
    Evidence,
    Hit,
    PairEvidence,
    ProbeFacts,
    SiblingVerdicts,
    mostly_wrong,
)
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.risk import by_risk
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

MOST_PAIRS = 200
"""Pairs whose hits are shown: 3 hits of each take up to 1.2 MB."""

READ_ONCE = Unavailable(
    reason="standard input can be read only once; give the report's path"
)
Plugins = Mapping[str, Mapping[str, Any]]
MOST_TAGS = 50
NO_HITS = Unavailable(reason="no hits were asked for")
NO_ATTEMPTS = Unavailable(reason="the report holds no attempts")
NOT_AMONG_WORST = Unavailable(reason=f"hits are shown of the {MOST_PAIRS} worst pairs")
UNKNOWN_PROBE = Unavailable(reason="the installed garak does not know this probe")
NOT_HELD = "none of its hits is among the report's attempts ({stated} stated)"

DOCUMENTATION = "https://reference.garak.ai/en/latest"
PLUGIN = re.compile(r"([A-Za-z_]\w{0,99})\.([A-Za-z_]\w{0,99})", re.ASCII)


def evidence_of(
    assessment: Scan,
    *,
    hits: int | None,
    metrics: PathLike | None = None,
) -> Evidence:
    """Collect what lies behind a scan's pairs, in one pass over its attempts.

    Parameters
    ----------
    assessment : Scan
    hits : int or None
        Of each pair, 0-100; None where only the trust in detectors is asked for.
    metrics : path, optional
        A summary of detector metrics that goes before the installed and our own.

    Raises
    ------
    DatasetError
        The metrics that the user named cannot be read.
    """
    report, problems = assessment.report, list[str]()
    chosen = None if metrics is None else path_of("metrics", metrics)
    summaries = read_metrics(
        chosen, os.path.join(user_data_folder(), METRICS), problems
    )
    wanted = hits is not None
    probes, detectors = (
        plugins(category) if wanted else NO_HITS for category in ("probes", "detectors")
    )
    worst = [each.pair for each in by_risk(assessment.graded)[:MOST_PAIRS]]
    collector = HitCollector(
        [(pair.probe, pair.detector) for pair in worst] if hits is not None else (),
        most=hits or 0,
        threshold=report.settings.eval_threshold,
    )
    on_scan = _read(assessment, collector, problems)
    missing = NO_HITS if hits is None else NOT_AMONG_WORST
    if isinstance(on_scan, Unavailable):
        missing, on_scan = on_scan, {}
        collector.pairs.clear()
    problems += itertools.starmap(
        unattributed_text, sorted(collector.unattributed.items())
    )
    trust = {
        detector: trust_in(detector, summaries, on_scan)
        for detector in {pair.detector for pair in assessment.graded}
    }
    ranked = by_risk(assessment.graded, mostly_wrong(trust.values()))
    return Evidence(
        report=report.source,
        pairs={
            pair.name: _pair_evidence(
                pair,
                collector.pairs.get((pair.probe, pair.detector), missing),
                probes,
                detectors,
                trust[pair.detector],
            )
            for pair in (each.pair for each in ranked)
        },
        garak_page=beside(report.source, PAGE),
        hit_log=beside(report.source, HIT_LOG),
        problems=tuple(problems),
    )


def _read(
    assessment: Scan,
    collector: HitCollector,
    problems: list[str],
) -> dict[str, DetectorTrust] | Unavailable:
    """Let attempts come by the collector, and by the labels beside the report."""
    report = assessment.report
    if report.source == STANDARD_INPUT:
        return READ_ONCE
    labels = None
    try:
        labels = labels_beside(report.source)
    except DatasetError as error:
        problems.append(str(error))
    if labels is None and not collector.pairs:
        return NO_HITS
    attempts = collector.watch(report.reading.attempts(), report.source)
    on_scan: dict[str, DetectorTrust] = {}
    try:
        if labels is not None:
            threshold = report.settings.eval_threshold
            on_scan = trust_by_labels(assessment.graded, attempts, labels, threshold)
        deque(attempts, maxlen=0)
    except ReportError as error:
        return Unavailable(reason=str(error))
    return on_scan if collector.attempts else NO_ATTEMPTS


def _pair_evidence(
    pair: Pair,
    found: PairHits | Unavailable,
    probes: Plugins | Unavailable,
    detectors: Plugins | Unavailable,
    trust: DetectorTrust | Unavailable,
) -> PairEvidence:
    hits: tuple[Hit, ...] | Unavailable
    siblings: tuple[SiblingVerdicts, ...] = ()
    facts: ProbeFacts | Unavailable
    if isinstance(found, Unavailable):
        hits, count = found, None
    else:
        hits, count, siblings = found.drawn, found.count, found.siblings
        stated = (pair.total_evaluated or 0) - (pair.passed or 0)
        # a report whose attempts were taken out says so
        if not count and pair.has_counts and stated:
            reason = UNATTRIBUTED if found.unattributed else NOT_HELD
            hits = Unavailable(reason=reason.format(stated=stated))
    if isinstance(probes, Unavailable):
        facts = probes
    elif pair.probe in probes:
        facts = probe_facts(probes[pair.probe])
    else:
        facts = UNKNOWN_PROBE
    return PairEvidence(
        probe=pair.probe,
        detector=pair.detector,
        hits=hits,
        hit_count=count,
        siblings=siblings,
        facts=facts,
        trust=trust,
        probe_page=plugin_page("probes", pair.probe, probes),
        detector_page=plugin_page("detectors", pair.detector, detectors),
    )


def probe_facts(entry: Mapping[str, Any]) -> ProbeFacts:
    """Return what garak's list of plug-ins says of a probe, readable and short."""
    tags = entry.get("tags")
    texts = map(_text, tags[:MOST_TAGS] if isinstance(tags, list) else ())
    return ProbeFacts(
        description=_text(entry.get("description")),
        goal=_text(entry.get("goal")),
        tags=tuple(text for text in texts if text),
    )


def _text(value: object) -> str | None:
    """A text on one line, None where there is none."""
    if not isinstance(value, str):
        return None
    return readable(shown(" ".join(value.split()))) or None


def plugin_page(category: str, name: str, known: Plugins | Unavailable) -> str | None:
    """Return the address of garak's documentation of a plugin.

    Parameters
    ----------
    category : str
        ``probes`` or ``detectors``.
    name : str
        ``module.Class``, as a report has it; None is returned for anything else, so
        that no report can choose what is linked to.
    known : mapping or Unavailable
        The plugins that garak has; another one has no page of garak's.
    """
    found = PLUGIN.fullmatch(name)
    if found is None or not (isinstance(known, Unavailable) or name in known):
        return None
    return f"{DOCUMENTATION}/{category}/{found[1]}.html#garak.{category}.{name}"
