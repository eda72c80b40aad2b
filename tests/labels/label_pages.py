# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pages to label on, and somebody who labels on them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from garak_tbsa.cli.main import main
from tests.browser import Browser
from tests.factories import PairFacts
from tests.labels.reports import full_report
from tests.outputs.samples import HOSTILE

HOSTILE_TEXT = "\n".join(HOSTILE) + "\u2066isolated\u200bz" + "\u0300" * 40


def hostile_report(path: Path) -> Path:
    facts = PairFacts(
        probe="dan.<b>\x1b[2JProbe", detector="dan.<i>D\u202e", passed=4, total=8
    )
    return full_report(
        path,
        [facts],
        text=lambda facts, number: f"{HOSTILE_TEXT} end of {number}",
        prompt=f"prompt {HOSTILE_TEXT}",
        goal="<script>window.ran=6</script>\u202e",
    )


def page_of(report: Path, *options: str) -> Path:
    page = report.parent / "label.html"
    assert main(["label", str(report), "--page", str(page), *options]) == 0
    return page


class Labeller:
    """Somebody who labels on the page."""

    def __init__(self, chromium: Browser) -> None:
        self.chromium = chromium

    def element(self, selector: str) -> Any:
        return self.chromium.driver.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        return str(self.chromium.ask(f"document.querySelector('{selector}').innerText"))

    def call(self, name: str) -> None:
        """Say who labels."""
        self.element("#rater").clear()
        self.element("#rater").send_keys(name, "\n")

    def write_note(self, text: str) -> None:
        """Paste a note; keys cannot type every character."""
        self.chromium.driver.execute_script(
            "const note = document.querySelector('#note'); note.value = arguments[0];"
            "note.dispatchEvent(new Event('input'))",
            text,
        )

    def press(self, *keys: str) -> None:
        for key in keys:
            time.sleep(0.32)  # sooner, a key is one for the output before
            before = self._shown()
            self.element("body").send_keys(key)
            for _ in range(20):  # a server with much else to do answers later
                if self._shown() != before:
                    break
                time.sleep(0.05)

    def _shown(self) -> tuple[str, ...]:
        return tuple(self.text(selector) for selector in ("#heading", "#said"))

    def click(self, selector: str) -> None:
        time.sleep(0.32)
        self.element(selector).click()

    def wait_for(self, selector: str, text: str) -> None:
        """Wait until an answer of the server, or of another window, is shown."""
        self.wait_until(selector, text)
        assert self.text(selector) == text

    def wait_until(self, selector: str, start: str) -> None:
        """Wait for a text that begins so."""
        for _ in range(200):
            if self.text(selector).startswith(start):
                return
            time.sleep(0.05)
        raise AssertionError(f"{self.text(selector)!r} does not begin with {start!r}")

    def exported(self, folder: Path) -> Path:
        folder.mkdir(exist_ok=True)
        self.chromium.save_downloads_in(folder)
        before = set(folder.iterdir())
        self.chromium.driver.execute_script("document.querySelector('.export').click()")
        for _ in range(400):
            new = {p for p in set(folder.iterdir()) - before if p.suffix == ".jsonl"}
            if new:
                return new.pop()
            time.sleep(0.05)
        raise AssertionError("no download")

    def bring(self, path: Path) -> str:
        """Import a file; return what is said of it."""
        self.chromium.driver.execute_script(
            "document.querySelector('#keep').open = true;"
            "document.querySelector('#said').textContent = ''"
        )
        self.element("#import").send_keys(str(path))
        for _ in range(400):
            if self.text("#said"):
                return self.text("#said")
            time.sleep(0.05)
        raise AssertionError("nothing was said")
