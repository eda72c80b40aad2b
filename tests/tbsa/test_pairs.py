# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Each pair once; what does not count is kept with its reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.report import load_report, report_from_digest
from garak_tbsa.tbsa.pairs import REASONS, PairList, list_pairs
from tests.factories import (
    PairFacts,
    digest_row,
    eval_row,
    tiers_row,
    unknown_tier,
    write_report,
)


def named(name: str, *, tier: int | None = 1, total: int = 10) -> PairFacts:
    return PairFacts(
        probe=f"m.{name}", detector="d.D", tier=tier, passed=min(8, total), total=total
    )


def listed(
    *facts: PairFacts, tier_of: Callable[[str], int | None] = unknown_tier
) -> PairList:
    return list_pairs(report_from_digest(digest_row(facts), name="r"), tier_of)


@pytest.mark.parametrize(
    ("facts", "reason", "text"),
    [
        (named("A", total=0), "no_evaluated_output", "no output was evaluated"),
        (
            named("A", tier=None),
            "tier_unknown",
            "neither the report nor the installed garak knows its tier",
        ),
        (named("A", tier=3), "tier_not_scored", "tier 3 does not count"),
        (named("A", tier=9), "tier_not_scored", "tier 9 does not count"),
        (named("A", tier=9, total=0), "tier_not_scored", "tier 9 does not count"),
    ],
)
def test_what_does_not_count_has_a_reason(
    facts: PairFacts, reason: str, text: str
) -> None:
    """Left out, each as a typed entry with a reason; never a silent drop."""
    got = listed(named("Z"), facts)
    (entry,) = got.left_out
    assert (entry.pair.name, entry.reason, entry.text) == ("m.A+d.D", reason, text)
    assert reason in REASONS
    assert reason != "no_evaluated_output" or entry.pair.measured_pass_rate is None
    assert [pair.name for pair in got.attempted] == ["m.A+d.D", "m.Z+d.D"]


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
    tiers = {p.name: p.tier for p in list_pairs(report, installed).attempted}
    assert tiers == {"m.A+d.D": 9, "m.B+d.D": 1, "m.C+d.D": 2, "m.D+d.D": None}


def renamed(old: str) -> PairFacts:
    return PairFacts(probe=old, detector="d.D", tier=None)


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
    digest = digest_row([renamed("xss.MarkdownImageExfil"), named("A", tier=1)])
    report = report_from_digest(digest, name="r")
    pairs = list_pairs(report, installed.get, given).attempted
    found = [(pair.probe, pair.tier, pair.tier_from) for pair in pairs]
    assert found == [
        ("m.A", 1, None),
        ("xss.MarkdownImageExfil", tier, tier_from),
    ]


def test_different_entries_are_an_error_that_names_both() -> None:
    digest = digest_row([named("A")])
    other = digest_row([PairFacts(probe="m.A", detector="d.D", passed=9)])
    digest["eval"]["owasp:llm01"] = other["eval"]["m"]
    with pytest.raises(ReportError) as caught:
        list_pairs(report_from_digest(digest, name="r"), unknown_tier)
    assert str(caught.value) == (
        "r: m.A+d.D occurs twice with different numbers: 8 of 10 passed at"
        " digest.eval.m.m.A.d.D and 9 of 10 passed at digest.eval.owasp:llm01.m.A.d.D;"
        " score each of the runs that it was put together from"
    )
