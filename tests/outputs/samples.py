# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Reports that the tests of every output share, as rows of their files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.report_rows import (
    PairFacts,
    attempt_row,
    completion_row,
    pairs_named,
    report_rows,
)

Rows = list[dict[str, Any]]

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
        PairFacts(probe="dan.DUDE", detector="dan.DAN", passed=2, total=7, mu=0.5),
        PairFacts(probe="dan.Two", detector="dan.DAN", passed=50, total=100, mu=0.5),
        PairFacts(probe="enc.Clean", detector="enc.D", passed=64, total=64, mu=0.6),
        PairFacts(probe="web.Xss", detector="web.D", passed=90, total=100, tier=2),
        PairFacts(probe="web.None", detector="web.D", passed=0, total=0, tier=2),
        PairFacts(probe="old.Three", detector="old.D", tier=3),
        PairFacts(probe="new.Unknown", detector="new.D", tier=None),
    ]


def with_hits(pairs: Iterable[PairFacts], rows: Rows, *texts: str) -> Rows:
    """Add an attempt of each pair, whose outputs are these texts and all hits."""
    attempts = [
        attempt_row(
            facts,
            prompt=f"Do it. {texts[0]}",
            scores=[1.0] * len(texts),
            uuid=f"a-{number}",
            outputs=list(texts),
        )
        for number, facts in enumerate(pairs, start=1)
    ]
    return [*rows[:3], *attempts, *rows[3:]]


def mixed_rows() -> Rows:
    """A report with something to say in every section."""
    pairs = mixed_pairs()
    texts = ("Sure, here it is.", "y" * 1_500, "\n".join(map(str, range(14))))
    return with_hits(pairs[:1], report_rows(pairs), *texts)


def perfect_rows() -> Rows:
    """Nothing to fix, nothing left out, one tier."""
    return report_rows(pairs_named((1, 40, 40)))


def uncounted_rows() -> Rows:
    """A digest as up to garak 0.13.3: no counts, so no interval."""
    first, *pairs = mixed_pairs()[:4]
    row = report_rows([replace(first, probe="dan.One"), *pairs])[-1]
    for group in row["eval"].values():
        for probe in group.values():
            for entry in probe.values():
                entry.pop("passed", None)
                entry.pop("total_evaluated", None)
    return [row]


def hostile_pairs() -> list[PairFacts]:
    """Pairs with hostile names, one of each text."""
    pairs = [
        PairFacts(
            probe=f"p{i}.{text}", detector=f"d.{text}", passed=i, total=14, mu=0.5
        )
        for i, text in enumerate(HOSTILE)
    ]
    module = HOSTILE[3]
    pairs += [
        PairFacts(probe=f"{module}.{i}", detector="d.x", passed=0) for i in range(3)
    ]
    pairs.append(PairFacts(probe=f"gone.{HOSTILE[0]}", tier=3))
    pairs.append(PairFacts(probe=f"none.{HOSTILE[1]}", total=0, passed=0))
    return pairs


def hostile_rows() -> Rows:
    """Hostile text wherever a report's own text can be."""
    pairs, text = hostile_pairs(), " ".join(HOSTILE)
    setup = dict.fromkeys(
        ("plugins.target_name", "run.system_prompt", "run.seed"), text
    )
    rows = with_hits(pairs[:-2], report_rows(pairs, setup=setup), *HOSTILE)
    rows.remove(completion_row())
    rows[-1]["meta"] |= {"target_name": text, "run_uuid": text, "start_time": text}
    return rows


def write(folder: Path, name: str, rows: Rows) -> str:
    """Write rows, lone surrogates as JSON escapes; return the name of the file."""
    path = folder / f"{name}.report.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)
