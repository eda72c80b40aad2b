# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What every page of ours is held against, and questions to a browser."""

from __future__ import annotations

import base64
import hashlib
import re

from tests.page_parser import Page as Page

NEVER = {"iframe", "object", "embed", "link", "img", "base", "form", "input"}
ASKS_OR_RUNS = re.compile(
    r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\("
    r"|fetch|XMLHttp|WebSocket|sendBeacon|import\(|https?:"
)


def allowing(style: str, script: str) -> str:
    """The policy that allows these alone, by their hashes."""
    hashes = [
        base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        for source in (style, script)
    ]
    rules = ["default-src 'none'", f"style-src 'sha256-{hashes[0]}'"]
    rules += ["base-uri 'none'", "form-action 'none'"]
    if script:
        rules.insert(1, f"script-src 'sha256-{hashes[1]}'")
        rules += ["require-trusted-types-for 'script'", "trusted-types 'none'"]
    return "; ".join(rules)


def assert_harmless(
    page: Page, *, links_to: tuple[str, ...] = (), is_asking: bool = False
) -> None:
    """Raise unless nothing can run, load or lead away but what is ours.

    Parameters
    ----------
    page : Page
    links_to : tuple of str
        How addresses may begin, beside places within the page.
    is_asking : bool
        Whether it asks the server that sent it, and has fields to write into.
    """
    names = [tag for tag, _ in page.tags]
    assert not set(names) & (NEVER - {"input"} if is_asking else NEVER)
    assert names.count("script") <= 1
    assert names.count("style") == 1
    asks = "; connect-src 'self'" if is_asking else ""
    assert page.policy == allowing(page.style, page.script) + asks
    # a policy counts only for what follows it
    assert names.index("meta") < names.index("style")
    assert page.tags[names.index("meta") + 1][1]["http-equiv"]
    assert not re.search(r"url\(|@import|expression", page.style)
    assert ASKS_OR_RUNS.findall(page.script) == ["fetch"] * is_asking
    for tag, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in ("style", "src", "srcset", "action"), (tag, name)
            if name == "href":
                assert str(value).startswith(("#", *links_to)), value


TOO_WIDE = """Array.from(document.querySelectorAll('body *')).filter(e =>
    e.getBoundingClientRect().right > document.documentElement.clientWidth + 1
    && !e.closest('.scroll')).map(e => e.outerHTML.slice(0, 80))"""
"""What sticks out of the window; asked in a browser."""

NARROW_NAMES = """(() => {
  const probe = document.body.appendChild(document.createElement('span'));
  probe.textContent = '0'.repeat(24);
  const least = probe.offsetWidth;
  const names = 'tbody th, .cards > li > div:not(.end) > p:first-child';
  return Array.from(document.querySelectorAll(names)).filter(e =>
    e.offsetWidth && e.offsetWidth < least).map(e => e.textContent); })()"""
"""Names in less room than 24 characters; asked in a browser."""

CONTRASTS = """(() => {
  const canvas = document.createElement('canvas').getContext('2d');
  const rgb = colour => { canvas.fillStyle = colour;
    const hex = canvas.fillStyle; return [1, 3, 5].map(
      i => parseInt(hex.slice(i, i + 2), 16) / 255).map(
      c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); };
  const light = colour => { const [r, g, b] = rgb(colour);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) {
    const b = getComputedStyle(e).backgroundColor;
    if (b !== 'rgba(0, 0, 0, 0)') return b; } };
  return Array.from(document.querySelectorAll('body *')).filter(
    e => !e.closest('svg') && Array.from(e.childNodes).some(
      n => n.nodeType === 3 && n.data.trim())).map(e => {
    const [a, b] = [light(getComputedStyle(e).color), light(behind(e))];
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.outerHTML];
  }).filter(pair => pair[0] < 4.5).map(pair => pair[1].slice(0, 80)); })()"""
"""Texts with a contrast under 4.5 to 1 (WCAG 2.2, 1.4.3)."""
