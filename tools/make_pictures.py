# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Make the pictures of the tutorial from the demo's reports; ``make pictures`` does.

Each is what a browser without window shows at the top of a page that a command wrote.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
LARGEST = 150_000
TIME_LIMIT = 120


@dataclass(frozen=True, kw_only=True)
class Picture:
    """The top of a page.

    Attributes
    ----------
    command : tuple of str
        Words after ``garak-tbsa``; what writes the page.
    page : str
        The page's file.
    width, height : int
        In CSS pixels, of which each becomes one of the picture's.
    """

    command: tuple[str, ...]
    page: str
    width: int
    height: int


BEFORE, AFTER = "before.report.jsonl", "after.report.jsonl"
ALL = {
    "score.png": Picture(
        command=("score", BEFORE, "--html", "before.html"),
        page="before.html",
        width=1000,
        height=1000,
    ),
    "compare.png": Picture(
        command=("compare", BEFORE, AFTER, "--html", "compare.html"),
        page="compare.html",
        width=1000,
        height=860,
    ),
    "label.png": Picture(
        command=("label", BEFORE, "--page", "label.html", "--rater", "you", "-n", "40"),
        page="label.html",
        width=900,
        height=900,
    ),
}
"""Every picture, by its file's name."""


def make(name: str, folder: Path) -> Path:
    """Make one of :data:`ALL` in a folder, and return its path.

    Raises
    ------
    ValueError
        It is larger than 150 kB, or there is no Chromium.
    """
    picture = ALL[name]
    made = folder / name
    with tempfile.TemporaryDirectory() as demo:
        _run(demo, sys.executable, "-m", "garak_tbsa", "demo", demo)
        _run(demo, sys.executable, "-m", "garak_tbsa", *picture.command)
        _run(
            demo,
            _chromium(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--no-first-run",
            f"--user-data-dir={demo}/profile",
            f"--window-size={picture.width},{picture.height}",
            f"--screenshot={made}",
            (Path(demo) / picture.page).as_uri(),
        )
    if made.stat().st_size > LARGEST:
        raise ValueError(f"{made}: more than {LARGEST:,} bytes; make it smaller")
    return made


def _chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise ValueError("no chromium; make test-programs installs it")
    return found


def _run(folder: str, *command: str) -> None:
    subprocess.run(
        command, cwd=folder, check=True, capture_output=True, timeout=TIME_LIMIT
    )


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name in ALL:
        print(make(name, PICTURES))
