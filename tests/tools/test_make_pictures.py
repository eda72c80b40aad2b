# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The docs' pictures of pages are those that ``make pictures`` makes, and small."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.programs import needed
from tools.make_pictures import ALL, LARGEST, PICTURES, make

DOCS = PICTURES.parent


def size_of(picture: Path) -> tuple[int, int]:
    """Width and height, from a PNG's first chunk."""
    head = picture.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:])
    return width, height


def test_each_picture_is_made_is_small_and_is_on_a_page() -> None:
    # that one is of a page which no command writes into a file
    assert {path.name for path in PICTURES.iterdir()} == {*ALL, "label.png"}
    text = "".join(page.read_text("utf-8") for page in DOCS.rglob("*.md"))
    for name, picture in ALL.items():
        path = PICTURES / name
        assert path.stat().st_size <= LARGEST
        assert size_of(path) == (picture.width, picture.height)
        assert f"pictures/{name})" in text


@pytest.mark.surroundings
def test_a_picture_is_made_again(tmp_path: Path) -> None:
    needed("chromium", "chromium-browser")
    made = make("compare.png", tmp_path)
    assert size_of(made) == (ALL["compare.png"].width, ALL["compare.png"].height)
    assert made.stat().st_size > 10_000
