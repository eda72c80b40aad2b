# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak.analyze.tbsa``, as garak and its callers know it."""

from __future__ import annotations

import copy
import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.product import GOLD, analyze, document, python, tbsa
from tests.behaviour.scans import scan
from tests.report_rows import PairFacts, digest_row, pairs_named

SERVED = importlib.import_module("garak.analyze.tbsa")
# the digest of 0.13.3 has no counts, so that an unmeasured pair stands as a zero
KNOWN = {
    "garak-0.13.0": (4.5, "a2d38433", 14),
    "garak-0.13.3": (3.9, "6218721", 15),
    "garak-0.17.1": (4.1, "21a0d7b3", 14),
    "taxonomy-groups": (3.7, "b44973db", 5),
    "aggregated": (3.4, "e864c295", 4),
    "hostile-text": (4.3, "730b4cf6", 2),
}


def digest(name: str) -> dict[str, Any]:
    """A gold report's digest."""
    path = GOLD / f"{name}.report.jsonl"
    found: dict[str, Any] = json.loads(path.read_text("utf-8").splitlines()[-1])
    return found


def test_a_digest_gives_three_values(capsys: pytest.CaptureFixture[str]) -> None:
    for name, three in KNOWN.items():
        given = digest(name)
        before = copy.deepcopy(given)
        assert SERVED.digest_to_tbsa(given, quiet=True) == three
        assert capsys.readouterr() == ("", "")
        assert given == before
        assert SERVED.digest_to_tbsa(given, verbose=True) == three
        shown = capsys.readouterr().out
        assert all(str(row[0]) in shown for row in rows_of(given))


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


def test_our_number_never_comes_where_garaks_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every command of ours says so; nothing set is nothing asked."""
    report, given = GOLD / "aggregated.report.jsonl", digest("aggregated")
    told = (
        "GARAK_TBSA_FORMULA is gone; unset it, `GARAK_TBSA=garak python -m"
        " garak.analyze.tbsa -r REPORT` runs garak's own module"
    )
    for value in ("garak", "documented", "0"):
        monkeypatch.setenv("GARAK_TBSA_FORMULA", value)
        for shown in (
            analyze("-r", report, "-q"),
            tbsa("score", report),
            tbsa("--help"),
            tbsa("detectors", "rank"),
        ):
            assert (shown.code, shown.error) == (2, f"garak-tbsa: {told}")
        with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
            SERVED.digest_to_tbsa(given, quiet=True)
    monkeypatch.setenv("GARAK_TBSA_FORMULA", "")
    assert SERVED.digest_to_tbsa(given, quiet=True)[0] == 3.4


OWN_NUMBERS = {
    "garak-0.13.0": "4.5",
    "garak-0.17.1": "4.1",
    "taxonomy-groups": "4.4",
    "hostile-text": "5.0",
}


@pytest.mark.parametrize("name", OWN_NUMBERS)
def test_garaks_own_module_is_one_variable_away(name: str, tmp_path: Path) -> None:
    """And explain names the number that it prints."""
    report = GOLD / f"{name}.report.jsonl"
    asked = ("-m", "garak.analyze.tbsa", "-q", "-r", report)
    ours, theirs = (
        python(*asked, folder=tmp_path, settings={"GARAK_TBSA": value})
        for value in ("0", "garak")
    )
    assert (ours.code, ours.lines[-1][1:]) == (0, f" TBSA: {KNOWN[name][0]}")
    assert (theirs.code, theirs.lines[-1][1:]) == (0, f" TBSA: {OWN_NUMBERS[name]}")
    told = f"garak's own module prints {OWN_NUMBERS[name]} for this report."
    assert told in tbsa("explain", report).lines
    own = document(tmp_path, "explain", report)["explanation"]["garak_tbsa"]
    assert f"{own:.1f}" == OWN_NUMBERS[name]


def test_main_prints_what_the_command_prints(tmp_path: Path) -> None:
    path = scan(tmp_path)
    for flags in (["-q"], ["-v", "--no-interval"], ["--nohash", "--no-interval"]):
        served, ours = analyze("-r", path, *flags), tbsa("score", "-r", path, *flags)
        assert (served.code, served.out) == (0, ours.out)


def test_main_takes_garaks_long_flags(tmp_path: Path) -> None:
    path, written = scan(tmp_path), tmp_path / "score.json"
    for flags, long in (
        (("-r", path, "-q"), ("--report_path", path, "--quiet")),
        (("-r", path, "-v"), ("--report_path", path, "--verbose")),
        (("-j", written, path), ("--json_output", written, path)),
    ):
        assert analyze(*long) == analyze(*flags)
        assert analyze(*flags).code == 0


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
