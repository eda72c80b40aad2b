# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``make test-garak``: garak's own tests with us and without us."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests import garak_own
from tests.garak_own import INTENDED_DIFFERENCES, checkout_of, unintended

if TYPE_CHECKING:
    from pathlib import Path

LISTED = dict.fromkeys(INTENDED_DIFFERENCES, False)
PASSED = dict.fromkeys(INTENDED_DIFFERENCES, True)
NEW = "tests/cli/test_cli.py::test_new"
SERVED = """
import garak.analyze.tbsa as served
def test_tbsa_value_t2_OK():
    assert "garak_tbsa" not in served.__file__
def test_fails_without_us_too():
    assert False
def test_fails_without_us_alone():
    assert "garak_tbsa" in served.__file__
def test_passes_with_us():
    assert served.round_final_tbsa(2.09) == 2.1
"""


def test_only_what_is_not_listed_is_told() -> None:
    """Each difference has a reason."""
    assert all(INTENDED_DIFFERENCES.values())
    assert unintended(LISTED | {"a": False}, PASSED | {"a": False}) == []
    assert unintended({}, {}) == []
    assert unintended(LISTED | {NEW: False}, PASSED | {NEW: True}) == [
        f"{NEW}: fails while we are installed, which is not intended"
    ]
    listed = next(iter(LISTED))
    assert unintended(LISTED, PASSED | {listed: False}) == []
    told = [f"{listed}: no longer differs; take it out of INTENDED_DIFFERENCES"]
    for passes_without_us in (True, False):
        without_us = PASSED | {listed: passes_without_us}
        assert unintended(LISTED | {listed: True}, without_us) == told


def test_a_checkout_is_run_with_us_and_without_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    analyze = tmp_path / "tests" / "analyze"
    analyze.mkdir(parents=True)
    (tmp_path / "tests" / "cli").mkdir()
    (analyze / "test_tbsa.py").write_text(SERVED)
    monkeypatch.setattr(sys, "argv", ["garak_own", str(tmp_path)])
    assert garak_own.main() == 0
    said = capsys.readouterr().out
    name = "tests/analyze/test_tbsa.py::test_fails_without_us"
    assert said.startswith(
        f"fails without us alone: {name}_alone\nfails without us too: {name}_too\n"
    )
    monkeypatch.setattr(garak_own, "outcomes", lambda *_, is_untouched: PASSED)
    assert garak_own.main() == 1
    assert "test_tbsa_value_t2_OK: no longer differs" in capsys.readouterr().out


def test_without_garaks_tests_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that has none, or a release without tests in its sdist."""
    monkeypatch.setattr(sys, "argv", ["garak_own", str(tmp_path)])
    assert garak_own.main() == 1
    assert capsys.readouterr().err == (
        f"{tmp_path} has no tests/analyze; give a checkout of garak's repository:"
        " make test-garak GARAK=FOLDER\n"
    )
    monkeypatch.setattr(garak_own, "source_of", lambda _: tmp_path)
    with pytest.raises(garak_own.NoTestsError, match=r"^the sdist of garak 0\.17\.1"):
        checkout_of([])
