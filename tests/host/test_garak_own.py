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


def test_what_differs_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unless it differs on purpose."""
    for folder in garak_own.TESTED:
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.setattr(sys, "argv", ["garak_own", str(tmp_path)])
    for with_us, code, told in (
        ({**LISTED, NEW: False}, 0, f"fails without us too: {NEW}\n"),
        ({**PASSED, NEW: True}, 1, f"fails without us alone: {NEW}\n"),
    ):
        found = {True: {**PASSED, NEW: False}, False: with_us}
        monkeypatch.setattr(
            garak_own,
            "outcomes",
            lambda _, *, is_untouched, found=found: found[is_untouched],
        )
        assert garak_own.main() == code
        said = capsys.readouterr().out
        assert said.startswith(told)
        assert ("no longer differs" in said) == bool(code)


SERVED = """
import garak.analyze.tbsa as served
def test_it_is_ours():
    assert "garak_tbsa" in served.__file__
"""


@pytest.mark.surroundings
def test_a_checkout_is_run_with_us_and_without_us(tmp_path: Path) -> None:
    for folder in garak_own.TESTED:
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "tests" / "analyze" / "test_served.py").write_text(SERVED)
    for is_untouched in (True, False):
        found = garak_own.outcomes(tmp_path, is_untouched=is_untouched)
        test = "tests/analyze/test_served.py::test_it_is_ours"
        assert found == {test: not is_untouched}


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
