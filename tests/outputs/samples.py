# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scored reports that the tests of every output share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garak_tbsa.outputs.view import ScoredReport
from garak_tbsa.statistics.repeat import repeat_of_scan
from garak_tbsa.tbsa.assessment import held_against_rows
from garak_tbsa.tbsa.gate import judge
from garak_tbsa.tbsa.gate_options import GateRules
from tests.factories import (
    PairFacts,
    assessment_of,
    completion_row,
    pairs_named,
    report_rows,
)

if TYPE_CHECKING:
    from pathlib import Path


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
    path.write_bytes(_bytes(rows))
    assessment = assessment_of(str(path), pairs)
    verdict = None if rules is None else judge(held_against_rows(assessment), rules)
    return ScoredReport(
        assessment=assessment,
        repeat=repeat_of_scan(assessment),
        verdict=verdict,
    )


def _bytes(rows: list[dict[str, Any]]) -> bytes:
    """As :func:`tests.factories.to_bytes`, with lone surrogates as JSON escapes."""
    import json

    return "\n".join(json.dumps(row) for row in rows).encode()
