# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.real_model [--check]``: the pages of metrics and populations."""

import sys

from tools.made_page import write_or_check
from tools.real_model import populations_page, scanned_page

if __name__ == "__main__":
    sys.exit(
        max(
            write_or_check(module.PAGE, module.made_page(), sys.argv[1:])
            for module in (scanned_page, populations_page)
        )
    )
