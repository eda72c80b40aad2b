# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``make test-garak``: garak's own tests with us and without us."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests import garak_own
from tests.garak_own import INTENDED_DIFFERENCES, TESTED, checkout_of, unintended

if TYPE_CHECKING:
    from pathlib import Path

LISTED = {test for test in INTENDED_DIFFERENCES if test.startswith(TESTED)}
NEW = f"{TESTED}/test_tbsa.py::test_new"
SERVED = """
import garak.analyze.tbsa as served
def test_tbsa_value_t2_OK():
    assert "garak_tbsa" not in served.__file__
def test_fails_without_us_too():
    assert False
def test_passes_with_us():
    assert served.round_final_tbsa(2.09) == 2.1
"""


def test_a_listed_difference_is_no_news() -> None:
    assert unintended(LISTED | {"a"}, {"a"}) == []


def test_a_new_difference_is_told() -> None:
    assert unintended(LISTED | {NEW}, set()) == [
        f"{NEW}: fails while we are installed, which is not intended"
    ]


def test_a_difference_that_is_gone_is_told() -> None:
    (gone,) = LISTED
    told = [f"{gone}: no longer differs; take it out of INTENDED_DIFFERENCES"]
    assert unintended(set(), set()) == told
    assert unintended({gone}, {gone}) == told


def test_a_checkout_is_run_with_us_and_without_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / TESTED).mkdir(parents=True)
    (tmp_path / TESTED / "test_tbsa.py").write_text(SERVED)
    monkeypatch.setattr(sys, "argv", ["garak_own", str(tmp_path)])
    assert garak_own.main() == 0
    said = capsys.readouterr().out
    assert said.startswith(
        f"fails without us too: {TESTED}/test_tbsa.py::test_fails_without_us_too\n"
    )
    (tmp_path / TESTED / "test_tbsa.py").write_text("def test_nothing(): pass")
    assert garak_own.main() == 1
    assert "test_tbsa_value_t2_OK: no longer differs" in capsys.readouterr().out


def test_a_folder_without_garaks_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["garak_own", str(tmp_path)])
    assert garak_own.main() == 1
    assert capsys.readouterr().err == (
        f"{tmp_path} has no tests/analyze; give a checkout of garak's repository:"
        " make test-garak GARAK=FOLDER\n"
    )


def test_a_release_without_tests_in_its_sdist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garak_own, "source_of", lambda _: tmp_path)
    with pytest.raises(garak_own.NoTestsError, match=r"^the sdist of garak 0\.17\.1"):
        checkout_of([])
