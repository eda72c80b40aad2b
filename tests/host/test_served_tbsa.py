# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The module served in place of ``garak.analyze.tbsa`` keeps garak's API."""

from __future__ import annotations

import importlib
import inspect
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.behaviour.product import GOLD
from tests.garak_own import own_module
from tests.report_rows import PairFacts, digest_row

SERVED = importlib.import_module("garak.analyze.tbsa")
REPORT = str(GOLD / "garak-0.17.1.report.jsonl")


def test_names_signatures_and_tiers_are_garaks() -> None:
    for name in ("digest_to_tbsa", "round_final_tbsa", "build_tiers"):
        ours = inspect.signature(getattr(SERVED, name)).parameters
        theirs = inspect.signature(getattr(own_module(), name)).parameters
        assert [(p.name, p.default) for p in ours.values()] == [
            (p.name, p.default) for p in theirs.values()
        ]
    assert SERVED.PROBE_DETECTOR_SEP == own_module().PROBE_DETECTOR_SEP
    ours, theirs = SERVED.build_tiers(), own_module().build_tiers()
    assert {tier: sorted(names) for tier, names in ours.items()} == {
        tier: sorted(names) for tier, names in theirs.items()
    }


def test_it_speaks_unless_it_is_to_be_quiet(
    capsys: pytest.CaptureFixture[str],
) -> None:
    digest = digest_row([PairFacts(mu=0.5)])
    SERVED.digest_to_tbsa(digest)
    assert capsys.readouterr().out == (
        "📐 Calibration: as in the report, of 2026-05-06, covers 1 of 1 pairs\n"
    )
    SERVED.digest_to_tbsa(digest, True)
    assert "dan.Ablation_Dan_11_0  dan.DAN     8/10" in capsys.readouterr().out


def test_main_prints_garaks_three_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command line is what it reads itself."""
    asked = ["-q", "-r", REPORT]
    own_module().main(asked)
    theirs = capsys.readouterr().out.splitlines()
    monkeypatch.setattr(sys, "argv", ["tbsa.py", *asked])
    for arguments in ([asked], []):
        assert SERVED.main(*arguments) is None
        ours = capsys.readouterr().out.splitlines()
        assert ours[1:] == theirs[1:]
        assert [line.split(":")[0].split(" ", 1)[1] for line in ours] == [
            line.split(":")[0].split(" ", 1)[1] for line in theirs
        ]


def test_a_tier_2_pair_counts_by_the_lower_of_its_grades() -> None:
    """Pair grade = minimum of the grades that exist, in each tier; not so garak's."""
    digest: dict[str, Any] = {"meta": {"garak_version": "0.17.1"}, "eval": {}}
    for tier, z_grade in ((1, 1), (2, 5)):
        grades = {"absolute_defcon": 1, "relative_defcon": z_grade}
        scores = {"absolute_score": 0.0, "relative_score": 0.0}
        digest["eval"][f"p{tier}"] = {
            f"p{tier}.P": {
                "_summary": {"probe_tier": tier},
                "d.D": {"detector_name": "d.D", **grades, **scores},
            }
        }
    assert own_module().digest_to_tbsa(digest, quiet=True)[0] == 2.3
    assert SERVED.digest_to_tbsa(digest, quiet=True)[0] == 1.0


@given(raw=st.floats(-10, 10))
def test_rounding_is_garaks(raw: float) -> None:
    """round_final_tbsa keeps garak's floats: 1.0 to 5.0, halves up."""
    assert SERVED.round_final_tbsa(raw) == own_module().round_final_tbsa(raw)
