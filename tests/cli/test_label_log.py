# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The file of answers only grows, line by line, whatever the disk does."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.errors import OutputError
from garak_tbsa.labels import label_log

LINE = '{"attempt": "u", "output_index": 0, "detector": "a.B", "label": "hit"}\n'


def test_each_line_is_synced_before_append_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """\"each answer is on disk before the next is shown\""""
    synced: list[str] = []
    path = tmp_path / "l.jsonl"
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(path.read_text()))
    label_log.append_to_log(str(path), LINE)
    assert synced[0] == LINE


def test_a_disk_that_takes_half_a_line_keeps_none_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "l.jsonl"
    path.write_text(LINE)

    class Full(io.FileIO):
        def write(self, data: Any) -> int:
            return super().write(data[:10])

    monkeypatch.setattr(
        label_log, "open", lambda path, *_, **__: Full(path, "a+"), raising=False
    )
    with pytest.raises(OutputError) as caught:
        label_log.append_to_log(str(path), LINE)
    assert str(caught.value) == (
        f"{path}: cannot be written (No space left on device); the answer was not"
        f" saved; make room, or give --labels another path"
    )
    assert path.read_text() == LINE
