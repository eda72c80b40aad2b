# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as a badge of our own: one SVG that loads and runs nothing."""

from __future__ import annotations

from html import escape

from garak_tbsa.tbsa.outputs.badge import LABEL, message_of, step_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from garak_tbsa.tbsa.outputs.registry import ScoredReport

DARK, LIGHT = "#1f2328", "#ffffff"
LABEL_FILL = "#444c56"
FILLS = (
    ("#b42318", LIGHT),
    ("#f59f45", DARK),
    ("#f2d24b", DARK),
    ("#1f7a3d", LIGHT),
    ("#1f5fbf", LIGHT),
)
"""Ground and text of each step, worst first; a contrast of 4.5 or more."""

HEIGHT = 20
SIDE = 6
"""Room on each side of a text, in pixels."""
CHAR = 6.6
NARROW = frozenset(".,'fijlt ")
NARROW_CHAR = 3.6
CAPITAL = 7.5
"""Widths at 11 px of the fonts named below; ``textLength`` holds a text to them."""

TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"\
 viewBox="0 0 {width} {height}" role="img" aria-label="{title}">
<title>{title}</title>
<clipPath id="round"><rect width="{width}" height="{height}" rx="3"/></clipPath>
<g clip-path="url(#round)">
<rect width="{left}" height="{height}" fill="{label_fill}"/>
<rect x="{left}" width="{right}" height="{height}" fill="{fill}"/>
</g>
<g font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
<text x="{side}" y="14" fill="{label_colour}" textLength="{label_length}">\
{label}</text>
<text x="{message_at}" y="14" fill="{colour}" textLength="{message_length}">\
{message}</text>
</g>
</svg>
"""


def render(scored: ScoredReport) -> str:
    """Return the badge; no text of the report is in it."""
    message = message_of(scored)
    fill, colour = FILLS[step_of(scored)]
    left, right = width_of(LABEL) + 2 * SIDE, width_of(message) + 2 * SIDE
    return TEMPLATE.format(
        title=escape(f"{LABEL}: {message}"),
        label=escape(LABEL),
        message=escape(message),
        width=left + right,
        height=HEIGHT,
        left=left,
        right=right,
        side=SIDE,
        message_at=left + SIDE,
        label_length=width_of(LABEL),
        message_length=width_of(message),
        label_fill=LABEL_FILL,
        label_colour=LIGHT,
        fill=fill,
        colour=colour,
    )


def width_of(text: str) -> int:
    """Return about how wide a text is, in pixels."""
    return round(sum(map(_width, text)))


def _width(char: str) -> float:
    if char.isupper():
        return CAPITAL
    return NARROW_CHAR if char in NARROW else CHAR
