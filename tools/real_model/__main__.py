# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.real_model [--check]``: write docs/measured/scanned.md."""

import sys

from tools.made_page import write_or_check
from tools.real_model.scanned_page import PAGE, made_page

if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, made_page(), sys.argv[1:]))
