# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What several files of the net share."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.behaviour.labelled import MODULE
from tests.behaviour.scans import demo

NAME = "detector_metrics_summary.json"
PLACE = Path(os.environ["XDG_DATA_HOME"]) / "garak" / "data" / "detectors_eval" / NAME
"""Where garak 0.17 looks before it takes its own."""


@pytest.fixture
def echoes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder with a module of own detectors, which can be imported."""
    (tmp_path / "echoes.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("echoes", None)


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The two scans of the demo, on the same prompts; in the second one pair fell."""
    return demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture
def place() -> Iterator[Path]:
    """Where metrics are installed, as long as the test runs."""
    assert not PLACE.parent.exists()
    yield PLACE
    shutil.rmtree(PLACE.parent, ignore_errors=True)
