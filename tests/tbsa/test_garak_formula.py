# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``--formula garak`` against garak's own module, oddities included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from garak_tbsa.errors import NotScorableError
from garak_tbsa.garak_files.report import load_report
from garak_tbsa.tbsa.assessment import assess
from garak_tbsa.tbsa.garak_formula import garak_score, round_final_tbsa
from tests.factories import (
    PairFacts,
    digest_row,
    no_calibration,
    report_rows,
    unknown_tier,
    write_report,
)
from tests.garak_own import own_module, own_result


def ours(path: str | Path) -> tuple[float, str, int] | None:
    """What ``--formula garak`` gives, None where it says that garak stops."""
    try:
        got = assess(
            load_report(str(path)),
            tier_of=unknown_tier,
            find_calibration=no_calibration,
            formula="garak",
        )
    except NotScorableError:
        return None
    return got.tbsa, got.version_probe_hash, got.contributing


def test_gold_reports_get_what_garaks_own_module_gives(gold_report: str) -> None:
    """--formula garak gives exactly what garak's own module gives."""
    assert ours(gold_report) == own_result(gold_report)


PAIRS = st.lists(
    st.builds(
        PairFacts,
        probe=st.sampled_from([f"m.P{index}" for index in range(6)]),
        detector=st.sampled_from(["d.A", "d.B"]),
        passed=st.integers(0, 12),
        total=st.just(12),
        tier=st.sampled_from([1, 2, 3, 9]),
        mu=st.none() | st.floats(0, 1),
    ),
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=PAIRS)
def test_any_digest_gets_what_garaks_own_module_gives(
    tmp_path: Path, pairs: list[PairFacts]
) -> None:
    """--formula garak gives exactly what garak's own module gives, odd or not."""
    tiers: dict[str, int | None] = {}
    for facts in pairs:
        tiers.setdefault(facts.probe, facts.tier)
    pairs = [facts for facts in pairs if facts.tier == tiers[facts.probe]]
    path = write_report(tmp_path / "r", report_rows(pairs))
    assert ours(path) == own_result(path)


OLD = digest_row([PairFacts(mu=0.5)])
ENTRY = OLD["eval"]["dan"]["dan.Ablation_Dan_11_0"]["dan.DAN"]
ENTRY["zscore"] = ENTRY.pop("relative_score")
ENTRY["zscore_defcon"] = ENTRY.pop("relative_defcon")
UNTIERED = digest_row([PairFacts(mu=0.5)])
del UNTIERED["eval"]["dan"]["dan.Ablation_Dan_11_0"]["_summary"]["probe_tier"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"eval": digest_row([PairFacts()])["eval"]},
            "no pair of Tier 1 or 2 has a Z grade",
        ),
        ({"meta": {}}, "it cannot parse the version None"),
        (
            {"meta": {"garak_version": "0.16"}},
            "it cannot parse the version '0.16'",
        ),
        (
            {"meta": {"garak_version": "0.x.1"}},
            "it cannot parse the version '0.x.1'",
        ),
        (OLD, "its digest is older than garak 0.13.1"),
        (UNTIERED, "a probe in the digest has no tier"),
    ],
)
def test_why_there_is_no_number_is_told(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    """Garak's own module stops there without a word."""
    path = write_report(tmp_path / "r", [digest_row([PairFacts(mu=0.5)]) | change])
    assert own_result(path) is None
    with pytest.raises(NotScorableError) as caught:
        garak_score(load_report(path))
    assert str(caught.value) == (
        f"{path}: garak's own module gives no number for this report, {reason};"
        " the documented formula may score it"
    )


@given(raw=st.floats(-10, 10))
def test_rounding_is_garaks(raw: float) -> None:
    """round_final_tbsa keeps garak's floats: 1.0 to 5.0, halves up."""
    assert round_final_tbsa(raw) == own_module().round_final_tbsa(raw)
