# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What every page of ours shares: style, policy, escaping, and the scale of a score.

A page is one file that loads nothing. Every string from a report passes through
Jinja's autoescaping, with control characters made visible first. The
Content-Security-Policy allows our own style sheet, and our own script where the page
has one, by their hashes, and nothing else; what is written into an element or an
attribute can therefore neither run, load nor send. A page with a script must read in
full without it.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from garak_tbsa.outputs import evidence_said, said
from garak_tbsa.report.report import Report
from garak_tbsa.safe_text import printable
from garak_tbsa.tbsa.rules import GRADES
from garak_tbsa.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

SCALE_START, SCALE_STEP, DOT = 12, 74, 8


def filled(
    template: str,
    values: dict[str, Any],
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
) -> str:
    """Fill a template of this package; see the module for what is escaped.

    Parameters
    ----------
    template : str
        Its name in ``templates``. One that extends ``base.html`` fills the blocks
        ``title`` and ``content``; any other writes ``style``, ``policy`` and
        ``script`` itself.
    values : dict
        What the template names.
    styles : sequence of str
        Names of style sheets in ``templates`` that follow the one of all pages.
    scripts : sequence of str
        Names of scripts in ``templates``, run in this order; none gives a page in
        which nothing can run.
    """
    style = "".join(_read(name) for name in ("base.css", *styles))
    script = "".join(_read(name) for name in scripts)
    page = environment_of(_visible).get_template(template)
    return page.render(
        style=style,
        script=script,
        policy=content_policy(style, script),
        version=__version__,
        disclaimer=said.DISCLAIMER,
        **values,
    )


def content_policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy of a page, without double quotes.

    Parameters
    ----------
    style, script : str
        Contents of its one ``style`` and its one ``script`` element; an empty script
        is none.
    """
    rules = ["default-src 'none'", f"style-src '{source_hash(style)}'"]
    rules += ["base-uri 'none'", "form-action 'none'"]
    if script:
        rules.insert(1, f"script-src '{source_hash(script)}'")
        # not even our own script can turn a string into markup
        rules += ["require-trusted-types-for 'script'", "trusted-types 'none'"]
    return "; ".join(rules)


def source_hash(source: str) -> str:
    """Return what a Content-Security-Policy knows a style sheet or a script by."""
    sha256 = hashlib.sha256(source.encode()).digest()
    return f"sha256-{base64.b64encode(sha256).decode()}"


@lru_cache
def environment_of(finalize: Callable[[object], object]) -> Environment:
    """Return what fills this package's templates; pages alone escape HTML.

    Parameters
    ----------
    finalize : callable
        What becomes of each value before it is written.
    """
    import jinja2

    plain = ("md", "txt")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_read),
        autoescape=jinja2.select_autoescape(disabled_extensions=plain, default=True),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        finalize=finalize,
    )
    environment.filters.update(said.FILTERS, **evidence_said.FILTERS)
    environment.filters.update(basename=os.path.basename, link=_link)
    return environment


def _visible(value: object) -> object:
    """Control characters as text; markup is escaped by Jinja after this."""
    return printable(value) if type(value) is str else value


def _read(name: str) -> str:
    folder = files("garak_tbsa.outputs") / "templates"
    return (folder / name).read_text(encoding="utf-8")


def _link(path: str) -> str:
    """Link a file by its name: pages are written beside the report, or sent with it."""
    # "./" keeps a name with a colon from being a scheme
    return f"./{quote(os.path.basename(path), errors='replace')}"


def scan_facts(report: Report) -> list[tuple[str, str]]:
    """Return what a page says of the scan itself, each with its name."""
    return [
        ("Report", report.source),
        ("Target", report.target),
        ("garak version", report.garak_version or "unknown"),
        ("Start", report.start_time or "unknown"),
        ("Run", report.run_uuid or "unknown"),
    ]


def scale_values(
    tbsa: float, ends: tuple[float, float] | None, more: str = ""
) -> dict[str, Any]:
    """Return what ``scale_drawing`` draws: a score and a range from 1.0 to 5.0.

    Parameters
    ----------
    tbsa : float
    ends : tuple of float or None
        Of the range; None draws none.
    more : str
        What is said of them to those who see no picture, after the score.
    """
    low, high = map(on_scale, ends or (tbsa, tbsa))
    return {
        "at": on_scale(tbsa),
        "low": round(low - DOT, 1) if ends else 0.0,
        "width": round(high - low + 2 * DOT, 1) if ends else 0.0,
        "ticks": [{"grade": grade, "x": on_scale(grade)} for grade in GRADES],
        "label": f"TBSA {said.tbsa_text(tbsa)} on a scale from 1.0 to 5.0{more}",
    }


def on_scale(tbsa: float) -> float:
    """Return where a score is on the line of :func:`scale_values`."""
    return round(SCALE_START + SCALE_STEP * (tbsa - 1), 1)
