# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Make the docs' pictures of pages from the demo's reports; ``make pictures`` does.

Each is what a browser without window shows of a page that a command wrote.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
LARGEST = 150_000
TIME_LIMIT = 120
FLAGS = (
    *("--headless=new", "--no-sandbox", "--hide-scrollbars", "--no-first-run"),
    *("--disable-gpu", "--disable-dev-shm-usage"),
)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """Part of a page.

    Attributes
    ----------
    command : tuple of str
        Words after ``garak-tbsa``; what writes the page.
    page : str
        The page's file.
    width, height : int
        In CSS pixels, of which each becomes one of the picture's.
    part : str
        Where it begins; empty for the top of the page.
    opened : str
        CSS selector of a folded part that is opened; empty for none.
    """

    command: tuple[str, ...]
    page: str
    width: int
    height: int
    part: str = ""
    opened: str = ""


BEFORE, AFTER = "before.report.jsonl", "after.report.jsonl"


def _of_score(height: int, *, part: str = "", opened: str = "") -> Picture:
    return Picture(
        command=("score", BEFORE, "--html", "before.html"),
        page="before.html",
        width=1000,
        height=height,
        part=part,
        opened=opened,
    )


ALL = {
    "score.png": _of_score(1000),
    "costs.png": _of_score(700, part="costs"),
    "pairs.png": _of_score(700, part="pairs"),
    "hits.png": _of_score(700, part="hits", opened="#hits ~ details"),
    "compare.png": Picture(
        command=("compare", BEFORE, AFTER, "--html", "compare.html"),
        page="compare.html",
        width=1000,
        height=860,
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
        with _browser(demo, picture) as browser:
            browser.get(f"{(Path(demo) / picture.page).as_uri()}#{picture.part}")
            if picture.opened:
                part = browser.find_element("css selector", picture.opened)
                browser.execute_script("arguments[0].open = true", part)
            made.write_bytes(browser.get_screenshot_as_png())
    if made.stat().st_size > LARGEST:
        raise ValueError(f"{made}: more than {LARGEST:,} bytes; make it smaller")
    return made


@contextmanager
def _browser(folder: str, picture: Picture) -> Iterator[Chrome]:
    """Start a browser whose page has the picture's size."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = _program("chromium", "chromium-browser")
    for flag in (*FLAGS, f"--user-data-dir={folder}/profile"):
        options.add_argument(flag)
    driver = Service(_program("chromedriver"))
    browser = webdriver.Chrome(options=options, service=driver)
    try:
        size = {"width": picture.width, "height": picture.height}
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {**size, "deviceScaleFactor": 1, "mobile": False},
        )
        yield browser
    finally:
        browser.quit()


def _program(*names: str) -> str:
    for name in names:
        if found := shutil.which(name):
            return found
    raise ValueError(f"no {names[0]}; make test-programs installs it")


def _run(folder: str, *command: str) -> None:
    subprocess.run(
        command, cwd=folder, check=True, capture_output=True, timeout=TIME_LIMIT
    )


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name in ALL:
        print(make(name, PICTURES))
