# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as one self-contained page: each module fills one part of it.

A little script of ours sorts and filters the pairs; without it everything is there.
"""

from garak_tbsa.outputs.page.score_page import render

__all__ = ["render"]
