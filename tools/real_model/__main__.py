# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.real_model [--check]``: the pages of metrics and populations."""

import sys

from tools.made_page import write_or_check
from tools.real_model import pages

if __name__ == "__main__":
    checks = pages.read_checks()
    made = {
        pages.SCANNED: pages.scanned_page(checks, pages.read_reasons()),
        pages.POPULATIONS: pages.populations_page(
            {
                pages.SCANS: checks,
                pages.LONG_PROMPTS: pages.read_checks(pages.JAILBREAKS),
            },
            pages.published_sets(),
        ),
    }
    sys.exit(max(write_or_check(*page, sys.argv[1:]) for page in made.items()))
