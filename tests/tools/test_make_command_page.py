# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""docs/commands.md is what the commands print."""

from tools.make_command_page import PAGE, page


def test_the_page_shows_the_help_of_today():
    # mended by: python -m tools.make_command_page
    assert PAGE.read_text(encoding="utf-8") == page()
