# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The module served in place of ``garak.analyze.tbsa`` keeps garak's API."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.host import served_tbsa
from tests.factories import PairFacts, digest_row
from tests.garak_own import own_module
from tests.gold import FOLDER

REPORT = FOLDER / "garak-0.17.1.report.jsonl"
DIFFERING = FOLDER / "taxonomy-groups.report.jsonl"
"""One that scores 3.7 by the documented formula and 4.4 by garak's own."""


def digest_of(report: Path) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(report.read_text().splitlines()[-1])
    assert row["entry_type"] == "digest"
    return row


@pytest.mark.parametrize("name", ["digest_to_tbsa", "round_final_tbsa", "build_tiers"])
def test_signatures_are_garaks(name: str) -> None:
    """Positional parameters; ours may have more by keyword."""
    ours = inspect.signature(getattr(served_tbsa, name)).parameters
    theirs = inspect.signature(getattr(own_module(), name)).parameters
    assert [
        (p.name, p.default) for p in ours.values() if p.kind is not p.KEYWORD_ONLY
    ] == [(p.name, p.default) for p in theirs.values()]


def test_constants_and_tiers_are_garaks() -> None:
    assert served_tbsa.PROBE_DETECTOR_SEP == own_module().PROBE_DETECTOR_SEP
    theirs = own_module().build_tiers()
    ours = served_tbsa.build_tiers()
    assert {tier: sorted(names) for tier, names in ours.items()} == {
        tier: sorted(names) for tier, names in theirs.items()
    }


def test_it_speaks_unless_it_is_to_be_quiet(
    capsys: pytest.CaptureFixture[str],
) -> None:
    digest = digest_row([PairFacts(mu=0.5)])
    served_tbsa.digest_to_tbsa(digest)
    assert capsys.readouterr().out == (
        "📐 Calibration: as in the report, of 2026-05-06, covers 1 of 1 pairs\n"
    )
    served_tbsa.digest_to_tbsa(digest, True)
    assert "dan.Ablation_Dan_11_0  dan.DAN     8/10" in capsys.readouterr().out


def test_main_prints_garaks_three_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """-q prints the same three lines as garak's."""
    own_module().main(["-q", "-r", str(REPORT)])
    theirs = capsys.readouterr().out.splitlines()
    assert served_tbsa.main(["-q", "-r", str(REPORT)]) is None  # type: ignore[func-returns-value]
    ours = capsys.readouterr().out.splitlines()
    assert ours[1] == theirs[1]
    assert [line.split(":")[0].split(" ", 1)[1] for line in ours] == [
        line.split(":")[0].split(" ", 1)[1] for line in theirs
    ]


def test_main_with_garaks_formula_prints_what_garaks_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    own_module().main(["-q", "-r", str(REPORT)])
    theirs = capsys.readouterr().out
    served_tbsa.main(["-q", "--formula", "garak", "-r", str(REPORT)])
    assert capsys.readouterr().out == theirs


# which formula


@pytest.mark.parametrize("loaded", [True, False])
def test_garaks_own_number_by_configuration(
    loaded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As loaded, or as the site has it in a program that loads none."""
    from garak import _config

    # garak 0.14 does not say whether it has loaded its settings
    monkeypatch.setattr(_config, "is_loaded", loaded, raising=False)
    if loaded:
        settings = {"formula": "garak"}
        monkeypatch.setattr(_config.reporting, "tbsa", settings, raising=False)
    else:
        site = "reporting:\n  tbsa:\n    formula: garak\n"
        (tmp_path / "garak").mkdir()
        (tmp_path / "garak" / "garak.site.yaml").write_text(site)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    theirs = own_module().digest_to_tbsa(digest_of(DIFFERING), quiet=True)[0]
    assert served_tbsa.digest_to_tbsa(digest_of(DIFFERING), quiet=True)[0] == theirs
    monkeypatch.setenv("GARAK_TBSA_FORMULA", "documented")
    assert served_tbsa.digest_to_tbsa(digest_of(DIFFERING), quiet=True)[0] == 3.7


def test_a_formula_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        ValueError, match=r"^formula: expected documented or garak, found 'new'$"
    ):
        served_tbsa.digest_to_tbsa(digest_of(DIFFERING), quiet=True, formula="new")
    monkeypatch.setenv("GARAK_TBSA_FORMULA", "new")
    with pytest.raises(ValueError, match=r"^GARAK_TBSA_FORMULA: expected"):
        served_tbsa.digest_to_tbsa(digest_of(DIFFERING), quiet=True)
