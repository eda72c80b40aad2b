# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Markdown from templates: each value becomes text in which no character is markup."""

from __future__ import annotations

import os
from functools import lru_cache

from jinja2 import Environment, StrictUndefined, select_autoescape
from markupsafe import Markup

from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.html_page import TEMPLATES
from garak_tbsa.tbsa.outputs.markdown_text import Escaped, escaped


def filled_markdown(template: str, **values: object) -> str:
    """Fill a template of this package."""
    return (
        _environment()
        .get_template(template)
        .render(disclaimer=wording.DISCLAIMER, **values)
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=TEMPLATES,
        autoescape=select_autoescape(enabled_extensions=("html",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        finalize=_harmless,
    )
    environment.filters.update(wording.FILTERS, basename=os.path.basename)
    return environment


def _harmless(value: object) -> str:
    return value if isinstance(value, (Escaped, Markup)) else escaped(value)
