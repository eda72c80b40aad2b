# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report -> the evidence behind its pairs, in order of risk.

Nothing of this is needed for a score, so what cannot be read is said and left out.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Mapping
from typing import Any

from garak_tbsa.api.arguments import PathLike, path_of
from garak_tbsa.errors import DatasetError, ReportError
from garak_tbsa.evidence import (
    Evidence,
    PairEvidence,
    ProbeFacts,
    mostly_wrong,
)
from garak_tbsa.hits import Hit, HitCollector
from garak_tbsa.labels.label_files import LabelFile
from garak_tbsa.labels.scan import ScanOutputs, outputs_of
from garak_tbsa.report.attempts import UNATTRIBUTED, unattributed_text
from garak_tbsa.report.garak_here import METRICS, plugins, user_data_folder
from garak_tbsa.report.opening import STANDARD_INPUT
from garak_tbsa.report.places import HIT_LOG, PAGE, beside
from garak_tbsa.report.report import Report
from garak_tbsa.safe_text import readable, shown
from garak_tbsa.tbsa.fixes import by_risk
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.trust import (
    labels_beside,
    read_metrics,
    trust_by_labels,
    trust_in,
)
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


class EvidenceCollector:
    """Takes what lies behind pairs from a report's attempts, before it is scored.

    Parameters
    ----------
    hits : int or None
        Of each pair, 0-100; None where only the trust in detectors is asked for.
    metrics : path, optional
        A summary of detector metrics that goes before the installed and our own.

    Raises
    ------
    DatasetError
        The metrics that the user named cannot be read.
    """

    def __init__(self, hits: int | None, metrics: PathLike | None = None) -> None:
        self._hits = hits
        self._problems: list[str] = []
        chosen = None if metrics is None else path_of("metrics", metrics)
        installed = os.path.join(user_data_folder(), METRICS)
        self._summaries = read_metrics(chosen, installed, self._problems)
        self._collector = HitCollector((), most=0, threshold=0)
        self._labelled: tuple[ScanOutputs, LabelFile] | None = None
        self._missing = NO_HITS if hits is None else NOT_AMONG_WORST
        """Why pairs have no hits that the collector knows nothing of."""

    def read(self, report: Report) -> None:
        """Let the attempts come by."""
        if report.source == STANDARD_INPUT:
            self._missing = READ_ONCE
            return
        threshold = report.settings.eval_threshold
        wanted = () if self._hits is None else report.measurements
        pairs = [(each.probe, each.detector) for each in wanted]
        seen = HitCollector(pairs, most=self._hits or 0, threshold=threshold)
        labels = None
        try:
            labels = labels_beside(report.source)
        except DatasetError as error:
            self._problems.append(str(error))
        if labels is None and not pairs:
            return
        attempts = seen.watch(report.reading.attempts(), report.source)
        try:
            if labels is not None:
                self._labelled = outputs_of(attempts, threshold), labels
            deque(attempts, maxlen=0)
        except ReportError as error:
            self._missing, self._labelled = Unavailable(reason=str(error)), None
        else:
            self._collector = seen
            if not seen.attempts:
                self._missing = NO_ATTEMPTS
                seen.pairs.clear()

    def evidence(self, scan: Scan) -> Evidence:
        """Return what lies behind the pairs of the report, now that it is scored."""
        worst = by_risk(scan.graded)[:MOST_PAIRS]
        seen = self._collector.pairs
        for other in seen.keys() - {(pair.probe, pair.detector) for pair in worst}:
            del seen[other]
        unattributed = sorted(self._collector.unattributed.items())
        on_scan = {}
        if self._labelled is not None:
            on_scan = trust_by_labels(scan.graded, *self._labelled)
        trust = {
            detector: trust_in(detector, self._summaries, on_scan)
            for detector in {pair.detector for pair in scan.graded}
        }
        probes, detectors = (
            NO_HITS if self._hits is None else plugins(category)
            for category in ("probes", "detectors")
        )
        ranked = by_risk(scan.graded, mostly_wrong(trust.values()))
        return Evidence(
            report=scan.report.source,
            pairs={
                pair.name: PairEvidence(
                    probe=pair.probe,
                    detector=pair.detector,
                    **self._hits_of(pair),
                    facts=_facts(pair.probe, probes),
                    trust=trust[pair.detector],
                    probe_page=plugin_page("probes", pair.probe, probes),
                    detector_page=plugin_page("detectors", pair.detector, detectors),
                )
                for pair in ranked
            },
            garak_page=beside(scan.report.source, PAGE),
            hit_log=beside(scan.report.source, HIT_LOG),
            problems=(
                *self._problems,
                *itertools.starmap(unattributed_text, unattributed),
            ),
        )

    def _hits_of(self, pair: Pair) -> dict[str, Any]:
        """What the attempts hold of a pair, as :class:`PairEvidence` names it."""
        found = self._collector.pairs.get((pair.probe, pair.detector))
        if found is None:
            return {"hits": self._missing, "hit_count": None, "siblings": {}}
        hits: tuple[Hit, ...] | Unavailable = found.drawn
        stated = (pair.total_evaluated or 0) - (pair.passed or 0)
        # a report whose attempts were taken out says so
        if not found.count and pair.has_counts and stated:
            reason = UNATTRIBUTED if found.unattributed else NOT_HELD
            hits = Unavailable(reason=reason.format(stated=stated))
        return {"hits": hits, "hit_count": found.count, "siblings": found.siblings}


def _facts(probe: str, probes: Plugins | Unavailable) -> ProbeFacts | Unavailable:
    if isinstance(probes, Unavailable):
        return probes
    return probe_facts(probes[probe]) if probe in probes else UNKNOWN_PROBE


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
        ``module.Class``, as a report has it.
    known : mapping or Unavailable
        The plugins that garak has; another one has no page of garak's, so that no
        report can choose what is linked to.
    """
    if isinstance(known, Unavailable) or name not in known:
        return None
    module = name.partition(".")[0]
    return f"{DOCUMENTATION}/{category}/{module}.html#garak.{category}.{name}"
