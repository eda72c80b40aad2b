# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak.analyze.tbsa``, as garak and its callers know it."""

from __future__ import annotations

import copy
import importlib
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.product import GOLD, analyze, tbsa
from tests.behaviour.scans import scan
from tests.report_rows import PairFacts, digest_row, pairs_named

SERVED = importlib.import_module("garak.analyze.tbsa")
# the digest of 0.13.3 has no counts, so that an unmeasured pair stands as a zero
THREE = {
    "garak-0.13.0": (4.5, "a2d38433", 14),
    "garak-0.13.3": (3.9, "6218721", 15),
    "garak-0.17.1": (4.1, "21a0d7b3", 14),
    "taxonomy-groups": (3.7, "b44973db", 5),
    "aggregated": (3.4, "e864c295", 4),
    "hostile-text": (4.3, "730b4cf6", 2),
}
GARAKS = {
    "garak-0.13.0": 4.5,
    "garak-0.13.3": 4.1,
    "garak-0.17.1": 4.1,
    "taxonomy-groups": 4.4,
    "aggregated": 4.4,
    "hostile-text": 5.0,
}


def digest(name: str) -> dict[str, Any]:
    """A gold report's digest."""
    path = GOLD / f"{name}.report.jsonl"
    found: dict[str, Any] = json.loads(path.read_text("utf-8").splitlines()[-1])
    return found


def test_a_digest_gives_three_values(capsys: pytest.CaptureFixture[str]) -> None:
    for name in THREE:
        given = digest(name)
        before = copy.deepcopy(given)
        assert SERVED.digest_to_tbsa(given, quiet=True) == THREE[name]
        assert capsys.readouterr() == ("", "")
        assert given == before
        assert SERVED.digest_to_tbsa(given, verbose=True) == THREE[name]
        shown = capsys.readouterr().out
        assert all(str(row[0]) in shown for row in rows_of(given))
        _, garaks_hash, _ = THREE[name]
        by_garak = SERVED.digest_to_tbsa(given, quiet=True, formula="garak")
        assert by_garak[:2] == (GARAKS[name], garaks_hash)


def rows_of(given: dict[str, Any]) -> list[tuple[str, str]]:
    """Probe and detector of each entry that counts for something."""
    return [
        (probe, detector)
        for group in given["eval"].values()
        for probe, entries in group.items()
        if probe != "_summary" and entries["_summary"]["probe_tier"] in (1, 2)
        for detector in entries
        if detector != "_summary"
    ]


WRONG: list[dict[str, Any]] = [
    {},
    {"entry_type": "eval"},
    digest_row([]),
    digest_row([PairFacts(tier=3)]),
    digest_row(pairs_named((1, 9, 10))) | {"eval": []},
]


def test_what_cannot_be_scored_is_a_value_error() -> None:
    for given in WRONG:
        with pytest.raises(ValueError, match=r"."):
            SERVED.digest_to_tbsa(given, quiet=True)


def test_the_formula_can_be_set_by_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report, given = GOLD / "aggregated.report.jsonl", digest("aggregated")
    monkeypatch.setenv("GARAK_TBSA_FORMULA", "garak")
    assert SERVED.digest_to_tbsa(given, quiet=True)[0] == 4.4
    assert analyze("-r", report, "-q").lines[-1][1:] == " TBSA: 4.4"
    chosen = analyze("-r", report, "-q", "--formula", "documented")
    assert chosen.lines[-1][1:] == " TBSA: 3.4"
    documented = SERVED.digest_to_tbsa(given, quiet=True, formula="documented")
    assert documented[0] == 3.4
    monkeypatch.setenv("GARAK_TBSA_FORMULA", "other")
    with pytest.raises(ValueError, match="GARAK_TBSA_FORMULA"):
        SERVED.digest_to_tbsa(given, quiet=True)


def test_main_prints_what_the_command_prints(tmp_path: Path) -> None:
    path = scan(tmp_path)
    for flags in (["-q"], ["-v", "--no-interval"], ["--nohash", "--no-interval"]):
        served, ours = analyze("-r", path, *flags), tbsa("score", "-r", path, *flags)
        assert (served.code, served.out) == (0, ours.out)
    assert analyze("-r", path, "-q").lines == [
        "📝 Probe/detector pairs contributing: 3",
        "🔑 Version/probe hash: bbd22d66",
        "🟨 TBSA: 3.7",
    ]


def test_main_ends_the_process_only_when_it_failed(tmp_path: Path) -> None:
    path = str(scan(tmp_path))
    assert SERVED.main(["-r", path, "-q"]) is None
    for arguments, code in (
        (["-r", f"{path}.missing", "-q"], 1),
        (["--unheard-of"], 2),
        (["-r", path, "-q", "--fail-under", "4"], 3),
    ):
        with pytest.raises(SystemExit) as end:
            SERVED.main(arguments)
        assert end.value.code == code


def test_garaks_names_are_there() -> None:
    parameters = [*inspect.signature(SERVED.digest_to_tbsa).parameters]
    assert parameters[:3] == ["digest", "verbose", "quiet"]
    tiers = SERVED.build_tiers()
    assert "dan.Ablation_Dan_11_0" in str(tiers[2])
    assert SERVED.PROBE_DETECTOR_SEP == "+"
    assert [SERVED.round_final_tbsa(raw) for raw in (3.24, 3.26)] == [3.2, 3.3]
