# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Selected probes that left nothing: garak could not load or reach them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from tests.behaviour.product import document, tbsa
from tests.behaviour.scans import scan
from tests.behaviour.schemas import assert_keeps_schema

MEASURED = ["probe.P00", "probe.P01", "probe.P02"]
SELECTIONS: dict[str, tuple[Any, list[str]]] = {
    "one is missing": ([*MEASURED, "probes.goat.GOATAttack"], ["goat.GOATAttack"]),
    "a text with commas": ("probe.P00, probe.P01,probe.P02,x.Y,", ["x.Y"]),
    "a family is missing": (["probe", "goat"], ["goat"]),
    "a family": ("probe", []),
    "all there": (MEASURED, []),
    "words that name none": (["all", "*", "auto"], []),
    "no list": ({"probe": 1}, []),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_a_selected_probe_without_a_result_is_left_out(
    name: str, tmp_path: Path
) -> None:
    selected, silent = SELECTIONS[name]
    path = scan(tmp_path, setup={"transient.active_probes": selected})
    found = document(tmp_path, "score", "--no-interval", path)
    assert_keeps_schema(found, "score.schema.json")
    assert [each["probe"] for each in found["silent_probes"]] == silent
    code = 3 if silent else 0
    covered = tbsa("score", "-q", "--min-coverage", "1", path)
    strict = tbsa("score", "-q", "--strict", path)
    assert (covered.code, strict.code) == (code, 1 if silent else 0)
    forms = [tmp_path / form for form in ("junit", "html", "markdown")]
    outputs = [part for form in forms for part in (f"--{form.name}", form)]
    shown = tbsa("score", "--no-interval", *outputs, path)
    result = garak_tbsa.score(path, interval=False)
    for probe in silent:
        assert probe in shown.out
        assert probe in "".join(result.warnings)
        assert "of 4 selected" in covered.err or "of 2 selected" in covered.err
        assert "selected probes measured" in strict.err
        assert all(probe in form.read_text("utf-8") for form in forms)
    assert bool(silent) == ("selected" in shown.out)


def test_what_was_asked_for_is_not_what_was_selected(tmp_path: Path) -> None:
    """``run.spec`` names what a user wrote, before garak made probes of it."""
    spec = {"run.spec": {"include": ["probes.goat.GOATAttack"], "exclude": []}}
    shown = tbsa(
        "score", "--no-interval", "--min-coverage", "1", scan(tmp_path, setup=spec)
    )
    assert shown.code == 0
    assert "goat" not in shown.out
