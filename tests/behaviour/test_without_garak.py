# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Without garak a test that cannot be done is named, and no gate passes unknown.

A gate has the verdict that it has with garak, or is not judged.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import garak_tbsa
from tests.behaviour.product import GOLD, Shown, document, tbsa
from tests.garak_own import garak_folder

NO_DIGEST = GOLD / "no-digest.report.jsonl"
NOT_JUDGED = "not judged, since no garak is installed here: "
UNTESTED = ", the score's move not tested)"

Both = tuple[Path, Path]


@pytest.fixture
def take_garak_away(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """What leaves no garak on this machine."""
    place = "garak_tbsa.report.garak_here.garak_folder"
    return lambda: monkeypatch.setattr(place, lambda: None)


def test_a_test_that_is_not_done_is_named(
    real: Both, tmp_path: Path, take_garak_away: Callable[[], None]
) -> None:
    with_garak = tbsa("compare", *real)
    assert "Second scan worse, all three:" in with_garak.out
    assert UNTESTED not in with_garak.out
    take_garak_away()
    shown = tbsa("compare", *real)
    assert UNTESTED in shown.lines[0]
    assert "Score difference, permuted:     not done (the calibration" in shown.out
    assert "Second scan worse, other two:   p = " in shown.out
    assert "all three" not in shown.out
    assert UNTESTED in tbsa("compare", "-q", *real).out
    page = tmp_path / "page.html"
    assert tbsa("compare", "-q", *real, "--html", page).code == 0
    assert "all three" not in page.read_text("utf-8")
    result = document(tmp_path, "compare", *real)
    assert UNTESTED in result["verdict"]["text"]
    assert result["tests"]["p_score"] is None
    assert UNTESTED in garak_tbsa.compare(*real).headline


def gates(real: Both) -> dict[str, Shown]:
    """Each gate that grades decide, where it passes with garak."""
    before, after = real
    return {
        "--fail-on worse": tbsa("compare", "-q", "--fail-on", "worse", after, before),
        "baseline": tbsa("score", "-q", before, "--baseline", after),
        "fail-under": tbsa("score", "-q", NO_DIGEST, "--fail-under", "1"),
        "require-tier1-grade": tbsa(
            "score", "-q", NO_DIGEST, "--require-tier1-grade", "1"
        ),
    }


def test_no_gate_passes_that_garak_might_fail(
    real: Both, take_garak_away: Callable[[], None]
) -> None:
    assert {name: shown.code for name, shown in gates(real).items()} == dict.fromkeys(
        ("--fail-on worse", "baseline", "fail-under", "require-tier1-grade"), 0
    )
    take_garak_away()
    for name, shown in gates(real).items():
        assert shown.code == 3
        (line,) = [line for line in shown.err.splitlines() if NOT_JUDGED in line]
        assert f"{name}: " in line
    gate = garak_tbsa.score(real[0], baseline=real[1]).gate
    assert gate is not None
    assert not gate.passed
    # what the report itself says is as with garak
    same = ("--fail-under", "2", "--require-tier1-grade", "1", "--min-coverage", "0.5")
    assert tbsa("score", "-q", real[0], *same).code == 0
    assert tbsa("score", "-q", real[0], "--fail-under", "2.4").code == 3


def test_a_calibration_that_is_given_takes_garaks_place(
    real: Both, take_garak_away: Callable[[], None]
) -> None:
    calibration = garak_folder() / "data" / "calibration" / "calibration.json"
    gate = ("score", "-q", real[0], "--baseline", real[1], "--calibration", calibration)
    with_garak = tbsa(*gate)
    take_garak_away()
    assert tbsa(*gate) == with_garak
    assert with_garak.code == 0
