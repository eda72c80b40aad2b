# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans from Python: a wrong argument is told in one line, and nothing is printed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa as tbsa
from tests.demo_scans import AFTER, BEFORE, copied_to
from tests.gold import FOLDER

OLDER = str(FOLDER / "garak-0.14.1.report.jsonl")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied_to(tmp_path_factory.mktemp("demo"))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"report": 3}, "report: expected a path, found 3"),
        ({"report": ""}, "report: expected a path, found ''"),
        ({"report": b"x"}, "report: expected a path, found b'x'"),
        ({"report": ["a", "b"]}, "report: expected a path, found ['a', 'b']"),
        (
            {"repeat": "x"},
            "repeat: expected 'same-prompts' or 'fresh-prompts', found 'x'",
        ),
        ({"fail_under": 9}, "fail_under: expected a number from 1 to 5, found 9"),
        (
            {"sure": 0.9},
            "sure has no effect without fail_under or require_tier1_grade; give that"
            " too",
        ),
        ({"hits": 101}, "hits: expected a whole number from 0 to 100, found 101"),
        ({"hits": -1}, "hits: expected a whole number from 0 to 100, found -1"),
        ({"hits": True}, "hits: expected a whole number from 0 to 100, found True"),
        (
            {"tiers": {"a.B": object}},
            "tiers: expected numbers by probe name (Object of type type is not JSON"
            " serializable)",
        ),
    ],
)
def test_a_wrong_argument_of_score(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(tbsa.GarakTbsaError) as caught:
        tbsa.score(**{"report": "none.jsonl"} | arguments)
    assert (str(caught.value), caught.value.exit_code) == (text, 2)


def test_other_wrong_arguments(tmp_path: Path) -> None:
    for match, code, asked in (
        (r"^tiers: a\.B: expected a tier of 1, 2, 3", 1, {"tiers": {"a.B": 7}}),
        (r"^common and force: give one of them$", 2, {"common": True, "force": True}),
        (r"^hits: expected a whole number from 0 to 100", 2, {"hits": 101}),
        (r"^alpha: expected a number from .*, found '1'$", 2, {"alpha": "1"}),
    ):
        with pytest.raises(tbsa.GarakTbsaError, match=match) as caught:
            tbsa.compare(OLDER, OLDER, **asked)
        assert caught.value.exit_code == code
    paths: Any
    for paths, text in (
        ([], "paths: expected at least one path, found none"),
        (b"x", "paths: expected a path, found 120"),
    ):
        with pytest.raises(tbsa.GarakTbsaError, match=text):
            tbsa.history(paths)
    with pytest.raises(tbsa.GarakTbsaError, match="; name a folder of reports"):
        tbsa.history(str(tmp_path / "nofolder"))
    with pytest.raises(
        tbsa.GarakTbsaError, match=r"^fail_under: .* 1 to 5, found 5\.1$"
    ):
        tbsa.audit(OLDER, fail_under=5.1)


def test_any_path_and_the_ends_of_what_is_allowed() -> None:
    class Given:
        def __fspath__(self) -> str:
            return OLDER

    low = tbsa.score(Given(), fail_under=1, hits=0, interval=False)
    high = tbsa.score(Given(), fail_under=5, hits=100, interval=False)
    (scan,) = tbsa.history(iter([Given()]), interval=False).scans
    assert low.tbsa == high.tbsa == scan.tbsa


def test_what_is_left_out_of_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.report.jsonl").write_bytes(Path(OLDER).read_bytes())
    os.mkfifo(tmp_path / "b.report.jsonl")
    found = tbsa.history(tmp_path)
    (warning,) = found.warnings
    assert warning.startswith(f"{tmp_path}/b.report.jsonl: is a folder, pipe or device")
    assert "b.report.jsonl" in found._repr_html_()
    assert len(found.scans) == 1


def test_nothing_is_printed(demo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    results = (
        tbsa.score(demo / BEFORE, fail_under=5, hits=1),
        tbsa.compare(demo / BEFORE, demo / AFTER),
        tbsa.history(demo),
        tbsa.audit(demo / BEFORE),
        tbsa.load_summary(),
    )
    for result in results:
        assert repr(result).startswith(f"<{type(result).__name__} ")
        result.to_dict()
    assert capfd.readouterr() == ("", "")
