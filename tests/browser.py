# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium, for what only a browser can tell of a page."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.programs import needed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Browser:
    """One browser; see :func:`browser`."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(
        self,
        page: Path | str,
        *,
        width: int = 1280,
        dark: bool = False,
        media: str = "",
    ) -> None:
        """Show a page, by its file or its address; forget what was logged before."""
        self._tell(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        scheme = "dark" if dark else "light"
        self._tell(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        self.messages()
        self.requests()
        self.driver.get(page if isinstance(page, str) else page.as_uri())

    def ask(self, expression: str) -> Any:
        """Evaluate JavaScript; the page itself may run none."""
        return self.driver.execute_script(f"return {expression}")

    def messages(self) -> list[str]:
        """What the console said, blocked loads and scripts included."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Every address that was asked for since the last time."""
        events = [
            json.loads(entry["message"])["message"]
            for entry in self.driver.get_log("performance")
        ]
        return [
            str(event["params"]["request"]["url"])
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def pdf(self) -> str:
        """Print; the document in base64."""
        return str(self._tell("Page.printToPDF")["data"])

    @contextmanager
    def another_window(self) -> Iterator[None]:
        """Go to a new window, and close it in the end."""
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        try:
            yield
        finally:
            self.driver.close()
            self.driver.switch_to.window(first)

    def _tell(self, command: str, **options: object) -> Any:
        return self.driver.execute_cdp_cmd(command, options)


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """Start Chromium with an empty profile.

    Where there is none, the test fails in CI and is skipped elsewhere.
    """
    chromium = needed("chromium", "chromium-browser")
    driver = needed("chromedriver")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield Browser(started)
    finally:
        started.quit()
