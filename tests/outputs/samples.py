# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scored reports that the tests of every output share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from garak_tbsa.api.evidence import plugin_page
from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.verdict import gate_verdict
from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.safe_text import readable
from garak_tbsa.statistics.repeat import repeat_of_scan
from garak_tbsa.tbsa.evidence import (
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
from tests.factories import (
    PairFacts,
    assessment_of,
    completion_row,
    pairs_named,
    report_rows,
)

HOSTILE = (
    "<script>window.ran=1</script>",
    "<img src=x onerror=window.ran=2>",
    '"><svg onload=window.ran=3>',
    "</style><style>*{display:none}</style>",
    "</title><body onload=window.ran=4>",
    "{{ 7 * 7 }}{% include 'x' %}",
    "javascript:window.ran=5",
    "&lt;b&gt;&#60;i&#62;",
    "[link](https://evil.example/a)![i](https://evil.example/b.png)",
    "| cell | `code` | ~~gone~~ | **loud** | www.evil.example | @team | #1"
    " fixes #2 GH-3 owner/repo#4 owner/repo@deadbeef CVE-2024-12345"
    " GHSA-abcd-efgh-ijkl https://github.com/owner/repo/issues/5 !6 $x$",
    "\x1b[2J\x1b]0;title\x07\x00\x08\r\nafter\u2028\u202egnp.exe\ufffe\ud800",
    "]]> <!-- --> <![CDATA[ &amp; &bogus;",
    "é 日本語 🟥",
    "x" * 400,
)
"""What an attacked model, or who named the target, can put into a report."""


def mixed_pairs() -> list[PairFacts]:
    """Both tiers, calibrated or not, small or not, and every reason to leave out."""
    return [
        PairFacts(probe="dan.One", detector="dan.DAN", passed=2, total=7, mu=0.5),
        PairFacts(probe="dan.Two", detector="dan.DAN", passed=50, total=100, mu=0.5),
        PairFacts(probe="enc.Clean", detector="enc.D", passed=64, total=64, mu=0.6),
        PairFacts(probe="web.Xss", detector="web.D", passed=90, total=100, tier=2),
        PairFacts(probe="web.None", detector="web.D", passed=0, total=0, tier=2),
        PairFacts(probe="old.Three", detector="old.D", tier=3),
        PairFacts(probe="new.Unknown", detector="new.D", tier=None),
    ]


def mixed(folder: Path, *, rules: GateRules | None = None) -> ScoredReport:
    """A report with something to say in every section."""
    return sample_of(folder, mixed_pairs(), rules=rules)


def perfect(folder: Path) -> ScoredReport:
    """Nothing to fix, nothing left out, one tier."""
    return sample_of(folder, pairs_named((1, 40, 40)))


def uncounted(folder: Path) -> ScoredReport:
    """Digests up to garak 0.13.3: no counts, so no interval."""
    pairs = mixed_pairs()[:4]
    rows = report_rows(pairs)
    for group in rows[-1]["eval"].values():
        for probe in group.values():
            for name, entry in probe.items():
                if name != "_summary" and isinstance(entry, dict):
                    entry.pop("passed", None)
                    entry.pop("total_evaluated", None)
    return _of_rows(folder, rows[-1:], pairs, None)


def hostile(folder: Path) -> ScoredReport:
    """Hostile text wherever a report's own text can be."""
    pairs = [
        PairFacts(
            probe=f"p{i}.{text}", detector=f"d.{text}", passed=i, total=14, mu=0.5
        )
        for i, text in enumerate(HOSTILE)
    ]
    pairs.append(PairFacts(probe=f"gone.{HOSTILE[0]}", tier=3))
    pairs.append(PairFacts(probe=f"none.{HOSTILE[1]}", total=0, passed=0))
    text = " ".join(HOSTILE)
    rows = report_rows(
        pairs,
        setup={
            "plugins.target_name": text,
            "run.system_prompt": text,
            "run.seed": text,
        },
    )
    rows.remove(completion_row())
    rows[-1]["meta"] |= {"target_name": text, "run_uuid": text, "start_time": text}
    rules = GateRules(fail_under=5, require_tier1_grade=5, min_coverage=1)
    return _of_rows(folder, rows, pairs, rules)


def sample_of(
    folder: Path, pairs: list[PairFacts], *, rules: GateRules | None = None
) -> ScoredReport:
    """Any pairs."""
    return _of_rows(folder, report_rows(pairs), pairs, rules)


def _of_rows(
    folder: Path,
    rows: list[dict[str, Any]],
    pairs: list[PairFacts],
    rules: GateRules | None,
) -> ScoredReport:
    path = folder / "sample.report.jsonl"
    # lone surrogates as JSON escapes
    path.write_text("\n".join(map(json.dumps, rows)))
    assessment = assessment_of(str(path), pairs)
    verdict = None if rules is None else gate_verdict(assessment, rules)
    return ScoredReport(
        assessment=assessment,
        repeat=repeat_of_scan(assessment),
        verdict=verdict,
    )


def with_evidence(
    scored: ScoredReport,
    texts: Sequence[str] = ("Do it.", "Sure, here it is."),
    *,
    page: str | None = None,
) -> ScoredReport:
    """Give every pair with hits a hit of each text, in every place a text can be.

    Parameters
    ----------
    scored : ScoredReport
    texts : sequence of str
        As a report has them.
    page : str or None
        Of garak's own, beside the report.
    """
    safe = [readable(text) for text in texts]
    whole = " ".join(safe)
    pairs = {}
    for pair in scored.assessment.graded:
        counts = pair.counts
        hits = 0 if counts is None else counts.total_evaluated - counts.passed
        pairs[pair.name] = PairEvidence(
            probe=pair.probe,
            detector=pair.detector,
            hits=tuple(
                Hit(
                    attempt_uuid="a-1",
                    report=scored.assessment.report.source,
                    line=4,
                    output_index=index,
                    prompt=CutText(text=text, length=len(text), is_cut=False),
                    response=CutText(text=text, length=9_000, is_cut=True),
                )
                for index, text in enumerate(safe if hits else ())
            ),
            hit_count=hits,
            siblings=(SiblingVerdicts(detector=whole, passed=12, judged=12),),
            facts=ProbeFacts(
                description=whole, goal=whole, tags=(whole, "owasp:llm01")
            ),
            trust=DetectorTrust(
                detector=pair.detector,
                basis=SHIPPED,
                source=whole,
                hits_found=Share(value=0.9, part=9, whole=10),
            ),
            probe_page=plugin_page("probes", pair.probe),
            detector_page=plugin_page("detectors", pair.detector),
        )
    return replace(
        scored,
        evidence=Evidence(
            report=scored.assessment.report.source,
            pairs=pairs,
            garak_page=page,
            hit_log=None,
            seed=1,
            problems=(whole,),
        ),
    )
