# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which tier a probe has; ``tests/behaviour/test_formula.py`` has what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.report.report import load_report, report_from_digest
from garak_tbsa.tbsa.pairs import list_pairs
from tests.report_rows import (
    PairFacts,
    digest_row,
    eval_row,
    tiers_row,
    write_report,
)


def named(name: str, *, tier: int | None = 1) -> PairFacts:
    return PairFacts(probe=f"m.{name}", detector="d.D", tier=tier)


def test_the_reports_own_tier_comes_first(tmp_path: Path) -> None:
    """Tier from the digest, else plugin_cache rows, else the installed garak."""

    def installed(probe: str) -> int | None:
        return {"m.A": 2, "m.B": 2, "m.C": 2}.get(probe)

    rows = [
        tiers_row([named("A", tier=1), named("B", tier=1)]),
        *(eval_row(named(name)) for name in "ABCD"),
        digest_row([named("A", tier=9), *(named(name, tier=None) for name in "BCD")]),
    ]
    report = load_report(write_report(tmp_path / "r", rows))
    tiers = {p.name: p.tier for p in list_pairs(report, installed)}
    assert tiers == {"m.A+d.D": 9, "m.B+d.D": 1, "m.C+d.D": 2, "m.D+d.D": None}


@pytest.mark.parametrize(
    ("known", "given", "tier", "tier_from"),
    [
        # its own name first, then what a user says, then today's name
        ({"xss.MarkdownImageExfil": 2}, {}, 2, None),
        ({}, {"xss.MarkdownImageExfil": 3}, 3, "--tiers"),
        ({}, {}, 1, "web_injection.MarkdownImageExfil"),
    ],
)
def test_a_tier_by_another_name_is_told_from_where(
    known: dict[str, int], given: dict[str, int], tier: int, tier_from: str | None
) -> None:
    installed = {"web_injection.MarkdownImageExfil": 1} | known
    digest = digest_row(
        [PairFacts(probe="xss.MarkdownImageExfil", tier=None), named("A", tier=1)]
    )
    report = report_from_digest(digest, name="r")
    pairs = list_pairs(report, installed.get, given)
    found = [(pair.probe, pair.tier, pair.tier_from) for pair in pairs]
    assert found == [
        ("m.A", 1, None),
        ("xss.MarkdownImageExfil", tier, tier_from),
    ]
