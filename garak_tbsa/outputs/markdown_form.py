# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Markdown from templates: each value becomes text in which no character is markup."""

from __future__ import annotations

from functools import lru_cache

from jinja2 import Environment
from markupsafe import Markup

from garak_tbsa.outputs import wording
from garak_tbsa.outputs.html_page import environment_of
from garak_tbsa.outputs.markdown_text import Escaped, escaped


def filled_markdown(template: str, **values: object) -> str:
    """Fill a template of this package."""
    return (
        _environment()
        .get_template(template)
        .render(disclaimer=wording.DISCLAIMER, **values)
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return environment_of(_harmless)


def _harmless(value: object) -> str:
    return value if isinstance(value, (Escaped, Markup)) else escaped(value)
