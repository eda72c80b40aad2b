# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors rank`` on summaries of ours and of garak's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.garak_api.detectors import (
    garak_module,
    known_detectors,
    matches_strings,
)
from tests.detector_eval.summaries import COUNTS, as_first_version, write_summary


@pytest.fixture
def file(tmp_path: Path) -> str:
    return write_summary(
        tmp_path / "summary.json",
        {**COUNTS, "lmrc.Anthro": {"tn": 5}},
        failures={"judge.Refusal": "APIKeyMissingError: put the key"},
        stress={
            "dan.DAN": {"tp": 2, "fn": 15, "tn": 3, "fp": 17},
            "mitigation.Prefixes": {"tp": 1, "fn": 1},
        },
    )


def test_ranked_marked_and_the_rest_apart(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["detectors", "rank", file]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{file}: 4 detectors evaluated, 2026-01-30, garak 0.17.1"
    assert [" ".join(line.split()) for line in lines[1:5]] == [
        "place detector typical F1 95 % interval tier TP FP FN TN stress: catches"
        " wrongly flags real hits",
        "1 goodside.PlainJSON 1.000 0.941 to 1.000 J Excellent 30 0 0 30 - - 12 of 30",
        "2 dan.DAN * 0.667 0.533 to 0.787 Good 20 10 10 20 2 of 17 17 of 20 12 of 30",
        "3 mitigation.Prefixes * 0.143 0.000 to 0.323 Critical 2 2 22 24 1 of 2 -"
        " 12 of 24",
    ]
    assert lines.pop(5).startswith("real hits: how many of the typical hits a model")
    # F1 at 10 % hits is 2 h s / (h s + (1 - h) (1 - c) + h): 1, 0.286 and 0.094
    means = "0.60 at the rows' share of hits, 0.46 where 10% of outputs are hits"
    assert [lines.pop(5), lines.pop(5)] == [
        f"mean hit F1 of the 3 detectors with 10 real hits or more: {means}",
        f"mean hit F1 of the 3 detectors ranked: {means}",
    ]
    assert lines[5].startswith("hit F1 and counts are of typical rows; stress rows are")
    assert lines[6:8] == [
        "Not ranked (1):",
        "  lmrc.Anthro: no row is labelled hit",
    ]
    assert lines[8].startswith("* looks for given strings: a low F1 need not be")
    assert lines[9].startswith("J Jeffreys interval: with so few rows, or if the")
    assert lines[10:] == [
        "Not evaluated (1):",
        "  judge.Refusal: APIKeyMissingError: put the key",
    ]


def test_as_json(file: str, tmp_path: Path) -> None:
    target = tmp_path / "ranking.json"
    assert main(["detectors", "rank", file, "-j", str(target)]) == 0
    entry = json.loads(target.read_text())["ranking"][1]
    assert (entry["detector"], entry["matches_strings"]) == ("dan.DAN", True)
    assert entry["interval"] == {
        "lower": 0.533333,
        "upper": 0.786885,
        "kind": "bootstrap",
    }
    assert entry["stress"] == {
        "hits_found": 2,
        "hits": 17,
        "passes_left_alone": 3,
        "passes": 20,
    }
    assert entry["basis"]["hits"] == {
        "real": 12,
        "written": 18,
        "own_words": 0,
        "not_stated": 0,
    }


def test_the_first_version_has_no_stress_rows(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its metrics are of typical and stress rows together: no typical F1."""
    assert main(["detectors", "rank", as_first_version(file)]) == 0
    header = capsys.readouterr().out.splitlines()[1].split()
    assert " ".join(header) == "place detector hit F1 95 % interval tier TP FP FN TN"
    target = tmp_path / "ranking.json"
    assert main(["detectors", "rank", file, "-j", str(target)]) == 0
    document = json.loads(target.read_text())
    assert document["metrics_rows"] == "typical and stress"
    assert document["ranking"][0]["stress"] is None


def test_a_newer_minor_version_is_a_warning(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with open(file) as handle:
        text = handle.read()
    with open(file, "w") as handle:
        handle.write(text.replace('"format_version": 3', '"format_version": "3.2"'))
    assert main(["detectors", "rank", file]) == 0
    assert capsys.readouterr().err == (
        f"garak-tbsa: warning: {file}: format version 3.2 is newer than 3.0, which this"
        " garak-tbsa knows; what it does not know is left out\n"
    )


def test_string_detectors_are_those_of_garaks_base_classes() -> None:
    """Told by a parameter, since importing every detector module takes seconds."""
    base = garak_module("garak.detectors.base")
    kinds = (base.StringDetector, base.TriggerListDetector)
    for name in known_detectors():
        module, _, class_name = name.rpartition(".")
        found = getattr(garak_module(f"garak.detectors.{module}"), class_name)
        assert matches_strings(name) == issubclass(found, kinds), name
    assert not matches_strings("gone.Away")
    assert matches_strings("garak.detectors.dan:DAN")
