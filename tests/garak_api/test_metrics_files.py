# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where the installed garak reads detector metrics."""

import os

import pytest

from garak_tbsa.errors import GarakMissingError
from garak_tbsa.garak_api import installed
from garak_tbsa.garak_api.detectors import garak_module
from garak_tbsa.garak_api.installed import metrics_files
from tests.garak_own import needs_garak_017


@needs_garak_017
def test_the_two_files_are_those_that_garak_looks_for() -> None:
    transient = garak_module("garak._config").transient
    name = "detectors_eval/detector_metrics_summary.json"
    found = metrics_files()
    assert found.users == str(transient.data_dir / "data" / name)
    assert found.shipped == str(transient.package_dir / "data" / name)
    # garak itself, where the user has no file
    assert not os.path.exists(found.users)
    assert str(garak_module("garak.data").path / "detectors_eval" / name[15:]) == (
        found.shipped
    )


@pytest.mark.parametrize("version", ["0.16.0", "0.9", "unknown"])
def test_older_garak_reads_none(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(installed, "_version", lambda _: version)
    with pytest.raises(GarakMissingError) as caught:
        metrics_files()
    assert str(caught.value) == (
        f"garak {version} reads no detector metrics of a user's; install garak 0.17 or"
        " newer"
    )


@pytest.mark.parametrize("version", ["0.17.0", "0.17rc1", "0.18.0.pre1", "1.0"])
def test_newer_garak_reads_them(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(installed, "_version", lambda _: version)
    assert metrics_files().users


def test_garak_without_metrics_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: os.PathLike[str]
) -> None:
    monkeypatch.setattr(installed, "_version", lambda _: "0.17.0")
    monkeypatch.setattr(installed, "garak_folder", lambda: str(tmp_path))
    assert metrics_files().shipped is None


def test_no_garak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "garak_folder", lambda: None)
    with pytest.raises(GarakMissingError) as caught:
        metrics_files()
    assert str(caught.value) == "no garak is installed here; pip install garak"
