# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pages to label on, and somebody who labels on them."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.browser import Browser
from tests.factories import PairFacts
from tests.labels.reports import full_report
from tests.outputs.samples import HOSTILE

PATIENCE = 60.0
HOSTILE_TEXT = "\n".join(HOSTILE) + "\u2066isolated\u200bz" + "\u0300" * 40

TAPS = """const hit = document.querySelector('[data-answer=hit]');
hit.click(); hit.click();"""
WRITES_MARKUP = """(() => {
    try { document.body.innerHTML = '<p>'; return 'made'; }
    catch (error) { return error.name; }
})()"""


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


class Labeller:
    """Somebody who labels on a page, in time that passes only when told."""

    def __init__(self, chromium: Browser, address: str, **options: Any) -> None:
        """Show a page that has begun."""
        self.chromium = chromium
        chromium.open(address, **options)
        self.wait_until("#count", lambda text: text != "")

    def run(self, script: str, *arguments: object) -> None:
        self.chromium.driver.execute_script(script, *arguments)

    def element(self, selector: str) -> Any:
        return self.chromium.driver.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        return str(self.chromium.ask(f"document.querySelector('{selector}').innerText"))

    def open_details(self) -> None:
        self.run(
            "document.querySelectorAll('details').forEach(e => { e.open = true; })"
        )

    def call(self, name: str) -> None:
        """Say who labels."""
        self.element("#rater").clear()
        self.element("#rater").send_keys(name, "\n")

    def write_note(self, text: str) -> None:
        """Paste a note; keys cannot type every character."""
        self.run(
            "const note = document.querySelector('#note'); note.value = arguments[0];"
            "note.dispatchEvent(new Event('input'))",
            text,
        )

    def let_pass(self, milliseconds: int) -> None:
        """Stop the page's clock, and set it on by as much."""
        self.run(
            "const now = Math.ceil(performance.now()) + arguments[0];"
            "performance.now = () => now;",
            milliseconds,
        )

    def touch(self, key: str, passed: int = 300) -> None:
        """Press a key, so long after what was shown last."""
        self.let_pass(passed)
        self.element("body").send_keys(key)

    def press(self, *keys: str) -> None:
        """Press keys; what each does is shown before the next."""
        for key in keys:
            before = self.text("#heading"), self.text("#said")
            self.touch(key)
            self.wait_until("#heading", partial(self._is_after, before))

    def _is_after(self, before: tuple[str, str], heading: str) -> bool:
        return heading != before[0] or self.text("#said") not in ("", before[1])

    def click(self, selector: str) -> None:
        self.let_pass(300)
        self.element(selector).click()

    def wait_for(self, selector: str, text: str) -> None:
        """Wait until an answer of the server, or of another window, is shown."""
        self.wait_until(selector, lambda shown: shown == text)

    def wait_for_start(self, selector: str, start: str) -> None:
        """Wait for a text that begins so."""
        self.wait_until(selector, lambda shown: shown.startswith(start))

    def wait_until(self, selector: str, is_there: Callable[[str], bool]) -> None:
        """Wait for a text for as long as a busy machine takes."""
        end = time.monotonic() + PATIENCE
        while not is_there(self.text(selector)):
            assert time.monotonic() < end, (selector, self.text(selector))
            time.sleep(0.02)
