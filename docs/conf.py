# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration; ``make docs`` builds into docs/_build/html."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import Version

from garak_tbsa import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "garak-tbsa"
author = "the garak-tbsa authors"
copyright = "2026, the garak-tbsa authors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "measured"]
html_theme = "furo"
html_title = "garak-tbsa"
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
# internal links are checked, anchors included; docstrings name types in words
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]
autodoc_typehints = "none"
napoleon_numpy_docstring = True

# pages name the release that they will be of, in code blocks too
NEXT_RELEASE = Version(__version__).base_version


def setup(app: Sphinx) -> None:
    """Let every page say which release it is of."""
    app.connect("source-read", _name_release)


def _name_release(_: Sphinx, __: str, source: list[str]) -> None:
    source[0] = source[0].replace("NEXT_RELEASE", NEXT_RELEASE)
