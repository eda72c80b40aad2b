# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans from Python: what the commands write, the same errors, nothing printed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import garak_tbsa as tbsa
from garak_tbsa.errors import (
    ReportError,
    UsageError,
)
from tests.demo_scans import AFTER, BEFORE, copied_to
from tests.gold import FOLDER

OLDER = str(FOLDER / "garak-0.14.1.report.jsonl")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied_to(tmp_path_factory.mktemp("demo"))


def test_a_path_to_nothing_is_an_error_as_on_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="does not exist; name a folder of reports"):
        tbsa.history(str(tmp_path / "nofolder"))


def test_what_is_left_out_of_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.report.jsonl").write_bytes(Path(OLDER).read_bytes())
    os.mkfifo(tmp_path / "b.report.jsonl")
    found = tbsa.history(tmp_path)
    (warning,) = found.warnings
    assert warning.startswith(f"{tmp_path}/b.report.jsonl: is a folder, pipe or device")
    assert "b.report.jsonl" in found._repr_html_()
    assert len(found.scans) == 1


def test_a_folder_and_two_rules_for_one_thing_are_refused(demo: Path) -> None:
    with pytest.raises(UsageError, match=r"is a folder; garak_tbsa\.history scores"):
        tbsa.score(demo)
    with pytest.raises(UsageError, match=r"^common and force: give one of them$"):
        tbsa.compare(OLDER, OLDER, common=True, force=True)


def test_nothing_is_printed(demo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    results = (
        tbsa.score(demo / BEFORE, fail_under=5, hits=1),
        tbsa.compare(demo / BEFORE, demo / AFTER, replicates=50),
        tbsa.history(demo),
        tbsa.audit(demo / BEFORE),
        tbsa.load_summary(),
    )
    for result in results:
        assert repr(result).startswith(f"<{type(result).__name__} ")
        result.to_dict()
    assert capfd.readouterr() == ("", "")
